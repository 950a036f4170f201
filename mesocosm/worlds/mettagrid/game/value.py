"""Values, queries and conditions, which contain each other: what is paid, told or asked for."""

from typing import Literal, Optional, Self

from pydantic import Field, model_validator

from mesocosm.config.section import Section

Who = Literal["actor", "target"]
Cardinal = Literal["north", "south", "east", "west"]
CARDINALS: tuple[Cardinal, ...] = ("north", "south", "east", "west")
MOST_NESTED = 7  # levels of expressions within expressions
# how many `of` there are; else at least one
PARTS = {"inventory": 0, "stat": 0, "const": 0, "ratio": 2, "query_count": 0, "query_inventory": 0}


class Value(Section):
    """A number about an agent, a thing or the game, worked out in MettaGrid's 24 bits."""

    kind: Literal[
        "inventory", "stat", "const", "sum", "ratio", "min", "max", "query_count",
        "query_inventory",
    ] = Field(description="what it is")  # fmt: skip
    resource: str = Field("", description="inventory, query_inventory: what is counted")
    query: Optional["Query"] = Field(None, description="query_...: who is counted, or has it")
    stat: str = Field("", description="stat: its name")
    scope: Literal["agent", "game"] = Field("agent", description="stat: whose")
    number: float = Field(0.0, description="const: the number")
    of: tuple["Value", ...] = Field((), description="the parts; of a ratio, above and below")
    weights: tuple[float, ...] = Field((), description="sum: what each part is multiplied by")
    log: bool = Field(False, description="sum: add up the logarithms of one more than each part")

    @model_validator(mode="after")
    def _check(self) -> Self:
        need = PARTS.get(self.kind)
        if need is None and not self.of:
            raise ValueError(f"of: a {self.kind} needs at least one part")
        if need is not None and len(self.of) != need:
            raise ValueError(f"of: a {self.kind} has {need} parts, got {len(self.of)}")
        if self.weights and (self.kind != "sum" or len(self.weights) != len(self.of)):
            what = f"a sum of {len(self.of)} parts has as many weights or none"
            raise ValueError(f"weights: {what}, got {len(self.weights)} in a {self.kind}")
        if self.log and self.kind != "sum":
            raise ValueError(f"log: only a sum has it, got a {self.kind}")
        if (self.query is not None) != self.kind.startswith("query"):
            raise ValueError(f"query: only values of queries have one, got a {self.kind}")
        if self.kind == "stat" and not self.stat:
            raise ValueError("stat: a statistic needs its name")
        if self.depth > MOST_NESTED:
            raise ValueError(f"of: at most {MOST_NESTED} levels, got {self.depth}")
        return self

    @property
    def depth(self) -> int:
        """Return how many levels of parts it has."""
        return 1 + max((part.depth for part in self.of), default=-1)


class Reward(Section):
    """What is paid or told: a weighted sum of one's inventory, or any other value."""

    weights: dict[str, float] = Field({}, description="per unit of each resource")
    constant: float = Field(0.0, description="added to the sum")
    low: float | None = Field(None, description="the sum counts as at least this")
    high: float | None = Field(None, description="and as at most this")
    value: Value | None = Field(None, description="an expression instead of such a sum")
    per_tick: bool = Field(False, description="pay the sum every step, not its change")

    @model_validator(mode="after")
    def _check(self) -> Self:
        plain = (self.weights, self.constant, self.low, self.high)
        if self.value is not None and plain != ({}, 0.0, None, None):
            raise ValueError("value: stands instead of weights, constant, low and high")
        return self


class Query(Section):
    """A way to find things, in a definite order."""

    kind: Literal["tag", "filtered", "closure", "raycast"] = Field(
        "tag", description="by tag, among another query's, by steps from thing to thing, along rays"
    )
    tag: str = Field("", description="the tag they have, in the order they got it")
    source: Optional["Query"] = Field(None, description="where a query of another kind begins")
    candidates: Optional["Query"] = Field(None, description="what a closure may take in")
    edges: tuple["Condition", ...] = Field((), description="from one taken in to a candidate")
    filters: tuple["Condition", ...] = Field((), description="all must hold for what is found")
    directions: tuple[Cardinal, ...] = Field(CARDINALS, description="of rays")
    reach: int = Field(2, ge=0, le=65535, description="cells of a ray")
    reach_value: Value | None = Field(
        None, description="cells of a ray, as a value of where it begins"
    )
    blockers: tuple["Condition", ...] = Field((), description="one is enough to end a ray")
    include_blocker: bool = Field(True, description="what ends a ray is found too")
    shuffled: bool = Field(False, description="in an order drawn at random")
    most: int = Field(-1, ge=-1, description="no more than these; -1: all")
    most_value: Value | None = Field(
        None, description="no more than these, as a value of the actor"
    )


class Condition(Section):
    """Something that must hold before a handler acts."""

    kind: Literal[
        "resource", "vibe", "tag", "max_distance", "periodic", "target_loc_empty",
        "target_is_usable", "any_of", "game_value", "tag_prefix", "shared_tag_prefix",
    ] = Field(description="what is asked")  # fmt: skip
    who: Who = Field("target", description="whose resources, vibe or tag")
    negate: bool = Field(False, description="holds when the condition does not")
    resources: dict[str, int] = Field({}, description="least amounts")
    vibe: str = Field("", description="the vibe it must have")
    tag: str = Field("", description="the tag it must have")
    prefix: str = Field("", description="how a tag must begin")
    radius: int = Field(0, ge=0, le=65535, description="greatest Euclidean distance; 0: any")
    query: Query | None = Field(None, description="the distance is to one of these")
    period: int = Field(1, ge=1, description="steps between passes")
    start: int = Field(0, ge=0, description="first step that passes")
    inner: tuple["Condition", ...] = Field((), description="one of these is enough")
    value: Value | None = Field(None, description="game_value: what must be large enough")
    least: Value | None = Field(None, description="game_value: how large; nothing: 0")


for _model in (Value, Reward, Query, Condition):
    _model.model_rebuild()
