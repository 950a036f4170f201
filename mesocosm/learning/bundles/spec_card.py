"""What a role saw and did, as data: enough to rebuild its network and to match names."""

import math
import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from mesocosm.config.section import Section
from mesocosm.core.action import ActionSpec, Choice, Level
from mesocosm.core.errors import SpecError
from mesocosm.core.observation import Feature, Layout, Read, Token, Tokens, Whose
from mesocosm.core.spec import Role

MAX_NUMBERS = 1 << 20  # of one observation, or options of one action
CONTROL = ("Cc", "Cf")  # kinds of characters that would steer the terminal that shows a name


def _visible(name: str) -> str:
    if any(unicodedata.category(letter) in CONTROL for letter in name):
        raise ValueError("must not hold control characters")
    return name


Name = Annotated[str, Field(max_length=300), AfterValidator(_visible)]
Text = Annotated[str, Field(max_length=4000)]
Byte = Annotated[int, Field(ge=0, le=255)]
Amount = Annotated[int, Field(ge=0, le=1 << 32)]
Count = Annotated[int, Field(ge=0, le=MAX_NUMBERS)]
Shape = Annotated[tuple[Count, ...], Field(max_length=8)]
Names = Annotated[tuple[Name, ...], Field(max_length=MAX_NUMBERS)]
UsedWith = Annotated[dict[Name, Names], Field(max_length=256)]
Dtype = Literal["float32", "float64", "uint8", "int8", "int16", "int32", "int64", "bool"]


class TokenCard(Section):
    """One feature id of a token row."""

    id: Byte
    name: Name
    low: Amount
    high: Amount
    labels: Names
    digits: Annotated[int, Field(ge=1, le=64)]
    base: Annotated[int, Field(ge=2, le=1 << 32)]


class TokensCard(Section):
    """How to read a row that is a list of tokens."""

    num: Count
    kinds: Annotated[tuple[TokenCard, ...], Field(max_length=256)]
    empty: Byte
    anywhere: Byte
    places: Annotated[tuple[Name, ...], Field(max_length=256)]
    here: Annotated[int, Field(ge=-1, le=255)]


class FeatureCard(Section):
    """A named slice of an observation."""

    name: Name
    meaning: Text
    shape: Shape
    low: float
    high: float
    unit: Name
    labels: Names
    absent: float
    table: bool
    reads: Annotated[tuple[tuple[Name, Whose], ...], Field(max_length=4096)]


class ObservationCard(Section):
    """What the role saw."""

    dtype: Dtype
    shape: Shape
    features: Annotated[tuple[FeatureCard, ...], Field(max_length=1 << 16)]
    tokens: TokensCard | None


class ChoiceCard(Section):
    """A discrete part of an action."""

    name: Name
    options: Names
    meaning: Text
    masked: bool
    noop: Count
    forbidden: Annotated[tuple[Count, ...], Field(max_length=MAX_NUMBERS)]
    used_with: UsedWith = Field(default_factory=dict)  # earlier bundles have none


class LevelCard(Section):
    """A continuous part of an action."""

    name: Name
    low: float
    high: float
    noop: float
    unit: Name
    meaning: Text
    used_with: UsedWith = Field(default_factory=dict)


class ActionCard(Section):
    """What the role did."""

    choices: Annotated[tuple[ChoiceCard, ...], Field(max_length=4096)]
    levels: Annotated[tuple[LevelCard, ...], Field(max_length=4096)]


def describe_observation(layout: Layout) -> ObservationCard:
    """Write down what a role sees."""
    features = tuple(
        FeatureCard(
            name=one.name,
            meaning=one.meaning,
            shape=tuple(one.shape),
            low=float(one.low),
            high=float(one.high),
            unit=one.unit,
            labels=tuple(one.labels),
            absent=float(one.absent),
            table=one.table,
            reads=tuple((read.field, read.whose) for read in one.reads),
        )
        for one in layout.features
    )
    dtype: Dtype = layout.dtype  # type: ignore[assignment]
    tokens = None if layout.tokens is None else _describe_tokens(layout.tokens)
    return ObservationCard(dtype=dtype, shape=layout.shape, features=features, tokens=tokens)


