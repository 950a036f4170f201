"""What is kept about a list while it is made: how long it is, how far it was read."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.work import Work

# a list begins with these numbers, then come its things, then marks of who is in it
SIZE, AT, KEPT, SAVED_TO, OTHER, SAVED_FROM, FAR = range(7)
FIRST = 8


@rule
def wipe_marks(w: Work, found: int) -> None:
    """Forget who was marked as listed."""
    for k in range(w.things):
        w.pile[found, FIRST + w.things + k] = 0
