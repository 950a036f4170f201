"""What island declares: features, orders, rewards, endings, events and handles."""

from typing import Any

from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout, Read, offsets_class
from mesocosm.core.spec import (
    Conflict,
    Effect,
    EventKind,
    Link,
    Reason,
    Role,
    Spec,
    Term,
    Tunable,
    codes,
)
from mesocosm.worlds.island.config import DOMAINS, PACKAGES, SIDES, Core, table
from mesocosm.worlds.island.scenario import SLOTS
from mesocosm.worlds.island.state import ACTIVE, DYNASTY, LEGACY, fields

ORDERS = (
    "noop", "move", "engage", "stealth", "sense", "capture", "return", "refuel", "jam", "spawn",
)  # fmt: skip
NOOP, MOVE, ENGAGE_ORDER, STEALTH, SENSE, CAPTURE_ORDER, RTB, REFUEL_ORDER, JAM, SPAWN = range(10)
USAGES = ("tight", "selective", "free")
TIGHT, SELECTIVE, FREE = range(3)
LEVELS = ("defensive", "cautious", "assertive", "offensive")
DEFENSIVE, CAUTIOUS, ASSERTIVE, OFFENSIVE = range(4)
AXES, ANGLES = 37, 36  # options of a patrol's axes, and of its direction
DEGREES_PER_ANGLE = 10
PARTS = (
    "action_type", "entity_id", "move_center_grid", "move_short_axis_km", "move_long_axis_km",
    "move_axis_angle", "target_group_id", "weapon_selection", "weapon_usage", "weapon_engagement",
    "stealth_enabled", "sensing_position_grid", "refuel_target_id", "entity_to_protect_id",
    "jam_target_grid", "spawn_component_idx",
)  # fmt: skip
(
    TYPE, ENTITY, CENTRE, SHORT, LONG, ANGLE, GROUP, SELECTION, USAGE, LEVEL, SILENT, FOCUS,
    TANKER, PROTECT, JAM_CELL, COMPONENT,
) = range(16)  # fmt: skip
USED_WITH = {
    "entity_id": ORDERS[1:],
    "move_center_grid": ("move",),
    "move_short_axis_km": ("move",),
    "move_long_axis_km": ("move",),
    "move_axis_angle": ("move",),
    "target_group_id": ("engage",),
    "weapon_selection": ("engage",),
    "weapon_usage": ("engage",),
    "weapon_engagement": ("engage",),
    "stealth_enabled": ("stealth",),
    "sensing_position_grid": ("sense",),
    "refuel_target_id": ("refuel",),
    "entity_to_protect_id": ("jam",),
    "jam_target_grid": ("jam",),
    "spawn_component_idx": ("spawn",),
}
MASKED = ("action_type", "entity_id", "target_group_id", "refuel_target_id", "spawn_component_idx")
GLOBALS = (
    "time_remaining_norm", "my_casualties_norm", "enemy_casualties_norm", "force_ratio_norm",
    "capture_progress_norm", "capture_possible_flag", "enemy_capture_progress_norm",
    "flag_faction", "enemy_capture_possible_flag", "island_center_x_norm", "island_center_y_norm",
)  # fmt: skip
ENTITY_FEATURES = (
    "can_engage", "can_sense", "can_refuel", "can_refuel_others", "can_capture", "has_jammer",
    "has_parent", "domain_air", "domain_sea", "domain_ground",
    "grid_x", "grid_y", "heading_sin", "heading_cos", "speed_norm", "altitude_norm", "manoeuver",
    "distance_to_island_norm", "bearing_to_island_norm",
    "health_ok", "radar_on", "radar_focus_grid_norm", "fuel_norm", "is_refueling",
    "has_reached_base", "estimated_range_left_norm",
    "has_air_weapons", "has_surface_weapons", "air_ammo_norm", "surface_ammo_norm",
    "currently_engaging", "shots_fired_this_commit", "target_range_norm", "target_bearing_norm",
    "target_domain_air", "target_domain_surface", "target_domain_land", "time_until_shoot_norm",
    "weapons_tight", "weapons_selective", "weapons_free", "engagement_level_norm", "is_idle",
    "role_attack", "role_defense", "role_support", "meta_value_norm", "offensive", "defensive",
    "endurance", "scouting", "ability_active",
)  # fmt: skip
GROUP_FEATURES = (
    "is_detected", "domain_air", "domain_sea", "domain_ground", "grid_x", "grid_y", "velocity_x",
    "velocity_y", "speed_norm", "heading_norm", "entity_count_norm", "distance_to_island_norm",
)  # fmt: skip
REASONS = (
    Reason("legacy_win", "neutral", "Legacy won the war", winner="legacy"),
    Reason("dynasty_win", "neutral", "Dynasty won the war", winner="dynasty"),
    Reason("draw", "neutral", "both sides won in the same step"),
    Reason("time_limit", "timeout", "nobody won in time", truncates=True),
    Reason("captured_island", "success", "my settlers held the island long enough"),
    Reason("lost_island", "failure", "the enemy captured the island"),
    Reason("outmatched_enemy", "success", "my strength is so many times the enemy's"),
    Reason("outmatched", "failure", "the enemy's strength is so many times mine"),
    Reason("killed_settlers", "success", "the enemy has no settlers left"),
    Reason("lost_settlers", "failure", "no settlers are left to me"),
    Reason("stronger_in_the_end", "success", "time is up, and I am the better off"),
    Reason("weaker_in_the_end", "failure", "time is up, and the enemy is the better off"),
)
(
    LEGACY_WIN, DYNASTY_WIN, DRAW, TIME_LIMIT, CAPTURED, ISLAND_LOST, OUTMATCHES, OUTMATCHED,
    KILLED_SETTLERS, SETTLERS_GONE, STRONGER, WEAKER,
) = codes(REASONS, 1)  # fmt: skip
_AT_ENEMY: dict[str, Any] = {"target": "agent"}
EVENTS = (
    EventKind("shot", "side {actor} fired at unit {value:.0f} of side {target}", **_AT_ENEMY),
    EventKind("hit", "side {actor} hit unit {value:.0f} of side {target}", **_AT_ENEMY),
    EventKind("kill", "side {target} lost unit {value:.0f} in sight of side {actor}", **_AT_ENEMY),
    EventKind("out_of_fuel", "unit {value:.0f} of side {actor} fell for want of fuel"),
    EventKind("contact", "side {actor} found unit {value:.0f} of side {target}", **_AT_ENEMY),
    EventKind(
        "contact_lost", "side {actor} lost sight of unit {value:.0f} of side {target}", **_AT_ENEMY
    ),
    EventKind("capture_started", "side {actor} began to capture the island"),
    EventKind("capture_ended", "side {actor} stopped capturing (done: {value:.0f})"),
    EventKind("spawned", "unit {value:.0f} of side {actor} took off from its carrier"),
    EventKind("order_refused", "an order of side {actor} to unit {value:.0f} was invalid"),
)
(
    SHOT, HIT, KILL, OUT_OF_FUEL, CONTACT, CONTACT_LOST, CAPTURE_STARTED, CAPTURE_ENDED, SPAWNED,
    ORDER_REFUSED,
) = codes(EVENTS)  # fmt: skip
TERMS = ("outcome", "losses", "kills", "capture")
OUTCOME_TERM, LOSSES_TERM, KILLS_TERM, CAPTURE_TERM = range(4)
LINKS = (Link("fire", "hp", "firing at the enemy"),)
FIRE_LINK = 0
RADAR_SCALE, JAM_SCALE, HIT_SCALE, BURN_SCALE = range(4)
SENSING, ACCURACY, SPEED = range(3)
_UNIT_READS = (
    "kind", "hp", "pos", "altitude", "heading", "speed", "fuel", "pool", "ammo", "radar", "focus",
    "manoeuver", "target", "usage", "level", "shots", "aim", "partner", "jam", "timer", "parent",
    "landed", "threat", "num_units",
)  # fmt: skip


