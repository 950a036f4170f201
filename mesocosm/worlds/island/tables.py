"""Tables of units, weapons and the order of battle as numbers, and the names of their columns."""

import math
from typing import Any

import numpy as np

from mesocosm.sim.maths import exponential
from mesocosm.worlds.island.config import DOMAINS, HOSES, ROLES, Core, Unit
from mesocosm.worlds.island.declare import ENTITY_FEATURES
from mesocosm.worlds.island.scenario import SLOTS

AIR, SEA, GROUND = range(3)
# columns of `unit`
(
    U_DOMAIN, U_VALUE, U_CRUISE, U_TOP, U_ALTITUDE, U_BURN, U_REACH, U_MAST, U_RADAR, U_WIDE,
    U_ECHO, U_LOUD, U_HITS, U_GUARD, U_GUARD_KM, U_GUARD_N, U_POOL, U_TAKES, U_GIVES, U_JAMMER,
    U_CAPTURES, U_CARRIER, U_SLOTS, U_AIR_FULL, U_SURFACE_FULL, U_WEAPON_KM,
) = range(26)  # fmt: skip
# columns of `weapon`
W_HITS, W_RANGE, W_SPEED, W_KILL, W_RELOAD, W_ALONE, W_EMITTERS = range(7)
# columns of `load` and of `wing`
LOAD_WEAPON, LOAD_ROUNDS = range(2)
WING_TYPE, WING_COUNT = range(2)
# features of an entity that follow from its type
STATIC = (
    "can_sense", "can_refuel", "can_capture", "has_jammer", "domain_air", "domain_sea",
    "domain_ground", "has_air_weapons", "has_surface_weapons", "role_attack", "role_defense",
    "role_support", "meta_value_norm", "offensive", "defensive", "endurance", "scouting",
)  # fmt: skip
VALUE_SCALE = 2000.0  # of a unit, for its feature
REFERENCE_KMS = 1.029  # the speed that is shown as 1
CEILING_M = 20000.0  # the altitude that is shown as 1


def unit_tables(core: Core) -> dict[str, Any]:
    """Build the tables of units, their static features, loads and weapons."""
    weapons = [weapon.name for weapon in core.weapons]
    load = np.full((len(core.units), SLOTS, 2), -1, np.int64)
    for k, unit in enumerate(core.units):
        for slot, name in enumerate(slots_of(core, unit)):
            load[k, slot] = weapons.index(name), unit.load[name]
    return {
        "unit": np.array([_unit_row(core, unit) for unit in core.units]),
        "static": static_rows(core),
        "load": load,
        "weapon": np.array(
            [
                (
                    sum(1 << DOMAINS.index(name) for name in set(weapon.hits)),
                    weapon.range_km,
                    weapon.speed_ms / 1e3,
                    weapon.kill_prob,
                    weapon.reload_s,
                    weapon.autonomous_km,
                    weapon.emitters_only,
                )
                for weapon in core.weapons
            ],
            float,
        ),
    }


def slots_of(core: Core, unit: Unit) -> list[str]:
    """Return a unit's weapons in the order of its slots: longest range first, then by name."""
    reach = {weapon.name: weapon.range_km for weapon in core.weapons}
    return sorted(unit.load, key=lambda name: (-reach[name], name))


def count_rounds(core: Core, unit: Unit, domains: set[str]) -> int:
    """Count a full load's rounds that can hit one of some domains."""
    hits = {weapon.name: set(weapon.hits) for weapon in core.weapons}
    return sum(number for name, number in unit.load.items() if hits[name] & domains)


