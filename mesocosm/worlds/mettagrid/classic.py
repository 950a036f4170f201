"""The classic profile's assemblers, as far as they can be read off: which recipe holds now."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.classic_plan import MIN_AGENTS, NUM_VIBES, VIBES_AT
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.plan import LAST, RECIPES
from mesocosm.worlds.mettagrid.state import State

AROUND = 8
PAD = 7


@rule
def cooldown_left(s: State, e: int, k: int) -> int:
    """Steps until an assembler works again."""
    return max(s.ready_at[e, k] - s.clock[e], 0)


@rule
def neighbour(s: State, p: Params, e: int, k: int, i: int) -> int:
    """The agent in the i-th of the eight cells around a thing (NW, N, NE, W, E, ...), or -1."""
    if s.row[e, k] < 0 or s.col[e, k] < 0:
        return -1
    spot = i if i < 4 else i + 1
    r = s.row[e, k] + spot // 3 - 1
    c = s.col[e, k] + spot % 3 - 1
    slot = s.cell[e, (r + PAD) * p.pitch + c + PAD]
    if slot == 0 or slot > p.agents:
        return -1
    return slot - 1


@rule
def count_vibe(s: State, p: Params, e: int, k: int, vibe: int) -> int:
    """How many agents around a thing show a vibe; -1 counts those who show any."""
    number = 0
    for i in range(AROUND):
        a = neighbour(s, p, e, k, i)
        if a >= 0 and (s.vibe[e, a] == vibe or (vibe < 0 and s.vibe[e, a] != 0)):
            number += 1
    return number


@rule
def count_around(s: State, p: Params, e: int, k: int) -> int:
    """How many agents stand around a thing."""
    number = 0
    for i in range(AROUND):
        if neighbour(s, p, e, k, i) >= 0:
            number += 1
    return number


@rule
def vibes_match(s: State, p: Params, e: int, k: int, recipe: int) -> bool:
    """Whether those around show exactly the vibes of a recipe."""
    size = p.old.recipe[recipe, NUM_VIBES]
    if count_vibe(s, p, e, k, -1) != size:
        return False
    for i in range(size):
        vibe = p.old.recipe[recipe, VIBES_AT + i]
        same = 0
        for j in range(size):
            if p.old.recipe[recipe, VIBES_AT + j] == vibe:
                same += 1
        if count_vibe(s, p, e, k, vibe) != same:
            return False
    return True


@rule
def current_recipe(s: State, p: Params, e: int, k: int) -> int:
    """The recipe that holds now: by the vibes around, else one without vibes; or -1."""
    kind = p.tables.kind_of[k]
    around = count_around(s, p, e, k)
    best = -1
    plain = -1
    for recipe in range(p.tables.kind[kind, RECIPES], p.tables.kind[kind, LAST]):
        need = p.old.recipe[recipe, MIN_AGENTS]
        if need > around:
            continue
        if p.old.recipe[recipe, NUM_VIBES] == 0:
            if plain < 0 or need >= p.old.recipe[plain, MIN_AGENTS]:
                plain = recipe
        elif vibes_match(s, p, e, k, recipe):
            if best < 0 or need >= p.old.recipe[best, MIN_AGENTS]:
                best = recipe
    return best if best >= 0 else plain
