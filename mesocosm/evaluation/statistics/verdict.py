"""Verdicts: better, worse or not distinguishable, corrected for many comparisons."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.statistics.describe import Kind
from mesocosm.evaluation.statistics.difference import Difference, difference_of, pair_up
from mesocosm.evaluation.statistics.estimate import LEVEL, Estimate
from mesocosm.evaluation.statistics.improvement import probability_of_improvement
from mesocosm.evaluation.statistics.planning import episodes_needed
from mesocosm.evaluation.statistics.sample import Sample

ALPHA = 1.0 - LEVEL
BETTER, WORSE, NOT_DISTINGUISHABLE = "better", "worse", "not distinguishable"
CORRECTION = "Holm"
MARGIN = 0.05  # the difference worth finding: this part of the baseline's mean, or of all lives
Key = TypeVar("Key", bound=Hashable)


class Comparison(NamedTuple):
    """What is known of one side against another, the baseline."""

    verdict: str
    difference: Estimate  # of the means, ours minus the baseline's
    p: float  # of no difference; NaN if it cannot be tested
    corrected: float  # p, corrected for all comparisons that were made together
    improvement: Estimate  # probability that an episode of ours is higher
    paired: bool
    episodes: tuple[int, int]  # that were compared: ours, the baseline's
    margin: float  # the difference worth finding; NaN if there is none to speak of
    needed: int | None  # episodes of each side that would show it
    needed_for_seen: int | None  # episodes of each side that would show the difference seen


class Sides(NamedTuple):
    """Two sides to compare."""

    ours: Sample
    baseline: Sample
    paired: bool = False  # whether episodes of one id began alike (common random numbers)
    kind: Kind = "auto"


def compare(
    ours: Sample,
    baseline: Sample,
    *,
    paired: bool = False,
    kind: Kind = "auto",
    margin: float = MARGIN,
) -> Comparison:
    """Compare one side with a baseline; higher is better.

    Args:
        paired: Whether both played with common random numbers: episodes of one id began alike.
        kind: As of `describe`.
        margin: The difference worth finding, as part of the baseline's mean; of a share of lives,
            as part of all lives.
    """
    return compare_all({0: Sides(ours, baseline, paired, kind)}, margin=margin)[0]


def compare_all(sides: Mapping[Key, Sides], *, margin: float = MARGIN) -> dict[Key, Comparison]:
    """Compare many sides with their baselines, and correct for their number (Holm).

    Args:
        sides: By any name.
        margin: As of `compare`.
    """
    if not margin > 0.0:
        raise ConfigError(f"statistics: margin must be above 0, got {margin}")
    found = {
        key: difference_of(entry.ours, entry.baseline, paired=entry.paired, kind=entry.kind)
        for key, entry in sides.items()
    }
    corrected = holm([entry.p for entry in found.values()])
    tested = sum(math.isfinite(entry.p) for entry in found.values())
    plan = margin, ALPHA / max(tested, 1)
    return {
        key: _conclude(sides[key], entry, value, plan)
        for (key, entry), value in zip(found.items(), corrected, strict=True)
    }


def _conclude(
    sides: Sides,
    found: Difference,
    corrected: float,
    plan: tuple[float, float],  # margin, and alpha of the first of the corrected tests
) -> Comparison:
    """Give the verdict on a difference, and what it would take to tell more."""
    margin, alpha = plan
    ours, baseline = sides.ours, sides.baseline
    if found.paired:
        ours, baseline = pair_up(ours, baseline)
    is_share = sides.kind != "number" and ours.is_share() and baseline.is_share()
    absolute = margin if is_share else margin * abs(baseline.mean)
    seen = found.estimate.value
    return Comparison(
        verdict_on(seen, corrected),
        found.estimate,
        found.p,
        corrected,
        probability_of_improvement(ours, baseline, paired=found.paired),
        found.paired,
        found.episodes,
        absolute,
        episodes_needed(ours, baseline, absolute, paired=found.paired, alpha=alpha),
        episodes_needed(ours, baseline, abs(seen), paired=found.paired, alpha=alpha),
    )


def verdict_on(difference: float, corrected: float) -> str:
    """Name what a difference and its corrected p value show."""
    if not corrected <= ALPHA:
        return NOT_DISTINGUISHABLE
    return BETTER if difference > 0 else WORSE


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p values for their number, so that any false alarm at all stays rare (Holm 1979).

    A value that is NaN was no test: it stays NaN and does not count.
    """
    given = np.asarray(p_values, float)
    made = np.full(len(given), math.nan)
    tested = np.flatnonzero(np.isfinite(given))
    highest = 0.0
    for rank, at in enumerate(tested[np.argsort(given[tested], kind="stable")]):
        highest = max(highest, min(1.0, float(given[at]) * (len(tested) - rank)))
        made[at] = highest
    return [float(value) for value in made]
