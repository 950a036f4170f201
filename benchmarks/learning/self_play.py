"""Self-play: whether networks that trained in a league do better than their first selves.

Everybody else is played by the networks that have learnt. "In its place" plays the same episodes
twice, once with a role's network and once with its first self for all agents of the role. "Side by
side" plays them once, with each of the two for half of the agents. Differences are of the mean
return of an agent, over 1,000 episodes that were never trained on, with sampled actions.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

import mesocosm
from mesocosm.core.action import Action
from mesocosm.learning.league.ratings import Player
from mesocosm.learning.networks.network import Network
from mesocosm.learning.seeds import seeded
from mesocosm.learning.settings import LearningSettings, override
from mesocosm.learning.trainer import Trainer

PRESETS = ("commons/wardens", "commons")
EPISODES = 1000
EVALUATION_SEED = 900_001  # training derives its own, of another kind
LEAGUE = {
    "num_envs": 256,
    "horizon": 64,
    "minibatches": 4,
    "league.share": 0.5,
    "league.every": 5,
    "league.size": 8,
}
NORMAL_95 = 1.96


class Seating(NamedTuple):
    """Which of two networks plays for whom: the first where `mask` [env, agent] is True."""

    first: Network
    second: Network
    mask: Tensor


def train(preset: str, steps: int, seed: int) -> Trainer:
    """Train all roles of a preset in a league."""
    settings = override(LearningSettings(), LEAGUE)
    env = mesocosm.make(preset, num_envs=settings.num_envs)
    trainer = Trainer(env, settings, steps=steps, seed=seed)
    for _ in trainer.run():
        pass
    return trainer


def first_self(trainer: Trainer, role: str) -> Network:
    """Make a role's network as it was before any update."""
    network = Network(trainer.env.spec.roles[role], trainer.settings.network)
    network.load_state_dict(trainer.league.members[Player(role, 0)])
    return network


@torch.no_grad()
def play(preset: str, seats: dict[str, Seating], seed: int) -> dict[str, np.ndarray]:
    """Play whole episodes with sampled actions; give the returns `[env, agent]` of every role."""
    env = mesocosm.make(preset, num_envs=EPISODES, autoreset="off")
    step = env.reset(seed=EVALUATION_SEED)
    generator = seeded("cpu", EVALUATION_SEED, seed)
    returns = {name: np.zeros((EPISODES, role.num_agents)) for name, role in env.spec.roles.items()}
    while not step.episode_over.all():
        actions = {
            name: _act(seats[name], _of(step.obs, name), _of(step.mask, name), generator)
            for name in returns
        }
        over = np.array(step.episode_over)
        step = env.step(actions)
        for name, total in returns.items():
            total[~over] += _of(step.reward, name)[~over]
    return returns


def _of(entry: Any, role: str) -> np.ndarray:
    return entry[role] if isinstance(entry, dict) else entry


def _act(seating: Seating, obs: np.ndarray, mask: np.ndarray, generator: torch.Generator) -> Any:
    """Let both networks choose for everybody, and take the actions of who plays."""
    head = seating.first.head
    lead = obs.shape[:2]
    rows, allowed = (torch.from_numpy(np.array(x)).flatten(0, 1) for x in (obs, mask))
    noise = torch.empty(rows.shape[0], head.size)
    noise[:, : head.num_options].exponential_(generator=generator)
    noise[:, head.num_options :].normal_(generator=generator)
    made = []
    for network in (seating.first, seating.second):
        began = torch.zeros(1, rows.shape[0], dtype=torch.bool)
        numbers, _ = network.act(rows[None], network.begin(rows.shape[0]).actor, began)
        choice, levels, _ = network.head.sample(numbers[0], allowed, noise)
        made.append((choice, network.head.scale_levels(levels)))
    mine = seating.mask.flatten()[:, None]
    choice, levels = (torch.where(mine, a, b) for a, b in zip(*made, strict=True))
    choice, levels = (x.unflatten(0, lead).numpy() for x in (choice, levels))
    if not head.num_levels:
        return choice
    return Action(choice, levels) if head.num_options else levels


def in_its_place(trainer: Trainer, preset: str, role: str) -> dict[str, Any]:
    """Compare a role's network with its first self in the same place of the same episodes."""
    seats = {
        name: Seating(x.network, x.network, torch.ones(EPISODES, x.role.num_agents, dtype=bool))
        for name, x in trainer.learners.items()
    }
    first = first_self(trainer, role)
    others = seats | {role: seats[role]._replace(first=first)}
    return _summary(*(play(preset, x, trainer.seed)[role].mean(1) for x in (seats, others)))


