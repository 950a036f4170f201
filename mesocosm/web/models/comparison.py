"""Comparisons of recorded runs: which, and what was found."""

from typing import Annotated

from pydantic import BaseModel, Field

from mesocosm.evaluation.statistics.verdict import MARGIN
from mesocosm.web.models.config import Asked


class SideRequest(Asked):
    """A run, or several that were trained alike with different seeds."""

    name: str = Field(min_length=1, max_length=200)
    runs: list[Annotated[str, Field(max_length=300)]] = Field(min_length=1, max_length=64)


class ComparisonRequest(Asked):
    """Recorded runs that are to be compared; the first side is the baseline."""

    sides: list[SideRequest] = Field(min_length=1, max_length=16)
    margin: float = Field(MARGIN, gt=0.0, le=10.0, description="the difference worth finding")


class EstimateInfo(BaseModel):
    """A number with its interval, or with why it has none."""

    value: float | None
    low: float | None
    high: float | None
    why: str


class ReachedInfo(BaseModel):
    """What a side reached in a metric."""

    side: str
    role: str
    metric: str
    mean: EstimateInfo
    median: EstimateInfo
    episodes: int
    lives: int


class VerdictInfo(BaseModel):
    """A metric of a side beside that of the baseline."""

    side: str
    role: str
    metric: str
    verdict: str = Field(description="better, worse or not distinguishable")
    difference: EstimateInfo
    p: float | None = Field(description="of no difference, corrected for all verdicts")
    improvement: float | None = Field(description="probability that an episode is higher")
    paired: bool
    needed: int | None = Field(description="episodes of each side that would show the margin")


class ComparisonInfo(BaseModel):
    """What was found of recorded runs, and what it rests on."""

    baseline: str
    correction: str
    reached: list[ReachedInfo]
    verdicts: list[VerdictInfo]
    notes: list[str]
