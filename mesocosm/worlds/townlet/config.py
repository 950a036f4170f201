"""The parameters of townlet: tables of meters, affordances, cascades and cues, and the level."""

from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from mesocosm.config.section import Section
from mesocosm.config.source import parse_yaml
from mesocosm.core.errors import hint

ACTIONS = ("UP", "DOWN", "LEFT", "RIGHT", "INTERACT", "WAIT", "SET_COMM_CHANNEL")
METERS = ("energy", "satiation", "mood", "hygiene", "social", "fitness", "health", "money")
NUM_METERS = len(METERS)
DAY = 24  # hours
MAX_CONDITIONS = 4  # of a cue
# how a cue may compare a meter: the key of a condition, and what it means
COMPARISONS = {"below": "<", "at_most": "<=", "above": ">", "at_least": ">=", "equals": "=="}
# what the levels add: up to 3 the whole town is seen, from 6 on other people, at 8 families
LAST_FULL_VIEW, FIRST_SOCIAL, FAMILY_LEVEL = 3, 6, 8
DATA = Path(__file__).parent / "data"


@cache
def _table(name: str) -> Any:
    return parse_yaml((DATA / f"{name}.yaml").read_text(encoding="utf-8"))


class Meter(Section):
    """One of the eight bars of a life."""

    name: str = Field(description="the meter's name")
    initial: float = Field(ge=0.0, le=1.0, description="value at birth")
    decay: float = Field(ge=0.0, le=1.0, description="lost per tick, times the difficulty")
    lethal: bool = Field(description="whether reaching 0 kills")


class Cascade(Section):
    """A low source drags its target down."""

    source: str = Field(description="the meter that is low")
    target: str = Field(description="the meter that suffers")
    strength: float = Field(ge=0.0, le=1.0, description="lost per tick when the source is 0")
    threshold: float = Field(gt=0.0, le=1.0, description="the source hurts below this")


class Affordance(Section):
    """A place where something can be done."""

    name: str = Field(description="the place's name")
    opens: int = Field(ge=0, le=23, description="first hour")
    closes: int = Field(ge=1, le=47, description="hour of closing; above 24 is the next morning")
    capacity: int = Field(ge=0, le=1024, description="users at once; 0 is any number")
    cost: float = Field(ge=0.0, le=1.0, description="money, when time rules are off")
    effects: dict[str, float] = Field(description="meter to change, when time rules are off")
    ticks: int = Field(ge=1, le=100, description="length of the whole interaction")
    tick_cost: float = Field(ge=0.0, le=1.0, description="money per tick")
    tick_effects: dict[str, float] = Field(description="meter to change per tick")
    bonus: dict[str, float] = Field(description="meter to change on the last tick, in addition")


class Condition(Section):
    """One thing that must hold for a cue; a cue with several needs them all."""

    meter: str | None = Field(None, description="threshold: the meter that is compared")
    below: float | None = Field(None, ge=0.0, le=1.0, description="the meter is < this")
    at_most: float | None = Field(None, ge=0.0, le=1.0, description="the meter is <= this")
    above: float | None = Field(None, ge=0.0, le=1.0, description="the meter is > this")
    at_least: float | None = Field(None, ge=0.0, le=1.0, description="the meter is >= this")
    equals: float | None = Field(None, ge=0.0, le=1.0, description="the meter is == this, exactly")
    at: str | None = Field(None, description="location: standing on this affordance")
    action: str | None = Field(None, description="action pattern: what was done")
    times: int | None = Field(None, ge=1, le=8, description="in each of this many last ticks")

    @property
    def threshold(self) -> tuple[str, float]:
        """How a meter is compared, and with what."""
        return next((name, getattr(self, name)) for name in COMPARISONS if name in self._compares)

    @property
    def _compares(self) -> list[str]:
        return [name for name in COMPARISONS if getattr(self, name) is not None]

    @model_validator(mode="after")
    def _check(self) -> Self:
        kinds = [self.meter is not None, self.at is not None, self.action is not None]
        if sum(kinds) != 1:
            raise ValueError("a condition has exactly one of meter, at, action")
        if len(self._compares) != (self.meter is not None):
            known = ", ".join(f"{name} ({sign})" for name, sign in COMPARISONS.items())
            got = ", ".join(self._compares) or "none"
            what = f"condition on {self.meter or self.at or self.action}"
            if self.meter is None:
                raise ValueError(f"{what}: only a meter is compared, got {got}")
            raise ValueError(f"{what}: needs one of {known}, got {got}")
        if self.action is not None and self.times is None:
            raise ValueError(f"condition on action {self.action}: needs times")
        return self


