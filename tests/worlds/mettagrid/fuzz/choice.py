"""Draw single choices and amounts, and the names that random games share."""

from typing import Any

import numpy as np

VIBES = ("default", "junction", "carbon_a")
TAGS = ("red", "blue", "zz", "aa")
CARDINAL = ["north", "south", "west", "east"]
ALL = [*CARDINAL, "northwest", "northeast", "southwest", "southeast"]


def pick(rng: np.random.Generator, options: Any) -> Any:
    return options[int(rng.integers(len(options)))]


def amounts(
    rng: np.random.Generator, names: list[str], high: int, most: int, low: int = 1
) -> dict[str, int]:
    count = int(rng.integers(0, min(len(names), most) + 1))
    chosen = rng.permutation(len(names))[:count]
    return {names[k]: int(rng.integers(low, high + 1)) for k in chosen}


def some(rng: np.random.Generator, names: list[str], high: int, most: int) -> dict[str, int]:
    """Draw at least one amount."""
    return amounts(rng, names, high, most) or {pick(rng, names): int(rng.integers(1, high + 1))}
