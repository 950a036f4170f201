"""What a game being drawn may refer to: resources, tags, types, vibes, statistics."""

import random
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

AMOUNTS = (1, 1, 1, 2, 2, 3, 4, 5, 7, 10, 13, 40)
FAR_AMOUNTS = (100, 255, 256, 257, 1000, 32767, 32768, 65534, 65535)
NUMBERS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, -1.0, -2.5, 0.1, 100.0)
FAR_NUMBERS = (65535.0, 65536.0, 70000.0, -70000.0, 1e6, 255.0, 256.0, -0.5, 1e-3)
DIRECTIONS = ("north", "south", "east", "west")
DIAGONALS = ("northeast", "northwest", "southeast", "southwest")


@dataclass
class Names:
    """The words of one game, and the random numbers it is drawn with."""

    rng: random.Random
    wild: float = 0.1  # chance of something odd, where oddness is a choice
    tame: bool = False  # nothing that is named twice or not at all
    resources: list[str] = field(default_factory=list)
    vibes: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)  # all that a game knows, types included
    plain_tags: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)  # names of objects
    cells: list[str] = field(default_factory=list)  # names that maps use
    limits: list[str] = field(default_factory=list)
    territories: list[str] = field(default_factory=list)
    materialized: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    stats: list[str] = field(default_factory=list)
    game_stats: list[str] = field(default_factory=list)
    num_handlers: int = 0

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def odd(self) -> bool:
        return self.rng.random() < self.wild

    def pick(self, options: Any) -> Any:
        return self.rng.choice(list(options))

    def some(self, options: Any, low: int = 1, high: int = 3) -> list[Any]:
        """Return a few different options, in random order."""
        found = list(options)
        self.rng.shuffle(found)
        return found[: self.rng.randint(low, max(low, min(high, len(found))))]

    def weighted(self, table: dict[str, float]) -> str:
        return self.rng.choices(list(table), weights=list(table.values()))[0]

    def amount(self) -> int:
        if self.chance(0.04):
            return self.pick(FAR_AMOUNTS)
        return self.pick(AMOUNTS)

    def delta(self) -> int:
        return self.amount() * (-1 if self.chance(0.45) else 1)

    def number(self) -> float:
        if self.odd():
            return self.pick(FAR_NUMBERS)
        return self.pick(NUMBERS)

    def resource(self) -> str:
        return self.pick(self.resources)

    def entity(self) -> str:
        return self.pick(("actor", "target"))

    def tag(self) -> str:
        """Return a tag, more often one that says what a thing is."""
        if self.plain_tags and self.chance(0.5):
            return self.pick(self.plain_tags)
        return self.pick(self.tags)

    def amounts(self, high: int = 2) -> dict[str, int]:
        return {name: self.amount() for name in self.some(self.resources, 1, high)}

    def deltas(self, high: int = 2) -> dict[str, int]:
        return {name: self.delta() for name in self.some(self.resources, 1, high)}
