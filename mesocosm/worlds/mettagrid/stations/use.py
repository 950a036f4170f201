"""Use chests and assemblers, which work alike in both profiles."""

from typing import Any

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile import classic
from mesocosm.worlds.mettagrid.compile.classic_stats import CREATED, PUT_IN, TOOK_OUT
from mesocosm.worlds.mettagrid.compile.kinds import (
    ALLOWS_PARTIAL,
    ASSEMBLER_CLASS,
    CHEST_CLASS,
    CHEST_REACH,
    CLASS,
    MAX_USES,
)
from mesocosm.worlds.mettagrid.game.inventory import WRAPS_AT
from mesocosm.worlds.mettagrid.grid.holding import change_stock, space
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.stale import mark_stale
from mesocosm.worlds.mettagrid.grid.stat import add_to_stat
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.stations.recipe import AROUND, current_recipe, neighbour
from mesocosm.worlds.mettagrid.stations.share import (
    ACTOR_ALONE,
    ALL_AROUND,
    SHOWING_VIBES,
    num_places,
    participant_at,
    share_change,
)

INPUT, OUTPUT = 0, 1


@rule
def use_station(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Use a chest or an assembler; return whether that succeeded."""
    which = p.tables.kind[p.tables.kind_of[k], CLASS]
    done = False
    if which == CHEST_CLASS:
        done = use_chest(s, p, e, a, k)
    elif which == ASSEMBLER_CLASS:
        done = use_assembler(s, p, e, a, k)
    return done


@rule
def use_chest(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Deposit or withdraw what the vibe says; what does not fit is lost."""
    kind = p.tables.kind_of[k]
    arrived = False
    for i in range(p.classic.chest.shape[0]):
        if (
            p.classic.chest[i, classic.OF_KIND] != kind
            or p.classic.chest[i, classic.OF_VIBE] != s.vibe[e, a]
        ):
            continue
        r = p.classic.chest[i, classic.OF_RESOURCE]
        delta = p.classic.chest[i, classic.CHANGE]
        if delta == 0:
            continue
        giver = a if delta > 0 else k
        taker = k if delta > 0 else a
        given = min(s.amount[e, giver, r], abs(delta))
        fits = min(given, space(s, p, e, taker, r))
        change_stock(s, p, e, giver, r, -given)
        change_stock(s, p, e, taker, r, fits)
        arrived = arrived or fits > 0
        if p.has_stats and fits > 0:
            add_to_stat(
                s.stat[e, a],
                p.stats.classic.goods[r, PUT_IN if delta > 0 else TOOK_OUT],
                fits * 1.0,
            )
    mark_stale(s, e, a)
    mark_stale(s, e, k)
    return arrived


@rule
def scale_part(amount: int, part: int, whole: int, up: bool) -> int:
    """Scale an amount by part / whole, rounding inputs up and outputs down."""
    if part >= whole:
        return amount
    if up:
        return (amount * part + whole - 1) // whole
    return amount * part // whole


@rule
def use_assembler(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Work the current recipe, if it can be paid; of a clipped assembler, that unclips it."""
    kind = p.tables.kind_of[k]
    most = p.tables.kind[kind, MAX_USES]
    if most > 0 and s.uses[e, k] >= most:
        return False
    if s.ready_at[e, k] > s.clock[e] and p.tables.kind[kind, ALLOWS_PARTIAL] == 0:
        return False
    part = 1
    whole = 1
    if s.ready_at[e, k] > s.clock[e]:
        part = s.clock[e] - s.started_at[e, k]
        whole = max(s.ready_at[e, k] - s.started_at[e, k], 1)
    recipe = current_recipe(s, p, e, k)
    if recipe < 0 or (not s.clipped[e, k] and makes_nothing(p, recipe, part, whole)):
        return False
    place = cell_of(p, s.row[e, k], s.col[e, k])
    first = neighbour_index(s, p, e, a, place)
    takes = (place, first, wide(p.tables.kind[kind, CHEST_REACH]), ALL_AROUND, a)
    gives = (
        place,
        first,
        0,
        SHOWING_VIBES if p.classic.recipe[recipe, classic.SHARED] != 0 else ACTOR_ALONE,
        a,
    )
    if not can_afford(s, p, e, takes, recipe, part, whole):
        return False
    if not s.clipped[e, k] and not can_store(s, p, e, gives, recipe, part, whole):
        return False
    exchange(s, p, e, takes, recipe, part, whole, INPUT)
    exchange(s, p, e, gives, recipe, part, whole, OUTPUT)
    s.started_at[e, k] = s.clock[e]
    s.ready_at[e, k] = s.clock[e] + p.classic.recipe[recipe, classic.COOLDOWN]
    if s.clipped[e, k]:
        s.clipped[e, k] = False
        s.unclip[e, k] = -1
    else:
        s.uses[e, k] += 1
    mark_stale(s, e, a)
    return True


@rule
def makes_nothing(p: Params, recipe: int, part: int, whole: int) -> bool:
    """Whether a recipe, used in part, makes nothing of what it makes as a whole."""
    makes = False
    for r in range(p.resources):
        full = p.classic.recipe_amount[recipe, OUTPUT, r]
        if scale_part(full, part, whole, False) > 0:
            return False
        makes = makes or full > 0
    return makes and part < whole


@rule
def neighbour_index(s: State, p: Params, e: int, a: int, place: int) -> int:
    """Return which of the cells around a thing an agent stands on."""
    for i in range(AROUND):
        if neighbour(s, p, e, place, i) == a:
            return i
    return 0


@rule
def can_afford(s: State, p: Params, e: int, job: Any, recipe: int, part: int, whole: int) -> bool:
    """Whether those who give have the inputs together; MettaGrid adds up in 16 bits."""
    for r in range(p.resources):
        need = scale_part(p.classic.recipe_amount[recipe, INPUT, r], part, whole, True)
        if need > 0:
            have = 0
            for i in range(num_places(job)):
                k = participant_at(s, p, e, job, i)
                if k >= 0:
                    have += s.amount[e, k, r]
            if p.classic.wraps:
                have = have % WRAPS_AT
            if have < need:
                return False
    return True


@rule
def can_store(s: State, p: Params, e: int, job: Any, recipe: int, part: int, whole: int) -> bool:
    """Whether nothing is made, or someone has room for a unit of what is."""
    makes = False
    for r in range(p.resources):
        full = p.classic.recipe_amount[recipe, OUTPUT, r]
        if scale_part(full, part, whole, False) > 0:
            makes = True
            for i in range(num_places(job)):
                k = participant_at(s, p, e, job, i)
                if k >= 0 and space(s, p, e, k, r) > 0:
                    return True
    return not makes


@rule
def exchange(
    s: State, p: Params, e: int, job: Any, recipe: int, part: int, whole: int, side: int
) -> None:
    """Take the inputs from those who give, or hand the outputs out."""
    for i in range(p.resources):
        r = p.classic.recipe_order[recipe, side, i]
        if part < whole:
            r = p.classic.part_order[recipe, side, i]
        if r >= 0:
            amount = scale_part(
                p.classic.recipe_amount[recipe, side, r], part, whole, side == INPUT
            )
            made = share_change(s, p, e, job, r, -amount if side == INPUT else amount)
            if p.has_stats and side == OUTPUT and made > 0:
                add_to_stat(s.game_stat[e], p.stats.classic.goods[r, CREATED], made * 1.0)


@rule
def show_recipes(s: State, p: Params, e: int) -> None:
    """Mark all assemblers as stale: their recipe and cooldown may have changed."""
    for k in range(p.agents, p.things):
        if p.tables.kind[p.tables.kind_of[k], CLASS] == ASSEMBLER_CLASS:
            mark_stale(s, e, k)


@rule
def is_station_usable(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether a chest or an assembler could be used."""
    kind = p.tables.kind_of[k]
    if p.tables.kind[kind, CLASS] == ASSEMBLER_CLASS:
        most = p.tables.kind[kind, MAX_USES]
        cools = s.ready_at[e, k] > s.clock[e] and p.tables.kind[kind, ALLOWS_PARTIAL] == 0
        if cools or (most > 0 and s.uses[e, k] >= most):
            return False
        return current_recipe(s, p, e, k) >= 0
    for i in range(p.classic.chest.shape[0]):
        if (
            p.classic.chest[i, classic.OF_KIND] == kind
            and p.classic.chest[i, classic.OF_VIBE] == s.vibe[e, a]
        ):
            return True
    return False
