"""Whom a program is about while it runs, and where they are."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.program import TARGET, WHO
from mesocosm.worlds.mettagrid.work import Seen, Work

# registers; things are their slots, -1 nobody; GONE is a slot plus one, 0 nobody; from WORD on
# they stay for a whole step
BY, TO, FROM, ROW, COL, FAILED, FLAGS, DEPTH_NOW, RESULT = range(9)
GONE, GONE_ROW, GONE_COL, DEFERS, WORD, DRAWN = range(9, 15)


@rule
def is_condition(op: int) -> bool:
    """Whether a row of a program asks something."""
    return op < 10 or (op >= 20 and op < 30)


@rule
def subject(w: Work, at: int) -> int:
    """Whom a row is about."""
    return w.reg[TO] if w.program[at, WHO] == TARGET else w.reg[BY]


@rule
def row_of(w: Seen, k: int) -> int:
    """The row of a thing, or where it was when the program removed it."""
    return w.reg[GONE_ROW] if w.row[k] < 0 and w.reg[GONE] == k + 1 else w.row[k]


@rule
def col_of(w: Seen, k: int) -> int:
    """The column of a thing, or where it was when the program removed it."""
    return w.reg[GONE_COL] if w.row[k] < 0 and w.reg[GONE] == k + 1 else w.col[k]


@rule
def apart(w: Seen, k: int, j: int) -> int:
    """The squared distance of two things."""
    dr = row_of(w, k) - row_of(w, j)
    dc = col_of(w, k) - col_of(w, j)
    return dr * dr + dc * dc


@rule
def has_tag(w: Seen, k: int, tag: int) -> bool:
    """Whether a thing has a tag."""
    return (w.tag[k, tag // 62] >> (tag % 62)) & 1 == 1


@rule
def set_tag(w: Work, k: int, tag: int, on: bool) -> None:
    """Give or take a tag; queries list who has one in the order they got it."""
    if has_tag(w, k, tag) == on:
        return
    word = tag // 62
    bit = 1 << (tag % 62)
    if on:
        w.tag[k, word] = w.tag[k, word] | bit
    else:
        w.tag[k, word] = w.tag[k, word] & ~bit
    w.stale[k] = True
    note_tag(w, k, tag, on)


@rule
def note_tag(w: Work, k: int, tag: int, on: bool) -> None:
    """Put a thing at the end of the list of a tag, or take it out."""
    place = w.data[tag]
    if place < 0:
        return
    last = 0
    for j in range(w.things):
        last = max(last, w.since[j, place])
    w.since[k, place] = last + 1 if on else 0


@rule
def forget_tags(w: Work, k: int) -> None:
    """Take a thing out of the lists of all tags."""
    for place in range(w.since.shape[1]):
        w.since[k, place] = 0
