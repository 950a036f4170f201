"""The parameters of island: tables of units and weapons, an order of battle, and the options."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from mesocosm.config.section import Section
from mesocosm.config.source import parse_yaml
from mesocosm.worlds.island.physics import Physics
from mesocosm.worlds.island.scenario import SLOTS, check

SIDES = ("legacy", "dynasty")
DOMAINS = ("air", "sea", "ground")
ROLES = ("attack", "defense", "support")
HOSES = ("boom", "probe", "deck")
PACKAGES = SLOTS  # of a carrier's wing
DATA = Path(__file__).parent / "data"
Domain = Literal["air", "sea", "ground"]
Hose = Literal["boom", "probe", "deck"]


@cache
def table(name: str) -> Any:
    """Read a file of the data folder."""
    return parse_yaml((DATA / f"{name}.yaml").read_text(encoding="utf-8"))


class Weapon(Section):
    """A kind of missile."""

    name: str = Field(description="the weapon's name")
    hits: list[Domain] = Field(min_length=1, description="what it can be fired at")
    range_km: float = Field(gt=0.0, le=5000.0, description="greatest launch distance")
    speed_ms: float = Field(gt=0.0, le=1e4, description="constant speed")
    kill_prob: float = Field(ge=0.0, le=1.0, description="chance to hit from close by")
    reload_s: float = Field(gt=0.0, le=1e4, description="time between two launches")
    autonomous_km: float = Field(ge=0.0, le=5000.0, description="needs guidance beyond this")
    emitters_only: bool = Field(False, description="hits only what has its radar on")


class Guard(Section):
    """Point defence against missiles."""

    prob: float = Field(0.0, ge=0.0, le=1.0, description="chance to stop a slow missile")
    range_km: float = Field(0.0, ge=0.0, le=500.0, description="what is nearer is defended")
    rounds: int = Field(0, ge=0, le=1000, description="how many times it can try")


class Names(Section):
    """What each side calls a type."""

    legacy: str = Field(description="Legacy's name for it")
    dynasty: str = Field(description="Dynasty's name for it")


class Unit(Section):
    """A type of unit."""

    code: str = Field(description="the type's short name")
    names: Names = Field(description="its names")
    domain: Domain = Field(description="where it moves")
    role: Literal["attack", "defense", "support"] = Field(description="what it is for")
    value: float = Field(ge=0.0, le=1e6, description="what losing it costs a side's strength")
    cruise: float = Field(0.0, ge=0.0, le=1029.0, description="cruise speed in m/s")
    top: float = Field(0.0, ge=0.0, le=1029.0, description="top speed in m/s")
    altitude: float = Field(0.0, ge=0.0, le=20000.0, description="altitude in m while flying")
    range_km: float = Field(0.0, ge=0.0, le=1e5, description="range of a full tank; 0: no limit")
    height_m: float = Field(10.0, ge=0.0, le=1000.0, description="antenna height, if not flying")
    radar_km: float = Field(0.0, ge=0.0, le=5000.0, description="radar range at 5 m2; 0: no radar")
    radar_degrees: Literal[90, 360] = Field(360, description="a cone ahead, or all round")
    rcs_m2: float = Field(gt=0.0, le=1e9, description="echo while its own radar is off")
    hits: int = Field(1, ge=1, le=100, description="how many hits it takes")
    guard: Guard = Field(Guard(), description="point defence")
    load: dict[str, int] = Field(default_factory=dict, description="rounds by weapon")
    fuel_loads: float = Field(0.0, ge=0.0, le=1000.0, description="full tanks it can give away")
    takes: list[Hose] = Field(default_factory=list, description="how it can be refuelled")
    gives: list[Hose] = Field(default_factory=list, description="how it refuels others")
    jammer: bool = Field(False, description="whether it can jam radars")
    captures: bool = Field(False, description="whether it can capture the island")
    carrier: bool = Field(False, description="whether it carries the wing")


class Force(Section):
    """Some units of one type, placed together."""

    unit: str = Field(description="code of the type")
    count: int = Field(ge=1, le=200, description="how many")
    depth: float = Field(ge=-5000.0, le=5000.0, description="km from the island homewards")
    lateral: float = Field(ge=-5000.0, le=5000.0, description="km to the left of the front")
    spread: float = Field(0.0, ge=0.0, le=2000.0, description="km over which they are lined up")


class Package(Section):
    """A part of a carrier's wing that is launched together."""

    unit: str = Field(description="code of the type")
    count: int = Field(ge=1, le=20, description="how many")


class Place(Section):
    """A point as seen by a side."""

    depth: float = Field(ge=-5000.0, le=5000.0, description="km from the island homewards")
    lateral: float = Field(0.0, ge=-5000.0, le=5000.0, description="km to the left of the front")


