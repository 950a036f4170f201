"""What holds between the fields of mettagrid, lest rules leave their arrays or hang."""

import numpy as np

from mesocosm.core.world import Invariant, Truth
from mesocosm.worlds.mettagrid.arithmetic.twister import TOP_BIT
from mesocosm.worlds.mettagrid.compile.plan import plan
from mesocosm.worlds.mettagrid.config import Core


def keep_agents(truth: Truth, core: Core) -> None:
    """Put agents on the map."""
    for name in ("row", "col"):
        agents = truth[name][:, : core.num_agents]
        np.maximum(agents, 0, out=agents)


def remove_wholly(truth: Truth, core: Core) -> None:
    """Remove both row and column of what has only one."""
    gone = (truth["row"] < 0) | (truth["col"] < 0)
    truth["row"][gone] = -1
    truth["col"][gone] = -1


def part_things(truth: Truth, core: Core) -> None:
    """Move an agent off another's cell, to the first without one; remove other things there."""
    made, rows, cols, agents = plan(core), truth["row"], truth["col"], core.num_agents
    for e in np.flatnonzero(_share_cells(rows, cols)).tolist():
        taken: set[tuple[int, int]] = set()
        for k in range(rows.shape[1]):
            if (rows[e, k], cols[e, k]) in taken:
                others = set(zip(rows[e, :agents].tolist(), cols[e, :agents].tolist(), strict=True))
                free = (at for at in np.ndindex(made.height, made.width) if at not in others)
                rows[e, k], cols[e, k] = next(free) if k < agents else (-1, -1)
            if rows[e, k] >= 0 and cols[e, k] >= 0:
                taken.add((int(rows[e, k]), int(cols[e, k])))


def _share_cells(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:  # bool [env]
    """Say in which envs two things are on one cell."""
    there = (rows >= 0) & (cols >= 0)
    apart = -1 - np.arange(rows.shape[1])  # what is gone shares nothing
    cells = np.sort(np.where(there, rows.astype(np.int64) << 16 | cols, apart), axis=1)
    shared: np.ndarray = (cells[:, 1:] == cells[:, :-1]).any(axis=1)
    return shared


def seed_twisters(truth: Truth, core: Core) -> None:
    """Make twisters nonzero, since one of zeros yields nothing else."""
    for name in ("twister", "clip_words"):
        words = truth[name]
        if words.shape[1] > 1:
            still = (words[:, 1:-1] == 0).all(axis=1) & (words[:, 0] & TOP_BIT == 0)
            words[still, 1] = 1


INVARIANTS = (
    Invariant("an agent is on the map", ("row", "col"), keep_agents),
    Invariant("what is gone has no row and no column", ("row", "col"), remove_wholly),
    Invariant("no two things are on one cell", ("row", "col"), part_things),
    Invariant(
        "random numbers begin with other words than 0", ("twister", "clip_words"), seed_twisters
    ),
)