class Cue(Section):
    """Something that others can read off a person."""

    name: str = Field(description="the cue's name")
    priority: int = Field(ge=1, le=5, description="higher ones are shown first")
    visibility: Literal["public", "family", "private"] = Field(
        description="who may read it: everybody near, the family among them, nobody"
    )
    distance: int = Field(ge=0, le=64, description="how far it can be read, within vision")
    when: list[Condition] = Field(
        min_length=1, max_length=MAX_CONDITIONS, description="all must hold"
    )


class Family(Section):
    """How families form, grow and end (level 8)."""

    marry_age: float = Field(0.2, ge=0.0, le=1.0, description="of a lifespan, to marry or breed")
    leave_age: float = Field(0.3, ge=0.0, le=1.0, description="of a lifespan, when a child leaves")
    performance: float = Field(0.6, ge=0.0, le=1.0, description="share of the best that may breed")
    marry_prob: float = Field(0.05, ge=0.0, le=1.0, description="per tick, when two free ones meet")
    breed_prob: float = Field(0.05, ge=0.0, le=1.0, description="per tick, for an eligible couple")
    inheritance: Literal["meritocratic", "dynasty"] = Field(
        "meritocratic", description="nothing, or the dead parent's money"
    )
    cull: bool = Field(False, description="make room for a child by the death of the worst off")
    refill: bool = Field(True, description="let strangers move into slots that stay empty")
    refill_ticks: int = Field(24, ge=1, le=100_000, description="ticks before a stranger moves in")


class Core(Section):
    """A town, its people and its rules."""

    level: int = Field(3, ge=0, le=8, description="what people see: the curriculum level")
    num_agents: int = Field(1, ge=1, le=1024, description="residents")
    grid_size: int = Field(5, ge=2, le=128, description="cells on each side of the town")
    vision_range: int = Field(2, ge=1, le=7, description="cells seen in each direction")
    visibility_metric: Literal["manhattan", "chebyshev"] = Field(
        "manhattan", description="how the distance to other people is measured"
    )
    max_visible_agents: int = Field(5, ge=1, le=64, description="slots for other people")
    max_family_size: int = Field(3, ge=1, le=16, description="slots for family signals")
    include_family_ids: bool = Field(False, description="whether members' ids are seen (level 8)")
    temporal: bool = Field(False, description="whether time passes and interactions take ticks")
    lifespan: int = Field(200, ge=1, le=1_000_000, description="age of retirement in ticks")
    max_steps: int = Field(200, ge=1, le=1_000_000, description="length of an episode")
    difficulty: float = Field(1.0, ge=0.0, le=10.0, description="multiplies passive decay")
    layout: Literal["fixed", "random"] = Field("fixed", description="one map, or one per episode")
    layout_seed: int = Field(0, ge=0, le=2**31, description="which map, if it is fixed")
    move_energy: float = Field(0.005, ge=0.0, le=1.0, description="energy a move costs")
    move_hygiene: float = Field(0.003, ge=0.0, le=1.0, description="hygiene a move costs")
    move_satiation: float = Field(0.004, ge=0.0, le=1.0, description="satiation a move costs")
    wait_energy: float = Field(0.001, ge=0.0, le=1.0, description="energy waiting costs")
    payment_slack: float = Field(
        1e-9, ge=0.0, le=1e-3, description="money that may lack, so that rounding costs no payment"
    )
    goal_survival: float = Field(
        0.3, ge=0.0, le=1.0, description="survival is the goal below this energy or health"
    )
    goal_social: float = Field(0.3, ge=0.0, le=1.0, description="company is, below this social")
    fitness_base: float = Field(0.001, ge=0.0, le=1.0, description="health lost per tick, scale")
    fitness_low: float = Field(0.5, ge=0.0, le=10.0, description="times this when fit")
    fitness_span: float = Field(2.5, ge=0.0, le=10.0, description="and this more when unfit")
    retirement_bonus: float = Field(1.0, ge=0.0, le=100.0, description="reward for retiring")
    terminal_score: Literal["none", "capitalist", "balanced", "hedonist"] = Field(
        "none", description="the value system of a score at the end of a life"
    )
    early_death_factor: float = Field(0.1, ge=0.0, le=1.0, description="the score, if not retired")
    max_cues: int = Field(3, ge=0, le=12, description="cues shown by one person at once")
    deployed: list[str] = Field(description="affordances in town; the vocabulary is the table")
    shown_cues: list[str] = Field([], description="cues of this level, in the order seen")
    meters: list[Meter] = Field(
        default_factory=lambda: _models(Meter, "meters"),
        description="the eight bars, in the order seen",
    )
    cascades: list[Cascade] = Field(
        default_factory=lambda: _models(Cascade, "cascades"),
        description="which low meters hurt which, in order",
    )
    affordances: list[Affordance] = Field(
        default_factory=lambda: _models(Affordance, "affordances"),
        description="the vocabulary of places",
    )
    cues: list[Cue] = Field(
        default_factory=lambda: _models(Cue, "cues"), description="the vocabulary of cues"
    )
    family: Family = Field(Family(), description="families (level 8)")

    @property
    def has_full_view(self) -> bool:
        """Whether residents see the whole town, not a window of it."""
        return self.level <= LAST_FULL_VIEW

    @property
    def is_social(self) -> bool:
        """Whether residents see each other."""
        return self.level >= FIRST_SOCIAL

    @property
    def has_families(self) -> bool:
        """Whether residents marry, breed and hear their families."""
        return self.level == FAMILY_LEVEL

    @property
    def family_reads(self) -> bool:
        """Whether some cue of the level is for families."""
        return any(cue.visibility == "family" for cue in self.cues if cue.name in self.shown_cues)

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [meter.name for meter in self.meters]
        if tuple(names) != METERS:
            raise ValueError(f"meters must be {', '.join(METERS)} in this order, got {names}")
        _check_tables(self)
        _check_places(self)
        if self.has_families and self.max_family_size < 2:
            raise ValueError("max_family_size must be at least 2 at level 8, or nobody is heard")
        if not self.is_social and self.num_agents > 1:
            raise ValueError(f"level {self.level} is a town of one; set num_agents to 1")
        return self


