"""Which orders a side can give, from what it received: per part, dependent, and as sets."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.core.errors import unknown
from mesocosm.core.spec import Role
from mesocosm.worlds.island import declare
from mesocosm.worlds.island.declare import ENTITY_FEATURES, GROUP_FEATURES, ORDERS, PARTS
from mesocosm.worlds.island.state import GHOST, GROUP_AIR, GROUP_GROUND

TAKES, GIVES = range(2)  # columns of the info `hoses`
Told = Mapping[str, np.ndarray]  # one agent's declared info, by name


def entity_rows(role: Role, obs: np.ndarray) -> np.ndarray:  # [..., id, 52]
    """Return the part of observations about one's units."""
    rows: np.ndarray = obs[..., role.observation.span("entities")]
    return rows.reshape(*obs.shape[:-1], -1, len(ENTITY_FEATURES))


def group_rows(role: Role, obs: np.ndarray) -> np.ndarray:  # [..., id, 12]
    """Return the part of observations about enemy groups."""
    rows: np.ndarray = obs[..., role.observation.span("groups")]
    return rows.reshape(*obs.shape[:-1], -1, len(GROUP_FEATURES))


def group_domains(role: Role, obs: np.ndarray) -> np.ndarray:  # int64 [..., id]
    """Return the domain of each group: 0 air, 1 sea, 2 ground."""
    return np.argmax(group_rows(role, obs)[..., GROUP_AIR : GROUP_GROUND + 1], axis=-1)


def engageable(role: Role, obs: np.ndarray, told: Told) -> np.ndarray:  # bool [..., unit, group]
    """Return which unit has a loaded weapon against which known group."""
    known = np.asarray(told["contacts"]) >= GHOST
    weapons = np.asarray(told["weapons"])
    pairs = (*weapons.shape[:-1], known.shape[-1])
    domain = np.broadcast_to(group_domains(role, obs)[..., None, :], pairs)
    return (np.take_along_axis(weapons, domain, axis=-1) > 0) & known[..., None, :]


def order_bits(told: Told, entity: int) -> int:
    """Return the bits of the orders that a unit can take."""
    return int(np.asarray(told["orders"])[entity])


def mask_for(
    role: Role, obs: np.ndarray, told: Told, action_type: int | str, entity: int,
    target_group: int | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Return the options that are valid once a type and a unit are chosen, for every part.

    Any combination of valid options is an order that will be accepted. Without `target_group`
    the weapons are those that can be chosen whatever group is taken.
    """
    order = ORDERS.index(action_type) if isinstance(action_type, str) else int(action_type)
    if not 0 <= order < len(ORDERS):
        raise unknown("action type", str(action_type), ORDERS)
    sizes = {part.name: len(part.options) for part in role.action.choices[: len(PARTS)]}
    made = {name: np.ones(size, bool) for name, size in sizes.items()}
    able = order == declare.NOOP or bool(order_bits(told, entity) >> order & 1)
    made["action_type"] = np.arange(sizes["action_type"]) == order
    made["action_type"] &= able
    made["entity_id"] = np.arange(sizes["entity_id"]) == entity
    if order != declare.NOOP:
        made["entity_id"] &= able
    _narrow(role, obs, told, made, order, entity, target_group)
    return made


def _narrow(
    role: Role, obs: np.ndarray, told: Told, made: dict[str, np.ndarray], order: int, entity: int,
    target_group: int | None,
) -> None:  # fmt: skip
    """Clear what the unit cannot do, in the parts that the order needs."""
    if order == declare.ENGAGE_ORDER:
        made["target_group_id"] = engageable(role, obs, told)[entity]
        counts = np.asarray(told["weapons"])[entity][group_domains(role, obs)]
        if target_group is not None:
            made["target_group_id"] &= np.arange(len(counts)) == target_group
        valid = counts[made["target_group_id"]]
        fewest = int(valid.min()) if valid.size else 0
        size = len(made["weapon_selection"])
        made["weapon_selection"] = np.arange(size) < (1 << fewest) - 1
    elif order == declare.REFUEL_ORDER:
        hoses = np.asarray(told["hoses"]).astype(int)
        made["refuel_target_id"] = (hoses[:, GIVES] & hoses[entity, TAKES]) > 0
        made["refuel_target_id"][entity] = False
    elif order == declare.JAM:
        made["entity_to_protect_id"] = np.asarray(told["health"]) > 0.0
        made["entity_to_protect_id"][entity] = False
    elif order == declare.SPAWN:
        left = int(np.asarray(told["packages"])[entity])
        made["spawn_component_idx"] = np.arange(len(made["spawn_component_idx"])) < left


def valid_sets(role: Role, obs: np.ndarray, told: Told) -> dict[str, Any]:
    """Return the valid options as sets, and the groups that each unit can engage."""
    bits = np.asarray(told["orders"]).astype(int)
    alive = np.flatnonzero(np.asarray(told["health"]) > 0.0).tolist()
    some = int(np.bitwise_or.reduce(bits)) | 1
    pairs = engageable(role, obs, told)
    return {
        "action_types": {k for k in range(len(ORDERS)) if some >> k & 1},
        "controllable_entities": set(alive),
        "visible_targets": set(np.flatnonzero(np.asarray(told["contacts"]) >= GHOST).tolist()),
        "entity_target_matrix": {i: set(np.flatnonzero(pairs[i]).tolist()) for i in alive},
        "spawn_components": {
            i: set(range(int(told["packages"][i]))) for i in alive if told["packages"][i] > 0
        },
    }