class Laydown(Section):
    """Who stands where at the start; the other side stands turned by 180 degrees."""

    base: Place = Field(description="the home base")
    jitter_km: float = Field(ge=0.0, le=500.0, description="random shift of every unit, each way")
    forces: list[Force] = Field(min_length=1, description="what each side has")
    dynasty: list[Force] | None = Field(None, description="what Dynasty has instead, if it differs")
    wing: list[Package] = Field(
        default_factory=list, max_length=PACKAGES, description="what each carrier can launch"
    )


class Shaping(Section):
    """Weights of the reward terms that are not the result; 0 leaves only the result."""

    losses: float = Field(0.0, ge=0.0, le=1000.0, description="cost of losing all one's strength")
    kills: float = Field(0.0, ge=0.0, le=1000.0, description="worth of all the enemy's strength")
    capture: float = Field(0.0, ge=0.0, le=1000.0, description="worth of a whole capture")


class Core(Section):
    """A war over one island."""

    max_entities: int = Field(60, ge=2, le=200, description="ids per side")
    max_target_groups: int = Field(20, ge=1, le=60, description="ids of enemy groups")
    max_missiles: int = Field(160, ge=8, le=1000, description="missiles in flight per side")
    orders_per_step: int = Field(1, ge=1, le=8, description="orders a side gives per step")
    max_steps: int = Field(720, ge=1, le=100_000, description="length of an episode")
    step_seconds: float = Field(10.0, gt=0.0, le=60.0, description="time of a step")
    substeps: int = Field(5, ge=1, le=20, description="parts of a step in which things move")
    map_km: float = Field(1200.0, ge=50.0, le=5000.0, description="side of the square map")
    grid: int = Field(50, ge=4, le=100, description="cells along a side, for orders")
    island_x: float = Field(0.0, ge=-2500.0, le=2500.0, description="km east of the map's centre")
    island_y: float = Field(0.0, ge=-2500.0, le=2500.0, description="km north of the map's centre")
    capture_required_seconds: float = Field(
        600.0, gt=0.0, le=1e5, description="how long a settler must stay on the island"
    )
    capture_mode: Literal["victory", "hold"] = Field(
        "victory", description="a capture wins at once, or if the episode's time runs out"
    )
    victory_force_ratio: float = Field(
        3.0, gt=1.0, le=100.0, description="strength over the enemy's that wins"
    )
    kill_settlers: bool = Field(False, description="whether losing all settlers loses the war")
    timeout_rule: Literal["draw", "force_ratio"] = Field(
        "draw", description="what the end of time means: a draw, or the stronger side wins"
    )
    bingo: bool = Field(True, description="whether aircraft low on fuel turn home by themselves")
    scoreboard: Literal["full", "confirmed"] = Field(
        "full", description="whether sides know all losses, or only those that they saw"
    )
    ego_flag: bool = Field(False, description="flag values mean mine and theirs, not the sides")
    mirror_view: bool = Field(False, description="Dynasty sees, and orders, turned by 180 degrees")
    quantize_positions: bool = Field(False, description="positions are seen as cells")
    win_reward: float = Field(100.0, ge=0.0, le=1e6, description="reward of a victory")
    shaping: Shaping = Field(Shaping(), description="weights of the other reward terms")
    units: list[Unit] = Field(
        default_factory=lambda: [Unit.model_validate(row) for row in table("units")],
        min_length=1,
        max_length=40,
        description="the types of units",
    )
    weapons: list[Weapon] = Field(
        default_factory=lambda: [Weapon.model_validate(row) for row in table("weapons")],
        min_length=1,
        max_length=60,
        description="the weapons",
    )
    physics: Physics = Field(
        default_factory=lambda: Physics.model_validate(table("physics")),
        description="the constants of the model",
    )
    laydown: Laydown = Field(
        default_factory=lambda: Laydown.model_validate(table("standard")),
        description="who stands where",
    )

    @field_validator("physics", "laydown", mode="before")
    @classmethod
    def _complete(cls, given: Any, info: ValidationInfo) -> Any:
        """Let a config change one constant, or one thing about the standard order of battle."""
        if not isinstance(given, Mapping) or "forces" in given:
            return given
        return table("physics" if info.field_name == "physics" else "standard") | dict(given)

    @model_validator(mode="after")
    def _check(self) -> Self:
        check(self)
        return self

    def forces_of(self, side: int) -> list[Force]:
        """List what a side has at the start."""
        other = self.laydown.dynasty if side == 1 else None
        return self.laydown.forces if other is None else other
