"""Let policies play the same unseen episodes, one after the other."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import typer

from mesocosm.build import make, policy
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.output import progress_bar
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Spec
from mesocosm.evaluation.report.compared import RANDOM, Player
from mesocosm.evaluation.score import play_episodes
from mesocosm.resolve import Resolved
from mesocosm.telemetry.recorder import record
from mesocosm.worlds.registry import find

USUAL_RIVAL = "greedy"
Side = Mapping[str, Policy]  # by role


class Asked(NamedTuple):
    """What a person said of how trainings are judged."""

    episodes: int
    seed: int
    against: list[str] | None
    target: str
    film: bool


def choose_rivals(spec: Spec, against: list[str] | None) -> list[str]:
    """Choose whom to compare with: random, and a scripted policy of the world."""
    known = list(find(spec.world).policies)
    usual = [USUAL_RIVAL] if USUAL_RIVAL in known else known[:1]
    names = [RANDOM, *(usual if against is None else against)]
    for name in names:
        policy(spec.world, name)  # refuses what does not exist before anything is played
    return list(dict.fromkeys(names))


def scripted_sides(spec: Spec, names: list[str]) -> dict[str, Side]:
    """Make scripted policies for every role."""
    return {name: {role: policy(spec.world, name) for role in spec.roles} for name in names}


def play_all(
    resolved: Resolved, sides: Mapping[str, Side], asked: Asked, recorded: Mapping[str, Path]
) -> dict[str, Player]:
    """Let every side play the same episodes.

    Args:
        recorded: Where the episodes of a side are recorded, by its name.
    """
    with compiling():
        env = make(resolved, num_envs=asked.episodes, target=asked.target, autoreset="off",
                   seed=asked.seed)  # fmt: skip
    made = {}
    with progress_bar("episodes") as progress, interrupts() as interrupted:
        for name, policies in sides.items():
            task = progress.add_task(f"{name:8} plays", total=asked.episodes)

            def advance(over: int, task: Any = task) -> None:
                progress.update(task, completed=over)
                if interrupted():
                    raise typer.Exit(INTERRUPTED)

            place = recorded.get(name)
            with nullcontext() if place is None else record(env, place):
                scores = play_episodes(env, policies, seed=asked.seed, advance=advance)
            made[name] = Player(scores, any(entry.privileged for entry in policies.values()))
    return made
