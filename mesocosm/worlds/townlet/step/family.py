"""Families: weddings, births, departures, inheritance, and strangers who move in (level 8)."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.link import may
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below, normal, uniform
from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.declare import (
    ARRIVAL,
    BIRTH,
    DEATH,
    DEPARTURE,
    INHERITANCE,
    INHERITANCE_LINK,
    MONEY,
    WEDDING,
    WEDDING_LINK,
)
from mesocosm.worlds.townlet.params import Params
from mesocosm.worlds.townlet.state import GENE_DRAWS, MAX_VACANT, State
from mesocosm.worlds.townlet.step.life import begin_life, cell_of, has_retired

# states of `standing`
NO_FAMILY, MARRIED, PARENT, SINGLE_PARENT, CHILD, ORPHAN, DIVORCED = range(7)
# streams of random numbers
MARRY, BREED, CROSS, MUTATE, SHIFT, ARRIVE, TRAITS = range(10, 17)


@rule
def update_families(s: State, f: Frame, p: Params, e: int) -> None:
    """Update families after the tick's deaths: losses, departures, weddings, births, arrivals."""
    for a in range(s.alive.shape[1]):
        if f.active[e, a] and not s.alive[e, a]:
            leave_family(s, f, p, e, a)
        elif f.active[e, a]:
            grow_up(s, f, p, e, a)
    for a in range(s.alive.shape[1]):
        if f.active[e, a] and s.alive[e, a]:
            if is_free(s, p, e, a):
                marry(s, f, p, e, a)
            elif s.standing[e, a] == MARRIED and a < s.partner[e, a]:
                breed(s, f, p, e, a)
    for a in range(s.alive.shape[1]):
        if not f.active[e, a] and not f.birth[e, a]:
            s.vacant[e, a] = min(s.vacant[e, a] + 1, MAX_VACANT)
            if p.refill and s.vacant[e, a] >= p.refill_ticks:
                arrive(s, f, p, e, a)


