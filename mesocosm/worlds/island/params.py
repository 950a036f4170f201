"""What rules read of the config: one read-only record of numbers and tables."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.sim.maths import HALF_PI, cosine, sine
from mesocosm.worlds.island.config import Core
from mesocosm.worlds.island.declare import ANGLES, DEGREES_PER_ANGLE, At, InfoAt
from mesocosm.worlds.island.state import num_bins
from mesocosm.worlds.island.tables import laydown_tables, unit_tables

# columns of `turn`, entries of `shaping`
TURN_COS, TURN_SIN = range(2)
SHAPE_LOSSES, SHAPE_KILLS, SHAPE_CAPTURE = range(3)
CONE_DEGREES = 90.0  # width of a directional radar's view


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


def params(core: Core, spec: Spec) -> Params:
    """Turn the config into what rules read."""
    role, physics = spec.all_roles[0], core.physics
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
    return Params(**numbers, **unit_tables(core), **laydown_tables(core))


def _angles(core: Core, dt: float) -> dict[str, Any]:
    """Work out what depends on angles, rates and tables of levels."""
    physics = core.physics
    turns = [physics.air_turn_degrees_s, physics.sea_turn_degrees_s]
    steps = [min(rate * dt, 179.0) * HALF_PI / 90.0 for rate in turns]
    return {
        "angle": np.array([_compass(DEGREES_PER_ANGLE * k) for k in range(ANGLES)]),
        "turn": np.array([(cosine(a), sine(a)) for a in steps]),
        "speed_up": np.array([physics.air_acceleration, physics.sea_acceleration]) * dt / 1e3,
        "climb": physics.climb_ms * dt,
        "noise": np.array(physics.noise_km) / math.sqrt(2.0),
        "launch": np.array([physics.launch[1], *physics.launch]),
        "stand_off": np.array([physics.stand_off[1], *physics.stand_off]),
        "cos_cone": _cos(CONE_DEGREES / 2.0),
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
