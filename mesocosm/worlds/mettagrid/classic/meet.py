"""Agents that move into each other (classic): attack, give, swap places."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.link import may
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import ATTACK_LINK, ATTACKED, GAVE, GIFT_LINK
from mesocosm.worlds.mettagrid.compile import classic
from mesocosm.worlds.mettagrid.compile.classic_stats import BLOCKED, GIFTS, STRUCK, STRUCK_BY
from mesocosm.worlds.mettagrid.compile.stat_codes import SWAPPED
from mesocosm.worlds.mettagrid.grid.holding import adjust, space
from mesocosm.worlds.mettagrid.grid.place import swap_places
from mesocosm.worlds.mettagrid.grid.stale import mark_stale
from mesocosm.worlds.mettagrid.grid.stat import add_to_stat, count_stat
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def meet_agent(s: State, f: Frame, p: Params, e: int, a: int, other: int) -> bool:
    """Move into another agent: attack or give, as the vibe says; swap with the frozen."""
    if s.frozen[e, other] > 0:
        swap_places(s, p, e, a, other)
        if p.has_stats:
            count_stat(s, p, e, a, SWAPPED, 1.0)
        return True
    vibe = s.vibe[e, a]
    if vibe >= p.classic.vibe.shape[0]:
        return False
    fights = p.classic.vibe[vibe, classic.ATTACKS] != 0 and may(f, e, a, other, ATTACK_LINK)
    if fights and attack(s, p, e, a, other):
        emit(f, e, ATTACKED, a, other, p.classic.freeze * 1.0)
        return True
    gift = p.classic.vibe[vibe, classic.GIFT]
    gives = gift >= 0 and may(f, e, a, other, GIFT_LINK)
    if gives and give_gift(s, p, e, a, other, gift):
        emit(f, e, GAVE, a, other, 0.0)
        return True
    return False


@rule
def attack(s: State, p: Params, e: int, a: int, other: int) -> bool:
    """Freeze another agent and take what is loot, unless it can defend itself; pay either way."""
    for r in range(p.resources):
        if s.amount[e, a, r] < p.classic.attack[classic.COST, r]:
            return False
    blocked = defend_attack(s, p, e, a, other)
    if p.has_stats:
        count_strike(s, p, e, a, other, blocked)
    if not blocked:
        if p.classic.freeze > 0:
            s.frozen[e, other] = p.classic.freeze
        change_by_attack(s, p, e, a, classic.ACTOR_DELTA, 1)
        change_by_attack(s, p, e, other, classic.TARGET_DELTA, 1)
        for i in range(p.resources):
            r = p.classic.attack_order[classic.LOOT, i]
            if r >= 0 and s.amount[e, other, r] > 0:
                stolen = adjust(s, p, e, a, r, s.amount[e, other, r])
                adjust(s, p, e, other, r, -stolen)
    change_by_attack(s, p, e, a, classic.COST, -1)
    mark_stale(s, e, a)
    mark_stale(s, e, other)
    return True


@rule
def count_strike(s: State, p: Params, e: int, a: int, other: int, blocked: bool) -> None:
    """Count an attack, by the teams of both."""
    columns = p.stats.classic.strike[p.tables.kind_of[a], p.tables.kind_of[other]]
    add_to_stat(s.stat[e, a], columns[BLOCKED if blocked else STRUCK], 1.0)
    if not blocked:
        add_to_stat(s.stat[e, other], columns[STRUCK_BY], 1.0)


@rule
def change_by_attack(s: State, p: Params, e: int, k: int, row: int, sign: int) -> None:
    """Change what an agent holds by a row of the attack's table."""
    for i in range(p.resources):
        r = p.classic.attack_order[row, i]
        if r >= 0 and (row != classic.COST or p.classic.attack[row, r] > 0):
            adjust(s, p, e, k, r, sign * p.classic.attack[row, r])


