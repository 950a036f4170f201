"""The tables that only the classic profile needs: recipes, chests, attacks, regeneration."""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.worlds.mettagrid.config import AgentKind, Core, Protocol, Thing
from mesocosm.worlds.mettagrid.program import dict_order

MOST_VIBES = 8
# columns of the table of recipes
MIN_AGENTS, COOLDOWN, NUM_VIBES, VIBES_AT = 0, 1, 2, 3
# rows of the table of attacks
REQUIRED, COST, DEFENSE, ARMOR, WEAPON, ACTOR_DELTA, TARGET_DELTA, LOOT = range(8)


class Old(NamedTuple):
    """Tables of the classic profile."""

    recipe: np.ndarray  # int32 [recipe, 3 + 8]
    recipe_amount: np.ndarray  # int32 [recipe, 2, resource]: inputs, outputs
    recipe_order: np.ndarray  # int16 [recipe, 2, resource]: resources as told, or -1
    chest: np.ndarray  # int32 [k, 4]: kind, vibe, resource, change
    attack: np.ndarray  # int32 [8, resource]
    vibe: np.ndarray  # int32 [vibe, 3]: attacks, gives (row of gift, or -1), armor
    gift: np.ndarray  # int32 [k, 2, resource]: change of giver and receiver
    regen: np.ndarray  # int32 [k, 4]: kind, vibe, resource, amount
    goal: np.ndarray  # int16 [kind, 1 + resource]: rewarded resources, with their count first
    freeze: int


def _kinds(made: Any, of: type) -> list[tuple[int, Any]]:
    return [(k, kind.entry) for k, kind in enumerate(made.kinds) if isinstance(kind.entry, of)]


def _amounts(core: Core, table: dict[str, int]) -> list[int]:
    return [table.get(name, 0) for name in core.resources]


def _order(core: Core, table: dict[str, int]) -> list[int]:
    order = dict_order(core.resources.index(name) for name in table)
    if not core.resolved("token_order"):
        order = sorted(order)
    return [*order, *[-1] * (len(core.resources) - len(order))]


def _recipes(core: Core, made: Any) -> dict[str, np.ndarray]:
    protocols: list[Protocol] = []
    for _, thing in _kinds(made, Thing):
        protocols += thing.protocols
    size = len(core.resources)
    rows = []
    for entry in protocols:
        vibes = sorted(core.vibes.index(name) for name in entry.vibes)[:MOST_VIBES]
        pad = [-1] * (MOST_VIBES - len(vibes))
        rows.append([entry.min_agents, entry.cooldown, len(vibes), *vibes, *pad])
    sides = [(entry.inputs, entry.outputs) for entry in protocols]
    amounts = [[_amounts(core, side) for side in both] for both in sides]
    orders = [[_order(core, side) for side in both] for both in sides]
    return {
        "recipe": np.array(rows, np.int32).reshape(-1, 3 + MOST_VIBES),
        "recipe_amount": np.array(amounts, np.int32).reshape(-1, 2, size),
        "recipe_order": np.array(orders, np.int16).reshape(-1, 2, size),
    }


def _vibe_rows(core: Core) -> np.ndarray:  # int32 [vibe, 3]
    attack = core.actions.attack
    givers = [entry.vibe for entry in core.actions.transfers]
    return np.array(
        [
            (
                name in attack.vibes,
                givers.index(name) if name in givers else -1,
                attack.vibe_bonus.get(name, 0),
            )
            for name in core.vibes
        ],
        np.int32,
    ).reshape(-1, 3)


def _goals(core: Core, made: Any) -> np.ndarray:  # int16 [kind, 1 + resource]
    rows = np.zeros((len(made.kinds), 1 + len(core.resources)), np.int16)
    for k, kind in _kinds(made, AgentKind):
        found = sorted(
            {
                core.resources.index(name)
                for reward in kind.rewards.values()
                for name, weight in reward.weights.items()
                if weight
            }
        )
        rows[k, 0] = len(found)
        rows[k, 1 : 1 + len(found)] = found
    return rows


def old_tables(core: Core, made: Any) -> Old:
    """Tabulate what the classic profile needs; in cogs the tables are empty."""
    size, attack = len(core.resources), core.actions.attack
    index = {name: k for k, name in enumerate(core.resources)}
    chest = [
        (k, core.vibes.index(vibe), r, entry[core.resources[r]])
        for k, thing in _kinds(made, Thing)
        for vibe, entry in thing.vibe_transfers.items()
        for r in dict_order(index[name] for name in entry)
    ]
    regen = [
        (k, core.vibes.index(vibe), index[name], amount)
        for k, kind in _kinds(made, AgentKind)
        for vibe, entry in kind.inventory.regen.items()
        for name, amount in entry.items()
    ]
    fights = [
        attack.required or attack.cost, attack.cost, attack.defense, attack.armor, attack.weapons,
        attack.actor_delta, attack.target_delta, dict.fromkeys(attack.loot, 1),
    ]  # fmt: skip
    gifts = [
        [_amounts(core, entry.actor), _amounts(core, entry.target)]
        for entry in core.actions.transfers
    ]
    return Old(
        **_recipes(core, made),
        chest=np.array(chest, np.int32).reshape(-1, 4),
        attack=np.array([_amounts(core, table) for table in fights], np.int32).reshape(8, size),
        vibe=_vibe_rows(core),
        gift=np.array(gifts, np.int32).reshape(-1, 2, size),
        regen=np.array(regen, np.int32).reshape(-1, 4),
        goal=_goals(core, made),
        freeze=attack.freeze,
    )
