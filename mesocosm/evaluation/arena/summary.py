"""Sum up how entrants did, with intervals over episodes, and compare them pair by pair."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mesocosm.evaluation.arena.arena import Arena
from mesocosm.evaluation.arena.groups import Sample
from mesocosm.evaluation.arena.tables import Kinds
from mesocosm.evaluation.statistics.describe import estimate_mean
from mesocosm.evaluation.statistics.estimate import Estimate

RESULT: Kinds = {
    "preset": ("text", "what was played"),
    "group": ("text", "whose turn it was to take the free seats"),
    "entrant": ("text", "who is summed up"),
    "role": ("text", "the role that it played"),
    "episodes": ("int64", "played to their end"),
    "lives": ("int64", "that ended in them"),
    "mean_return": ("float64", "of an agent in an episode"),
    "low": ("float64", "of its 95 % interval over episodes"),
    "high": ("float64", "of its 95 % interval over episodes"),
    "median_return": ("float64", "over episodes"),
    "success": ("float64", "share of the lives that ended in success"),
    "mean_length": ("float64", "of a life, in steps"),
    "violations": ("int64", "invalid actions"),
    "forfeits": ("text", "who forfeited, and why"),
}


def result_row(arena: Arena, sample: Sample) -> dict[str, Any]:
    """Sum up a sample."""
    known = ~np.isnan(sample.returns)
    values = sample.returns[known]
    mean = estimate_mean(values, kind="number")
    return {
        "preset": arena.conditions.preset_name(sample.preset),
        "group": sample.group,
        "entrant": arena.names[sample.entrant],
        "role": sample.role,
        "episodes": len(values),
        "lives": sample.lives,
        **interval("mean_return", mean),
        "median_return": float(np.median(values)) if len(values) else None,
        "success": _mean(sample.success),
        "mean_length": _mean(sample.lengths),
        "violations": sample.violations,
        "forfeits": "; ".join(sample.forfeits),
    }


def _mean(values: np.ndarray) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def interval(name: str, found: Estimate) -> dict[str, float | None]:
    """Give a number with its interval as entries of a row."""
    return {name: plain(found.value), "low": plain(found.low), "high": plain(found.high)}


def plain(value: float) -> float | None:
    """Give a number, or None for what is none."""
    return None if np.isnan(value) else float(value)


def result_rows(arena: Arena, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Sum up all samples."""
    return [result_row(arena, sample) for sample in samples]
