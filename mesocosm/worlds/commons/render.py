"""A lake for the terminal: how full it is, and who lives on it."""

from collections.abc import Mapping

import numpy as np

from mesocosm.worlds.commons.config import Core

WIDTH = 40


def text(truth: Mapping[str, np.ndarray], core: Core) -> str:
    """Write one frame: the stock as a bar, and one line for every harvester."""
    stock, clock = float(truth["stock"]), int(truth["clock"])
    full = round(WIDTH * stock / core.capacity)
    lines = [
        f"commons, step {clock} of {core.max_steps}",
        f"lake [{'~' * full}{' ' * (WIDTH - full)}] {stock:.1f} of {core.capacity:g}",
        " #   wealth    catch  fined",
    ]
    for a in range(core.num_harvesters):
        wealth, catch, fined = (truth[name][a] for name in ("wealth", "catch", "fined"))
        state = f"{wealth:8.2f} {catch:8.2f} {fined:6d}" if truth["alive"][a] else "  starved"
        lines.append(f"{a:2d} {state}")
    return "\n".join(lines)
