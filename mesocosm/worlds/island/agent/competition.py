"""CompetitionAgent: command one side through objects instead of numbers.

An agent sees what its side receives at a step and nothing else. Override `select_action`, and
`get_observation` if the observation of the world is not what you want to look at. To train a
network that looks so, give the class to an adapter, as `GymEnv("island", agent=MyAgent)`; it is
paid what `calculate_reward` makes of the world's reward.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from mesocosm.core.errors import ActionError
from mesocosm.core.spec import Role
from mesocosm.worlds.island.agent.info import tell
from mesocosm.worlds.island.agent.masks import entity_rows, group_rows, mask_for
from mesocosm.worlds.island.config import SIDES, Core
from mesocosm.worlds.island.declare import ENTITY_FEATURES, GROUP_FEATURES, ORDERS, PARTS
from mesocosm.worlds.island.state import DECK, GHOST
from mesocosm.worlds.island.tables import CEILING_M, REFERENCE_KMS

MANOEUVERS = ("idle", "patrol", "engage", "return", "refuel", "capture", "evade", "deck")


class Domain(Enum):
    """Where a unit moves."""

    AIR = 0
    SEA = 1
    GROUND = 2
    SURFACE = 1
    LAND = 2


class Faction(Enum):
    """A side, or none."""

    LEGACY = 0
    DYNASTY = 1
    NEUTRAL = 2


@dataclass(frozen=True)
class Entity:
    """One of one's own units; lengths in km, altitude in m, speeds in m/s."""

    id: int
    code: str
    name: str
    faction: Faction
    platform_domain: Domain
    is_alive: bool
    health: float
    pos: tuple[float, float, float]
    vel: tuple[float, float, float]
    fuel: float
    manoeuver: str
    can_capture: bool
    can_refuel: bool
    can_refuel_others: bool
    can_engage: bool
    has_jammer: bool
    orders: frozenset[int]
    threats: int
    features: Mapping[str, float]


@dataclass(frozen=True)
class TargetGroup:
    """Enemy units that were seen together."""

    id: int
    faction: Faction
    observer: Faction
    domain: Domain
    is_detected: bool
    pos: tuple[float, float]
    vel: tuple[float, float]
    entity_count: int
    features: Mapping[str, float]

    def get_entity_count(self) -> int:
        """Return how many units the group is known to have."""
        return self.entity_count