def _glosses(name: str) -> tuple[str, ...]:
    """Return what the entries of a feature mean, in their order."""
    labels = ENTITY_FEATURES if name == "entities" else GROUP_FEATURES
    return tuple(table("features")[name][label] for label in labels)


def features(core: Core) -> tuple[Feature, ...]:
    """Declare what a side sees, in the order of its observation."""
    full = core.scoreboard == "full"
    seen: dict[str, Any] = {"visibility": "public"}
    flag = (Read("flag_owner"), Read("capturing"))
    saw = Read("confirmed", "self")
    lost = Read("casualties") if full else saw
    ratio = (Read("strength"),) if full else (Read("strength", "self"), saw)
    theirs = (*flag, Read("settlers") if full else saw)
    score: dict[str, Any] = {"visibility": "public" if full else "private"}
    units = tuple(Read(name, "self") for name in (*_UNIT_READS, "group", "group_state"))
    names = dict(zip(GLOBALS, _GLOBAL_MEANINGS, strict=True))
    reads: dict[str, tuple[Read, ...]] = {
        "time_remaining_norm": (Read("clock"),),
        "my_casualties_norm": (Read("casualties", "self"),),
        "enemy_casualties_norm": (lost,),
        "force_ratio_norm": ratio,
        "capture_progress_norm": (Read("capture_progress", "self"),),
        "capture_possible_flag": (*flag, Read("settlers", "self")),
        "enemy_capture_progress_norm": (Read("capture_progress"),),
        "flag_faction": (Read("flag_owner"),),
        "enemy_capture_possible_flag": theirs,
    }
    scored = ("enemy_casualties_norm", "force_ratio_norm", "enemy_capture_possible_flag")
    return (
        *(
            Feature(name, names[name], reads=reads.get(name, ()),
                    **(score if name in scored else seen))
            for name in GLOBALS
        ),
        Feature(
            "entities", "my units, by id", (core.max_entities, len(ENTITY_FEATURES)),
            labels=ENTITY_FEATURES, glosses=_glosses("entities"), reads=units, table=True,
        ),
        Feature(
            "groups", "enemy groups as I know them, by id",
            (core.max_target_groups, len(GROUP_FEATURES)), labels=GROUP_FEATURES,
            glosses=_glosses("groups"), reads=(Read("group", "self"),), table=True,
        ),
    )  # fmt: skip


