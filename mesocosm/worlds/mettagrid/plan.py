"""A game as tables: what the rules need to know of a config, worked out once."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid import maps
from mesocosm.worlds.mettagrid.config import AgentKind, Core, Reward, Thing
from mesocosm.worlds.mettagrid.geometry import PAD, Geometry, geometry
from mesocosm.worlds.mettagrid.idmap import IdMap, agent_tags, digits, object_tags
from mesocosm.worlds.mettagrid.program import Assembler, dict_order

TAG_BITS = 62
# classes of kinds
WALL, AGENT, OBJECT, CHEST, ASSEMBLER = range(5)
CLASSES = {"wall": WALL, "object": OBJECT, "chest": CHEST, "assembler": ASSEMBLER}
# columns of the table of kinds
(
    CLASS,
    PROGRAM,
    GROUP,
    OPAQUE,
    FIRST_VIBE,
    CLAIMS,
    MAX_USES,
    PARTIAL,
    CLIPPED,
    REACH,
    RECIPES,
    LAST,
) = range(12)
NO_LIMIT = 1.0e18


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
    most_worth: float
    terms: tuple[str, ...]
    ids: IdMap
    kinds: tuple[Kind, ...]
    kind_of: np.ndarray  # int32 [slot]
    places: np.ndarray  # int16 [layout, thing, 2]
    ground: np.ndarray  # int16 [layout, cell]
    view: Geometry


def is_inert(thing: Thing) -> bool:
    """Whether nothing about a type of object can ever change."""
    return not thing.on_use and not thing.controls and thing.kind in ("wall", "object")


@lru_cache(maxsize=64)
def _plan(text: str) -> Plan:
    core = Core.model_validate_json(text)
    ids = IdMap(core)
    tags = ids.tag_names()
    kinds, kind_of_agent = _agent_kinds(core, tags)
    active = [name for name in sorted(core.objects) if not is_inert(core.objects[name])]
    inert = [name for name in sorted(core.objects) if is_inert(core.objects[name])]
    first = len(kinds)
    for name in (*active, *inert):
        thing = core.objects[name]
        kinds.append(Kind(name, thing, _tag_ids(object_tags(core, name, thing.tags), tags)))
    grids = maps.layouts(core)
    counts = {name: _count(grids, name) for name in active}
    kind_of = [*kind_of_agent]
    for k, name in enumerate(active):
        kind_of += [first + k] * counts[name]
    num_things = len(kind_of)
    kind_of += [first + len(active) + k for k in range(len(inert))]
    height, width = grids[0].shape
    places, ground = _place(grids, core, active, inert)
    terms = tuple(sorted({name for kind in core.kinds for name in kind.rewards}))
    round_ = not core.is_classic
    return Plan(
        height=height,
        width=width,
        num_things=num_things,
        num_slots=len(kind_of),
        num_cells=(height + 2 * PAD) * (width + 2 * PAD),
        num_resources=len(core.resources),
        num_terms=max(len(terms), 1),
        tag_words=(len(tags) + TAG_BITS - 1) // TAG_BITS,
        block_size=_block_size(core, kinds),
        twister=625 if core.resolved("order") else 1,
        most_worth=_most_worth(core),
        terms=terms or ("nothing",),
        ids=ids,
        kinds=tuple(kinds),
        kind_of=np.array(kind_of, np.int32),
        places=places,
        ground=ground,
        view=geometry(core.obs.height, core.obs.width, width + 2 * PAD, round_=round_),
    )


def plan(core: Core) -> Plan:
    """Work out the tables of a game, once per config."""
    return _plan(core.model_dump_json())


def _tag_ids(names: list[str], tags: list[str]) -> tuple[int, ...]:
    return tuple(tags.index(name) for name in names)


def _agent_kinds(core: Core, tags: list[str]) -> tuple[list[Kind], list[int]]:
    """Tell the different kinds of agents apart, and number the teams."""
    teams = list(dict.fromkeys(kind.team for kind in core.kinds))
    kinds: list[Kind] = []
    which = []
    for entry in core.kinds:
        group = entry.team if core.is_classic else teams.index(entry.team)
        group = entry.group if entry.group >= 0 else group
        names = _tag_ids(agent_tags(core, entry.tags), tags)
        found = [k for k, kind in enumerate(kinds) if kind.entry == entry]
        if not found:
            found = [len(kinds)]
            kinds.append(Kind("agent", entry, names, group))
        which.append(found[0])
    return kinds, which


def _count(grids: list[Any], name: str) -> int:
    counts = {int((grid == name).sum()) for grid in grids}
    if len(counts) > 1:
        raise ConfigError(f"core.map: every map must have as many {name!r}, got {sorted(counts)}")
    return counts.pop()


def _place(
    grids: list[Any], core: Core, active: list[str], inert: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Say where things stand in each layout, and what never changes."""
    height, width = grids[0].shape
    places, ground = [], []
    for grid in grids:
        spots = [np.argwhere(grid == name) for name in (maps.AGENT, *active)]
        places.append(np.concatenate(spots))
        base = np.zeros((height + 2 * PAD, width + 2 * PAD), np.int16)
        inner = base[PAD : PAD + height, PAD : PAD + width]
        for k, name in enumerate(inert):
            inner[grid == name] = k + 1
        ground.append(base.reshape(-1))
    return np.array(places, np.int16), np.array(ground, np.int16)


