"""The `layers` section: what each of the seven dimensions of complexity can be set to.

A layer's intensity scales its settings, from 0 (the baseline: nothing) to 1 (as written). Names
are globs over what the world declares; columns are numbers of malleable state fields, such as
`wealth` or `meters.energy`, and of quantities, such as `inventory.ore`.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mesocosm.config.section import Section
from mesocosm.core.layer import LAYERS
from mesocosm.core.observation import Visibility
from mesocosm.core.spec import MAX_EFFECT

CONTROLS = {layer.name: layer.controls for layer in LAYERS}
MAX_WEIGHT = 1e6  # sums of so many stay finite
Weight = Annotated[float, Field(ge=-MAX_WEIGHT, le=MAX_WEIGHT)]
Multiplier = Annotated[float, Field(ge=0.0, le=MAX_EFFECT)]
Part = Annotated[float, Field(ge=0.0, le=1.0)]
Threshold = Annotated[float, Field(ge=-1.0, le=1.0)]


class LayerSettings(Section):
    """How strongly one layer applies; 0 is the baseline."""

    intensity: float = Field(0.0, ge=0.0, le=1.0, description="the layer's dial")

    @property
    def is_active(self) -> bool:
        """Whether the layer does anything at all."""
        return self.intensity > 0.0 and self != type(self)(intensity=self.intensity)


class Blur(Section):
    """What happens to what a glob names, of observation and info, on its way to an agent."""

    features: str = Field("*", description="glob over feature or feature.entry names")
    roles: str = Field("*", description="glob over roles")
    mask: bool = Field(False, description="never show them; intensity: which part of them")
    noise: float = Field(0.0, ge=0.0, le=10.0, description="deviation, as a part of the range")
    dropout: float = Field(0.0, ge=0.0, le=1.0, description="chance of being absent, each step")
    delay: int = Field(0, ge=0, le=1000, description="steps until a value arrives")
    scope: Visibility | None = Field(None, description="overrides the visibility; hidden: masked")


class Information(LayerSettings):
    """What agents see."""

    blurs: tuple[Blur, ...] = Field((), description="applied to each number in this order")
    validity: bool = Field(False, description="show which numbers are real: 1, or 0 if withheld")


class Delay(Section):
    """A declared state change that takes its time."""

    steps: int = Field(ge=1, le=1000, description="how many steps later it arrives")
    share: float = Field(1.0, ge=0.0, le=1.0, description="the part of the change that is late")


class Regard(Section):
    """What others think: a decayed sum of what one did."""

    weights: dict[str, Weight] = Field({}, description="event glob to its weight for the actor")
    decay: float = Field(0.95, ge=0.0, le=1.0, description="what remains of it after a step")
    links: dict[str, Threshold] = Field(
        {}, description="link glob to the least (-1..1) that lets one affect another by it"
    )


class Reputation(Regard):
    """One number per agent, which others may see."""

    shown: Literal["own", "seen", "all"] = Field("seen", description="whose an agent is shown")
    effects: dict[str, Weight] = Field(
        {}, description="effect glob to the part by which a full reputation raises it"
    )


class Temporal(LayerSettings):
    """How the past and the future matter."""

    history: int = Field(1, ge=1, le=64, description="observations shown together, newest first")
    latency: int = Field(0, ge=0, le=64, description="steps until an action takes effect")
    effects: dict[str, Delay] = Field({}, description="column glob to how its changes are late")
    reputation: Reputation = Field(Reputation(), description="what one did, as seen by others")
    trust: Regard = Field(Regard(), description="what one did to whom: directed, between pairs")


class Store(Section):
    """What the members of a group put by together."""

    deposit: float = Field(gt=0.0, le=1.0, description="part of what a member gains, paid in")
    payout: float = Field(
        0.0, ge=0.0, le=1.0, description="part of the store that a step pays to the members"
    )


class Hierarchy(LayerSettings):
    """Groups, and what they share."""

    groups: Literal["none", "role", "size", "list"] = Field("none", description="how they form")
    size: int = Field(2, ge=1, le=65_536, description="agents per group, if groups have a size")
    members: tuple[tuple[int, ...], ...] = Field((), description="agents per group, if listed")
    share: dict[str, Literal["mean", "sum", "max"]] = Field(
        {}, description="private feature glob to the aggregate that the group's members see"
    )
    pool: dict[str, Part] = Field(
        {}, description="column glob to how far a step takes members to their group's mean"
    )
    store: dict[str, Store] | None = Field(  # None: configs without one keep their hash
        None, description="column glob to the group's store of it"
    )


class Externality(Section):
    """What one agent's change does to others."""

    share: float = Field(ge=-1.0, le=1.0, description="part of the change that they get in all")
    to: Literal["neighbours", "group", "all"] = Field("neighbours", description="who they are")