class CompetitionAgent:
    """Plays one side of one war; made with the side's name and the config."""

    privileged = False

    def __init__(self, faction: str, config: Any) -> None:
        self.faction = Faction[faction.upper()]
        self.config = config
        self.core: Core = config.core
        self.spec: Role
        self.obs = np.zeros(0, np.float32)
        self.mask = np.zeros(0, bool)
        self.told: dict[str, np.ndarray] = {}
        self.info: dict[str, Any] = {}
        self.began = False  # whether this is a war's first observation

    def select_action(self, observation: np.ndarray) -> Mapping[str, int] | np.ndarray | None:
        """Choose an order: a dict of parts (others are 0), a row of all parts, or None."""
        return None

    def get_observation(self) -> np.ndarray:
        """Return what `select_action` gets: the world's observation, unless overridden."""
        return self.obs

    def calculate_reward(self, reward: float) -> float:
        """Return what a learner is paid for a step: the world's reward, unless overridden.

        Called once the step was taken in: `obs`, `info` and all that lists units are after it.
        """
        return reward

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Prepare for a new war."""
        if num_envs != 1 or spec.name != SIDES[self.faction.value]:
            raise ActionError(f"a {self.faction.name} agent plays one war as {spec.name!r}")
        self.spec = spec
        self.rng = np.random.default_rng(seed)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> np.ndarray:
        """Take in what the side received and give its order, as a batch of one."""
        self.receive(obs, mask, info, began)
        seen = np.asarray(self.get_observation(), np.float32)
        return self._row(self.select_action(seen))

    def receive(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> None:
        """Take in what the side received, as a batch of one."""
        self.obs, self.mask = np.asarray(obs)[0, 0], np.asarray(mask)[0, 0]
        self.told = {name: np.asarray(value)[0, 0] for name, value in info.items()}
        self.began = bool(np.asarray(began)[0, 0])
        self.info = tell(self.core, self.spec, self.obs, self.mask, self.told)

    def _row(self, chosen: Mapping[str, int] | np.ndarray | None) -> np.ndarray:
        row: np.ndarray = self.spec.action.noop((1, 1))
        if chosen is None:
            return row
        if not isinstance(chosen, Mapping):
            row[0, 0] = np.asarray(chosen, np.int32)
            return row
        names = [part.name for part in self.spec.action.choices]
        for name, value in chosen.items():
            if name not in names:
                raise ActionError(f"an order has no part {name!r}, but {', '.join(PARTS)}")
            row[0, 0, names.index(name)] = int(value)
        return row

    def mask_for(
        self, action_type: int | str, entity: int, target_group: int | None = None
    ) -> dict[str, np.ndarray]:
        """Return the valid options of every part once a type and a unit are chosen."""
        return mask_for(self.spec, self.obs, self.told, action_type, entity, target_group)

    def get_all_entities(self) -> list[Entity]:
        """List one's units, the dead too."""
        return [self._entity(i) for i in np.flatnonzero(self.told["kinds"] >= 0).tolist()]

    def get_alive_entities(self) -> list[Entity]:
        """List one's living units."""
        return [entity for entity in self.get_all_entities() if entity.is_alive]

    def get_entity_by_id(self, number: int) -> Entity | None:
        """Find a unit by id."""
        return next((one for one in self.get_all_entities() if one.id == number), None)

    def get_capture_capable_entities(self) -> list[Entity]:
        """List the living settlers."""
        return [entity for entity in self.get_alive_entities() if entity.can_capture]

    def get_refuelable_entities(self) -> list[Entity]:
        """List the living units that can take fuel."""
        return [entity for entity in self.get_alive_entities() if entity.can_refuel]

    def is_entity_capturing(self, number: int) -> bool:
        """Whether a settler stands on the island."""
        one = self.get_entity_by_id(number)
        return one is not None and one.can_capture and one.features["ability_active"] > 0.0

    def is_entity_refueling(self, number: int) -> bool:
        """Whether a unit takes or gives fuel now."""
        one = self.get_entity_by_id(number)
        return one is not None and one.features["is_refueling"] > 0.0

    def get_target_groups(self) -> list[TargetGroup]:
        """List the enemy groups that one knows of."""
        return [self._group(g) for g in np.flatnonzero(self.told["contacts"] >= GHOST).tolist()]

    def get_target_group_by_id(self, number: int) -> TargetGroup | None:
        """Find a group by id."""
        return next((one for one in self.get_target_groups() if one.id == number), None)

    def get_flags(self) -> list[dict[str, Any]]:
        """Describe the flags: faction, position, is_being_captured, is_captured."""
        flags: list[dict[str, Any]] = self.info["flags"]
        return flags

    def _place(self, share: float) -> float:
        return share * self.core.map_km - self.core.map_km / 2.0

    def _entity(self, i: int) -> Entity:
        row = dict(zip(ENTITY_FEATURES, entity_rows(self.spec, self.obs)[i].tolist(), strict=True))
        unit = self.core.units[int(self.told["kinds"][i])]
        speed = row["speed_norm"] * unit.top
        alive = bool(self.told["health"][i] > 0.0)
        east, north = 2.0 * row["heading_sin"] - 1.0, 2.0 * row["heading_cos"] - 1.0
        bits = int(self.told["orders"][i])
        domain = ("domain_air", "domain_sea", "domain_ground")
        place = self._place(row["grid_x"]), self._place(row["grid_y"])
        return Entity(
            id=i,
            code=unit.code,
            name=getattr(unit.names, SIDES[self.faction.value]),
            faction=self.faction,
            platform_domain=Domain(int(np.argmax([row[name] for name in domain]))),
            is_alive=alive,
            health=float(self.told["health"][i]),
            pos=(*place, row["altitude_norm"] * CEILING_M) if alive else (math.nan,) * 3,
            vel=(speed * east, speed * north, 0.0) if alive else (0.0, 0.0, 0.0),
            fuel=row["fuel_norm"],
            manoeuver=MANOEUVERS[round(row["manoeuver"] * DECK)] if alive else "",
            can_capture=row["can_capture"] > 0.0,
            can_refuel=row["can_refuel"] > 0.0,
            can_refuel_others=row["can_refuel_others"] > 0.0,
            can_engage=row["can_engage"] > 0.0,
            has_jammer=row["has_jammer"] > 0.0,
            orders=frozenset(k for k in range(len(ORDERS)) if bits >> k & 1),
            threats=int(self.told["threats"][i]),
            features=row,
        )

    def _group(self, g: int) -> TargetGroup:
        row = dict(zip(GROUP_FEATURES, group_rows(self.spec, self.obs)[g].tolist(), strict=True))
        top = REFERENCE_KMS * 1e3
        domain = ("domain_air", "domain_sea", "domain_ground")
        return TargetGroup(
            id=g,
            faction=Faction(1 - self.faction.value),
            observer=self.faction,
            domain=Domain(int(np.argmax([row[name] for name in domain]))),
            is_detected=row["is_detected"] > 0.0,
            pos=(self._place(row["grid_x"]), self._place(row["grid_y"])),
            vel=((2.0 * row["velocity_x"] - 1.0) * top, (2.0 * row["velocity_y"] - 1.0) * top),
            entity_count=round(row["entity_count_norm"] * self.core.max_entities),
            features=row,
        )