def _models(kind: type[Section], name: str) -> list[Any]:
    """Read a table of the data folder: the schema's default."""
    return [kind.model_validate(row) for row in _table(name)]


def _known(where: str, name: str, allowed: list[str] | tuple[str, ...]) -> None:
    if name not in allowed:
        raise ValueError(f"{where}: no {name!r}.{hint(name, allowed)}")


def _unique(where: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{where}: {name!r} stands twice")


def _check_tables(core: Core) -> None:
    """Require every name in a table to exist."""
    places = [place.name for place in core.affordances]
    for k, cascade in enumerate(core.cascades):
        _known(f"cascades.{k}.source", cascade.source, METERS)
        _known(f"cascades.{k}.target", cascade.target, METERS)
    for place in core.affordances:
        for kind in ("effects", "tick_effects", "bonus"):
            for meter in getattr(place, kind):
                _known(f"affordances.{place.name}.{kind}", meter, METERS)
        if place.closes <= place.opens or place.closes - place.opens > DAY:
            raise ValueError(
                f"affordances.{place.name}: hours {place.opens} to {place.closes} overlap "
                "themselves or are empty; closes must be 1 to 24 hours after opens"
            )
    for cue in core.cues:
        for condition in cue.when:
            if condition.meter is not None:
                _known(f"cues.{cue.name}", condition.meter, METERS)
            if condition.at is not None:
                _known(f"cues.{cue.name}", condition.at, places)
            if condition.action is not None:
                _known(f"cues.{cue.name}", condition.action, ACTIONS)


def _check_places(core: Core) -> None:
    """Require the lists of a level to name what the tables have, and to fit the town."""
    _unique("affordances", [place.name for place in core.affordances])
    _unique("cues", [cue.name for cue in core.cues])
    _unique("deployed", core.deployed)
    _unique("shown_cues", core.shown_cues)
    for name in core.deployed:
        _known("deployed", name, [place.name for place in core.affordances])
    for name in core.shown_cues:
        _known("shown_cues", name, [cue.name for cue in core.cues])
    cells = core.grid_size**2
    if len(core.deployed) >= cells:
        raise ValueError(f"{len(core.deployed)} affordances do not fit {cells} cells")
    if core.shown_cues and not core.is_social:
        raise ValueError(f"level {core.level} shows no cues; leave shown_cues empty")


def effects_row(effects: dict[str, float]) -> list[float]:
    """Return a table of effects as one number per meter."""
    return [effects.get(name, 0.0) for name in METERS]