class Interaction(LayerSettings):
    """How agents' actions and rewards couple."""

    contention: Literal["id", "rotation", "need", "lottery", "split", "reputation"] = Field(
        "id", description="who comes first where several want the same"
    )
    need: str = Field("", description="the column that says who needs most: the least first")
    externalities: dict[str, Externality] = Field({}, description="column glob to its spillover")
    mixing: Literal["individual", "shared", "group", "matrix", "rivalry"] = Field(
        "individual", description="whose rewards an agent gets"
    )
    matrix: tuple[tuple[Weight, ...], ...] = Field(
        (), description="row i: what i gets of whose; less than 0: what it loses by them"
    )
    rivalry: float = Field(
        1.0, gt=0.0, le=MAX_WEIGHT, description="times the rivals' mean, taken off one's reward"
    )
    timing: Literal["step", "sparse", "delayed"] = Field("step", description="when it is paid")
    period: int = Field(1, ge=1, le=1000, description="steps between or until payments")


class Caste(Section):
    """A kind of agent with rights of its own."""

    permissions: tuple[str, ...] = Field(("*",), description="globs of part.option it may choose")
    priority: int = Field(0, ge=-1000, le=1000, description="higher comes first in contention")
    effects: dict[str, Multiplier] = Field({}, description="effect glob to its multiplier")
    hidden: tuple[str, ...] = Field((), description="globs of features and info it never sees")


class Power(LayerSettings):
    """Who may do what, to whom, and with how much effect."""

    castes: dict[str, Caste] = Field({}, description="castes by name")
    assign: dict[str, tuple[str, ...]] = Field(
        {}, description="role glob to the castes of its agents, repeated as often as needed"
    )
    matrix: dict[str, dict[str, tuple[str, ...]]] = Field(
        {}, description="caste to target caste to globs of the links or fields it may affect"
    )


class Risk(Section):
    """What may go wrong with an action."""

    fail: float = Field(0.0, ge=0.0, le=1.0, description="chance that it does nothing")
    caught: float = Field(0.0, ge=0.0, le=1.0, description="chance that it is fined")
    fine: float = Field(0.0, ge=0.0, le=1e6, description="what the fine takes")


class Incentives(LayerSettings):
    """Costs, risks and a lost name instead of bans."""

    costs: dict[str, Weight] = Field(
        {}, description="glob of part.option, or of a level part, to its price (per unit)"
    )
    soften: dict[str, Weight] = Field({}, description="banned option glob to the price instead")
    penalties: dict[str, Weight] = Field({}, description="event glob to what it costs the actor")
    max_penalty: float = Field(10.0, ge=0.0, le=1e6, description="the most a step's events cost")
    delay: int = Field(0, ge=0, le=1000, description="steps until penalties fall due")
    risk: dict[str, Risk] = Field({}, description="option glob to what may go wrong")
    opportunity: float = Field(
        0.0, ge=0.0, le=1e6, description="a step's declared baseline, taken off every reward"
    )
    reputation: dict[str, Weight] = Field(
        {}, description="option glob to the reputation lost; a ban on it is lifted"
    )


class Shock(Section):
    """A sudden change of state."""

    column: str = Field(description="column glob that it hits")
    hazard: float = Field(ge=0.0, le=1.0, description="chance per step")
    size: float = Field(ge=-1e9, le=1e9, description="what it adds, or the part it adds")
    relative: bool = Field(True, description="whether size is a part of the value")
    who: Literal["all", "one"] = Field("all", description="every agent, or one at random")


class Drift(Section):
    """A parameter that moves by itself."""

    shape: Literal["linear", "wave", "jump", "walk"] = Field("linear", description="how it moves")
    amount: float = Field(ge=-10.0, le=10.0, description="how far, as a part of its value")
    period: int = Field(100, ge=1, le=1_000_000, description="steps of one movement")
    every: int = Field(10, ge=1, le=1_000_000, description="steps between two changes")


class Adaptation(Section):
    """A parameter that answers to how well agents do."""

    goal: float = Field(ge=-1e9, le=1e9, description="mean reward per step that it leaves alone")
    rate: float = Field(ge=-10.0, le=10.0, description="its relative change per unit above it")
    every: int = Field(10, ge=1, le=1_000_000, description="steps between two changes")
    memory: float = Field(0.95, ge=0.0, le=1.0, description="weight of the past in the mean")


class Uncertainty(LayerSettings):
    """What changes by chance or over time."""

    shocks: dict[str, Shock] = Field({}, description="shocks by name")
    drift: dict[str, Drift] = Field({}, description="tunable to how it moves")
    adaptation: dict[str, Adaptation] = Field({}, description="tunable to what it answers to")

    @model_validator(mode="after")
    def _check(self) -> Self:
        both = sorted(set(self.drift) & set(self.adaptation))
        if both:
            raise ValueError(f"{both[0]} both drifts and adapts; choose one")
        return self


class Layers(Section):
    """All seven layers, always present."""

    information: Information = Field(Information(), description=CONTROLS["information"])
    temporal: Temporal = Field(Temporal(), description=CONTROLS["temporal"])
    hierarchy: Hierarchy = Field(Hierarchy(), description=CONTROLS["hierarchy"])
    interaction: Interaction = Field(Interaction(), description=CONTROLS["interaction"])
    power: Power = Field(Power(), description=CONTROLS["power"])
    incentives: Incentives = Field(Incentives(), description=CONTROLS["incentives"])
    uncertainty: Uncertainty = Field(Uncertainty(), description=CONTROLS["uncertainty"])

    @property
    def are_active(self) -> bool:
        """Whether any layer is off its baseline."""
        return any(getattr(self, name).is_active for name in type(self).model_fields)