def _describe_tokens(tokens: Tokens) -> TokensCard:
    kinds = tuple(
        TokenCard(
            id=kind.id,
            name=kind.name,
            low=kind.low,
            high=kind.high,
            labels=tuple(kind.labels),
            digits=kind.digits,
            base=kind.base,
        )
        for kind in tokens.kinds
    )
    return TokensCard(
        num=tokens.num,
        kinds=kinds,
        empty=tokens.empty,
        anywhere=tokens.anywhere,
        places=tuple(tokens.places),
        here=tokens.here,
    )


def describe_action(action: ActionSpec) -> ActionCard:
    """Write down what a role does."""
    choices = tuple(
        ChoiceCard(
            name=part.name,
            options=tuple(part.options),
            meaning=part.meaning,
            masked=part.masked,
            noop=part.noop,
            forbidden=tuple(part.forbidden),
            used_with={name: tuple(options) for name, options in part.used_with.items()},
        )
        for part in action.choices
    )
    levels = tuple(
        LevelCard(
            name=part.name,
            low=float(part.low),
            high=float(part.high),
            noop=float(part.noop),
            unit=part.unit,
            meaning=part.meaning,
            used_with={name: tuple(options) for name, options in part.used_with.items()},
        )
        for part in action.levels
    )
    return ActionCard(choices=choices, levels=levels)


def rebuild_role(
    name: str, num_agents: int, observation: ObservationCard, action: ActionCard
) -> Role:
    """Make the role that a card describes; a `SpecError` says what contradicts itself."""
    layout = _rebuild_layout(observation)
    done = ActionSpec(
        tuple(Choice(**dict(part)) for part in action.choices),
        tuple(Level(**dict(part)) for part in action.levels),
    )
    done.check("action")
    for part in done.choices:
        if len(set(part.options)) != len(part.options):
            raise SpecError(f"action.{part.name}: options must have distinct names")
        if any(k >= len(part.options) for k in part.forbidden):
            raise SpecError(f"action.{part.name}: forbids an option that it has not")
    if sum(len(part.options) for part in done.choices) > MAX_NUMBERS:
        raise SpecError(f"action: more than {MAX_NUMBERS:,} options")
    return Role(name, num_agents, layout, done)


def _rebuild_layout(card: ObservationCard) -> Layout:
    tokens = None
    if card.tokens is not None:
        kinds = tuple(Token(**dict(kind)) for kind in card.tokens.kinds)
        tokens = Tokens(**(dict(card.tokens) | {"kinds": kinds}))
        for kind in kinds:
            if kind.low > kind.high:
                raise SpecError(f"observation.tokens: {kind.name}: low is above high")
        for what, found in (("ids", [k.id for k in kinds]), ("names", [k.name for k in kinds])):
            if len(set(found)) != len(found):
                raise SpecError(f"observation.tokens: kinds must have distinct {what}")
    features = tuple(
        Feature(**(dict(one) | {"reads": tuple(Read(*read) for read in one.reads)}))
        for one in card.features
    )
    layout = Layout(features, card.dtype, card.shape, tokens)
    for feature in features:
        feature.check("observation")
    if len(layout.offsets) != len(features):
        raise SpecError("observation: features must have distinct names")
    size = math.prod(card.shape)
    if layout.size > MAX_NUMBERS or size != layout.size:
        raise SpecError(
            f"observation: {layout.size:,} numbers in features and {size:,} in shape "
            f"{card.shape}; must be equal and at most {MAX_NUMBERS:,}"
        )
    if tokens is not None and card.shape != (tokens.num, 3):
        raise SpecError(f"observation: {tokens.num} tokens need shape ({tokens.num}, 3)")
    return layout
