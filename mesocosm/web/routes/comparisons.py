"""The route that compares recorded runs, as `mesocosm runs compare` does."""

from typing import Any

from fastapi import APIRouter

from mesocosm.build import open_run
from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.run_comparison import Compared, Side, compare_runs
from mesocosm.evaluation.statistics.describe import Description
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.statistics.verdict import CORRECTION
from mesocosm.web.encoding import finite
from mesocosm.web.models.comparison import (
    ComparisonInfo,
    ComparisonRequest,
    EstimateInfo,
    ReachedInfo,
    VerdictInfo,
)
from mesocosm.web.state import Server

router = APIRouter(tags=["comparisons"])


@router.post("/comparisons")
def compare(server: Server, asked: ComparisonRequest) -> ComparisonInfo:
    """Say what recorded runs reached, and which of them is better than the first."""
    names = [side.name for side in asked.sides]
    if len(set(names)) < len(names):
        raise ConfigError("sides: every side needs a name of its own")
    folder = server.folder
    sides = [
        Side(side.name, [open_run(folder.find_run(name)) for name in side.runs])
        for side in asked.sides
    ]
    found = compare_runs(sides, asked.margin)
    return ComparisonInfo(
        baseline=found.baseline,
        correction=CORRECTION,
        reached=[_reached(*key, entry) for key, entry in found.reached.items()],
        verdicts=[_verdict(entry) for entry in found.compared],
        notes=[note.replace(f"{folder.root}/", "") for note in found.notes],
    )


def _reached(side: str, role: str, metric: str, found: Description) -> ReachedInfo:
    return ReachedInfo(
        side=side,
        role=role,
        metric=metric,
        mean=_estimate(found.mean),
        median=_estimate(found.median),
        episodes=found.episodes,
        lives=found.lives,
    )


def _verdict(entry: Compared) -> VerdictInfo:
    found = entry.found
    return VerdictInfo(
        side=entry.side,
        role=entry.role,
        metric=entry.metric,
        verdict=found.verdict,
        difference=_estimate(found.difference),
        p=finite(float(found.corrected)),
        improvement=finite(float(found.improvement.value)),
        paired=found.paired,
        needed=found.needed,
    )


def _estimate(found: Estimate) -> EstimateInfo:
    ends: dict[str, Any] = finite({"low": float(found.low), "high": float(found.high)})
    return EstimateInfo(value=finite(float(found.value)), **ends, why=found.why)
