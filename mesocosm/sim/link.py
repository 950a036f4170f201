"""Links: whether one agent may affect another."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule


@rule
def may(f: Frame, a: int, other: int, link: int) -> bool:
    """Whether one agent may affect another by a declared link."""
    return f.may.shape[0] == 0 or f.may[a, other, link]
