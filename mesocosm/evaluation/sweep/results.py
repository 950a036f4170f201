"""The table of a sweep: a row for every point, entrant and role."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mesocosm.evaluation.arena.groups import Sample
from mesocosm.evaluation.arena.summary import plain
from mesocosm.evaluation.arena.tables import Kinds
from mesocosm.evaluation.statistics.describe import describe, estimate_mean
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.sweep.dials import Dial, told
from mesocosm.evaluation.sweep.plan import Measured

METRICS = {"return": "returns", "success": "success", "length": "lengths"}
PLAYED: Kinds = {
    "point": ("int64", "number of the combination of values"),
    "entrant": ("text", "who played"),
    "role": ("text", "the role that it played"),
    "seeds": ("int64", "trainings that are averaged; 0: it was not trained here"),
    "episodes": ("int64", "played to their end, in all"),
    **{
        f"{name}{part}": ("float64", text)
        for name in METRICS
        for part, text in (
            ("", f"mean {name}, over episodes or over training seeds"),
            ("_low", "of its 95 % interval"),
            ("_high", "of its 95 % interval"),
        )
    },
    "forfeits": ("text", "who forfeited, and why"),
}


def kinds_of(dials: Sequence[Dial]) -> Kinds:
    """Give the columns: one for every dial, then what was measured."""
    own: Kinds = {
        dial.path: ("float64" if dial.is_number else "text", "value of the setting")
        for dial in dials
    }
    return {**own, **PLAYED}


def result_rows(measured: Sequence[Measured], dials: Sequence[Dial]) -> list[dict[str, Any]]:
    """Sum up; the trainings of a point are averaged, and the interval is over their seeds."""
    groups: dict[tuple[int, str, str], list[Measured]] = {}
    for found in measured:
        key = (found.point.number, found.entrant, found.sample.role)
        groups.setdefault(key, []).append(found)
    return [_row(found, dials) for found in groups.values()]


def _row(found: list[Measured], dials: Sequence[Dial]) -> dict[str, Any]:
    first, samples = found[0], [entry.sample for entry in found]
    values = first.point.values
    made: dict[str, Any] = {
        dial.path: float(values[dial.path]) if dial.is_number else told(values[dial.path])
        for dial in dials
    }
    made |= {"point": first.point.number, "entrant": first.entrant, "role": first.sample.role}
    made["seeds"] = 0 if first.seed is None else len(found)
    made["episodes"] = sum(int((~np.isnan(sample.returns)).sum()) for sample in samples)
    for name, column in METRICS.items():
        estimate = _estimate(samples, column)
        made |= {name: plain(estimate.value)}
        made |= {f"{name}_low": plain(estimate.low), f"{name}_high": plain(estimate.high)}
    made["forfeits"] = "; ".join(dict.fromkeys(x for entry in samples for x in entry.forfeits))
    return made


def _estimate(samples: list[Sample], column: str) -> Estimate:
    """Give the mean over episodes; of several trainings, the mean of theirs."""
    arrays = [getattr(sample, column) for sample in samples]
    known = [values[~np.isnan(values)] for values in arrays]
    if len(known) == 1:
        return describe(known[0], kind="number").mean
    return estimate_mean([float(v.mean()) for v in known if len(v)], kind="number")
