"""What things hold: amounts, shared capacities, and the order in which it is told."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.rounding import grown
from mesocosm.worlds.mettagrid.compile.stat_codes import AMOUNT, DIED, GAINED, LOST
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def wide(x: int) -> int:
    """Give a number in 64 bits: what is compiled for one width then serves all callers."""
    return x + 0


@rule
def told(held: np.ndarray) -> int:
    """How many resources are listed."""
    number = 0
    for i in range(held.shape[0]):
        if held[i] >= 0:
            number += 1
    return number


@rule
def put_in(held: np.ndarray, number: int, key: int, buckets: int) -> None:
    """Insert a resource among the first `number`: where its bucket is, else in front.

    Without buckets the list is kept in order of ids; a full one stays as it is.
    """
    if number >= held.shape[0]:
        return
    at = 0
    if buckets > 0:
        for i in range(number):
            if held[i] % buckets == key % buckets:
                at = i
                break
    else:
        while at < number and held[at] < key:
            at += 1
    for i in range(number, at, -1):
        held[i] = held[i - 1]
    held[at] = key


@rule
def next_size(buckets: int) -> int:
    """The next size of the hash map."""
    if buckets < 13:
        return 13
    if buckets < 29:
        return 29
    if buckets < 59:
        return 59
    if buckets < 127:
        return 127
    return 257


@rule
def make_room(held: np.ndarray, buckets: int) -> int:
    """Let the hash map grow if one more resource needs it; give its size."""
    number = told(held)
    if buckets > 0 and number + 1 <= buckets:
        return buckets
    size = next_size(buckets)
    for i in range(number):
        put_in(held, i, held[i], size)
    return size


@rule
def take_out(held: np.ndarray, key: int) -> None:
    """Remove a resource from the list."""
    to = 0
    for i in range(held.shape[0]):
        if held[i] != key:
            held[to] = held[i]
            to += 1
    for i in range(to, held.shape[0]):
        held[i] = -1


@rule
def set_amount(
    held: np.ndarray, buckets: int, before: int, amount: int, r: int, hashes: bool
) -> int:
    """Keep the list of what is held when an amount changes; give the size of the hash map."""
    if before == 0:
        if hashes:
            buckets = make_room(held, buckets)
        if amount > 0:
            put_in(held, told(held), r, buckets)
    elif amount == 0:
        take_out(held, r)
    return buckets


@rule
def used(s: State, p: Params, e: int, k: int, group: int) -> int:
    """How much of a group of resources is held; the program counts that in 16 bits."""
    kind = p.tables.kind_of[k]
    total = 0
    for j in range(p.resources):
        if p.bag.limit_of[kind, j] == group:
            total += s.amount[e, k, j]
    return total % 65536 if p.bag.wraps else total


@rule
def capacity(s: State, p: Params, e: int, k: int, group: int) -> int:
    """How much of a group of resources can be held."""
    extra = 0
    for j in range(p.resources):
        extra += p.bag.bonus[group, j] * s.amount[e, k, j]
    base = p.bag.limit[group, 0]
    if p.bag.adds_up:
        return min(max(base + extra, 0), p.bag.limit[group, 1])
    return min(max(base, extra), p.bag.limit[group, 1])


@rule
def over(s: State, p: Params, e: int, k: int, group: int) -> int:
    """How much more than its limit a group of resources holds; negative: room that is left."""
    return used(s, p, e, k, group) - capacity(s, p, e, k, group)


@rule
def room(s: State, p: Params, e: int, k: int, r: int) -> int:
    """How much more of a resource a thing can take."""
    return max(-over(s, p, e, k, p.bag.limit_of[p.tables.kind_of[k], r]), 0)


@rule
def note_flow(stat: np.ndarray, flow: np.ndarray, diverse: int, now: int, delta: int) -> None:
    """Count what an agent gained or lost of a resource, where a game asks for it."""
    if flow[AMOUNT] >= 0:
        stat[flow[AMOUNT]] = now * 1.0
    if delta > 0 and flow[GAINED] >= 0:
        stat[flow[GAINED]] = grown(stat[flow[GAINED]], delta * 1.0)
    if delta < 0 and flow[LOST] >= 0:
        stat[flow[LOST]] = grown(stat[flow[LOST]], -delta * 1.0)
    if delta < 0 and now == 0 and flow[DIED] >= 0:
        stat[flow[DIED]] = grown(stat[flow[DIED]], 1.0)
    if diverse >= 0 and (now == 0 or now == delta):
        stat[diverse] = grown(stat[diverse], 1.0 if delta > 0 else -1.0)


@rule
def write(
    s: State,
    p: Params,
    e: int,
    k: int,
    r: int,
    value: int,
) -> None:
    """Write an amount."""
    before = s.amount[e, k, r]
    s.buckets[e, k] = set_amount(s.held[e, k], s.buckets[e, k], before, value, r, p.bag.hashes)
    s.amount[e, k, r] = value
    if p.bag.counts and k < p.agents and value != before:
        diverse = wide(p.bag.diverse[p.tables.kind_of[k], r])
        note_flow(s.stat[e, k], p.bag.flow[r], diverse, wide(value), wide(value - before))


@rule
def gives_room(p: Params, kind: int, r: int) -> bool:
    """Whether a resource adds to the capacity for something."""
    for j in range(p.bag.limit_of.shape[1]):
        if p.bag.bonus[p.bag.limit_of[kind, j], r] != 0:
            return True
    return False


@rule
def shed(
    s: State,
    p: Params,
    e: int,
    k: int,
    group: int,
) -> None:
    """Drop what no longer fits a group, one resource after the other."""
    for i in range(p.resources):
        r = p.bag.members[group, i]
        if r < 0:
            return
        excess = over(s, p, e, k, group)
        while excess > 0 and s.amount[e, k, r] > 0:
            write(s, p, e, k, r, max(s.amount[e, k, r] - excess, 0))
            excess = over(s, p, e, k, group)


@rule
def fit(s: State, p: Params, e: int, k: int) -> None:
    """Drop what no longer fits (classic): from the first limit that is broken, until none is."""
    groups = p.bag.groups[p.tables.kind_of[k]]
    for _ in range(groups.shape[0] * (groups.shape[0] + 1)):
        excess = 0
        group = 0
        for i in range(groups.shape[0]):
            if excess <= 0 and groups[i] >= 0:
                group = groups[i]
                excess = over(s, p, e, k, group)
        if excess <= 0:
            return
        for i in range(groups.shape[0]):
            r = p.bag.members[group, i]
            if r >= 0 and s.amount[e, k, r] > 0:
                write(s, p, e, k, r, max(s.amount[e, k, r] - excess, 0))
                break


@rule
def change(
    s: State,
    p: Params,
    e: int,
    k: int,
    r: int,
    delta: int,
) -> int:
    """Add to or take from what a thing holds, within its limits; give the real change.

    When what gave capacity is taken, everything that no longer fits is dropped; who holds more
    than a limit loses that at any change.
    """
    now = s.amount[e, k, r]
    group = p.bag.limit_of[p.tables.kind_of[k], r]
    others = max(used(s, p, e, k, group) - now, 0)
    most = capacity(s, p, e, k, group) - others
    real = max(min(delta, min(max(most, 0), 65535) - now), -now)
    write(s, p, e, k, r, now + real)
    if real < 0 and gives_room(p, p.tables.kind_of[k], r):
        if p.bag.adds_up:
            fit(s, p, e, k)
            return real
        for i in range(p.resources * p.resources):  # what is dropped may give room too
            j = i % p.resources
            shed(s, p, e, k, p.bag.limit_of[p.tables.kind_of[k], j])
    return real