def side_by_side(trainer: Trainer, preset: str, role: str) -> dict[str, Any]:
    """Compare a role's network with its first self, each playing for half of the role's agents."""
    seats = {}
    for name, learner in trainer.learners.items():
        count = learner.role.num_agents
        mask = torch.zeros(EPISODES, count, dtype=torch.bool)
        mask[::2, : count // 2] = True
        mask[1::2, -(count // 2) :] = True
        other = first_self(trainer, role) if name == role else learner.network
        seats[name] = Seating(learner.network, other, mask)
    got, mine = play(preset, seats, trainer.seed)[role], seats[role].mask.numpy()
    return _summary(*((got * part).sum(1) / part.sum(1) for part in (mine, ~mine)))


def compare(trainer: Trainer, preset: str, role: str) -> dict[str, Any]:
    """Play all matches that make sense for a role."""
    spec, made = trainer.env.spec.roles[role], {}
    if len(trainer.learners) > 1:
        made["in its place"] = in_its_place(trainer, preset, role)
    own = any(term.attribution == "individual" and term.timing == "step" for term in spec.terms)
    if spec.num_agents > 1 and own:  # else both halves earn the same
        made["side by side"] = side_by_side(trainer, preset, role)
    return made


def _summary(now: np.ndarray, first: np.ndarray) -> dict[str, Any]:
    far = now - first
    half = NORMAL_95 * far.std(ddof=1) / len(far) ** 0.5
    better = (far > 0).mean() + 0.5 * (far == 0).mean()
    return {
        "episodes": len(far),
        "now": float(now.mean()),
        "first": float(first.mean()),
        "difference": [float(far.mean()), float(far.mean() - half), float(far.mean() + half)],
        "better": float(better),
    }


def measure(preset: str, steps: int, seed: int) -> dict[str, Any]:
    """Train once and compare every role with its first self."""
    begun = time.process_time()
    trainer = train(preset, steps, seed)
    seconds = time.process_time() - begun
    return {
        "seed": seed,
        "agent_steps": trainer.number * trainer.steps_per_update,
        "cpu_seconds": seconds,
        "ratings": trainer.league.table(),
        "matches": {role: compare(trainer, preset, role) for role in trainer.learners},
    }


def table(results: dict[str, list[dict[str, Any]]]) -> str:
    """Lay the results out as a table."""
    titles = ("preset", "role", "match", "seed", "return now", "of first self")
    titles += ("difference (95 %)", "did better", "rating now", "of first self")
    rows = [titles, ("---",) * len(titles)]
    for preset, runs in results.items():
        for run in runs:
            for role, matches in run["matches"].items():
                rated = {x["update"]: x["rating"] for x in run["ratings"] if x["role"] == role}
                ratings = (f"{rated[None]:.1f}", f"{rated[0]:.1f}")
                for name, match in matches.items():
                    rows.append((preset, role, name, str(run["seed"]), *_told(match), *ratings))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _told(match: dict[str, Any]) -> tuple[str, ...]:
    mean, low, high = match["difference"]
    return (
        f"{match['now']:.2f}",
        f"{match['first']:.2f}",
        f"{mean:+.2f} ({low:+.2f} to {high:+.2f})",
        f"{100 * match['better']:.0f} %",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("presets", nargs="*", default=list(PRESETS))
    parser.add_argument("--steps", type=int, default=4_000_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/learning"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    results: dict[str, list[dict[str, Any]]] = {}
    for preset in given.presets:
        for seed in range(1, given.seeds + 1):
            results.setdefault(preset, []).append(measure(preset, given.steps, seed))
            print(table({preset: results[preset][-1:]}), flush=True)
            write(given.out, results)


def write(folder: Path, results: dict[str, list[dict[str, Any]]]) -> None:
    """Keep the results, as data and as a page."""
    data = {"what": __doc__, "settings": LEAGUE, "episodes": EPISODES, "results": results}
    (folder / "self_play.json").write_text(json.dumps(data, indent=1) + "\n")
    about = f"{__doc__}\nMade by `python -m benchmarks.learning.self_play`, one thread.\n\n"
    (folder / "self_play.md").write_text(f"# {about}{table(results)}\n")


if __name__ == "__main__":
    main()