@rule
def defend_attack(s: State, p: Params, e: int, a: int, other: int) -> bool:
    """Whether the target can pay its defence; if so, it does."""
    if p.resources == 0 or p.classic.attack_order[classic.DEFENSE, 0] < 0:
        return False
    power = max(weapon_power(s, p, e, a) - armor_power(s, p, e, other), 0)
    for i in range(p.resources):
        r = p.classic.attack_order[classic.DEFENSE, i]
        if r >= 0 and s.amount[e, other, r] < p.classic.attack[classic.DEFENSE, r] + power:
            return False
    for i in range(p.resources):
        r = p.classic.attack_order[classic.DEFENSE, i]
        if r >= 0:
            adjust(s, p, e, other, r, -(p.classic.attack[classic.DEFENSE, r] + power))
    return True


@rule
def weapon_power(s: State, p: Params, e: int, a: int) -> int:
    """Return how strong an attacker is."""
    power = 0
    for r in range(p.resources):
        power += s.amount[e, a, r] * p.classic.attack[classic.WEAPON, r]
    return power


@rule
def armor_power(s: State, p: Params, e: int, other: int) -> int:
    """Return how well a target is protected: who shows the vibe of an armor has more of it."""
    power = 0
    vibe = s.vibe[e, other]
    for r in range(p.resources):
        amount = s.amount[e, other, r]
        if vibe < p.classic.vibe.shape[0] and p.classic.vibe[vibe, classic.NAMESAKE] == r:
            amount += p.classic.vibe[vibe, classic.BONUS]
        power += amount * p.classic.attack[classic.ARMOR, r]
    return power


@rule
def give_gift(s: State, p: Params, e: int, a: int, other: int, row: int) -> bool:
    """Exchange what a transfer says: all of it or nothing, or as much as fits."""
    for r in range(p.resources):
        if s.amount[e, a, r] < p.classic.gift[row, classic.NEEDED, r]:
            return False
    if p.classic.gift_share[row] != classic.SHARE_ALL:
        return give_share(s, p, e, a, other, row)
    for side in range(2):
        who = a if side == classic.GIVER else other
        for r in range(p.resources):
            delta = p.classic.gift[row, side, r]
            if delta < 0 and s.amount[e, who, r] < -delta:
                return False
            if delta > 0 and space(s, p, e, who, r) < delta:
                return False
    for side in range(2):
        who = a if side == classic.GIVER else other
        for i in range(p.resources):
            r = p.classic.gift_order[row, side, i]
            if r >= 0 and p.classic.gift[row, side, r] != 0:
                real = adjust(s, p, e, who, r, p.classic.gift[row, side, r])
                if p.has_stats:
                    count_given(s, p, e, a, other, side, r, real)
        mark_stale(s, e, who)
    if p.has_stats:
        add_to_stat(s.stat[e, a], p.stats.classic.team[p.tables.kind_of[a], GIFTS], 1.0)
    return True


@rule
def give_share(s: State, p: Params, e: int, a: int, other: int, row: int) -> bool:
    """Give as much as the other can hold: of an amount, or of a half of what one has."""
    is_half = p.classic.gift_share[row] == classic.SHARE_HALF
    given = is_half
    for i in range(p.resources):
        r = p.classic.gift_order[row, classic.GIVER, i]
        if r >= 0:
            has = s.amount[e, a, r]
            offer = has // 2 if is_half else min(has, -p.classic.gift[row, classic.GIVER, r])
            if offer > 0:
                real = adjust(s, p, e, other, r, offer)
                adjust(s, p, e, a, r, -real)
                given = given or real > 0
    s.stale[e, a] = True
    s.stale[e, other] = True
    return given


@rule
def count_given(
    s: State, p: Params, e: int, a: int, other: int, side: int, r: int, real: int
) -> None:
    """Count what a gift changed, by the teams of both."""
    mine = p.tables.kind_of[a]
    column = p.stats.classic.gift[mine, p.tables.kind_of[other], r]
    if side == classic.GIVER:
        column = p.stats.classic.own[mine, r]
    add_to_stat(s.stat[e, a], column, real * 1.0)
