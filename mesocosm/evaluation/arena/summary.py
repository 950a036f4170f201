"""Sum up how entrants did, with intervals over episodes, and compare them pair by pair."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mesocosm.evaluation.arena.arena import Arena
from mesocosm.evaluation.arena.groups import Sample
from mesocosm.evaluation.arena.tables import Kinds
from mesocosm.evaluation.statistics.describe import describe
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.statistics.sample import sample as sample_of
from mesocosm.evaluation.statistics.verdict import Comparison, compare, holm, verdict_on

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
    "iqm_return": ("float64", "mean of the middle half of the episodes"),
    "success": ("float64", "share of the lives that ended in success"),
    "mean_length": ("float64", "of a life, in steps"),
    "violations": ("int64", "invalid actions"),
    "forfeits": ("text", "who forfeited, and why"),
}

VERDICT: Kinds = {
    "preset": ("text", "what was played"),
    "role": ("text", "the role that both played"),
    "entrant": ("text", "who is compared"),
    "baseline": ("text", "with whom: who was named first"),
    "verdict": ("text", "better, worse or not distinguishable, corrected for all rows"),
    "difference": ("float64", "of the mean returns, episode by episode"),
    "low": ("float64", "of its 95 % interval"),
    "high": ("float64", "of its 95 % interval"),
    "p": ("float64", "of no difference, corrected for all rows"),
    "improvement": ("float64", "probability that an episode of the entrant is better"),
    "episodes": ("int64", "that both played to the end"),
    "needed": ("int64", "episodes that would show a difference of 5 %; 0: not known"),
}


def result_row(arena: Arena, sample: Sample) -> dict[str, Any]:
    """Sum up a sample."""
    known = ~np.isnan(sample.returns)
    values = sample.returns[known]
    found = describe(values, kind="number")
    return {
        "preset": arena.conditions.preset_name(sample.preset),
        "group": sample.group,
        "entrant": arena.names[sample.entrant],
        "role": sample.role,
        "episodes": len(values),
        "lives": sample.lives,
        **interval("mean_return", found.mean),
        "median_return": plain(found.median.value),
        "iqm_return": plain(found.iqm.value),
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


def verdict_rows(arena: Arena, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Compare everybody with who was named first, in the same seats of the same episodes."""
    turns = [found for found in samples if arena.names[found.entrant] == found.group]
    pairs, made = [], []
    for found in turns:
        first = next(x for x in turns if (x.preset, x.role) == (found.preset, found.role))
        known = ~(np.isnan(found.returns) | np.isnan(first.returns))
        if found is not first and known.any():
            pairs.append((found, first, _compare(found, first, known)))
    corrected = holm([verdict.p for _, _, verdict in pairs])
    for (found, first, verdict), p in zip(pairs, corrected, strict=True):
        made.append(
            {
                "preset": arena.conditions.preset_name(found.preset),
                "role": found.role,
                "entrant": arena.names[found.entrant],
                "baseline": arena.names[first.entrant],
                "verdict": verdict_on(verdict.difference.value, p),
                **interval("difference", verdict.difference),
                "p": plain(p),
                "improvement": plain(verdict.improvement.value),
                "episodes": verdict.episodes[0],
                "needed": verdict.needed or 0,
            }
        )
    return made


def _compare(ours: Sample, baseline: Sample, known: np.ndarray) -> Comparison:
    ids = np.flatnonzero(known)
    sides = (sample_of(entry.returns[known], ids) for entry in (ours, baseline))
    return compare(*sides, paired=True, kind="number")
