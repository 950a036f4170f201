"""The tables of stations, which both profiles have, and of the classic profile alone.

Stations are recipes and chests; fights, harm and clipping are classic.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.hash_order import dict_order, hash_order
from mesocosm.worlds.mettagrid.game.thing import AgentKind, Protocol, Thing
from mesocosm.worlds.mettagrid.game.value import Value

MOST_VIBES = 8
# columns of the table of recipes
MIN_AGENTS, COOLDOWN, SHARED, NUM_VIBES, VIBES_AT = 0, 1, 2, 3, 4
# rows of the table of attacks
COST, DEFENSE, ARMOR, WEAPON, ACTOR_DELTA, TARGET_DELTA, LOOT = range(7)
# what a vibe does: whether it attacks, the row of gifts or -1, what it adds to the armor of its
# name, which that is
ATTACKS, GIFT, BONUS, NAMESAKE = range(4)
# sides of a gift, and how much of it is given
GIVER, TAKER, NEEDED = range(3)
SHARES = ("all", "most", "half")
SHARE_ALL, SHARE_MOST, SHARE_HALF = range(3)
# rows of the tables of chests and of what comes back
OF_KIND, OF_VIBE, OF_RESOURCE, CHANGE = range(4)
# what harm takes, and what it may destroy down to which amount
THRESHOLD, MINIMUM = 0, 1


class ClassicTables(NamedTuple):
    """Tables of the classic profile; an order lists resources as they are dealt with, then -1."""

    recipe: Annotated[np.ndarray, "int32 [recipe, 12]"]  # of assemblers, then what unclips
    recipe_amount: Annotated[np.ndarray, "int32 [recipe, 2, resource]"]  # inputs, outputs
    recipe_order: Annotated[np.ndarray, "int16 [recipe, 2, resource]"]
    part_order: Annotated[np.ndarray, "int16 [recipe, 2, resource]"]  # when it is used in part
    cost_order: Annotated[np.ndarray, "int16 [3, resource]"]  # what noop, moves and vibes cost
    chest: Annotated[np.ndarray, "int32 [.., 4]"]  # kind, vibe, resource, change
    attack: Annotated[np.ndarray, "int32 [7, resource]"]
    attack_order: Annotated[np.ndarray, "int16 [7, resource]"]
    vibe: Annotated[np.ndarray, "int32 [vibe, 4]"]
    gift: Annotated[np.ndarray, "int32 [.., 3, resource]"]
    gift_order: Annotated[np.ndarray, "int16 [.., 3, resource]"]
    gift_share: Annotated[np.ndarray, "int16 [..]"]
    regen: Annotated[np.ndarray, "int32 [.., 4]"]  # kind, vibe, resource or -1, amount
    damage: Annotated[np.ndarray, "int32 [kind, 2, resource]"]
    damage_order: Annotated[np.ndarray, "int16 [kind, 2, resource]"]
    goal: Annotated[np.ndarray, "int16 [kind, ..]"]  # rewarded resources, with their count first
    # things that can be clipped, in the map's order
    clippable: Annotated[np.ndarray, "int32 [layout, ..]"]
    freeze: int
    unclipping: int  # the first recipe that unclips
    period: int  # of clipping
    reach: int  # in cells
    length_scale: int
    cutoff: int
    has_clipper: bool
    has_damage: bool
    hides_unclipping: bool  # in the first observation
    wraps: bool  # sums in 16 bits


def _kinds(made: Any, of: type) -> list[tuple[int, Any]]:
    return [(k, kind.entry) for k, kind in enumerate(made.kinds) if isinstance(kind.entry, of)]


def _amounts(core: Core, table: dict[str, int]) -> list[int]:
    return [table.get(name, 0) for name in core.resources]


def hashed_order(core: Core, names: Any) -> list[int]:
    """Return resources as MettaGrid's map hands them out, or by id."""
    order = dict_order(core.resources.index(name) for name in names)
    return order if core.resolved("token_order") else sorted(order)


def _padded(core: Core, order: list[int]) -> list[int]:
    return [*order, *[-1] * (len(core.resources) - len(order))]


def _order(core: Core, table: Any) -> list[int]:
    return _padded(core, hashed_order(core, table))