def _block_size(core: Core, kinds: list[Kind]) -> int:
    """The most tokens that one thing can have."""
    size = len(core.resources)
    tags = len(IdMap(core).tag_names())
    return tags + 1 + size * digits(core.obs.token_value_base) + 2 * size + 5


def _most_worth(core: Core) -> float:
    """More than any reward's sum can be worth."""
    most = 1.0
    for kind in core.kinds:
        for reward in kind.rewards.values():
            most = max(most, span(reward))
    return 2.0 * most


def span(reward: Reward) -> float:
    """The greatest size of a reward's sum."""
    top = abs(reward.constant) + sum(abs(w) * 65535.0 for w in reward.weights.values())
    ends = [abs(end) for end in (reward.low, reward.high) if end is not None]
    return max([top, *ends])


def kind_table(core: Core, made: Plan, assembler: Assembler) -> np.ndarray:  # int32 [kind, 12]
    """Tabulate the kinds."""
    rows = []
    recipes = 0
    for kind in made.kinds:
        row = [0] * 12
        entry = kind.entry
        if isinstance(entry, AgentKind):
            row[CLASS], row[GROUP], row[FIRST_VIBE] = AGENT, kind.group, entry.vibe
            row[PROGRAM] = -1
        else:
            row[CLASS], row[FIRST_VIBE] = CLASSES[entry.kind], entry.vibe
            row[PROGRAM] = assembler.add(entry.on_use, entry.on_use_mode, _limits(core, entry))
            row[OPAQUE], row[CLAIMS] = entry.blocks_vision, bool(entry.controls)
            row[MAX_USES], row[PARTIAL] = entry.max_uses, entry.allow_partial_usage
            row[CLIPPED], row[REACH] = entry.start_clipped, entry.chest_search_distance
            row[RECIPES] = recipes
            recipes += len(entry.protocols)
        row[LAST] = recipes
        rows.append(row)
    return np.array(rows, np.int32)


def _limits(core: Core, thing: Thing) -> dict[str, Any]:
    """The named groups that a handler of an object can clear: the agents' and its own."""
    found: dict[str, Any] = {}
    for kind in core.kinds:
        found |= kind.inventory.limits
    return found | thing.inventory.limits


def initial_tables(core: Core, made: Plan) -> dict[str, np.ndarray]:
    """Tabulate what kinds hold at first."""
    size, kinds = len(core.resources), len(made.kinds)
    initial = np.zeros((kinds, size), np.int32)
    first = np.full((kinds, size), -1, np.int16)
    buckets = np.zeros(kinds, np.int16)
    for k, kind in enumerate(made.kinds):
        given = kind.entry.inventory.initial
        for name, amount in given.items():
            initial[k, core.resources.index(name)] = amount
        order, buckets[k] = _first_order(core, given)
        first[k, : len(order)] = order
    return {"initial": initial, "first_held": first, "first_buckets": buckets}


def limit_tables(core: Core, made: Plan) -> dict[str, np.ndarray]:
    """Tabulate how much kinds can hold: a limit of its own for each resource, or a shared one."""
    size = len(core.resources)
    group_of = np.zeros((len(made.kinds), size), np.int16)
    bounds: list[tuple[int, int]] = []
    bonus: list[np.ndarray] = []
    members: list[list[int]] = []
    for k, kind in enumerate(made.kinds):
        inventory = kind.entry.inventory
        group_of[k] = len(bounds) + np.arange(size)
        bounds += [(inventory.default_limit, inventory.default_limit)] * size
        bonus += [np.zeros(size, np.int32)] * size
        members += [[r, *[-1] * (size - 1)] for r in range(size)]
        for limit in inventory.limits.values():
            for name in limit.resources:
                group_of[k, core.resources.index(name)] = len(bounds)
            bounds.append((limit.base, limit.most))
            shared = dict_order(core.resources.index(name) for name in limit.resources)
            members.append([*shared, *[-1] * (size - len(shared))])
            extra = np.zeros(size, np.int32)
            for name, amount in limit.modifiers.items():
                extra[core.resources.index(name)] = amount
            bonus.append(extra)
    return {
        "limit_of": group_of,
        "limit": np.array(bounds, np.int32).reshape(-1, 2),
        "bonus": np.array(bonus, np.int32).reshape(-1, size),
        "members": np.array(members, np.int16).reshape(-1, size),
    }


