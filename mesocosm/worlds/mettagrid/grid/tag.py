"""Tags: which a thing has, and in which order things got them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def has_tag(s: State, e: int, k: int, tag: int) -> bool:
    """Whether a thing has a tag."""
    return (s.tag[e, k, tag // WORD_BITS] >> (tag % WORD_BITS)) & 1 == 1


@rule
def set_tag(s: State, p: Params, e: int, k: int, tag: int, on: bool) -> None:
    """Return or take a tag; queries list who has one in the order they got it."""
    if has_tag(s, e, k, tag) == on:
        return
    word = tag // WORD_BITS
    bit = 1 << (tag % WORD_BITS)
    if on:
        s.tag[e, k, word] = s.tag[e, k, word] | bit
    else:
        s.tag[e, k, word] = s.tag[e, k, word] & ~bit
    s.stale[e, k] = True
    list_under_tag(s, p, e, k, tag, on)


@rule
def list_under_tag(s: State, p: Params, e: int, k: int, tag: int, on: bool) -> None:
    """Put a thing at the end of the list of a tag, or take it out."""
    place = p.code.data[tag]
    if place < 0:
        return
    last = 0
    for j in range(p.things):
        last = max(last, s.since[e, j, place])
    s.since[e, k, place] = last + 1 if on else 0


@rule
def leave_tag_lists(s: State, e: int, k: int) -> None:
    """Take a thing out of the lists of all tags."""
    for place in range(s.since.shape[2]):
        s.since[e, k, place] = 0
