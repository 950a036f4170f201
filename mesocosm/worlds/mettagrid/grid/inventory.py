"""Inventories: amounts, shared capacities, and the order in which resources are told."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.columns import (
    LIMIT_ALONE,
    LIMIT_BASE,
    LIMIT_GROWS,
    LIMIT_MOST,
)
from mesocosm.worlds.mettagrid.compile.stat_codes import (
    FLOW_AMOUNT,
    FLOW_DEATH,
    FLOW_GAINED,
    FLOW_LOST,
)
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT, WRAPS_AT
from mesocosm.worlds.mettagrid.grid.stat import add_to_stat
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def wide(x: int) -> int:
    """Return a number in 64 bits: what is compiled for one width then serves all callers."""
    return x + 0


@rule
def num_held(held: np.ndarray) -> int:
    """Return how many resources are listed."""
    number = 0
    for i in range(held.shape[0]):
        if held[i] >= 0:
            number += 1
    return number


@rule
def insert_held(held: np.ndarray, number: int, key: int, buckets: int) -> None:
    """Insert a resource among the first `number`: before the first of its bucket, else in front.

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
def next_bucket_count(buckets: int) -> int:
    """Return the next size of the hash map."""
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
def grow_hash_map(held: np.ndarray, buckets: int) -> int:
    """Grow the hash map if one more resource needs it; return its size."""
    if buckets >= held.shape[0] and buckets > 0:
        return buckets
    number = num_held(held)
    if buckets > 0 and number + 1 <= buckets:
        return buckets
    size = next_bucket_count(buckets)
    for i in range(number):
        insert_held(held, i, held[i], size)
    return size


@rule
def remove_held(held: np.ndarray, key: int) -> None:
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
    """Keep the list of held resources when an amount changes; return the hash map's size."""
    if before == 0:
        if hashes:
            buckets = grow_hash_map(held, buckets)
        if amount > 0:
            insert_held(held, num_held(held), r, buckets)
    elif amount == 0:
        remove_held(held, r)
    return buckets


@rule
def amount_used(s: State, p: Params, e: int, k: int, group: int) -> int:
    """Return how much of a group of resources is held; MettaGrid counts that in 16 bits."""
    kind = p.tables.kind_of[k]
    total = 0
    if p.inventory.limit[group, LIMIT_ALONE] >= 0:
        total = s.amount[e, k, p.inventory.limit[group, LIMIT_ALONE]]
    else:
        for j in range(p.resources):
            if p.inventory.limit_of[kind, j] == group:
                total += s.amount[e, k, j]
    return total % WRAPS_AT if p.inventory.wraps else total


@rule
def capacity(s: State, p: Params, e: int, k: int, group: int) -> int:
    """Return how much of a group of resources can be held."""
    extra = 0
    if p.inventory.limit[group, LIMIT_GROWS] != 0:
        for j in range(p.resources):
            extra += p.inventory.bonus[group, j] * s.amount[e, k, j]
    base = p.inventory.limit[group, LIMIT_BASE]
    if p.inventory.adds_up:
        return min(max(base + extra, 0), p.inventory.limit[group, LIMIT_MOST])
    return min(max(base, extra), p.inventory.limit[group, LIMIT_MOST])


@rule
def amount_over(s: State, p: Params, e: int, k: int, group: int) -> int:
    """Return by how much a group exceeds its capacity; negative: the room that is left."""
    return amount_used(s, p, e, k, group) - capacity(s, p, e, k, group)


@rule
def room_left(s: State, p: Params, e: int, k: int, r: int) -> int:
    """Return how much more of a resource a thing can take."""
    most = p.inventory.fixed_most[p.tables.kind_of[k], r]
    if most >= 0:
        return max(most - s.amount[e, k, r], 0)
    return max(-amount_over(s, p, e, k, p.inventory.limit_of[p.tables.kind_of[k], r]), 0)