_GLOBAL_MEANINGS = (
    "share of the time that remains",
    "my losses, over all ids",
    "the enemy's losses, over all ids",
    "my strength over the enemy's, over the ratio that wins",
    "how far my capture of the island is",
    "whether I can begin to capture it",
    "how far the enemy's capture is",
    "who holds the island: 0 nobody, 0.33 Legacy, 0.66 Dynasty",
    "whether the enemy can begin to capture it",
    "where the island is, west to east",
    "where the island is, south to north",
)


def info_features(core: Core) -> tuple[Feature, ...]:
    """Declare what a side is told outside the tensor."""
    n, groups = core.max_entities, core.max_target_groups
    full = core.scoreboard == "full"
    flag = (Read("flag_owner"), Read("capturing"))
    saw = Read("confirmed", "self")
    mine = {name: Read(name, "self") for name in (*_UNIT_READS, "wing", "group_state", "group")}
    pumps = tuple(mine[name] for name in ("kind", "hp", "pool", "manoeuver", "landed"))
    able = (*pumps, *flag, *(mine[n] for n in ("ammo", "timer", "wing", "group", "group_state")))
    able += (mine["num_units"],)
    seen: dict[str, Any] = {"visibility": "public"}
    here: dict[str, Any] = {"low": -1.0, "absent": -1.0}
    return (
        Feature("steps", "steps played", high=core.max_steps, reads=(Read("clock"),), **seen),
        Feature("flag", "who holds the island, 1 + side", high=2, reads=flag[:1], **seen),
        Feature("capturer", "who is capturing, 1 + side", high=2, reads=flag[1:], **seen),
        Feature("lost", "my losses", high=n, reads=(Read("casualties", "self"),)),
        Feature("enemy_lost", "the enemy's losses", high=n,
                reads=(Read("casualties") if full else saw,)),
        Feature("force_ratio", "my strength over the enemy's", high=1e3,
                reads=(Read("strength"),) if full else (Read("strength", "self"), saw)),
        Feature("seconds", "my time on the island", high=core.capture_required_seconds, unit="s",
                reads=(Read("capture_progress", "self"),)),
        Feature("enemy_seconds", "the enemy's time there", high=core.capture_required_seconds,
                unit="s", reads=(Read("capture_progress"),), **seen),
        Feature("settlers_left", "my settlers", high=n, reads=(Read("settlers", "self"),)),
        Feature("enemy_settlers_left", "the enemy's settlers", high=n,
                reads=(Read("settlers") if full else saw,)),
        Feature("unnumbered", "clusters without a number", high=n,
                reads=(Read("hidden_groups", "self"),)),
        Feature("refused", "invalid orders of my last step", high=8,
                reads=(Read("refused", "self"),)),
        Feature("kinds", "types of my units", (n,), high=len(core.units) - 1,
                reads=(mine["kind"],), **here),
        Feature("health", "share of hits left", (n,), reads=(mine["kind"], mine["hp"])),
        Feature("orders", "bits of the orders each unit can take", (n,), high=1023, reads=able),
        Feature("weapons", "loaded weapons by domain", (n, len(DOMAINS)), high=SLOTS,
                reads=(mine["kind"], mine["hp"], mine["ammo"]), labels=DOMAINS),
        Feature("hoses", "bits of taking, and of giving fuel", (n, 2), high=7,
                reads=pumps, labels=("takes", "gives")),
        Feature("packages", "what a carrier can still launch", (n,), high=PACKAGES,
                reads=(mine["kind"], mine["hp"], mine["wing"])),
        Feature("threats", "missiles close to each unit", (n,), high=core.max_missiles,
                reads=(mine["threat"], mine["kind"], mine["hp"])),
        Feature("contacts", "state of each group's number", (groups,), high=ACTIVE,
                reads=(mine["group_state"],)),
    )  # fmt: skip


