"""What always holds between the fields of island; rules look types up without asking."""

import numpy as np

from mesocosm.core.world import Invariant, Truth
from mesocosm.worlds.island.config import Core


def give_types(truth: Truth, core: Core) -> None:
    """Give the ids that are in use a type."""
    given = np.arange(core.max_entities) < truth["num_units"][..., None]
    np.maximum(truth["kind"], 0, out=truth["kind"], where=given)


def strike_off(truth: Truth, core: Core) -> None:
    """Let nothing live that has no type."""
    truth["hp"][truth["kind"] < 0] = 0


INVARIANTS = (
    Invariant("a unit whose id was given has a type", ("kind",), give_types),
    Invariant("a unit without a type is not alive", ("hp",), strike_off),
)