def _part_order(core: Core, table: Any) -> list[int]:
    """Order a recipe that is used in part: MettaGrid copies it one by one into a new map."""
    order = hashed_order(core, table)
    if core.resolved("token_order"):
        order, _ = hash_order([(r, 1) for r in order])
    return _padded(core, order)


def _recipe_row(core: Core, entry: Protocol) -> list[int]:
    vibes = sorted(core.vibes.index(name) for name in entry.vibes)
    shown = [vibe for vibe in vibes if vibe != 0][-MOST_VIBES:]
    pad = [-1] * (MOST_VIBES - len(shown))
    shared = len(vibes) > 1 and len(shown) > 0
    return [entry.min_agents, entry.cooldown, shared, len(shown), *shown, *pad]


def _recipes(core: Core, made: Any) -> dict[str, Any]:
    protocols: list[Protocol] = []
    for _, thing in _kinds(made, Thing):
        protocols += thing.protocols
    first = len(protocols)
    if core.clipper is not None:
        protocols += core.clipper.unclipping
    size = len(core.resources)
    rows = [_recipe_row(core, entry) for entry in protocols]
    sides = [(entry.inputs, entry.outputs) for entry in protocols]
    amounts = [[_amounts(core, side) for side in both] for both in sides]
    orders = [[_order(core, side) for side in both] for both in sides]
    parts = [[_part_order(core, side) for side in both] for both in sides]
    return {
        "recipe": np.array(rows, np.int32).reshape(-1, VIBES_AT + MOST_VIBES),
        "recipe_amount": np.array(amounts, np.int32).reshape(len(amounts), 2, size),
        "recipe_order": np.array(orders, np.int16).reshape(len(orders), 2, size),
        "part_order": np.array(parts, np.int16).reshape(len(parts), 2, size),
        "unclipping": first,
    }


def _vibe_rows(core: Core) -> np.ndarray:  # int32 [vibe, 4]
    attack = core.actions.attack
    givers = [entry.vibe for entry in core.actions.transfers]
    rows = []
    for k, name in enumerate(core.vibes):
        attacks = name in attack.vibes
        gift = -1 if attacks or name not in givers else givers.index(name)
        namesake = core.resources.index(name) if k > 0 and name in core.resources else -1
        rows.append((attacks, gift, attack.vibe_bonus.get(name, 0), namesake))
    return np.array(rows, np.int32).reshape(-1, 4)


def _fights(core: Core) -> dict[str, Any]:
    size, attack = len(core.resources), core.actions.attack
    tables: list[Any] = [
        attack.cost, attack.defense, attack.armor, attack.weapons, attack.actor_delta,
        attack.target_delta, dict.fromkeys(attack.loot, 1),
    ]  # fmt: skip
    orders = [_order(core, table) for table in tables]
    orders[LOOT] = _padded(core, [core.resources.index(name) for name in tables[LOOT]])
    gifts = [(entry.actor, entry.target, entry.required) for entry in core.actions.transfers]
    amounts = [[_amounts(core, side) for side in sides] for sides in gifts]
    gift_orders = [[_order(core, side) for side in sides] for sides in gifts]
    return {
        "attack": np.array([_amounts(core, table) for table in tables], np.int32).reshape(7, size),
        "attack_order": np.array(orders, np.int16).reshape(7, size),
        "vibe": _vibe_rows(core),
        "gift": np.array(amounts, np.int32).reshape(len(amounts), 3, size),
        "gift_order": np.array(gift_orders, np.int16).reshape(len(gift_orders), 3, size),
        "gift_share": np.array([SHARES.index(x.share) for x in core.actions.transfers], np.int16),
    }


def _rewarded(value: Value | None) -> list[str]:
    """List what an expression speaks of: resources, and the first words of statistics."""
    if value is None:
        return []
    found = [value.resource or value.stat.split(".")[0]]
    for part in value.of:
        found += _rewarded(part)
    return found


def _goals(core: Core, made: Any) -> np.ndarray:  # int16 [kind, ..]
    """List what is rewarded, in the order of the rewards as MettaGrid does, or by id."""
    rows = np.zeros((len(made.kinds), 1 + len(core.resources)), np.int16)
    for k, kind in _kinds(made, AgentKind):
        names: list[str] = []
        for reward in kind.rewards.values():
            names += [*reward.weights, *_rewarded(reward.value)]
        found = [core.resources.index(x) for x in dict.fromkeys(names) if x in core.resources]
        if not core.resolved("token_order"):
            found = sorted(found)
        rows[k, 0] = len(found)
        rows[k, 1 : 1 + len(found)] = found
    return rows


