"""The classic profile's assemblers, as far as they can be read off: which recipe holds now."""

from typing import Any

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.classic_plan import MIN_AGENTS, NUM_VIBES, VIBES_AT
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.place import cell_of
from mesocosm.worlds.mettagrid.plan import LAST, RECIPES
from mesocosm.worlds.mettagrid.state import State

AROUND = 8


@rule
def neighbour(cell: np.ndarray, agents: int, pitch: int, place: int, i: int) -> int:
    """The agent on the i-th of the eight cells around a place (NW, N, NE, W, E, ...), or -1."""
    spot = i if i < 4 else i + 1
    slot = cell[place + (spot // 3 - 1) * pitch + spot % 3 - 1]
    if slot <= 0 or slot > agents:
        return -1
    return slot - 1


@rule
def count_vibe(
    cell: np.ndarray, vibes: np.ndarray, agents: int, pitch: int, place: int, vibe: int
) -> int:
    """How many agents around a place show a vibe; -1 counts all who show any, -2 everyone."""
    number = 0
    for i in range(AROUND):
        a = neighbour(cell, agents, pitch, place, i)
        if a >= 0 and (vibes[a] == vibe or vibe == -2 or (vibe == -1 and vibes[a] != 0)):
            number += 1
    return number


@rule
def vibes_match(
    cell: np.ndarray, vibes: np.ndarray, recipe: np.ndarray, agents: int, pitch: int, place: int
) -> bool:
    """Whether those around show exactly the vibes of a recipe."""
    size = recipe[NUM_VIBES]
    if count_vibe(cell, vibes, agents, pitch, place, -1) != size:
        return False
    for i in range(size):
        vibe = recipe[VIBES_AT + i]
        same = 0
        for j in range(size):
            if recipe[VIBES_AT + j] == vibe:
                same += 1
        if count_vibe(cell, vibes, agents, pitch, place, vibe) != same:
            return False
    return True


@rule
def best_recipe(
    cell: np.ndarray, vibes: np.ndarray, recipes: np.ndarray, span: Any, around: Any
) -> int:
    """The recipe that holds now: by the vibes around, else one without vibes; or -1.

    Args:
        span: The first recipe to choose from, and the one after the last.
        around: How many agents there are, the length of a row, and the thing's place.
    """
    agents, pitch, place = around
    first, last = span
    people = count_vibe(cell, vibes, agents, pitch, place, -2)
    best = -1
    plain = -1
    for k in range(first, last):
        need = recipes[k, MIN_AGENTS]
        if need > people:
            continue
        if recipes[k, NUM_VIBES] == 0:
            if plain < 0 or need >= recipes[plain, MIN_AGENTS]:
                plain = k
        elif best >= 0 and need < recipes[best, MIN_AGENTS]:
            continue
        elif vibes_match(cell, vibes, recipes[k], agents, pitch, place):
            best = k
    return best if best >= 0 else plain


@rule
def current_recipe(s: State, p: Params, e: int, k: int) -> int:
    """The recipe that an assembler would work now, or -1; what is clipped has its own."""
    kind = p.tables.kind_of[k]
    first = p.tables.kind[kind, RECIPES]
    last = p.tables.kind[kind, LAST]
    if s.clipped[e, k]:
        first = p.old.unclipping + max(s.unclip[e, k], 0)
        last = first + 1 if s.unclip[e, k] >= 0 else first
    around = (p.agents, p.pitch, cell_of(p, s.row[e, k], s.col[e, k]))
    return best_recipe(s.cell[e], s.vibe[e], p.old.recipe, (first, last), around)
