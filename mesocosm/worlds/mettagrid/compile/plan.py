"""A game as tables: what the rules need to know of a config, worked out once."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.arithmetic.bits import words_for
from mesocosm.worlds.mettagrid.arithmetic.twister import TWISTER_SIZE
from mesocosm.worlds.mettagrid.compile.geometry import PAD, Geometry, geometry
from mesocosm.worlds.mettagrid.compile.ranges import value_bound
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game import maps, scan
from mesocosm.worlds.mettagrid.game.idmap import IdMap, agent_tags, inventory_digits, object_tags
from mesocosm.worlds.mettagrid.game.team import group_of
from mesocosm.worlds.mettagrid.game.thing import AgentKind, Thing

KEPT_ROOM = 32  # for things of each kind that are gone, though their areas are not
MAX_STATUS_TOKENS = 5  # group, frozen, agent id; cooldown, clipped, uses
PROXY_ROOM = 16384  # how often proxies of land may be in a list of things
MAX_LISTED = np.iinfo(np.int16).max - 1


class Kind(NamedTuple):
    """A type of agent, object or ground."""

    name: str
    entry: AgentKind | Thing
    tags: tuple[int, ...]
    group: int = 0


class Plan(NamedTuple):
    """Sizes and tables of one game."""

    height: int
    width: int
    num_things: int  # agents, then objects
    num_slots: int  # things, then kinds of ground
    num_cells: int  # padding included
    num_resources: int
    num_terms: int
    tag_words: int
    block_size: int
    twister: int
    clip_words: int
    num_ways: int  # to unclip
    most_worth: float
    terms: tuple[str, ...]
    ids: IdMap
    kinds: tuple[Kind, ...]
    kind_of: np.ndarray  # int32 [slot]
    places: np.ndarray  # int16 [layout, thing, 2]
    ground: np.ndarray  # int16 [layout, cell]
    view: Geometry


def is_inert(core: Core, name: str) -> bool:
    """Whether nothing about a type of object can ever change, and no query finds it."""
    thing = core.objects[name]
    if thing.on_use or thing.controls or thing.areas or thing.kind not in ("wall", "object"):
        return False
    if core.is_classic:
        return True
    if scan.reaches_all(core) or name in scan.spawned(core):
        return False
    return not scan.asked_tags(core) & set(object_tags(core, thing.type or name, thing.tags))


class Slots(NamedTuple):
    """The kinds of a game, and which of them each slot is of."""

    kinds: list[Kind]
    kind_of: list[int]
    active: list[str]  # types of objects that can change
    inert: list[str]  # types of ground
    num_placed: int  # things that are there at first
    num_things: int


def _slots(core: Core, tags: list[str], grids: list[Any]) -> Slots:
    """Number the things of a game: agents, objects on the map, those that may appear, ground."""
    kinds, kind_of = _agent_kinds(core, tags)
    inert = [name for name in sorted(core.objects) if is_inert(core, name)]
    active = [name for name in sorted(core.objects) if name not in inert]
    first = len(kinds)
    for name in (*active, *inert):
        thing = core.objects[name]
        own = object_tags(core, thing.type or name, thing.tags)
        kinds.append(Kind(name, thing, _tag_ids(own, tags)))
    for k, name in enumerate(active):
        kind_of += [first + k] * _count(grids, name)
    placed = len(kind_of)
    for name in sorted(scan.spawned(core)):
        kind_of += [first + active.index(name)] * _pool(core, grids, name)
    for name in core.land:  # a proxy that acts on those on its land, and is nowhere
        kind_of.append(len(kinds))
        kinds.append(Kind(f"land of {name}", Thing(), ()))
    num_things = len(kind_of)
    kind_of += [first + len(active) + k for k in range(len(inert))]
    return Slots(kinds, kind_of, active, inert, placed, num_things)


@lru_cache(maxsize=64)
def _plan(text: str) -> Plan:
    core = Core.model_validate_json(text)
    ids = IdMap(core)
    tags, grids = ids.tag_names(), maps.layouts(core)
    slots = _slots(core, tags, grids)
    height, width = grids[0].shape
    places, ground = _place(grids, core, slots.active, slots.inert)
    hidden = np.full((len(grids), slots.num_things - slots.num_placed, 2), -1, np.int16)
    terms = tuple(sorted({name for kind in core.kinds for name in kind.rewards}))
    return Plan(
        height=height,
        width=width,
        num_things=slots.num_things,
        num_slots=len(slots.kind_of),
        num_cells=(height + 2 * PAD) * (width + 2 * PAD),
        num_resources=len(core.resources),
        num_terms=max(len(terms), 1),
        tag_words=words_for(len(tags)),
        block_size=_block_size(core),
        twister=TWISTER_SIZE if core.resolved("order") else 1,
        clip_words=TWISTER_SIZE if core.resolved("order") and core.clipper else 1,
        num_ways=len(core.clipper.unclipping) if core.clipper else 0,
        most_worth=_most_worth(core),
        terms=terms or ("nothing",),
        ids=ids,
        kinds=tuple(slots.kinds),
        kind_of=np.array(slots.kind_of, np.int32),
        places=np.concatenate([places, hidden], axis=1),
        ground=ground,
        view=geometry(
            core.obs.height, core.obs.width, width + 2 * PAD, round_=core.has_round_window
        ),
    )


def plan(core: Core) -> Plan:
    """Work out the tables of a game, once per config."""
    return _plan(core.model_dump_json())


def _tag_ids(names: list[str], tags: list[str]) -> tuple[int, ...]:
    return tuple(tags.index(name) for name in names)


def _agent_kinds(core: Core, tags: list[str]) -> tuple[list[Kind], list[int]]:
    """List the different kinds of agents, and the kind of each agent."""
    kinds: list[Kind] = []
    which = []
    for entry in core.kinds:
        names = _tag_ids(agent_tags(core, entry), tags)
        found = [k for k, kind in enumerate(kinds) if kind.entry == entry]
        if not found:
            found = [len(kinds)]
            kinds.append(Kind("agent", entry, names, group_of(core, entry)))
        which.append(found[0])
    return kinds, which


def _count(grids: list[Any], name: str) -> int:
    counts = {int((grid == name).sum()) for grid in grids}
    if len(counts) > 1:
        raise ConfigError(f"core.map: every map must have as many {name!r}, got {sorted(counts)}")
    return counts.pop()


def _pool(core: Core, grids: list[Any], name: str) -> int:
    """Return how many objects of a type may appear: by default as many as can ever fit.

    Where areas outlast what they are of, there is room for some that are gone.
    """
    free = max(int(grid.size - (grid == maps.AGENT_CELL).sum()) for grid in grids)
    if scan.keeps_areas(core) and core.objects[name].areas:
        free += KEPT_ROOM
    return min(free, core.max_spawned) if core.max_spawned else free


def _place(
    grids: list[Any], core: Core, active: list[str], inert: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Tabulate the places of things and the ground of each layout."""
    height, width = grids[0].shape
    places, ground = [], []
    for grid in grids:
        spots = [np.argwhere(grid == name) for name in (maps.AGENT_CELL, *active)]
        places.append(np.concatenate(spots))
        base = np.zeros((height + 2 * PAD, width + 2 * PAD), np.int16)
        inner = base[PAD : PAD + height, PAD : PAD + width]
        for k, name in enumerate(inert):
            inner[grid == name] = k + 1
        ground.append(base.reshape(-1))
    return np.array(places, np.int16), np.array(ground, np.int16)


def _block_size(core: Core) -> int:
    """Return the most tokens that one thing can have."""
    size = len(core.resources)
    tags = len(IdMap(core).tag_names())
    recipe = 2 * size  # inputs and outputs
    goals = size if core.obs.goal_scope == "cogs" else 0
    return tags + 1 + size * inventory_digits(core) + recipe + goals + MAX_STATUS_TOKENS


def _most_worth(core: Core) -> float:
    """More than any reward's sum can be worth."""
    most = 1.0
    for kind in core.kinds:
        for reward in kind.rewards.values():
            most = max(most, value_bound(core, reward))
    return 2.0 * most


def list_room(core: Core, made: Plan) -> int:
    """Return how many things a list has room for; proxies of land may be in it many times."""
    if not scan.keeps_proxies(core):
        return made.num_things
    return min(made.num_things + PROXY_ROOM, MAX_LISTED)
