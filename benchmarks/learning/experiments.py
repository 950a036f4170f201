"""What is learnt: train with several seeds, evaluate on seeds that were never trained on."""

import argparse
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

import mesocosm
from mesocosm.build import policy as make_policy
from mesocosm.evaluation.score import Scores, play_episodes
from mesocosm.evaluation.summary import summarise
from mesocosm.learning.bundles.bundle import pack_bundle, read_from
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.policies.bundle_policy import BundlePolicy
from mesocosm.learning.ppo import Learner
from mesocosm.learning.presets import settings_for
from mesocosm.learning.settings import LearningSettings, override
from mesocosm.learning.trainer import Shares, Trainer

MILLION = 1_000_000
EVALUATION_SEED = 900_001  # training derives its own, of another kind
EPISODES = 1000
LARGE = {"num_envs": 32768, "horizon": 32, "minibatches": 32, "gae_lambda": 0.99}
WIDE = {"num_envs": 8192, "horizon": 32, "minibatches": 8, "network.hidden": [64]}


class Experiment(NamedTuple):
    """One training, to be repeated with several seeds.

    Args:
        marks: Agent-steps after which the policies are evaluated.
        stages: Earlier presets of a curriculum, with the mean return at which to move on.
    """

    preset: str
    marks: tuple[int, ...]
    learning: dict[str, Any]
    core: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    stages: tuple[tuple[str, float], ...] = ()


GRU = WIDE | {"network.memory": "gru"}
NO_SANCTION = {"agents.roles.harvester.permissions": ["deal.none", "deal.give", "target.*"]}
Q = {"algorithm": "q", "final_learning_rate": 5e-4}
EXPERIMENTS = {
    "L0": Experiment("townlet/L0", (10 * MILLION,), {}),
    "L1": Experiment("townlet/L1", (10 * MILLION,), {}),
    "L2": Experiment("townlet/L2", (20 * MILLION,), {}),
    "L3": Experiment("townlet/L3", (20 * MILLION,), {}),
    "L3 long": Experiment("townlet/L3", (100 * MILLION,), {}),
    "L3 large": Experiment("townlet/L3", (100 * MILLION, 300 * MILLION), LARGE),
    "L5 no memory": Experiment("townlet/L5", (100 * MILLION,), WIDE),
    "L5 gru": Experiment("townlet/L5", (100 * MILLION,), GRU),
    "L5 gru after L4": Experiment(
        "townlet/L5", (100 * MILLION,), GRU, {}, (("townlet/L4", 400.0),)
    ),
    "Q L0": Experiment("townlet/L0", (10 * MILLION,), Q),
    "Q L1": Experiment("townlet/L1", (10 * MILLION,), Q),
    "commons sanction": Experiment("commons", (20 * MILLION,), {}),
    "commons no sanction": Experiment("commons", (20 * MILLION,), {}, NO_SANCTION),
    "forage": Experiment("mettagrid/forage", (10 * MILLION,), {}),
}
SCRIPTED = {  # what the trained are compared with
    "townlet/L0": ("random", "greedy"),
    "townlet/L1": ("random", "greedy"),
    "townlet/L2": ("random", "greedy"),
    "townlet/L3": ("random", "greedy"),
    "townlet/L5": ("random", "greedy"),
    "commons": ("random", "greedy", "steady"),
    "mettagrid/forage": ("random", "forager"),
}


def settings_of(experiment: Experiment) -> LearningSettings:
    """Give the settings that suit the preset, with the experiment's own changes."""
    spec = mesocosm.config_spec(experiment.preset, experiment.core)
    return override(settings_for(spec), experiment.learning)