@rule
def leave_family(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Remove a dead agent from its family, and update the standing of the others."""
    spouse = s.partner[e, a]
    child = s.child[e, a]
    inherits = p.dynasty and child >= 0 and not has_retired(s, p, e, a)
    if inherits and may(f, e, a, child, INHERITANCE_LINK):
        money = s.meters[e, a, MONEY]
        s.meters[e, child, MONEY] = clip(s.meters[e, child, MONEY] + money, 0.0, 1.0)
        emit(f, e, INHERITANCE, a, child, money)
    if spouse >= 0:
        s.partner[e, spouse] = -1
        s.standing[e, spouse] = SINGLE_PARENT if child >= 0 else NO_FAMILY
        if child < 0:
            s.family[e, spouse] = -1
    elif child >= 0:
        s.standing[e, child] = ORPHAN
        s.family[e, child] = -1
    if s.standing[e, a] == CHILD:
        leave_parents(s, e, a)
    s.standing[e, a] = NO_FAMILY
    s.family[e, a] = -1
    s.partner[e, a] = -1
    s.child[e, a] = -1
    s.vacant[e, a] = 0


@rule
def leave_parents(s: State, e: int, a: int) -> None:
    """Take a child off its parents, and update their standing."""
    for side in range(2):
        parent = s.parent[e, a, side]
        if parent >= 0 and s.child[e, parent] == a:
            s.child[e, parent] = -1
            if s.standing[e, parent] == PARENT:
                s.standing[e, parent] = MARRIED
            else:
                s.standing[e, parent] = DIVORCED
                s.family[e, parent] = -1


@rule
def grow_up(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """End the childhood of an agent that is old enough to leave home."""
    if s.age[e, a] <= p.leave_age:
        return
    if s.standing[e, a] == CHILD:
        leave_parents(s, e, a)
        s.family[e, a] = -1
        s.standing[e, a] = NO_FAMILY
        emit(f, e, DEPARTURE, a, -1, 0.0)
    elif s.standing[e, a] == ORPHAN:
        s.standing[e, a] = NO_FAMILY


@rule
def is_free(s: State, p: Params, e: int, a: int) -> bool:
    """Whether an agent may marry: grown up, and without a family."""
    single = s.standing[e, a] == NO_FAMILY or s.standing[e, a] == DIVORCED
    return single and s.age[e, a] >= p.marry_age


@rule
def are_kin(s: State, e: int, a: int, b: int) -> bool:
    """Whether one of two is the other's parent."""
    for side in range(2):
        if s.parent[e, a, side] == b or s.parent[e, b, side] == a:
            return True
    return False


@rule
def marry(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Marry the first free agent on the same cell, with the declared probability."""
    if uniform(f.word[e], f.t[e], MARRY, a) >= p.marry_prob:
        return
    for b in range(a + 1, s.alive.shape[1]):
        near = s.alive[e, b] and f.active[e, b] and cell_of(s, p, e, a) == cell_of(s, p, e, b)
        suits = near and is_free(s, p, e, b) and not are_kin(s, e, a, b)
        if suits and may(f, e, a, b, WEDDING_LINK):
            home = free_family(s, e)
            for who in range(2):
                one = a if who == 0 else b
                s.family[e, one] = home
                s.standing[e, one] = MARRIED
                s.partner[e, one] = b if who == 0 else a
            emit(f, e, WEDDING, a, b, 0.0)
            return


@rule
def free_family(s: State, e: int) -> int:
    """Find a family number that nobody uses."""
    for number in range(s.alive.shape[1]):
        used = False
        for a in range(s.alive.shape[1]):
            used = used or s.family[e, a] == number
        if not used:
            return number
    return 0


@rule
def performs_well(s: State, p: Params, e: int, a: int) -> bool:
    """Whether an agent's fortune is among the best of the living."""
    better = 0
    living = 0
    for b in range(s.alive.shape[1]):
        if s.alive[e, b]:
            living += 1
            if s.fortune[e, b] > s.fortune[e, a]:
                better += 1
    return better < p.performance * living


@rule
def breed(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Have a child, if both parents are grown and perform well and a slot is free."""
    b = s.partner[e, a]
    if uniform(f.word[e], f.t[e], BREED, a) >= p.breed_prob:
        return
    grown = s.age[e, a] >= p.marry_age and s.age[e, b] >= p.marry_age
    if not grown or not performs_well(s, p, e, a) or not performs_well(s, p, e, b):
        return
    slot = free_slot(s, f, e)
    if slot < 0:
        if p.cull:
            cull(s, f, p, e, a, b)
        return
    s.position[e, slot, 0] = s.position[e, a, 0]
    s.position[e, slot, 1] = s.position[e, a, 1]
    begin_life(s, p, e, slot)
    s.family[e, slot] = s.family[e, a]
    s.standing[e, slot] = CHILD
    for who in range(2):
        one = a if who == 0 else b
        s.parent[e, slot, who] = one
        s.child[e, one] = slot
        s.standing[e, one] = PARENT
    inherit_genes(s, f, p, e, slot)
    f.birth[e, slot] = True
    emit(f, e, BIRTH, slot, a, 0.0)


@rule
def free_slot(s: State, f: Frame, e: int) -> int:
    """Find a slot that nobody lives in, or -1."""
    for a in range(s.alive.shape[1]):
        if not f.active[e, a] and not f.birth[e, a] and not s.alive[e, a]:
            return a
    return -1


@rule
def cull(s: State, f: Frame, p: Params, e: int, a: int, b: int) -> None:
    """Kill the agent with the least fortune, never one of the couple, to free a slot."""
    worst = -1
    for other in range(s.alive.shape[1]):
        able = other != a and other != b and f.active[e, other] and s.alive[e, other]
        if able and (worst < 0 or s.fortune[e, other] < s.fortune[e, worst]):
            worst = other
    if worst >= 0:
        s.alive[e, worst] = False
        leave_family(s, f, p, e, worst)
        emit(f, e, DEATH, worst, -1, s.age[e, worst] * 1.0)


@rule
def inherit_genes(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Take each gene from either parent, and mutate some."""
    word = f.word[e]
    for gene in range(s.genes.shape[2]):
        at = a * GENE_DRAWS + gene
        side = below(2, word, f.t[e], CROSS, at)
        value = s.genes[e, s.parent[e, a, side], gene] if s.parent[e, a, side] >= 0 else 0.5
        if uniform(word, f.t[e], MUTATE, at) < p.mutation_prob:
            value += p.mutation_size * value * normal(word, f.t[e], SHIFT, at)
        s.genes[e, a, gene] = clip(value, 0.0, 1.0)


@rule
def arrive(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Let a stranger move into an empty slot."""
    cell = below(p.grid * p.grid, f.word[e], f.t[e], ARRIVE, a)
    s.position[e, a, 0] = cell % p.grid
    s.position[e, a, 1] = cell // p.grid
    begin_life(s, p, e, a)
    for gene in range(s.genes.shape[2]):
        s.genes[e, a, gene] = uniform(f.word[e], f.t[e], TRAITS, a * GENE_DRAWS + gene)
    f.birth[e, a] = True
    emit(f, e, ARRIVAL, a, -1, 0.0)


@rule
def link_kin(s: State, e: int) -> None:
    """List the members of each family in index order."""
    for a in range(s.alive.shape[1]):
        s.kin[e, a] = -1
    for a in range(s.alive.shape[1] - 1, -1, -1):
        s.next_kin[e, a] = -1
        home = s.family[e, a]
        if s.alive[e, a] and home >= 0:
            s.next_kin[e, a] = s.kin[e, home]
            s.kin[e, home] = a
