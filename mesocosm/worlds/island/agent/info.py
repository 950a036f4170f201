"""The structured info of a step: what a side received, in the form of nested dicts and sets."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.core.spec import Role
from mesocosm.worlds.island.agent.masks import GIVES, TAKES, entity_rows, valid_sets
from mesocosm.worlds.island.config import SIDES, Core
from mesocosm.worlds.island.declare import ENTITY_FEATURES

FUEL = ENTITY_FEATURES.index("fuel_norm")


def tell(
    core: Core, role: Role, obs: np.ndarray, mask: np.ndarray, told: Mapping[str, Any]
) -> dict[str, Any]:
    """Build the info of one side from its observation, its mask and its declared info."""
    one = {name: float(value) for name, value in told.items() if np.ndim(value) == 0}
    steps = int(one["steps"])
    alive = np.asarray(told["health"]) > 0.0
    masks = valid_sets(role, np.asarray(obs), told)
    losses = {name: int(one[name]) for name in ("lost", "enemy_lost")}
    return {
        "step": steps,
        "time_elapsed": steps * core.step_seconds,
        "time_remaining": (core.max_steps - steps) * core.step_seconds,
        "faction": role.name.upper(),
        "total_entities": int((np.asarray(told["kinds"]) >= 0).sum()),
        "my_entities_count": int(alive.sum()),
        "detected_targets_count": len(masks["visible_targets"]),
        "valid_masks": masks,
        "refuel": _refuel(core, role, np.asarray(obs), told),
        "mission": {
            "my_casualties": losses["lost"],
            "enemy_casualties": losses["enemy_lost"],
            "force_ratio": one["force_ratio"],
            "my_capture_progress": one["seconds"],
            "my_capture_possible": _possible(one, one["settlers_left"]),
            "enemy_capture_progress": one["enemy_seconds"],
            "enemy_capture_possible": _possible(one, one["enemy_settlers_left"]),
            "my_settlers_alive": int(one["settlers_left"]),
            "enemy_settlers_alive": int(one["enemy_settlers_left"]),
        },
        "flags": flags(core, role, one),
        "hidden_groups": int(one["unnumbered"]),
        "refused_orders": int(one["refused"]),
    }


def _possible(one: Mapping[str, float], settlers: float) -> bool:
    return settlers > 0 and one["flag"] == 0 and one["capturer"] == 0


def _refuel(
    core: Core, role: Role, obs: np.ndarray, told: Mapping[str, Any]
) -> dict[str, list[int]]:
    """List who needs fuel and could get it, and who gives it."""
    hoses = np.asarray(told["hoses"]).astype(int)
    gives = hoses[:, GIVES]
    offered = int(np.bitwise_or.reduce(gives))
    fuel = entity_rows(role, obs)[:, FUEL]
    alive = np.asarray(told["health"]) > 0.0
    needs = alive & (fuel < core.physics.need_fuel) & ((hoses[:, TAKES] & offered) > 0)
    return {
        "receivers": np.flatnonzero(needs).tolist(),
        "providers": np.flatnonzero(gives > 0).tolist(),
    }


def flags(core: Core, role: Role, one: Mapping[str, float]) -> list[dict[str, Any]]:
    """Describe the three flags: the island, my base and the enemy's."""
    owner, capturer = int(one["flag"]), int(one["capturer"])
    half = core.map_km / 2.0
    turned = -1.0 if core.mirror_view and role.name == SIDES[1] else 1.0
    base = core.laydown.base
    places = {"LEGACY": (-base.depth, -base.lateral), "DYNASTY": (base.depth, base.lateral)}
    found = [
        {
            "faction": ("NEUTRAL", "LEGACY", "DYNASTY")[owner],
            "position": (turned * core.island_x, turned * core.island_y),
            "is_being_captured": capturer > 0,
            "is_captured": owner > 0,
            "can_be_captured": owner == 0,
        }
    ]
    found += [
        {
            "faction": name,
            "position": (turned * x, turned * y),
            "is_being_captured": False,
            "is_captured": False,
            "can_be_captured": False,
        }
        for name, (x, y) in places.items()
        if abs(x) <= half
    ]
    return found
