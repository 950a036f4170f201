"""What holds between the fields of mettagrid, lest rules leave their arrays or hang."""

import numpy as np

from mesocosm.core.world import Invariant, Truth
from mesocosm.worlds.mettagrid.arithmetic.twister import TOP_BIT
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
    Invariant(
        "random numbers begin with other words than 0", ("twister", "clip_words"), seed_twisters
    ),
)
