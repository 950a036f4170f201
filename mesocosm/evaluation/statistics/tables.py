"""Tables over lives: by role and metric, and by how lives ended."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import OUTCOMES
from mesocosm.evaluation.statistics.describe import Description, Kind, describe, mean_of
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.statistics.sample import Sample, sample

Columns = Mapping[str, Sequence[Any] | np.ndarray]  # of lives; one entry for each


class Metric(NamedTuple):
    """A metric of a role."""

    role: str
    metric: str
    found: Description


class Ending(NamedTuple):
    """The lives of a role that ended in one way."""

    role: str
    outcome: str
    lives: int
    share: Estimate  # of the role's lives
    total_return: Estimate
    length: Estimate


def columns_of(rows: Iterable[Mapping[str, Any]]) -> Columns:
    """Turn rows of lives (`Scores.rows()`, or of the table `episode_agents`) into columns."""
    made: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            made.setdefault(name, []).append(value)
    return made


def episode_ids(lives: Columns) -> np.ndarray:
    """Number the episodes of lives: the same env and episode have the same id in every run."""
    env = np.asarray(lives["env"], np.int64)
    number = np.asarray(lives.get("episode", np.zeros(len(env))), np.int64)
    return (env << 32) + number


def can_succeed(lives: Columns) -> bool:
    """Whether some life ended in success."""
    return "success" in np.asarray(lives["outcome"], object).tolist()


def role_samples(lives: Columns, *, success: bool = True) -> dict[tuple[str, str], Sample]:
    """Give a sample for every role and metric: return, success and length.

    Args:
        success: Whether to count successes.
    """
    ids, roles = episode_ids(lives), np.asarray(lives["role"], object)
    outcome = np.asarray(lives["outcome"], object)
    columns = {
        "return": np.asarray(lives["total_return"], float),
        "success": (outcome == "success").astype(float),
        "length": np.asarray(lives["length"], float),
    }
    if not success:
        del columns["success"]
    return {
        (str(role), metric): sample(values[roles == role], ids[roles == role])
        for role in dict.fromkeys(roles.tolist())
        for metric, values in columns.items()
    }


def kind_of(metric: str) -> Kind:
    """Say which values a metric can have."""
    return "share" if metric == "success" else "number"


def role_table(lives: Columns) -> list[Metric]:
    """Give mean, median and interquartile mean of every role and metric."""
    return [
        Metric(role, metric, describe(found.values, found.episode, kind=kind_of(metric)))
        for (role, metric), found in role_samples(lives, success=can_succeed(lives)).items()
    ]


def outcome_table(lives: Columns) -> list[Ending]:
    """Give how often the lives of every role ended in every way seen, and what they got."""
    ids, roles = episode_ids(lives), np.asarray(lives["role"], object)
    outcome = np.asarray(lives["outcome"], object)
    columns = [np.asarray(lives[name], float) for name in ("total_return", "length")]
    made = []
    for role in dict.fromkeys(roles.tolist()):
        for name in OUTCOMES:
            mine, chosen = roles == role, (roles == role) & (outcome == name)
            if not chosen.any():
                continue
            share = sample((outcome[mine] == name).astype(float), ids[mine])
            means = [
                mean_of(sample(values[chosen], ids[chosen]), kind="number") for values in columns
            ]
            count = int(chosen.sum())
            made.append(Ending(str(role), name, count, mean_of(share, kind="share"), *means))
    return made