def _unit_row(core: Core, unit: Unit) -> list[float]:
    """Return a unit's row, in the order of the columns `U_...`."""
    reach = {weapon.name: weapon.range_km for weapon in core.weapons}
    cap = core.physics.rcs_cap_m2
    return [
        DOMAINS.index(unit.domain),
        unit.value,
        unit.cruise / 1e3,
        unit.top / 1e3,
        unit.altitude,
        unit.cruise / 1e3 / unit.range_km if unit.range_km else 0.0,
        unit.range_km,
        math.sqrt(unit.height_m),
        unit.radar_km,
        unit.radar_degrees == 360,
        min(unit.rcs_m2, cap) / cap,
        1.0,
        unit.hits,
        unit.guard.prob,
        unit.guard.range_km,
        unit.guard.rounds,
        unit.fuel_loads,
        sum(1 << HOSES.index(name) for name in set(unit.takes)),
        sum(1 << HOSES.index(name) for name in set(unit.gives)),
        unit.jammer,
        unit.captures,
        unit.carrier,
        len(unit.load),
        count_rounds(core, unit, {"air"}),
        count_rounds(core, unit, {"sea", "ground"}),
        max((reach[name] for name in unit.load), default=0.0),
    ]


def static_rows(core: Core) -> np.ndarray:  # float64 [type, feature]
    """Return what never changes of an entity's features, for every type; the rest is 0."""
    rows = np.zeros((len(core.units), len(ENTITY_FEATURES)))
    columns = [ENTITY_FEATURES.index(name) for name in STATIC]
    for kind, unit in enumerate(core.units):
        peers = [other for other in core.units if other.domain == unit.domain]
        most = {
            name: max(_firepower(core, o, name) for o in peers) for name in ("offence", "defence")
        }
        endurance = max(other.range_km for other in peers)
        radar = max(other.radar_km for other in peers)
        rows[kind, columns] = [
            unit.radar_km > 0.0,
            bool(unit.takes),
            unit.captures,
            unit.jammer,
            *(unit.domain == name for name in DOMAINS),
            count_rounds(core, unit, {"air"}) > 0,
            count_rounds(core, unit, {"sea", "ground"}) > 0,
            *(unit.role == name for name in ROLES),
            1.0 - exponential(-unit.value / VALUE_SCALE),
            _root_share(_firepower(core, unit, "offence"), most["offence"]),
            _root_share(_firepower(core, unit, "defence"), most["defence"]),
            unit.range_km / endurance if unit.range_km else 1.0,
            unit.radar_km / radar if radar else 0.0,
        ]
    return rows


def _firepower(core: Core, unit: Unit, kind: str) -> float:
    """Sum rounds times accuracy times root of range: of missiles, or of point defence."""
    if kind == "defence":
        return unit.guard.rounds * unit.guard.prob * math.sqrt(unit.guard.range_km)
    found = {weapon.name: weapon for weapon in core.weapons}
    return sum(
        number * found[name].kill_prob * math.sqrt(found[name].range_km)
        for name, number in unit.load.items()
    )


def _root_share(value: float, most: float) -> float:
    return math.sqrt(value / most) if most > 0.0 else 0.0


def laydown_tables(core: Core) -> dict[str, Any]:
    """Build the tables of the order of battle and of the carriers' wings."""
    codes = [unit.code for unit in core.units]
    kinds = np.full((2, core.max_entities), -1, np.int64)
    places = np.zeros((2, core.max_entities, 2))
    wing = [(codes.index(part.unit), part.count) for part in core.laydown.wing]
    worth = [core.units[kind].value * number for kind, number in wing]
    counts, totals, settlers = [0, 0], [0.0, 0.0], [0, 0]
    for side, sign in enumerate((-1.0, 1.0)):
        for force in core.forces_of(side):
            kind = codes.index(force.unit)
            unit = core.units[kind]
            for k in range(force.count):
                share = k / (force.count - 1) - 0.5 if force.count > 1 else 0.0
                place = sign * force.depth, sign * (force.lateral + share * force.spread)
                kinds[side, counts[side]], places[side, counts[side]] = kind, place
                counts[side] += 1
                totals[side] += unit.value + (sum(worth) if unit.carrier else 0.0)
                settlers[side] += unit.captures
    return {
        "count0": np.array(counts, np.int64),
        "kind0": kinds,
        "place0": places,
        "total": np.maximum(np.array(totals), 1.0),
        "settlers0": np.array(settlers, np.int64),
        "wing": np.array(wing or [(0, 0)], np.int64),
        "wing_value": np.array(worth or [0.0]),
        "num_packages": len(wing),
    }