def _harm(core: Core, made: Any) -> dict[str, Any]:
    size, kinds = len(core.resources), len(made.kinds)
    amounts = np.zeros((kinds, 2, size), np.int32)
    orders = np.full((kinds, 2, size), -1, np.int16)
    any_harm = False
    for k, kind in _kinds(made, AgentKind):
        sides = (kind.damage.threshold, kind.damage.resources)
        if all(sides):
            any_harm = True
            amounts[k] = [_amounts(core, side) for side in sides]
            orders[k] = [_order(core, side) for side in sides]
    return {"damage": amounts, "damage_order": orders, "has_damage": any_harm}


def _clippable(core: Core, made: Any) -> np.ndarray:  # int32 [layout, ..]
    """List what can be clipped: MettaGrid goes by the map, row by row."""
    slots = []
    for slot in range(core.num_agents, made.num_things):
        entry = made.kinds[made.kind_of[slot]].entry
        if isinstance(entry, Thing) and entry.kind == "assembler" and not entry.clip_immune:
            slots.append(slot)
    rows = [sorted(slots, key=lambda slot: tuple(spots[slot])) for spots in made.places.tolist()]
    return np.array(rows, np.int32).reshape(len(rows), -1)


def length_scale(area: int, count: int) -> int:
    """Return the length scale of a map by how sparse its assemblers are: half the root, rounded up.

    MettaGrid's own iteration, in integers, which stops after ten rounds.
    """
    sparsity, root, better = area // max(count, 1), 1, 10
    for _ in range(10):
        if better == root or root == 0:
            break
        root = better
        better = (sparsity + root * root + 2 * root - 2) // (2 * root)
    return max(root // 2, 1)


def _clipping(core: Core, made: Any) -> dict[str, Any]:
    clipper = core.clipper
    clippable = _clippable(core, made)
    made_of: dict[str, Any] = {"clippable": clippable, "has_clipper": clipper is not None}
    if clipper is None:
        return made_of | {"period": 0, "reach": 0, "length_scale": 1, "cutoff": 1}
    scale = clipper.length_scale
    if scale == 0:
        scale = length_scale(made.height * made.width, clippable.shape[1])
    reach = clipper.cutoff * scale
    return made_of | {
        "period": clipper.period, "reach": reach, "length_scale": scale, "cutoff": clipper.cutoff,
    }  # fmt: skip


def _regen(core: Core, made: Any) -> np.ndarray:  # int32 [.., 4]
    """Tabulate what comes back; a vibe for which nothing does has a row without a resource."""
    rows = []
    for k, kind in _kinds(made, AgentKind):
        for vibe, back in kind.inventory.regen.items():
            which = core.vibes.index(vibe)
            rows.append((k, which, -1, 0))
            rows += [(k, which, r, back[core.resources[r]]) for r in hashed_order(core, back)]
    return np.array(rows, np.int32).reshape(-1, 4)


def _chests(core: Core, made: Any) -> np.ndarray:  # int32 [.., 4]
    rows = [
        (k, core.vibes.index(vibe), r, change[core.resources[r]])
        for k, thing in _kinds(made, Thing)
        for vibe, change in thing.vibe_transfers.items()
        for r in hashed_order(core, change)
    ]
    return np.array(rows, np.int32).reshape(-1, 4)


def classic_tables(core: Core, made: Any) -> ClassicTables:
    """Tabulate what the classic profile needs; in cogs most tables are empty."""
    upstream, acts = core.conformance == "upstream", core.actions
    costs = [_order(core, cost) for cost in (acts.noop_cost, acts.move_cost, acts.vibe_cost)]
    return ClassicTables(
        **_recipes(core, made),
        **_fights(core),
        **_harm(core, made),
        **_clipping(core, made),
        cost_order=np.array(costs, np.int16).reshape(3, len(core.resources)),
        chest=_chests(core, made),
        regen=_regen(core, made),
        goal=_goals(core, made),
        freeze=acts.attack.freeze,
        hides_unclipping=upstream,
        wraps=upstream,
    )
