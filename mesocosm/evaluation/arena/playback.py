"""Play a bout's episodes again, exactly as they were, and record them to be looked at."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mesocosm.core.errors import RunError
from mesocosm.core.spec import Role
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.arena.entrant import Entrant, load_for_role
from mesocosm.evaluation.arena.episodes import Batch, Episodes
from mesocosm.evaluation.arena.play_job import make_env
from mesocosm.evaluation.arena.seated import Forfeits, SeatedPolicy, seat_policies
from mesocosm.evaluation.score import Scores, play_episodes
from mesocosm.learning.policies.load import is_bundle, is_file
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.recorder import record

FILMED = {"instrumentation.artefacts.replay": True, "instrumentation.artefacts.tables": False}


class Choice(NamedTuple):
    """An episode that is shown."""

    title: str  # typical, best or worst
    episode: int
    value: float


def choose_episodes(values: np.ndarray) -> list[Choice]:
    """Choose the typical, the best and the worst episode; the first of those that are equal.

    Args:
        values: By episode; NaN: it did not end.
    """
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return []
    order = known[np.argsort(values[known], kind="stable")]
    best = known[int(np.argmax(values[known]))]
    picked = {
        "typical": order[(len(order) - 1) // 2],
        "best": best,
        "worst": order[0],
    }
    made = [Choice(title, int(k), float(values[k])) for title, k in picked.items()]
    return made if len({choice.value for choice in made}) > 1 else made[:1]


def find_foreign(entrants: Sequence[Entrant], bout: Bout) -> str:
    """Name somebody in a bout whose own code would have to run again; nothing if nobody's would."""
    for entrant in (entrants[k] for k in dict.fromkeys(bout.lineup)):
        texts = entrant.texts.values()
        if entrant.is_program or any(is_file(text) and not is_bundle(text) for text in texts):
            return entrant.name
    return ""


def play_again(  # noqa: PLR0913 (what a bout was played with)
    preset: Resolved,
    episodes: Episodes,
    entrants: Sequence[Entrant],
    bout: Bout,
    *,
    batch: int,
    target: str,
    out: Path,
    advance: Callable[[int], None] | None = None,
) -> None:
    """Play one batch of a bout again, and record it; raise if it does not go as it did.

    Args:
        out: A new run folder, with a replay.
        advance: Is told after each step how many episodes are over.
    """
    filmed, again = resolve(preset, FILMED), episodes.batch(batch)
    env = make_env(filmed, again, target)
    forfeits: Forfeits = {}

    def load(k: int, role: Role) -> SeatedPolicy:
        made = load_for_role(entrants[k], role, filmed.spec.world)
        return SeatedPolicy(made.policy, k, forfeits, checked=False)

    policies = seat_policies(filmed.spec, bout.lineup, load)
    seeds = {"seed": again.env_seed, "policy_seed": again.policy_seed}
    with record(env, out):
        scores = play_episodes(env, policies, **seeds, advance=advance)
    if forfeits or not _is_same(scores, bout, again):
        raise RunError(f"bout {bout.number}: does not go as it did when it is played again")


def _is_same(scores: Scores, bout: Bout, batch: Batch) -> bool:
    """Whether the lives that were played are those of the bout."""
    first, end = batch.first_env, batch.first_env + batch.num_envs
    if not np.array_equal(scores.endings, bout.endings[first:end]):
        return False
    mine = bout.endings[scores.env] > 0
    theirs = (bout.lives["env"] >= first) & (bout.lives["env"] < end)
    return all(
        np.array_equal(getattr(scores, name)[mine], bout.lives[name][theirs])
        for name in ("env", "agent", "length", "total_return", "reason")
    )
