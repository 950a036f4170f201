"""Compare recorded runs: a verdict for every role and metric, against the first of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mesocosm.core.errors import RunError
from mesocosm.evaluation.statistics.describe import Description, Kind, describe
from mesocosm.evaluation.statistics.sample import Sample, sample
from mesocosm.evaluation.statistics.tables import (
    Columns,
    can_succeed,
    kind_of,
    role_samples,
)
from mesocosm.evaluation.statistics.verdict import Comparison, Sides, compare_all
from mesocosm.telemetry.run import Run

SAME_BEGINNINGS = ("world", "seed", "first_env")  # of runs with common random numbers
NEEDED = {"env", "episode", "role", "outcome", "total_return", "length"}
APART = {"entrant", "preset"}  # columns of an evaluation; lives of several are not one side
NO_LIVES: Columns = dict.fromkeys(NEEDED, ())
LIVES = f"""
SELECT {", ".join(sorted(NEEDED))} FROM episode_agents
WHERE (env, episode) IN (SELECT (env, episode) FROM episode)
"""  # noqa: S608 (names of ours)


class Side(NamedTuple):
    """What is compared: a run, or several that were trained alike with different seeds."""

    name: str
    runs: Sequence[Run]


class Compared(NamedTuple):
    """A metric of one side beside that of the baseline."""

    side: str
    role: str
    metric: str
    found: Comparison


class RunComparison(NamedTuple):
    """What was found, and what it rests on."""

    baseline: str
    reached: dict[tuple[str, str, str], Description]  # by side, role and metric
    compared: list[Compared]
    notes: list[str]


def compare_runs(sides: Sequence[Side], margin: float) -> RunComparison:
    """Compare every side with the first.

    Args:
        margin: The difference worth finding; see `compare`.
    """
    notes: list[str] = []
    lives = {side.name: [_lives(run, notes) for run in side.runs] for side in sides}
    success = any(can_succeed(columns) for parts in lives.values() for columns in parts)
    samples = {name: _samples(parts, success) for name, parts in lives.items()}
    first = sides[0]
    questions = {
        (side.name, *key): Sides(
            ours, samples[first.name][key], _are_paired(first, side), _kind(key[1], first, side)
        )
        for side in sides[1:]
        for key, ours in samples[side.name].items()
        if key in samples[first.name]
    }
    answers = compare_all(questions, margin=margin)
    reached = {
        (side.name, *key): describe(found.values, found.episode, kind=_kind(key[1], side))
        for side in sides
        for key, found in samples[side.name].items()
    }
    known = {name for name, *_ in questions}
    notes += [_say_unit(first, side) for side in sides[1:] if side.name in known]
    notes += [
        f"no interval: {entry.difference.why}" for entry in answers.values() if entry.difference.why
    ]
    compared = [Compared(*key, found) for key, found in answers.items()]
    return RunComparison(first.name, reached, compared, list(dict.fromkeys(notes)))


def _lives(run: Run, notes: list[str]) -> Columns:
    """Read the lives of the first finished episodes of every env, equally many of each.

    Args:
        notes: Where it is added why there are none, or not all.
    """
    where = run.folder.path
    try:
        found = _finished(run)
    except RunError as error:
        notes.append(f"no verdict: {error}")
        return NO_LIVES
    kept, count = _first_episodes(found, int(run.about["num_envs"]))
    if kept is None:
        notes.append(
            f"{where}: some envs finished no episode, so that short episodes count more often than "
            "they should; record more steps"
        )
        return found
    if not kept.all():
        notes.append(
            f"{where}: the first {count} of every env's episodes are compared, so that short ones "
            "do not count more often"
        )
    return {name: np.asarray(values, object)[kept] for name, values in found.items()}


def _finished(run: Run) -> Columns:
    """Read the lives of finished episodes."""
    names = [set(run.table(table).schema.names) for table in ("episode", "episode_agents")]
    absent = sorted(NEEDED - names[1])
    if absent:
        raise RunError(f"{run.folder.path}: its table of lives has no {', '.join(absent)}")
    for column in sorted(APART & names[1]):
        number = len(run.query(f"SELECT DISTINCT {column} FROM episode_agents"))  # noqa: S608
        if number > 1:
            raise RunError(
                f"{run.folder.path}: holds {number} {column}s, which it compares itself: "
                f"mesocosm query {run.folder.path} 'FROM verdict'"
            )
    found: Columns = run.query(LIVES).to_pydict()
    if not len(found["env"]):
        raise RunError(f"{run.folder.path}: no episode was finished; record more steps")
    return found


def _first_episodes(lives: Columns, num_envs: int) -> tuple[np.ndarray | None, int]:
    """Choose equally many episodes of every env; None if some env has none."""
    env, episode = (np.asarray(lives[name], np.int64) for name in ("env", "episode"))
    played = np.unique(np.stack([env, episode], 1), axis=0)
    envs, at, counts = np.unique(played[:, 0], return_index=True, return_counts=True)
    if len(envs) < num_envs:
        return None, 0
    fewest = int(counts.min())
    first = played[at, 1][np.searchsorted(envs, env)]
    return episode - first < fewest, fewest


def _samples(parts: list[Columns], success: bool) -> dict[tuple[str, str], Sample]:
    """Give the sample of every role and metric; of several runs, one value for each."""
    found = [role_samples(columns, success=success) for columns in parts]
    if len(found) == 1:
        return found[0]
    return {
        key: sample([part[key].mean for part in found])
        for key in found[0]
        if all(key in part for part in found)
    }


def _are_paired(first: Side, side: Side) -> bool:
    """Whether both met the same beginnings: common random numbers."""
    if len(first.runs) > 1 or len(side.runs) > 1:
        return False
    one, two = first.runs[0].about, side.runs[0].about
    same = all(one.get(name) == two.get(name) for name in SAME_BEGINNINGS)
    return same and one.get("seed") is not None


def _kind(metric: str, *sides: Side) -> Kind:
    """Say which values there are: a mean over a run is a number, whatever it is a mean of."""
    return kind_of(metric) if all(len(side.runs) == 1 for side in sides) else "number"


def _say_unit(first: Side, side: Side) -> str:
    """Say what was counted."""
    if len(first.runs) > 1 or len(side.runs) > 1:
        return f"{side.name}: one value for each run, as for training seeds"
    if _are_paired(first, side):
        return f"{side.name}: paired with {first.name} episode by episode, as both have one seed"
    return f"{side.name}: not paired with {first.name}, as their seeds differ"
