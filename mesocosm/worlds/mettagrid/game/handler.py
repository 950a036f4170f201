"""Handlers: what is asked, what is then done, and when: on a use, at a step, in an area."""

from typing import Literal

from pydantic import Field

from mesocosm.config.section import Section
from mesocosm.worlds.mettagrid.game.value import CARDINALS, Cardinal, Condition, Query, Value, Who

Direction = Literal[
    "north", "south", "west", "east", "northwest", "northeast", "southwest", "southeast"
]


class Change(Section):
    """Something that a handler does."""

    kind: Literal[
        "resource_delta", "resource_transfer", "clear_inventory", "change_vibe", "add_tag",
        "remove_tag", "swap", "set_stat", "add_value", "remove_tags_with_prefix", "attack",
        "relocate", "use_target",
        "spawn_object", "raycast_spawn", "push_object", "set_relative_target",
        "query_place_adjacent", "query_inventory", "recompute_materialized_query",
    ] = Field(description="what is done")  # fmt: skip
    who: Who = Field("target", description="to whom it happens; of a transfer, who gives")
    to: Who = Field("actor", description="who receives a transfer")
    resources: dict[str, int] = Field({}, description="amounts; -1 transfers all")
    remove_when_empty: bool = Field(False, description="a giver with nothing left vanishes")
    limit: str = Field("", description="clear_inventory: the limit whose resources are cleared")
    names: tuple[str, ...] = Field((), description="or these resources; of neither, all")
    vibe: str = Field("", description="the new vibe; nothing: none")
    tag: str = Field("", description="the tag to add or remove")
    stat: str = Field("", description="set_stat, add_value: the statistic that is written")
    scope: Literal["agent", "game"] = Field("agent", description="whose statistic")
    resource: str = Field("", description="add_value: the resource; `stat` if nobody has it")
    source: Value | None = Field(None, description="set_stat, add_value: the new value, the change")
    prefix: str = Field("", description="how the tags begin that are removed or worked out anew")
    query: Query | None = Field(None, description="whose inventory changes, or beside whom it goes")
    giver: Who | None = Field(None, description="who gives what those of a query get")
    gift_stats: dict[str, str] = Field(
        {}, description="query_inventory: by resource, the game's statistic of what was given"
    )
    object: str = Field("", description="the type of object that appears; none: that fails")
    direction: Direction = Field("north", description="from the actor to the new target")
    distance: int = Field(1, ge=1, le=65535, description="cells to the new target")
    directions: tuple[Cardinal, ...] = Field(CARDINALS, description="of rays, from the target")
    reach: int = Field(2, ge=0, le=65535, description="cells of a ray")
    reach_value: Value | None = Field(
        None, description="cells of a ray, as a value of where it begins"
    )
    blockers: tuple[Condition, ...] = Field((), description="one is enough to end a ray")
    defense: dict[str, int] = Field({}, description="what a target spends to resist an attack")
    armor: dict[str, int] = Field({}, description="power of each unit of a target's resources")
    weapons: dict[str, int] = Field({}, description="power of each unit of the attacker's")
    vibe_bonus: dict[str, int] = Field({}, description="armor that a vibe gives")
    on_success: tuple["Change", ...] = Field((), description="what an attack does")


class Handler(Section):
    """Conditions that all must hold, and what then happens, in order; or several such."""

    mode: Literal["one", "first", "all"] = Field(
        "one", description="itself; or of its handlers the first that succeeds, or all"
    )
    filters: tuple[Condition, ...] = Field((), description="all must hold")
    mutations: tuple[Change, ...] = Field((), description="done until one fails")
    handlers: tuple["Handler", ...] = Field((), description="within `first` and `all`")


class Materialized(Section):
    """A tag that the things of a query have, worked out at first and whenever that is asked."""

    tag: str = Field(description="the tag")
    query: Query = Field(description="who has it")


class Area(Section):
    """What something does at every step to the cogs around it; it acts, they are the targets."""

    radius: int = Field(1, ge=0, le=65535, description="cells it reaches, in a straight line")
    fixed: bool = Field(True, description="stays where its source was at first, or goes with it")
    own: bool = Field(False, description="a cog is in its own area too")
    filters: tuple[Condition, ...] = Field((), description="all must hold")
    mutations: tuple[Change, ...] = Field((), description="all are done, at every step")
    presence: dict[str, int] = Field({}, description="what one gains by entering, and loses again")


class Land(Section):
    """What happens to cogs on owned land; a proxy with the owner's tag acts on them."""

    on_enter: tuple[Handler, ...] = Field((), description="when one comes onto it, or it changes")
    on_exit: tuple[Handler, ...] = Field((), description="when one leaves it, or it changes")
    presence: tuple[Handler, ...] = Field((), description="at every step on it")


class Event(Section):
    """Something that happens to the things of a query, at set times."""

    targets: Query = Field(description="to whom it may happen")
    steps: tuple[int, ...] = Field((), description="when")
    filters: tuple[Condition, ...] = Field((), description="all must hold")
    mutations: tuple[Change, ...] = Field((), description="all are done")
    priority: int = Field(0, description="lower ones happen first")
    most: int = Field(-1, ge=-1, description="to no more than these, drawn at random; -1: all")
    fallback: str = Field("", description="the event that happens if this one hits nobody")
