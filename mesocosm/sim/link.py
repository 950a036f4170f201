"""Links: whether one agent may affect another."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import BARRED_KIND, Frame
from mesocosm.sim.rule import rule


@rule
def is_linked(f: Frame, e: int, a: int, other: int, link: int) -> bool:
    """Whether castes and standing let one agent affect another by a declared link."""
    if f.may.shape[0] > 0 and not f.may[a, other, link]:
        return False
    return f.barred.shape[1] == 0 or not f.barred[e, a, other, link]


@rule
def may(f: Frame, e: int, a: int, other: int, link: int) -> bool:
    """Whether one agent may affect another by a declared link; a refusal is an event.

    Ask it last, when nothing else stands in the way.
    """
    if is_linked(f, e, a, other, link):
        return True
    if f.control[BARRED_KIND] >= 0:
        emit(f, e, f.control[BARRED_KIND], a, other, link * 1.0)
    return False