def train(experiment: Experiment, seed: int, target: str) -> dict[str, Any]:
    """Train once; evaluate at each mark."""
    settings, steps = settings_of(experiment), experiment.marks[-1]
    envs = [
        mesocosm.make(preset, core, num_envs=settings.num_envs, target=target)
        for preset, core in (
            *((preset, {}) for preset, _ in experiment.stages),
            (experiment.preset, experiment.core),
        )
    ]
    trainer = Trainer(envs[0], settings, steps=steps, seed=seed)
    begun, parts, curve, found = time.perf_counter(), Shares(), [], []
    moved: list[int] = []
    marks = list(experiment.marks)
    for update in trainer.run():
        parts = Shares(*map(sum, zip(parts, update.seconds, strict=True)))
        curve.append(_point(update, time.perf_counter() - begun))
        if trainer.stage < len(experiment.stages) and _is_over(experiment, trainer.stage, curve):
            trainer.move_to(envs[trainer.stage + 1], trainer.stage + 1)
            moved.append(update.agent_steps)
        while marks and update.agent_steps >= marks[0]:
            found.append({"agent_steps": marks.pop(0), **evaluate(trainer, experiment)})
    return {
        "seed": seed,
        "target": target,
        "agent_steps": trainer.number * trainer.steps_per_update,
        "seconds": sum(parts),
        "moved_at": moved,
        "parts": list(parts),
        "curve": curve[:: max(1, len(curve) // 40)],
        "evaluations": found,
    }


def _point(update: Any, seconds: float) -> dict[str, Any]:
    lives = {role: [x.num, x.mean_return, x.mean_length] for role, x in update.lives.items()}
    success = {role: x.outcomes["success"] for role, x in update.lives.items()}
    return {"agent_steps": update.agent_steps, "s": seconds, "lives": lives, "success": success}


def _is_over(experiment: Experiment, stage: int, curve: list[dict[str, Any]]) -> bool:
    """Whether the last updates reached a stage's score."""
    recent = [x for point in curve[-8:] for x in point["lives"].values() if x[0]]
    num = sum(x[0] for x in recent)
    wanted = experiment.stages[stage][1]
    return num > 0 and sum(x[0] * x[1] for x in recent) / num >= wanted


def evaluate(trainer: Trainer, experiment: Experiment) -> dict[str, Any]:
    """Play whole episodes with sampled actions on seeds of their own."""
    policies = {name: _policy(trainer, learner) for name, learner in trainer.learners.items()}
    return play(experiment.preset, experiment.core, policies)


def play(preset: str, core: dict[str, Any], policies: dict[str, Any]) -> dict[str, Any]:
    """Play `EPISODES` episodes; say how lives went, and from how many beginnings."""
    env = mesocosm.make(preset, core, num_envs=EPISODES, autoreset="off")
    scores = play_episodes(env, policies, seed=EVALUATION_SEED)
    first = [np.asarray(x) for x in _by_role(env.reset(seed=EVALUATION_SEED).obs)]
    rows = np.concatenate([x.reshape(EPISODES, -1) for x in first], axis=1)
    return {"beginnings": len(np.unique(rows, axis=0)), **summaries(scores)}


def _by_role(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else [value]


def play_scripted(preset: str) -> dict[str, Any]:
    """Play the policies that come with a world."""
    found = {}
    for name in SCRIPTED[preset]:
        spec = mesocosm.config_spec(preset)
        policies = {role: make_policy(spec.world, name) for role in spec.roles}
        found[name] = play(preset, {}, policies)
    return found


def _policy(trainer: Trainer, learner: Learner) -> BundlePolicy:
    """Make the policy that a bundle of this moment would be."""
    size = 0 if learner.truth is None else learner.truth.size
    training = Training(settings=trainer.settings, seed=trainer.seed, truth_size=size)
    card = make_card(learner.role, trainer.env.config, training)
    return BundlePolicy(read_from(pack_bundle(learner.network, card), Path("now.mesop")))


def summaries(scores: Scores) -> dict[str, Any]:
    """Give means with their intervals over episodes, and shares of endings, by role."""
    made: dict[str, Any] = {"episodes": scores.num_episodes, "finished": scores.num_finished}
    for role in scores.spec.roles:
        found = summarise(scores, role)
        made[role] = {
            "lives": found.lives,
            "success": found.success,
            "total_return": found.total_return,
            "length": found.length,
            "endings": {name: num / found.lives for name, num in found.reasons.items()},
        }
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", help=", ".join((*EXPERIMENTS, *SCRIPTED, "all")))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/learning/learnt"))
    given = parser.parse_args()
    if given.target == "cuda":
        torch.set_float32_matmul_precision("high")
    given.out.mkdir(parents=True, exist_ok=True)
    names = [*SCRIPTED, *EXPERIMENTS] if given.names == ["all"] else given.names
    for name in names:
        if name in SCRIPTED:
            _write(given.out, f"scripted {name}", play_scripted(name))
            continue
        for seed in given.seeds:
            experiment = EXPERIMENTS[name]
            made = {"name": name, "settings": settings_of(experiment).model_dump(mode="json")}
            made |= experiment._asdict() | train(experiment, seed, given.target)
            _write(given.out, f"{name} {seed}", made)
            last = json.dumps(made["evaluations"][-1])
            print(f"{name} {seed}: {made['seconds']:.1f} s {last}", flush=True)


def _write(folder: Path, name: str, data: dict[str, Any]) -> None:
    path = folder / (name.replace(" ", "-").replace("/", "-") + ".json")
    path.write_text(json.dumps(data) + "\n")


if __name__ == "__main__":
    main()