@rule
def count_flow(stat: np.ndarray, flow: np.ndarray, diverse: int, now: int, delta: int) -> None:
    """Count what an agent gained or lost of a resource, where a game asks for it."""
    if flow[FLOW_AMOUNT] >= 0:
        stat[flow[FLOW_AMOUNT]] = now * 1.0
    if delta > 0:
        add_to_stat(stat, wide(flow[FLOW_GAINED]), delta * 1.0)
    elif delta < 0:
        add_to_stat(stat, wide(flow[FLOW_LOST]), -delta * 1.0)
        if now == 0:
            add_to_stat(stat, wide(flow[FLOW_DEATH]), 1.0)
    if now == 0 or now == delta:
        add_to_stat(stat, diverse, 1.0 if delta > 0 else -1.0)


@rule
def write_amount(
    s: State,
    p: Params,
    e: int,
    k: int,
    r: int,
    value: int,
) -> None:
    """Write an amount."""
    before = s.amount[e, k, r]
    s.buckets[e, k] = set_amount(
        s.held[e, k], s.buckets[e, k], before, value, r, p.inventory.hashes
    )
    s.amount[e, k, r] = value
    if p.inventory.counts and k < p.agents and value != before:
        diverse = wide(p.inventory.diverse[p.tables.kind_of[k], r])
        count_flow(s.stat[e, k], p.inventory.flow[r], diverse, wide(value), wide(value - before))


@rule
def gives_room(p: Params, kind: int, r: int) -> bool:
    """Whether a resource adds to the capacity for something."""
    return p.inventory.modifies[kind, r]


@rule
def drop_excess(s: State, p: Params, e: int, k: int) -> None:
    """Drop what no longer fits, limit by limit; from the first again when what gave room goes."""
    groups = p.inventory.groups[p.tables.kind_of[k]]
    i = 0
    while i < groups.shape[0] and groups[i] >= 0:
        i = 0 if drop_from_limit(s, p, e, k, wide(groups[i])) else i + 1


@rule
def drop_from_limit(s: State, p: Params, e: int, k: int, group: int) -> bool:
    """Drop what exceeds a limit, one resource after the other; stop at one that gives room."""
    for i in range(p.resources):
        r = p.inventory.members[group, i]
        excess = amount_over(s, p, e, k, group)
        if r < 0 or excess <= 0:
            return False
        if s.amount[e, k, r] > 0:
            lost = clamp_change(s, p, e, k, wide(r), -min(excess, s.amount[e, k, r]))
            write_amount(s, p, e, k, wide(r), s.amount[e, k, r] + lost)
            if gives_room(p, p.tables.kind_of[k], r):
                return True
    return False


@rule
def drop_excess_classic(s: State, p: Params, e: int, k: int) -> None:
    """Drop what no longer fits (classic): from the first limit that is broken, until none is."""
    groups = p.inventory.groups[p.tables.kind_of[k]]
    for _ in range(groups.shape[0] * (groups.shape[0] + 1)):
        excess = 0
        group = 0
        for i in range(groups.shape[0]):
            if excess <= 0 and groups[i] >= 0:
                group = groups[i]
                excess = amount_over(s, p, e, k, group)
        if excess <= 0:
            return
        for i in range(groups.shape[0]):
            r = p.inventory.members[group, i]
            if r >= 0 and s.amount[e, k, r] > 0:
                write_amount(s, p, e, k, r, max(s.amount[e, k, r] - excess, 0))
                break


@rule
def clamp_change(s: State, p: Params, e: int, k: int, r: int, delta: int) -> int:
    """Return by how much an amount can change: not below 0, not beyond its limit."""
    now = s.amount[e, k, r]
    group = p.inventory.limit_of[p.tables.kind_of[k], r]
    others = max(amount_used(s, p, e, k, group) - now, 0)
    most = capacity(s, p, e, k, group) - others
    return max(min(delta, min(max(most, 0), MAX_AMOUNT) - now), -now)


@rule
def change_amount(
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
    has = s.amount[e, k, r]
    most = p.inventory.fixed_most[p.tables.kind_of[k], r]
    real = 0
    if most >= 0:
        real = max(min(delta, most - has), -has)
    elif has != 0 or delta > 0:
        real = clamp_change(s, p, e, k, r, delta)
    if real == 0 and has != 0:
        return 0
    write_amount(s, p, e, k, r, has + real)
    if real < 0 and gives_room(p, p.tables.kind_of[k], r):
        if p.inventory.adds_up:
            drop_excess_classic(s, p, e, k)
        else:
            drop_excess(s, p, e, k)
    return real
