"""What things hold: amounts, shared capacities, and the order in which it is told."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


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

    Without buckets the list is kept in order of ids.
    """
    at = 0
    if buckets > 0:
        for i in range(number):
            if held[i] % buckets == key % buckets:
                at = i
                break
    else:
        while at < number and held[at] < key:
            at += 1
    for i in range(min(number, held.shape[0] - 1), at, -1):
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
def set_amount(s: State, p: Params, e: int, k: int, r: int, amount: int) -> None:
    """Write an amount and keep the list of what is held."""
    before = s.amount[e, k, r]
    held = s.held[e, k]
    if before == 0:
        if p.upstream_order:
            s.buckets[e, k] = make_room(held, s.buckets[e, k])
        if amount > 0:
            put_in(held, told(held), r, s.buckets[e, k])
    elif amount == 0:
        take_out(held, r)
    s.amount[e, k, r] = amount


@rule
def room(s: State, p: Params, e: int, k: int, r: int) -> int:
    """How much more of a resource a thing can take."""
    kind = p.tables.kind_of[k]
    group = p.tables.limit_of[kind, r]
    used = 0
    extra = 0
    for j in range(p.resources):
        if p.tables.limit_of[kind, j] == group:
            used += s.amount[e, k, j]
        extra += p.tables.bonus[group, j] * s.amount[e, k, j]
    base = p.tables.limit[group, 0]
    if p.classic:
        limit = base + extra
    else:
        limit = min(max(base, extra), p.tables.limit[group, 1])
    return max(limit - used, 0)


@rule
def change(s: State, p: Params, e: int, k: int, r: int, delta: int) -> int:
    """Add to or take from what a thing holds, within its limits; give the real change."""
    now = s.amount[e, k, r]
    real = delta
    if delta > 0:
        real = min(delta, room(s, p, e, k, r))
    else:
        real = max(delta, -now)
    real = min(real, 65535 - now)
    set_amount(s, p, e, k, r, now + real)
    if real < 0:
        spill(s, p, e, k, r)
    return real


@rule
def spill(s: State, p: Params, e: int, k: int, r: int) -> None:
    """Drop what no longer fits after something that gave capacity is gone."""
    kind = p.tables.kind_of[k]
    for j in range(p.resources):
        group = p.tables.limit_of[kind, j]
        if p.tables.bonus[group, r] != 0 and s.amount[e, k, j] > 0:
            over = excess(s, p, e, k, group)
            if over > 0:
                set_amount(s, p, e, k, j, max(s.amount[e, k, j] - over, 0))


@rule
def excess(s: State, p: Params, e: int, k: int, group: int) -> int:
    """How much more than its limit a group of resources holds."""
    kind = p.tables.kind_of[k]
    used = 0
    extra = 0
    for j in range(p.resources):
        if p.tables.limit_of[kind, j] == group:
            used += s.amount[e, k, j]
        extra += p.tables.bonus[group, j] * s.amount[e, k, j]
    base = p.tables.limit[group, 0]
    limit = min(max(base, extra), p.tables.limit[group, 1])
    if p.classic:
        limit = base + extra
    return used - limit


@rule
def is_empty(held: np.ndarray) -> bool:
    """Whether nothing is held."""
    return held[0] < 0
