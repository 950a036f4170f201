"""What is kept about a list while it is made: how long it is, how far it was read."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

# a list begins with these numbers, then come its things, then marks of who is in it
SIZE, AT, KEPT, SAVED_TO, OTHER, SAVED_FROM, FAR = range(7)
FIRST = 8


@rule
def wipe_marks(s: State, p: Params, e: int, found: int) -> None:
    """Forget who was marked as listed."""
    for k in range(p.things):
        s.pile[e, found, FIRST + p.things + k] = 0


@rule
def tidy(s: State, e: int) -> None:
    """Leave no trace of what programs did in a step."""
    for i in range(s.reg.shape[1]):
        s.reg[e, i] = 0
    for found in range(s.pile.shape[1]):
        for i in range(s.pile.shape[2]):
            s.pile[e, found, i] = 0
