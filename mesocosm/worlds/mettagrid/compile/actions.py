"""The tables of actions: what they do, require and cost."""

import numpy as np

from mesocosm.worlds.mettagrid.compile.columns import (
    CHANGE_VIBE,
    HANDLED_MOVE,
    MOVE,
    NOOP,
    NOTHING,
)
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.idmap import VIBE_PREFIX, vibe_actions


def action_rows(core: Core, pitch: int) -> np.ndarray:  # int32 [action, 4]
    """Tabulate what each action does."""
    rows: list[tuple[int, ...]] = [(NOOP, 0, 0, 0)]
    steps = [DIRECTION_STEPS[name] for name in core.actions.directions]
    move = HANDLED_MOVE if core.actions.handlers else MOVE
    rows += [(move, r, c, r * pitch + c) for r, c in steps]
    rows += [(CHANGE_VIBE, core.vibes.index(name), 0, 0) for name in vibe_actions(core)]
    named = core.actions.named
    if named and core.actions.layout == "combined":
        rows = [_by_name(row, k, named) for k, row in enumerate(rows)]
    return np.array(rows, np.int32)


def _by_name(row: tuple[int, ...], k: int, named: tuple[str, ...]) -> tuple[int, ...]:
    """Return what an id does where names are not what ids do, as in MettaGrid.

    By its name, it goes to the actions or to the vibes; there, an id of the other kind does
    nothing. Who takes on a vibe does a noop beside it.
    """
    if k < len(named) and named[k].startswith(VIBE_PREFIX):
        return row if row[0] == CHANGE_VIBE else (NOOP, 0, 0, 0)
    return (NOTHING, 0, 0, 0) if row[0] == CHANGE_VIBE else row


def cost_table(core: Core) -> np.ndarray:  # int32 [3, 2, resource]
    """Tabulate what actions need and cost; upstream, cogs ignores both."""
    made = np.zeros((3, 2, len(core.resources)), np.int32)
    if not core.is_classic and core.conformance == "upstream":
        return made
    acts = core.actions
    every = (
        (acts.noop_required, acts.noop_cost),
        (acts.move_required, acts.move_cost),
        (acts.vibe_required, acts.vibe_cost),
    )
    for k, tables in enumerate(every):
        for j, table in enumerate((tables[0] or tables[1], tables[1])):
            for name, amount in table.items():
                made[k, j, core.resources.index(name)] = amount
    return made