def _first_order(core: Core, initial: dict[str, int]) -> tuple[list[int], int]:
    """Order an initial inventory as the program tells it, or by id; and size its hash map."""
    amounts = {core.resources.index(name): amount for name, amount in initial.items()}
    if core.resolved("token_order"):
        return hash_order([(k, amounts[k]) for k in dict_order(amounts)])
    return sorted(k for k, amount in amounts.items() if amount > 0), 0


def hash_order(entries: list[tuple[int, int]]) -> tuple[list[int], int]:
    """Give the order in which the program's map tells what was put in, and its size."""
    made: list[int] = []
    buckets = 0
    for key, amount in entries:
        if buckets == 0 or len(made) + 1 > buckets:
            buckets = next(n for n in (13, 29, 59, 127, 257) if n > buckets)
            made = _insert_all(made, buckets)
        made = _insert(made, key, buckets)
        if amount == 0:
            made.remove(key)
    return made, buckets


def _insert_all(keys: list[int], buckets: int) -> list[int]:
    made: list[int] = []
    for key in keys:
        made = _insert(made, key, buckets)
    return made


def _insert(keys: list[int], key: int, buckets: int) -> list[int]:
    same = [k for k, other in enumerate(keys) if other % buckets == key % buckets]
    at = same[0] if same else 0
    return [*keys[:at], key, *keys[at:]]


def value_tables(core: Core, made: Plan) -> dict[str, np.ndarray]:
    """Tabulate the sums that are paid, told, or shrink the view; they add up in their order."""
    size = len(core.resources)
    weights: list[list[float]] = []
    items: list[list[int]] = []
    info: list[tuple[float, ...]] = []

    def add(value: Reward) -> int:
        pad = size - len(value.weights)
        weights.append([*value.weights.values(), *[0.0] * pad])
        items.append([*(core.resources.index(name) for name in value.weights), *[-1] * pad])
        low = -NO_LIMIT if value.low is None else value.low
        high = NO_LIMIT if value.high is None else value.high
        info.append((value.constant, low, high, float(value.per_tick)))
        return len(info) - 1

    paid = np.full((len(made.kinds), made.num_terms), -1, np.int16)
    for k, kind in enumerate(made.kinds):
        if isinstance(kind.entry, AgentKind):
            for name, reward in kind.entry.rewards.items():
                paid[k, made.terms.index(name)] = add(reward)
    told = [(add(value), made.ids.feature_id(name)) for name, value in core.obs.values.items()]
    radius = -1 if core.obs.radius is None else add(core.obs.radius)
    return {
        "weight": np.array(weights, np.float64).reshape(-1, size),
        "item": np.array(items, np.int16).reshape(-1, size),
        "value": np.array(info, np.float64).reshape(-1, 4),
        "paid": paid,
        "told": np.array([*told, (radius, -1)], np.int32),
    }


def tag_bits(made: Plan) -> np.ndarray:  # int64 [kind, word]
    """Tabulate the tags of kinds, as bits."""
    bits = np.zeros((len(made.kinds), made.tag_words), np.int64)
    for k, kind in enumerate(made.kinds):
        for tag in kind.tags:
            bits[k, tag // TAG_BITS] |= 1 << (tag % TAG_BITS)
    return bits


def tag_lists(made: Plan) -> np.ndarray:  # int16 [kind, 1 + tags]
    """List the tags of kinds in the order they are told (classic), with their count first."""
    most = max(len(kind.tags) for kind in made.kinds)
    rows = np.zeros((len(made.kinds), 1 + most), np.int16)
    for k, kind in enumerate(made.kinds):
        rows[k, 0] = len(kind.tags)
        rows[k, 1 : 1 + len(kind.tags)] = kind.tags
    return rows


def claim_tables(core: Core, made: Plan) -> dict[str, np.ndarray]:
    """Tabulate who claims land and which tags are teams."""
    names = list(core.territories)
    rows = [
        (k, names.index(control.territory), control.strength, control.decay)
        for k, kind in enumerate(made.kinds)
        if isinstance(kind.entry, Thing)
        for control in kind.entry.controls
    ]
    tags = made.ids.tag_names()
    teams = [
        (names.index(name), tag)
        for name, prefix in core.territories.items()
        for tag, text in enumerate(tags)
        if text.startswith(prefix)
    ]
    return {
        "claim": np.array(rows, np.int32).reshape(-1, 4),
        "team": np.array(teams, np.int32).reshape(-1, 2),
    }
