"""What is learnt: train with several seeds, evaluate on seeds that were never trained on."""

import argparse
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

import mesocosm
from mesocosm.learning.bundles.bundle import pack_bundle, read_from
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.policies.bundle_policy import BundlePolicy
from mesocosm.learning.ppo import Learner
from mesocosm.learning.presets import settings_for
from mesocosm.learning.settings import LearningSettings, override
from mesocosm.learning.trainer import Trainer

MILLION = 1_000_000
EVALUATION_SEED = 900_001  # training derives its own, of another kind
EPISODES = 1000
LARGE = {"num_envs": 32768, "horizon": 32, "minibatches": 32, "gae_lambda": 0.99}


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


GRU = {"network.memory": "gru", "network.hidden": [64]}
NO_SANCTION = {"agents.roles.harvester.permissions": ["deal.none", "deal.give", "target.*"]}
EXPERIMENTS = {
    "L0": Experiment("townlet/L0", (10 * MILLION,), {}),
    "L1": Experiment("townlet/L1", (10 * MILLION,), {}),
    "L2": Experiment("townlet/L2", (20 * MILLION,), {}),
    "L3": Experiment("townlet/L3", (20 * MILLION,), {}),
    "L3 long": Experiment("townlet/L3", (100 * MILLION,), {}),
    "L3 large": Experiment("townlet/L3", (300 * MILLION,), LARGE),
    "L5 no memory": Experiment("townlet/L5", (100 * MILLION,), {}),
    "L5 gru": Experiment("townlet/L5", (100 * MILLION,), GRU),
    "L5 gru after L4": Experiment(
        "townlet/L5", (100 * MILLION,), GRU, {}, (("townlet/L4", 400.0),)
    ),
    "Q L0": Experiment("townlet/L0", (10 * MILLION,), {"algorithm": "q"}),
    "Q L1": Experiment("townlet/L1", (10 * MILLION,), {"algorithm": "q"}),
    "commons": Experiment("commons", (20 * MILLION,), {}),
    "commons no sanction": Experiment("commons", (20 * MILLION,), {}, NO_SANCTION),
    "forage": Experiment("mettagrid/forage", (50 * MILLION,), {}),
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
    begun, seconds, curve, found = time.perf_counter(), 0.0, [], []
    marks = list(experiment.marks)
    for update in trainer.run():
        seconds += sum(update.seconds)
        curve.append(_point(update, time.perf_counter() - begun))
        if trainer.stage < len(experiment.stages) and _is_over(experiment, trainer.stage, curve):
            trainer.move_to(envs[trainer.stage + 1], trainer.stage + 1)
        while marks and update.agent_steps >= marks[0]:
            found.append({"agent_steps": marks.pop(0), **evaluate(trainer, experiment)})
    return {
        "seed": seed,
        "target": target,
        "agent_steps": trainer.number * trainer.steps_per_update,
        "seconds": seconds,
        "curve": curve[:: max(1, len(curve) // 100)],
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
    from mesocosm.evaluation.score import play_episodes

    env = mesocosm.make(experiment.preset, experiment.core, num_envs=EPISODES, autoreset="off")
    policies = {name: _policy(trainer, learner) for name, learner in trainer.learners.items()}
    return summarise(play_episodes(env, policies, seed=EVALUATION_SEED))


def _policy(trainer: Trainer, learner: Learner) -> BundlePolicy:
    """Make the policy that a bundle of this moment would be."""
    size = 0 if learner.truth is None else learner.truth.size
    training = Training(settings=trainer.settings, seed=trainer.seed, truth_size=size)
    card = make_card(learner.role, trainer.env.config, training)
    return BundlePolicy(read_from(pack_bundle(learner.network, card), Path("now.mesop")))


def summarise(scores: Any) -> dict[str, Any]:
    """Give means and shares by role."""
    made: dict[str, Any] = {"episodes": scores.num_episodes, "finished": scores.num_finished}
    for role in scores.spec.roles:
        own = scores.of_role(role)
        ends = np.array([scores.spec.reason_name(int(code)) for code in own.reason])
        made[role] = {
            "lives": len(own.length),
            "mean_return": float(own.total_return.mean()) if len(ends) else None,
            "mean_length": float(own.length.mean()) if len(ends) else None,
            "endings": {str(name): float((ends == name).mean()) for name in sorted(set(ends))},
        }
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(EXPERIMENTS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/learning"))
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    if given.target == "cuda":
        torch.set_float32_matmul_precision("high")
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.names:
        path = given.out / f"{name.replace(' ', '-')}.json"
        runs = []
        for seed in range(1, given.seeds + 1):
            runs.append(train(EXPERIMENTS[name], seed, given.target))
            last = runs[-1]["evaluations"][-1]
            print(name, seed, f"{runs[-1]['seconds']:.1f} s", json.dumps(last), flush=True)
            data = {"experiment": EXPERIMENTS[name]._asdict(), "runs": runs}
            path.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
