"""What rules read: the config as numbers, in tables with named columns."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.sim.maths import HALF_PI, cosine, exponential, sine
from mesocosm.worlds.island.config import DOMAINS, HOSES, ROLES, Core, Unit
from mesocosm.worlds.island.declare import ANGLES, ENTITY_FEATURES, At, InfoAt
from mesocosm.worlds.island.scenario import SLOTS
from mesocosm.worlds.island.state import num_bins

AIR, SEA, GROUND = range(3)
# columns of `unit`
(
    U_DOMAIN, U_VALUE, U_CRUISE, U_TOP, U_ALTITUDE, U_BURN, U_REACH, U_MAST, U_RADAR, U_WIDE,
    U_ECHO, U_LOUD, U_HITS, U_GUARD, U_GUARD_KM, U_GUARD_N, U_POOL, U_TAKES, U_GIVES, U_JAMMER,
    U_CAPTURES, U_CARRIER, U_SLOTS, U_AIR_FULL, U_SURFACE_FULL, U_WEAPON_KM,
) = range(26)  # fmt: skip
# columns of `weapon`
W_HITS, W_RANGE, W_SPEED, W_KILL, W_RELOAD, W_ALONE, W_EMITTERS = range(7)
STATIC = (
    "can_sense", "can_refuel", "can_capture", "has_jammer", "domain_air", "domain_sea",
    "domain_ground", "has_air_weapons", "has_surface_weapons", "role_attack", "role_defense",
    "role_support", "meta_value_norm", "offensive", "defensive", "endurance", "scouting",
)  # fmt: skip
VALUE_SCALE = 2000.0
REFERENCE_KMS = 1.029
CEILING_M = 20000.0


class Params(NamedTuple):
    """Read-only numbers for the rules; lengths are km, times s, speeds km/s."""

    n: int
    groups: int
    missiles: int
    orders: int
    max_steps: int
    substeps: int
    grid: int
    bins: int
    dt: float
    step_s: float
    half: float
    size: float
    diagonal: float
    island_x: float
    island_y: float
    base: Annotated[np.ndarray, "float64 [2, 2]"]
    hold: bool
    kill_settlers: bool
    judge_time: bool
    bingo: bool
    confirmed: bool
    ego: bool
    mirror: bool
    quantize: bool
    capture_s: float
    ratio: float
    win: float
    shaping: Annotated[np.ndarray, "float64 [3]"]  # losses, kills, capture
    unit: Annotated[np.ndarray, "float64 [type, 26]"]
    # what never changes of an entity's row
    static: Annotated[np.ndarray, "float64 [type, feature]"]
    load: Annotated[np.ndarray, "int64 [type, 5, 2]"]  # weapon or -1, rounds
    weapon: Annotated[np.ndarray, "float64 [weapon, 7]"]
    count0: Annotated[np.ndarray, "int64 [2]"]
    kind0: Annotated[np.ndarray, "int64 [2, unit]"]  # types at the start, -1 where there is none
    place0: Annotated[np.ndarray, "float64 [2, unit, 2]"]
    total: Annotated[np.ndarray, "float64 [2]"]  # value at the start, wings included
    settlers0: Annotated[np.ndarray, "int64 [2]"]
    wing: Annotated[np.ndarray, "int64 [package, 2]"]  # type, number
    wing_value: Annotated[np.ndarray, "float64 [package]"]
    num_packages: int
    jitter: float
    angle: Annotated[np.ndarray, "float64 [36, 2]"]  # unit vectors east, north
    # cosine and sine of the most a sub-step turns
    turn: Annotated[np.ndarray, "float64 [domain, 2]"]
    speed_up: Annotated[np.ndarray, "float64 [domain]"]  # km/s per sub-step
    climb: float
    tiers: Annotated[np.ndarray, "float64 [4]"]
    noise: Annotated[np.ndarray, "float64 [4]"]  # half side of the square of errors
    launch: Annotated[np.ndarray, "float64 [5]"]  # by level, none first
    stand_off: Annotated[np.ndarray, "float64 [5]"]
    salvo: Annotated[np.ndarray, "float64 [2]"]
    cos_cone: float
    cos_steer: float
    sin_steer: float
    cos_focus: float
    cos_beam: float
    cos_lobe: float
    cos_protect: float
    ph: Any  # Constants
    at: Any  # At
    info: Any  # InfoAt


class Constants(NamedTuple):
    """The constants of the model that rules use as they are."""

    orbit_speed: float
    sprint_ranges: float
    burn_base: float
    burn_speed: float
    bingo_margin: float
    landing_km: float
    deck_fuel_s: float
    tanker_km: float
    tanker_fuel_s: float
    tanker_slots: int
    spawn_interval_s: float
    evade_km: float
    ground_mast: float
    visual_km: float
    horizon_factor: float
    focus_gain: float
    unfocus_gain: float
    esm_factor: float
    jam_power: float
    jam_reference_km: float
    jam_sidelobe: float
    jammer_visibility: float
    satellite_s: float
    air_memory_s: float
    sea_memory_s: float
    link_km: float
    group_rest_s: float
    overrun: float
    full_kill_range: float
    far_kill: float
    agility: float
    agility_ms: float
    unguided: float
    guidance_s: float
    fast_missile_ms: float
    fast_guard: float
    self_defence: float
    free_fire: float


def params(core: Core, made: Spec) -> Params:
    """Turn the config into what rules read."""
    role, physics = made.all_roles[0], core.physics
    dt = core.step_seconds / core.substeps
    same = ("max_steps", "substeps", "grid", "island_x", "island_y", "kill_settlers", "bingo")
    laydown = core.laydown
    numbers: dict[str, Any] = {name: getattr(core, name) for name in same}
    numbers |= {name: np.array(getattr(physics, name)) for name in ("tiers", "salvo")}
    numbers |= {
        "n": core.max_entities,
        "groups": core.max_target_groups,
        "missiles": core.max_missiles,
        "orders": core.orders_per_step,
        "bins": num_bins(core),
        "dt": dt,
        "step_s": core.step_seconds,
        "half": core.map_km / 2.0,
        "size": core.map_km,
        "diagonal": core.map_km * math.sqrt(2.0),
        "base": np.array([[-1.0], [1.0]]) * [[laydown.base.depth, laydown.base.lateral]],
        "hold": core.capture_mode == "hold",
        "judge_time": core.timeout_rule == "force_ratio",
        "confirmed": core.scoreboard == "confirmed",
        "ego": core.ego_flag,
        "mirror": core.mirror_view,
        "quantize": core.quantize_positions,
        "capture_s": core.capture_required_seconds,
        "ratio": core.victory_force_ratio,
        "win": core.win_reward,
        "shaping": np.array([core.shaping.losses, core.shaping.kills, core.shaping.capture]),
        "jitter": laydown.jitter_km,
    }
    numbers |= _angles(core, dt)
    numbers |= {
        "ph": _constants(core),
        "at": At(**role.observation.offsets),
        "info": InfoAt(**role.info.offsets),
    }
    return Params(**numbers, **_unit_tables(core), **_laydown_tables(core))


def _angles(core: Core, dt: float) -> dict[str, Any]:
    """Work out what depends on angles, rates and tables of levels."""
    physics = core.physics
    turns = [physics.air_turn_degrees_s, physics.sea_turn_degrees_s]
    steps = [min(rate * dt, 179.0) * HALF_PI / 90.0 for rate in turns]
    return {
        "angle": np.array([_compass(10.0 * k) for k in range(ANGLES)]),
        "turn": np.array([(cosine(a), sine(a)) for a in steps]),
        "speed_up": np.array([physics.air_acceleration, physics.sea_acceleration]) * dt / 1e3,
        "climb": physics.climb_ms * dt,
        "noise": np.array(physics.noise_km) / math.sqrt(2.0),
        "launch": np.array([physics.launch[1], *physics.launch]),
        "stand_off": np.array([physics.stand_off[1], *physics.stand_off]),
        "cos_cone": _cos(45.0),
        "cos_steer": _cos(physics.steer_degrees),
        "sin_steer": sine(physics.steer_degrees * HALF_PI / 90.0),
        "cos_focus": _cos(physics.focus_degrees),
        "cos_beam": _cos(physics.jam_beam_degrees),
        "cos_lobe": _cos(physics.jam_lobe_degrees),
        "cos_protect": _cos(physics.jam_protect_degrees),
    }


def _cos(degrees: float) -> float:
    return cosine(degrees * HALF_PI / 90.0)


def _compass(degrees: float) -> tuple[float, float]:
    angle = degrees * HALF_PI / 90.0
    return sine(angle), cosine(angle)


def _constants(core: Core) -> Constants:
    given = {name: value for name, value in core.physics if name in Constants._fields}
    return Constants(ground_mast=math.sqrt(core.physics.ground_contact_m), **given)


def _unit_tables(core: Core) -> dict[str, Any]:
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
    """Give a unit's weapons in the order of its slots: longest range first, then by name."""
    reach = {weapon.name: weapon.range_km for weapon in core.weapons}
    return sorted(unit.load, key=lambda name: (-reach[name], name))