def _choice(core: Core, name: str, number: int) -> Choice:
    ids = tuple(str(k) for k in range(core.max_entities))
    cells = tuple(str(k) for k in range(core.grid**2))
    cell = core.map_km / core.grid
    axes = tuple(f"{cell * (2.0 + k / 2.0):g}" for k in range(AXES))
    options: dict[str, tuple[str, ...]] = {
        "action_type": ORDERS,
        "entity_id": ids,
        "move_center_grid": cells,
        "move_short_axis_km": axes,
        "move_long_axis_km": axes,
        "move_axis_angle": tuple(str(DEGREES_PER_ANGLE * k) for k in range(ANGLES)),
        "target_group_id": tuple(str(k) for k in range(core.max_target_groups)),
        "weapon_selection": tuple(str(k) for k in range(2**SLOTS - 1)),
        "weapon_usage": USAGES,
        "weapon_engagement": LEVELS,
        "stealth_enabled": ("radar on", "radar off"),
        "sensing_position_grid": (*cells, "none"),
        "refuel_target_id": ids,
        "entity_to_protect_id": ids,
        "jam_target_grid": (*cells, "off"),
        "spawn_component_idx": tuple(str(k) for k in range(PACKAGES)),
    }
    suffix = "" if number == 0 else f"_{number + 1}"
    return Choice(
        name + suffix, options[name], _PART_MEANINGS[name], masked=name in MASKED, enforced=False,
        reads=_mask_reads().get(name, ()),
        option_reads=_order_reads() if name == "action_type" else {},
        used_with={f"action_type{suffix}": USED_WITH[name]} if name in USED_WITH else {},
    )  # fmt: skip


