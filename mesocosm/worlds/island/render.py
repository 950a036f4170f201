"""A war for the terminal: how it stands, what each side has, and what it knows."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from mesocosm.worlds.island.config import DOMAINS, SIDES, Core
from mesocosm.worlds.island.scene import caption, units
from mesocosm.worlds.island.state import GHOST, GROUP_AIR, GROUP_COUNT, GROUP_DETECTED, GROUP_GROUND


def text(truth: Mapping[str, np.ndarray], core: Core) -> str:
    """Write one frame: the score, and for each side its units, tasks and contacts."""
    lines = [caption(truth, core)]
    for side, name in enumerate(SIDES):
        mine = [unit for unit in units(truth, core) if unit.side == side]
        kinds = Counter(unit.code for unit in mine)
        tasks = Counter(unit.task for unit in mine)
        lost = int(truth["casualties"][side])
        lines.append(f"{name.capitalize()}: {len(mine)} units, {lost} lost")
        lines.append("  has    " + _list(kinds, core))
        lines.append("  does   " + ", ".join(f"{task} {n}" for task, n in sorted(tasks.items())))
        lines.append("  knows  " + _known(truth, core, side))
        lines.append(f"  flies  {int(truth['num_shots'][side])} missiles")
    return "\n".join(lines)


def _list(kinds: Mapping[str, int], core: Core) -> str:
    found = [f"{unit.code} {kinds[unit.code]}" for unit in core.units if kinds.get(unit.code)]
    return ", ".join(found) or "nothing"


def _known(truth: Mapping[str, np.ndarray], core: Core, side: int) -> str:
    """Describe the groups that a side has numbers for."""
    found = []
    for g in np.flatnonzero(truth["group_state"][side] >= GHOST).tolist():
        row = truth["group"][side, g]
        domain = DOMAINS[int(np.argmax(row[GROUP_AIR : GROUP_GROUND + 1]))]
        seen = "" if row[GROUP_DETECTED] > 0 else ", not seen now"
        found.append(f"#{g} {round(row[GROUP_COUNT] * core.max_entities)} {domain}{seen}")
    return "; ".join(found) or "nobody"
