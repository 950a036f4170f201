"""Tags: which a thing has, and in which order things got them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.proxy import is_proxy
from mesocosm.worlds.mettagrid.grid.stale import mark_displaced
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
    mark_displaced(s, e, k)
    list_under_tag(s, p, e, k, tag, on)


@rule
def list_under_tag(s: State, p: Params, e: int, k: int, tag: int, on: bool) -> None:
    """Put a thing at the end of the list of a tag, or take it out.

    A proxy of land is in the list once for each time that it got the tag: it loses its tags
    whenever it acts, but stays in their lists.
    """
    place = p.code.data[tag]
    if place < 0:
        return
    if p.keeps_proxies and is_proxy(p, k):
        if on:
            list_proxy(s, p, e, k, place)
        else:
            leave_tag_list_wholly(s, e, k, place)
        return
    last = 0
    number = s.listed[e, place, 0]
    if number > 0:
        last = s.since[e, s.listed[e, place, number], place]
    leave_tag_list(s, e, k, place)
    if on:
        s.since[e, k, place] = last + 1
        s.listed[e, place, 0] += 1
        s.listed[e, place, s.listed[e, place, 0]] = k


@rule
def list_proxy(s: State, p: Params, e: int, k: int, place: int) -> None:
    """Put a proxy at the end of the list of one tag, once more; a full list ends the episode."""
    number = s.listed[e, place, 0]
    if number < p.list_room:
        s.since[e, k, place] = 1
        s.listed[e, place, 0] = number + 1
        s.listed[e, place, number + 1] = k


@rule
def leave_tag_list_wholly(s: State, e: int, k: int, place: int) -> None:
    """Take all of a proxy out of the list of one tag."""
    if s.since[e, k, place] == 0:
        return
    s.since[e, k, place] = 0
    row = s.listed[e, place]
    number = row[0]
    kept = 0
    for i in range(1, 1 + number):
        if row[i] != k:
            kept += 1
            row[kept] = row[i]
    for i in range(1 + kept, 1 + number):
        row[i] = 0
    row[0] = kept


@rule
def leave_tag_list(s: State, e: int, k: int, place: int) -> None:
    """Take a thing out of the list of one tag."""
    if s.since[e, k, place] == 0:
        return
    s.since[e, k, place] = 0
    row = s.listed[e, place]
    number = row[0]
    at = wide(number)
    while at > 1 and row[at] != k:
        at -= 1
    for i in range(at, number):
        row[i] = row[i + 1]
    row[number] = 0
    row[0] = number - 1


@rule
def leave_tag_lists(s: State, p: Params, e: int, k: int) -> None:
    """Take a thing out of the lists of all tags, a proxy of those that it has."""
    if p.keeps_proxies and is_proxy(p, k):
        for tag in range(p.code.num_tags):
            if p.code.data[tag] >= 0 and has_tag(s, e, k, tag):
                leave_tag_list_wholly(s, e, k, wide(p.code.data[tag]))
        return
    for place in range(s.since.shape[2]):
        leave_tag_list(s, e, k, place)


@rule
def rebuild_tag_lists(s: State, e: int) -> None:
    """List who has which tag, in the order they got it."""
    for place in range(s.listed.shape[1]):
        row = s.listed[e, place]
        for i in range(row.shape[0]):
            row[i] = 0
        for k in range(min(row.shape[0] - 1, s.since.shape[1])):
            key = s.since[e, k, place]
            if key > 0:
                i = row[0] + 1
                while i > 1 and s.since[e, row[i - 1], place] > key:
                    row[i] = row[i - 1]
                    i -= 1
                row[i] = k
                row[0] += 1
