"""What things hold: amounts, shared capacities, and the order in which it is told."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.params import Bag
from mesocosm.worlds.mettagrid.rounding import grown
from mesocosm.worlds.mettagrid.stat_code import AMOUNT, DIED, GAINED, LOST


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
def used(amount: np.ndarray, bag: Bag, k: int, group: int) -> int:
    """How much of a group of resources is held; the program counts that in 16 bits."""
    kind = bag.kind_of[k]
    total = 0
    for j in range(amount.shape[1]):
        if bag.limit_of[kind, j] == group:
            total += amount[k, j]
    return total % 65536 if bag.wraps else total


@rule
def capacity(amount: np.ndarray, bag: Bag, k: int, group: int) -> int:
    """How much of a group of resources can be held."""
    extra = 0
    for j in range(amount.shape[1]):
        extra += bag.bonus[group, j] * amount[k, j]
    base = bag.limit[group, 0]
    if bag.adds_up:
        return min(max(base + extra, 0), bag.limit[group, 1])
    return min(max(base, extra), bag.limit[group, 1])


@rule
def over(amount: np.ndarray, bag: Bag, k: int, group: int) -> int:
    """How much more than its limit a group of resources holds; negative: room that is left."""
    return used(amount, bag, k, group) - capacity(amount, bag, k, group)


@rule(apart=True)
def room(amount: np.ndarray, bag: Bag, k: int, r: int) -> int:
    """How much more of a resource a thing can take."""
    return max(-over(amount, bag, k, bag.limit_of[bag.kind_of[k], r]), 0)


@rule(apart=True)
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
    amount: np.ndarray, held: np.ndarray, buckets: np.ndarray, stat: np.ndarray, bag: Bag,
    k: int, r: int, value: int,
) -> None:  # fmt: skip
    """Write an amount."""
    before = amount[k, r]
    buckets[k] = set_amount(held[k], buckets[k], before, value, r, bag.hashes)
    amount[k, r] = value
    if bag.counts and k < stat.shape[0] and value != before:
        diverse = wide(bag.diverse[bag.kind_of[k], r])
        note_flow(stat[k], bag.flow[r], diverse, wide(value), wide(value - before))


@rule
def gives_room(bag: Bag, kind: int, r: int) -> bool:
    """Whether a resource adds to the capacity for something."""
    for j in range(bag.limit_of.shape[1]):
        if bag.bonus[bag.limit_of[kind, j], r] != 0:
            return True
    return False


@rule
def shed(
    amount: np.ndarray, held: np.ndarray, buckets: np.ndarray, stat: np.ndarray, bag: Bag,
    k: int, group: int,
) -> None:  # fmt: skip
    """Drop what no longer fits a group, one resource after the other."""
    for i in range(amount.shape[1]):
        r = bag.members[group, i]
        if r < 0:
            return
        excess = over(amount, bag, k, group)
        while excess > 0 and amount[k, r] > 0:
            write(amount, held, buckets, stat, bag, k, r, max(amount[k, r] - excess, 0))
            excess = over(amount, bag, k, group)


@rule(inline=False)
def fit(
    amount: np.ndarray, held: np.ndarray, buckets: np.ndarray, stat: np.ndarray, bag: Bag, k: int
) -> None:
    """Drop what no longer fits (classic): from the first limit that is broken, until none is."""
    groups = bag.groups[bag.kind_of[k]]
    for _ in range(groups.shape[0] * (groups.shape[0] + 1)):
        excess = 0
        group = 0
        for i in range(groups.shape[0]):
            if excess <= 0 and groups[i] >= 0:
                group = groups[i]
                excess = over(amount, bag, k, group)
        if excess <= 0:
            return
        for i in range(groups.shape[0]):
            r = bag.members[group, i]
            if r >= 0 and amount[k, r] > 0:
                write(amount, held, buckets, stat, bag, k, r, max(amount[k, r] - excess, 0))
                break


@rule(apart=True)
def change(
    amount: np.ndarray, held: np.ndarray, buckets: np.ndarray, stat: np.ndarray, bag: Bag,
    k: int, r: int, delta: int,
) -> int:  # fmt: skip
    """Add to or take from what a thing holds, within its limits; give the real change.

    When what gave capacity is taken, everything that no longer fits is dropped; who holds more
    than a limit loses that at any change.
    """
    now = amount[k, r]
    group = bag.limit_of[bag.kind_of[k], r]
    others = max(used(amount, bag, k, group) - now, 0)
    most = capacity(amount, bag, k, group) - others
    real = max(min(delta, min(max(most, 0), 65535) - now), -now)
    write(amount, held, buckets, stat, bag, k, r, now + real)
    if real < 0 and gives_room(bag, bag.kind_of[k], r):
        if bag.adds_up:
            fit(amount, held, buckets, stat, bag, k)
            return real
        for i in range(amount.shape[1] * amount.shape[1]):  # what is dropped may give room too
            j = i % amount.shape[1]
            shed(amount, held, buckets, stat, bag, k, bag.limit_of[bag.kind_of[k], j])
    return real


@rule
def is_empty(held: np.ndarray) -> bool:
    """Whether nothing is held."""
    return held[0] < 0
