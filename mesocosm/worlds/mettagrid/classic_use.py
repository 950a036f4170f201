"""Using things in the classic profile: assemblers, chests, and what agents do to each other."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit, may
from mesocosm.worlds.mettagrid import classic_plan as old
from mesocosm.worlds.mettagrid.classic import AROUND, current_recipe, neighbour
from mesocosm.worlds.mettagrid.code import ATTACK_LINK, ATTACKED, GAVE, GIFT_LINK
from mesocosm.worlds.mettagrid.holding import adjust, space
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.place import cell_of, swap_places
from mesocosm.worlds.mettagrid.plan import ASSEMBLER, CHEST, CLASS, MAX_USES, PARTIAL
from mesocosm.worlds.mettagrid.state import State

INPUT, OUTPUT = 0, 1


@rule
def use_old(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Use a thing one moved into."""
    which = p.tables.kind[p.tables.kind_of[k], CLASS]
    done = False
    if which == CHEST:
        done = use_chest(s, p, e, a, k)
    elif which == ASSEMBLER:
        done = use_assembler(s, p, e, a, k)
    return done


@rule
def use_chest(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Deposit or withdraw what the vibe says; what does not fit is lost."""
    kind = p.tables.kind_of[k]
    arrived = False
    for i in range(p.old.chest.shape[0]):
        if p.old.chest[i, 0] != kind or p.old.chest[i, 1] != s.vibe[e, a]:
            continue
        r = p.old.chest[i, 2]
        delta = p.old.chest[i, 3]
        giver = a if delta > 0 else k
        taker = k if delta > 0 else a
        given = -adjust(s, p, e, giver, r, -abs(delta))
        if given > 0 and adjust(s, p, e, taker, r, given) > 0:
            arrived = True
    s.stale[e, a] = True
    s.stale[e, k] = True
    return arrived


@rule
def scaled(amount: int, part: int, whole: int, up: bool) -> int:
    """Scale an amount by part / whole, rounding inputs up and outputs down."""
    if part >= whole:
        return amount
    if up:
        return (amount * part + whole - 1) // whole
    return amount * part // whole


@rule
def use_assembler(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Work a recipe, if one holds and can be paid."""
    kind = p.tables.kind_of[k]
    most = p.tables.kind[kind, MAX_USES]
    place = cell_of(p, s.row[e, k], s.col[e, k])
    recipe = current_recipe(
        s.cell[e], s.vibe[e], p.tables.kind[kind], p.old.recipe, (p.agents, p.pitch, place)
    )
    if recipe < 0 or s.clipped[e, k] or (most > 0 and s.uses[e, k] >= most):
        return False
    part = 1
    whole = 1
    if s.ready_at[e, k] > s.clock[e]:
        if p.tables.kind[kind, PARTIAL] == 0:
            return False
        part = s.clock[e] - s.started_at[e, k]
        whole = max(s.ready_at[e, k] - s.started_at[e, k], 1)
    if not affordable(s, p, e, place, recipe, part, whole):
        return False
    if not storable(s, p, e, a, place, recipe, part, whole):
        return False
    exchange(s, p, e, a, place, recipe, part, whole)
    s.uses[e, k] += 1
    s.started_at[e, k] = s.clock[e]
    s.ready_at[e, k] = s.clock[e] + p.old.recipe[recipe, old.COOLDOWN]
    for i in range(AROUND):
        other = neighbour(s.cell[e], p.agents, p.pitch, place, i)
        if other >= 0:
            s.stale[e, other] = True
    s.stale[e, a] = True
    return True


@rule
def affordable(s: State, p: Params, e: int, place: int, recipe: int, part: int, whole: int) -> bool:
    """Whether those around have the inputs together."""
    for r in range(p.resources):
        need = scaled(p.old.recipe_amount[recipe, INPUT, r], part, whole, True)
        if need > 0:
            have = 0
            for i in range(AROUND):
                other = neighbour(s.cell[e], p.agents, p.pitch, place, i)
                if other >= 0:
                    have += s.amount[e, other, r]
            if have < need:
                return False
    return True


@rule
def receives(s: State, p: Params, e: int, a: int, other: int, recipe: int) -> bool:
    """Whether an agent around gets a share: the actor, or all who show one of many vibes."""
    size = p.old.recipe[recipe, old.NUM_VIBES]
    if size <= 1:
        return other == a
    for i in range(size):
        if p.old.recipe[recipe, old.VIBES_AT + i] == s.vibe[e, other]:
            return True
    return False


@rule
def storable(
    s: State, p: Params, e: int, a: int, place: int, recipe: int, part: int, whole: int
) -> bool:
    """Whether at least one unit of output exists and finds room."""
    makes = False
    for r in range(p.resources):
        full = p.old.recipe_amount[recipe, OUTPUT, r]
        if scaled(full, part, whole, False) > 0:
            makes = True
            for i in range(AROUND):
                other = neighbour(s.cell[e], p.agents, p.pitch, place, i)
                takes = other >= 0 and receives(s, p, e, a, other, recipe)
                if takes and space(s, p, e, other, r) > 0:
                    return True
    return not makes and part >= whole


@rule
def exchange(
    s: State, p: Params, e: int, a: int, place: int, recipe: int, part: int, whole: int
) -> None:
    """Take the inputs from those around and hand out the outputs."""
    for i in range(p.resources):
        r = p.old.recipe_order[recipe, INPUT, i]
        if r >= 0:
            need = scaled(p.old.recipe_amount[recipe, INPUT, r], part, whole, True)
            collect(s, p, e, a, place, r, need)
    for i in range(p.resources):
        r = p.old.recipe_order[recipe, OUTPUT, i]
        if r >= 0:
            made = scaled(p.old.recipe_amount[recipe, OUTPUT, r], part, whole, False)
            hand_out(s, p, e, a, place, recipe, r, made)


@rule
def spot_of(s: State, p: Params, e: int, a: int, place: int) -> int:
    """Which of the cells around a thing an agent stands on."""
    for i in range(AROUND):
        if neighbour(s.cell[e], p.agents, p.pitch, place, i) == a:
            return i
    return 0


@rule
def collect(s: State, p: Params, e: int, a: int, place: int, r: int, need: int) -> None:
    """Take equal shares; who has less gives all, and the remainder falls on the first."""
    first = spot_of(s, p, e, a, place)
    rest = need
    for _ in range(AROUND):
        givers = count_givers(s, p, e, place, r)
        if givers == 0 or rest <= 0:
            return
        share = rest // givers
        drained = False
        for i in range(AROUND):
            other = neighbour(s.cell[e], p.agents, p.pitch, place, (first + i) % AROUND)
            if other >= 0 and 0 < s.amount[e, other, r] < share:
                rest += adjust(s, p, e, other, r, -s.amount[e, other, r])
                drained = True
        if not drained:
            break
    givers = count_givers(s, p, e, place, r)
    for i in range(AROUND):
        other = neighbour(s.cell[e], p.agents, p.pitch, place, (first + i) % AROUND)
        if other >= 0 and s.amount[e, other, r] > 0 and rest > 0 and givers > 0:
            rest += adjust(s, p, e, other, r, -((rest + givers - 1) // givers))
            givers -= 1


@rule
def count_givers(s: State, p: Params, e: int, place: int, r: int) -> int:
    """How many around have some of a resource."""
    number = 0
    for i in range(AROUND):
        other = neighbour(s.cell[e], p.agents, p.pitch, place, i)
        if other >= 0 and s.amount[e, other, r] > 0:
            number += 1
    return number


@rule
def hand_out(
    s: State, p: Params, e: int, a: int, place: int, recipe: int, r: int, made: int
) -> None:
    """Give equal shares to the receivers, the remainder to the first."""
    first = spot_of(s, p, e, a, place)
    takers = 0
    for i in range(AROUND):
        other = neighbour(s.cell[e], p.agents, p.pitch, place, i)
        if other >= 0 and receives(s, p, e, a, other, recipe) and space(s, p, e, other, r) > 0:
            takers += 1
    rest = made
    for i in range(AROUND):
        other = neighbour(s.cell[e], p.agents, p.pitch, place, (first + i) % AROUND)
        takes = other >= 0 and takers > 0 and receives(s, p, e, a, other, recipe)
        if takes and space(s, p, e, other, r) > 0:
            rest -= adjust(s, p, e, other, r, (rest + takers - 1) // takers)
            takers -= 1


@rule
def meet(s: State, f: Frame, p: Params, e: int, a: int, other: int) -> bool:
    """Move into another agent: attack or give, as the vibe says; swap with the frozen."""
    vibe = s.vibe[e, a]
    if vibe < p.old.vibe.shape[0]:
        fights = p.old.vibe[vibe, 0] != 0 and s.frozen[e, other] == 0
        fights = fights and may(f, a, other, ATTACK_LINK)
        if fights and attack(s, p, e, a, other):
            emit(f, e, ATTACKED, a, other, p.old.freeze)
            return True
        gives = p.old.vibe[vibe, 1] >= 0 and may(f, a, other, GIFT_LINK)
        if gives and give(s, p, e, a, other, p.old.vibe[vibe, 1]):
            emit(f, e, GAVE, a, other, 0.0)
            return True
    if s.frozen[e, other] > 0:
        swap_places(s, p, e, a, other)
        return True
    return False


@rule
def attack(s: State, p: Params, e: int, a: int, other: int) -> bool:
    """Freeze another agent, unless it can defend itself."""
    for r in range(p.resources):
        if s.amount[e, a, r] < p.old.attack[old.REQUIRED, r]:
            return False
    if not defended(s, p, e, a, other):
        s.frozen[e, other] = p.old.freeze
        for r in range(p.resources):
            adjust(s, p, e, a, r, p.old.attack[old.ACTOR_DELTA, r])
            adjust(s, p, e, other, r, p.old.attack[old.TARGET_DELTA, r])
            if p.old.attack[old.LOOT, r] != 0:
                fits = min(s.amount[e, other, r], space(s, p, e, a, r))
                adjust(s, p, e, other, r, -fits)
                adjust(s, p, e, a, r, fits)
    for r in range(p.resources):
        adjust(s, p, e, a, r, -p.old.attack[old.COST, r])
    s.stale[e, a] = True
    s.stale[e, other] = True
    return True


@rule
def defended(s: State, p: Params, e: int, a: int, other: int) -> bool:
    """Whether the target can pay its defence; if so, it does."""
    power = 0
    any_defence = False
    for r in range(p.resources):
        power += s.amount[e, a, r] * p.old.attack[old.WEAPON, r]
        power -= s.amount[e, other, r] * p.old.attack[old.ARMOR, r]
        any_defence = any_defence or p.old.attack[old.DEFENSE, r] > 0
    if s.vibe[e, other] < p.old.vibe.shape[0]:
        power -= p.old.vibe[s.vibe[e, other], 2]
    power = max(power, 0)
    if not any_defence:
        return False
    for r in range(p.resources):
        need = p.old.attack[old.DEFENSE, r]
        if need > 0 and s.amount[e, other, r] < need + power:
            return False
    for r in range(p.resources):
        need = p.old.attack[old.DEFENSE, r]
        if need > 0:
            adjust(s, p, e, other, r, -(need + power))
    return True


@rule
def give(s: State, p: Params, e: int, a: int, other: int, row: int) -> bool:
    """Exchange what a transfer says, all of it or nothing."""
    for side in range(2):
        who = a if side == 0 else other
        for r in range(p.resources):
            delta = p.old.gift[row, side, r]
            if delta < 0 and s.amount[e, who, r] < -delta:
                return False
            if delta > 0 and space(s, p, e, who, r) < delta:
                return False
    for side in range(2):
        who = a if side == 0 else other
        for r in range(p.resources):
            if p.old.gift[row, side, r] != 0:
                adjust(s, p, e, who, r, p.old.gift[row, side, r])
        s.stale[e, who] = True
    return True


@rule
def regenerate(s: State, p: Params, e: int) -> None:
    """Give agents back what their vibe brings; a vibe without an entry counts as the first."""
    for a in range(p.agents):
        kind = p.tables.kind_of[a]
        vibe = s.vibe[e, a]
        own = False
        for i in range(p.old.regen.shape[0]):
            if p.old.regen[i, 0] == kind and p.old.regen[i, 1] == vibe:
                own = True
        for i in range(p.old.regen.shape[0]):
            if p.old.regen[i, 0] == kind and p.old.regen[i, 1] == (vibe if own else 0):
                adjust(s, p, e, a, p.old.regen[i, 2], p.old.regen[i, 3])
        s.stale[e, a] = True
