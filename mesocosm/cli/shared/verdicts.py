"""Write comparisons for people: what was found, how sure it is, and what more it would take."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mesocosm.evaluation.run_comparison import Compared
from mesocosm.evaluation.statistics.describe import Description
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.statistics.verdict import BETTER, NOT_DISTINGUISHABLE, WORSE

VERDICT_HEAD = ("role", "metric", "verdict", "difference of means", "higher", "p", "episodes",
                "episodes needed")  # fmt: skip
REACHED_HEAD = ("", "role", "metric", "mean", "median", "interquartile mean", "episodes", "lives")
# no length is better by itself
WORDS = {"length": {BETTER: "longer", WORSE: "shorter"}}


def verdict_rows(compared: Sequence[Compared]) -> list[tuple[str, ...]]:
    """Give the cells of comparisons, under `VERDICT_HEAD`."""
    return [_row(entry) for entry in compared]


def reached_rows(reached: Mapping[tuple[str, str, str], Description]) -> list[tuple[str, ...]]:
    """Give the cells of what each side reached, under `REACHED_HEAD`."""
    return [
        (
            *key,
            *(estimate_text(entry) for entry in (found.mean, found.median, found.iqm)),
            f"{found.episodes:,}",
            f"{found.lives:,}",
        )
        for key, found in reached.items()
    ]


def _row(entry: Compared) -> tuple[str, ...]:
    found = entry.found
    ours, theirs = found.episodes
    return (
        entry.role,
        entry.metric,
        WORDS.get(entry.metric, {}).get(found.verdict, found.verdict),
        estimate_text(found.difference, sign=True),
        f"{found.improvement.value:.0%}" if math.isfinite(found.improvement.value) else "-",
        p_text(found.corrected),
        f"{ours:,}" if ours == theirs else f"{ours:,} and {theirs:,}",
        _needed_text(entry),
    )


def estimate_text(entry: Estimate, *, sign: bool = False) -> str:
    """Write a value with its interval, if it has one."""
    form = "+.4g" if sign else ".4g"
    if not entry.has_interval:
        return f"{entry.value:{form}}"
    return f"{entry.value:{form}} ({entry.low:{form}} to {entry.high:{form}})"


def to_plain(entry: Any) -> Any:
    """Give named tuples as plain data."""
    if hasattr(entry, "_asdict"):
        return {name: to_plain(value) for name, value in entry._asdict().items()}
    return entry


def p_text(value: float) -> str:
    """Write a p value."""
    if not math.isfinite(value):
        return "-"
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}".rstrip("0").rstrip(".")


def _needed_text(entry: Compared) -> str:
    """Say how many episodes of each side would tell more."""
    found = entry.found
    if found.verdict != NOT_DISTINGUISHABLE:
        return ""
    parts = []
    if found.needed is not None:
        parts.append(f"{found.needed:,} to see {found.margin:.3g}")
    if found.needed_for_seen is not None:
        parts.append(f"{found.needed_for_seen:,} for this difference")
    return ", ".join(parts) or "-"
