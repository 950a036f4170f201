"""What a sweep plays: at every point the same entrants, or those that were trained there."""

from dataclasses import dataclass
from typing import NamedTuple

from mesocosm.core.spec import Spec
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.groups import Group, Sample, plan_groups, play_groups
from mesocosm.evaluation.sweep.dials import Point


@dataclass(frozen=True)
class SweepConditions(Conditions):
    """Conditions whose presets are the points of a grid, and are named after them."""

    points: tuple[Point, ...] = ()

    def preset_name(self, preset: int) -> str:
        """Name a point for people."""
        return f"{super().preset_name(preset)}, {self.points[preset].label}"


class Training(NamedTuple):
    """A training that belongs to a point."""

    point: int
    seed: int

    @property
    def name(self) -> str:
        """Name it, and its files."""
        return f"point-{self.point:04d}-seed-{self.seed}"


class Measured(NamedTuple):
    """How an entrant did at a point; `seed` is that of its training, if it was trained there."""

    point: Point
    entrant: str
    seed: int | None
    sample: Sample


def play_fixed(arena: Arena, points: tuple[Point, ...]) -> list[Measured]:
    """Let every entrant play at every point."""
    groups = {p.number: plan_groups(arena.spec(p.number), arena.names, {}) for p in points}
    return [
        Measured(points[sample.preset], arena.names[sample.entrant], None, sample)
        for sample in play_groups(arena, groups)
    ]


def play_trained(
    arena: Arena, points: tuple[Point, ...], trainings: list[Training]
) -> list[Measured]:
    """Let every trained policy play where it was trained; entrants are in the trainings' order."""
    groups: dict[int, list[Group]] = {}
    for number, training in enumerate(trainings):
        group = _alone(arena.spec(training.point), number, training.name)
        groups.setdefault(training.point, []).append(group)
    return [
        Measured(points[sample.preset], "trained", trainings[sample.entrant].seed, sample)
        for sample in play_groups(arena, groups)
    ]


def _alone(spec: Spec, entrant: int, label: str) -> Group:
    return Group(label, ((entrant,) * spec.num_agents,))
