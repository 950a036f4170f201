"""Find the current recipe of an assembler, by who stands around it."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.classic import MIN_AGENTS, NUM_VIBES, VIBES_AT
from mesocosm.worlds.mettagrid.compile.kinds import END_RECIPE, FIRST_RECIPE
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.observe.block import put_token
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

AROUND = 8
ANY_VIBE, ANYONE = -1, -2  # instead of a vibe to count


@rule
def neighbour(s: State, p: Params, e: int, place: int, i: int) -> int:
    """Return the agent on the i-th of the eight cells around (NW, N, NE, W, E, ...), or -1."""
    spot = i if i < 4 else i + 1
    slot = s.cell[e, place + (spot // 3 - 1) * p.pitch + spot % 3 - 1]
    if slot <= 0 or slot > p.agents:
        return -1
    return slot - 1


@rule
def count_vibe(s: State, p: Params, e: int, place: int, vibe: int) -> int:
    """Count the agents around a place with a vibe; ANY_VIBE counts who shows any, ANYONE all."""
    number = 0
    for i in range(AROUND):
        a = neighbour(s, p, e, place, i)
        if a >= 0:
            shown = s.vibe[e, a]
            if shown == vibe or vibe == ANYONE or (vibe == ANY_VIBE and shown != 0):
                number += 1
    return number


@rule
def vibes_match(s: State, p: Params, e: int, recipe: int, place: int) -> bool:
    """Whether those around show exactly the vibes of a recipe."""
    size = p.classic.recipe[recipe, NUM_VIBES]
    if count_vibe(s, p, e, place, ANY_VIBE) != size:
        return False
    for i in range(size):
        vibe = p.classic.recipe[recipe, VIBES_AT + i]
        same = 0
        for j in range(size):
            if p.classic.recipe[recipe, VIBES_AT + j] == vibe:
                same += 1
        if count_vibe(s, p, e, place, vibe) != same:
            return False
    return True


@rule
def best_recipe(s: State, p: Params, e: int, place: int, first: int, last: int) -> int:
    """Return the recipe that holds now, of those from first to last (excluded), or -1.

    It goes by the vibes around the place; else it is one without vibes.
    """
    people = count_vibe(s, p, e, place, ANYONE)
    best = -1
    plain = -1
    for k in range(first, last):
        need = p.classic.recipe[k, MIN_AGENTS]
        if need > people:
            continue
        if p.classic.recipe[k, NUM_VIBES] == 0:
            if plain < 0 or need >= p.classic.recipe[plain, MIN_AGENTS]:
                plain = k
        elif best >= 0 and need < p.classic.recipe[best, MIN_AGENTS]:
            continue
        elif vibes_match(s, p, e, k, place):
            best = k
    return best if best >= 0 else plain


@rule
def current_recipe(s: State, p: Params, e: int, k: int) -> int:
    """Return the recipe that an assembler would work now, or -1; what is clipped has its own."""
    kind = p.tables.kind_of[k]
    first = p.tables.kind[kind, FIRST_RECIPE]
    last = p.tables.kind[kind, END_RECIPE]
    if s.clipped[e, k]:
        first = p.classic.unclipping + max(s.unclip[e, k], 0)
        last = first + 1 if s.unclip[e, k] >= 0 else first
    place = cell_of(p, s.row[e, k], s.col[e, k])
    return best_recipe(s, p, e, place, first, last)


@rule
def put_recipe(s: State, p: Params, e: int, k: int, row: np.ndarray, number: int) -> int:
    """Append what the recipe that holds takes and makes."""
    recipe = current_recipe(s, p, e, k)
    if recipe < 0:
        return number
    for side in range(2):
        feature = p.ids.protocol_input if side == 0 else p.ids.protocol_output
        for i in range(p.resources):
            r = p.classic.recipe_order[recipe, side, i]
            if r >= 0 and p.classic.recipe_amount[recipe, side, r] > 0:
                amount = p.classic.recipe_amount[recipe, side, r]
                number = put_token(row, number, feature + r, amount)
    return number
