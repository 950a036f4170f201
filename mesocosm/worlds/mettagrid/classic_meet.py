"""What agents do to each other in the classic profile: attack, give, change places."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.link import may
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import classic_plan as old
from mesocosm.worlds.mettagrid.code import ATTACK_LINK, ATTACKED, GAVE, GIFT_LINK
from mesocosm.worlds.mettagrid.holding import adjust, space
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.place import swap_places
from mesocosm.worlds.mettagrid.stat import note, tally
from mesocosm.worlds.mettagrid.stat_code import SWAPPED
from mesocosm.worlds.mettagrid.stat_old import BLOCKED, GIFTS, STRUCK, STRUCK_BY
from mesocosm.worlds.mettagrid.state import State


@rule
def meet(s: State, f: Frame, p: Params, e: int, a: int, other: int) -> bool:
    """Move into another agent: attack or give, as the vibe says; swap with the frozen."""
    if s.frozen[e, other] > 0:
        swap_places(s, p, e, a, other)
        if p.has_stats:
            tally(s, p, e, a, SWAPPED, 1.0)
        return True
    vibe = s.vibe[e, a]
    if vibe >= p.old.vibe.shape[0]:
        return False
    fights = p.old.vibe[vibe, old.ATTACKS] != 0 and may(f, a, other, ATTACK_LINK)
    if fights and attack(s, p, e, a, other):
        emit(f, e, ATTACKED, a, other, p.old.freeze * 1.0)
        return True
    gift = p.old.vibe[vibe, old.GIFT]
    gives = gift >= 0 and may(f, a, other, GIFT_LINK)
    if gives and give(s, p, e, a, other, gift):
        emit(f, e, GAVE, a, other, 0.0)
        return True
    return False


@rule
def attack(s: State, p: Params, e: int, a: int, other: int) -> bool:
    """Freeze another agent and take what is loot, unless it can defend itself; pay either way."""
    for r in range(p.resources):
        if s.amount[e, a, r] < p.old.attack[old.COST, r]:
            return False
    blocked = defended(s, p, e, a, other)
    if p.has_stats:
        note_strike(s, p, e, a, other, blocked)
    if not blocked:
        if p.old.freeze > 0:
            s.frozen[e, other] = p.old.freeze
        change_all(s, p, e, a, old.ACTOR_DELTA, 1)
        change_all(s, p, e, other, old.TARGET_DELTA, 1)
        for i in range(p.resources):
            r = p.old.attack_order[old.LOOT, i]
            if r >= 0 and s.amount[e, other, r] > 0:
                stolen = adjust(s, p, e, a, r, s.amount[e, other, r])
                adjust(s, p, e, other, r, -stolen)
    change_all(s, p, e, a, old.COST, -1)
    s.stale[e, a] = True
    s.stale[e, other] = True
    return True


@rule
def note_strike(s: State, p: Params, e: int, a: int, other: int, blocked: bool) -> None:
    """Count an attack, by the teams of both."""
    columns = p.stats.old.strike[p.tables.kind_of[a], p.tables.kind_of[other]]
    note(s.stat[e, a], columns[BLOCKED if blocked else STRUCK], 1.0)
    if not blocked:
        note(s.stat[e, other], columns[STRUCK_BY], 1.0)


@rule
def change_all(s: State, p: Params, e: int, k: int, row: int, sign: int) -> None:
    """Change what an agent holds by a row of the attack's table."""
    for i in range(p.resources):
        r = p.old.attack_order[row, i]
        if r >= 0 and (row != old.COST or p.old.attack[row, r] > 0):
            adjust(s, p, e, k, r, sign * p.old.attack[row, r])


@rule
def defended(s: State, p: Params, e: int, a: int, other: int) -> bool:
    """Whether the target can pay its defence; if so, it does."""
    if p.resources == 0 or p.old.attack_order[old.DEFENSE, 0] < 0:
        return False
    power = max(weapon_power(s, p, e, a) - armor_power(s, p, e, other), 0)
    for i in range(p.resources):
        r = p.old.attack_order[old.DEFENSE, i]
        if r >= 0 and s.amount[e, other, r] < p.old.attack[old.DEFENSE, r] + power:
            return False
    for i in range(p.resources):
        r = p.old.attack_order[old.DEFENSE, i]
        if r >= 0:
            adjust(s, p, e, other, r, -(p.old.attack[old.DEFENSE, r] + power))
    return True


@rule
def weapon_power(s: State, p: Params, e: int, a: int) -> int:
    """How strong an attacker is."""
    power = 0
    for r in range(p.resources):
        power += s.amount[e, a, r] * p.old.attack[old.WEAPON, r]
    return power


@rule
def armor_power(s: State, p: Params, e: int, other: int) -> int:
    """How well a target is protected: who shows the vibe of an armor has more of it."""
    power = 0
    vibe = s.vibe[e, other]
    for r in range(p.resources):
        amount = s.amount[e, other, r]
        if vibe < p.old.vibe.shape[0] and p.old.vibe[vibe, old.NAMESAKE] == r:
            amount += p.old.vibe[vibe, old.BONUS]
        power += amount * p.old.attack[old.ARMOR, r]
    return power


@rule
def give(s: State, p: Params, e: int, a: int, other: int, row: int) -> bool:
    """Exchange what a transfer says, all of it or nothing."""
    for r in range(p.resources):
        if s.amount[e, a, r] < p.old.gift[row, old.NEEDED, r]:
            return False
    for side in range(2):
        who = a if side == old.GIVER else other
        for r in range(p.resources):
            delta = p.old.gift[row, side, r]
            if delta < 0 and s.amount[e, who, r] < -delta:
                return False
            if delta > 0 and space(s, p, e, who, r) < delta:
                return False
    for side in range(2):
        who = a if side == old.GIVER else other
        for i in range(p.resources):
            r = p.old.gift_order[row, side, i]
            if r >= 0 and p.old.gift[row, side, r] != 0:
                real = adjust(s, p, e, who, r, p.old.gift[row, side, r])
                if p.has_stats:
                    note_given(s, p, e, a, other, side, r, real)
        s.stale[e, who] = True
    if p.has_stats:
        note(s.stat[e, a], p.stats.old.team[p.tables.kind_of[a], GIFTS], 1.0)
    return True


@rule
def note_given(
    s: State, p: Params, e: int, a: int, other: int, side: int, r: int, real: int
) -> None:
    """Count what a gift changed, under the giver and by the teams of both."""
    mine = p.tables.kind_of[a]
    column = p.stats.old.gift[mine, p.tables.kind_of[other], r]
    if side == old.GIVER:
        column = p.stats.old.own[mine, r]
    note(s.stat[e, a], column, real * 1.0)