def _order_reads() -> dict[str, tuple[Read, ...]]:
    """List what decides whether some unit can take each order."""
    unit = ("kind", "hp")
    fuel = (*unit, "pool", "manoeuver", "landed", "num_units")
    able: dict[str, tuple[str, ...]] = {
        "move": unit,
        "engage": (*unit, "ammo", "group", "group_state"),
        "stealth": unit,
        "sense": unit,
        "capture": unit,
        "return": (*unit, "manoeuver"),
        "refuel": fuel,
        "jam": (*unit, "num_units"),
        "spawn": (*unit, "wing", "timer"),
    }
    made = {order: tuple(Read(name, "self") for name in names) for order, names in able.items()}
    return made | {"capture": (*made["capture"], Read("flag_owner"))}


def _mask_reads() -> dict[str, tuple[Read, ...]]:
    """List what the masks of parts depend on."""
    orders = _order_reads()
    pumps = ("kind", "hp", "pool", "manoeuver", "landed")
    return {
        "entity_id": tuple(dict.fromkeys(read for reads in orders.values() for read in reads)),
        "target_group_id": (Read("group_state", "self"),),
        "refuel_target_id": tuple(Read(name, "self") for name in pumps),
        "spawn_component_idx": orders["spawn"],
    }


_PART_MEANINGS = {
    "action_type": "what to order; whatever else the order does not need is ignored",
    "entity_id": "whom",
    "move_center_grid": "where the patrol is, as row times the grid's side plus column",
    "move_short_axis_km": "its width",
    "move_long_axis_km": "its length",
    "move_axis_angle": "where its long axis points, in degrees from north",
    "target_group_id": "whom to engage",
    "weapon_selection": "bits of the loaded weapons that can hit it, less one",
    "weapon_usage": "how freely to fire",
    "weapon_engagement": "how close to go",
    "stealth_enabled": "whether to switch the radar off",
    "sensing_position_grid": "where the radar looks",
    "refuel_target_id": "which tanker to go to",
    "entity_to_protect_id": "whom to screen",
    "jam_target_grid": "where to jam",
    "spawn_component_idx": "which package to launch, among those not launched yet",
}


At = offsets_class("At", features(Core()), __name__)
InfoAt = offsets_class("InfoAt", info_features(Core()), __name__)


def _role(core: Core, side: int) -> Role:
    numbers = range(core.orders_per_step)
    shaping, win = core.shaping, core.win_reward
    return Role(
        SIDES[side],
        1,
        Layout(features(core)),
        ActionSpec(tuple(_choice(core, name, number) for number in numbers for name in PARTS)),
        terms=(
            Term("outcome", -win, win, "victory or defeat", "terminal"),
            Term("losses", -shaping.losses, 0.0, "own strength lost in this step"),
            Term("kills", 0.0, shaping.kills, "enemy strength lost in this step"),
            Term("capture", -shaping.capture, shaping.capture, "progress of the capture"),
        ),
        info=Layout(info_features(core), dtype="float64"),
        events=tuple(event.name for event in EVENTS),
        meaning=f"commands the forces of {SIDES[side].capitalize()}",
    )


def spec(core: Core) -> Spec:
    """Declare everything about island for these parameters."""
    tie = "who comes first; at once, who has more settlers there; else nobody"
    return Spec(
        world="island",
        version=1,
        all_roles=(_role(core, LEGACY), _role(core, DYNASTY)),
        fields=fields(core),
        reasons=REASONS,
        events=EVENTS,
        conflicts=(Conflict("capture", "the island", tie),),
        links=LINKS,
        tunables=(
            Tunable("radar_scale", 1.0, 0.1, 2.0, "multiplies the range of all radars"),
            Tunable("jam_scale", 1.0, 0.0, 10.0, "multiplies the power of jammers"),
            Tunable("hit_scale", 1.0, 0.0, 1.5, "multiplies kill probabilities"),
            Tunable("burn_scale", 1.0, 0.0, 4.0, "multiplies the use of fuel"),
        ),
        effects=(
            Effect("sensing", "multiplies the range of a side's radars"),
            Effect("accuracy", "multiplies a side's kill probabilities"),
            Effect("speed", "multiplies the speed of a side's units"),
        ),
        invalid="noop",
    )