def rounds(core: Core, unit: Unit, domains: set[str]) -> int:
    """Count a full load's rounds that can hit one of some domains."""
    hits = {weapon.name: set(weapon.hits) for weapon in core.weapons}
    return sum(number for name, number in unit.load.items() if hits[name] & domains)


def _unit_row(core: Core, unit: Unit) -> list[float]:
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
        rounds(core, unit, {"air"}),
        rounds(core, unit, {"sea", "ground"}),
        max((reach[name] for name in unit.load), default=0.0),
    ]


def static_rows(core: Core) -> np.ndarray:  # float64 [type, feature]
    """Give what never changes of an entity's features, for every type; the rest is 0."""
    rows = np.zeros((len(core.units), len(ENTITY_FEATURES)))
    columns = [ENTITY_FEATURES.index(name) for name in STATIC]
    for kind, unit in enumerate(core.units):
        peers = [other for other in core.units if other.domain == unit.domain]
        most = {name: max(_punch(core, o, name) for o in peers) for name in ("offence", "defence")}
        endurance = max(other.range_km for other in peers)
        radar = max(other.radar_km for other in peers)
        rows[kind, columns] = [
            unit.radar_km > 0.0,
            bool(unit.takes),
            unit.captures,
            unit.jammer,
            *(unit.domain == name for name in DOMAINS),
            rounds(core, unit, {"air"}) > 0,
            rounds(core, unit, {"sea", "ground"}) > 0,
            *(unit.role == name for name in ROLES),
            1.0 - exponential(-unit.value / VALUE_SCALE),
            _root_share(_punch(core, unit, "offence"), most["offence"]),
            _root_share(_punch(core, unit, "defence"), most["defence"]),
            unit.range_km / endurance if unit.range_km else 1.0,
            unit.radar_km / radar if radar else 0.0,
        ]
    return rows


def _punch(core: Core, unit: Unit, kind: str) -> float:
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


def _laydown_tables(core: Core) -> dict[str, Any]:
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
