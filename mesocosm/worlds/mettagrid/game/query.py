"""The parameters of queries: which things are meant."""

from typing import TYPE_CHECKING, Literal, Optional

from pydantic import Field

from mesocosm.config.section import Section

if TYPE_CHECKING:
    from mesocosm.worlds.mettagrid.game.handler import Condition

Cardinal = Literal["north", "south", "east", "west"]


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
    directions: tuple[Cardinal, ...] = Field(
        ("north", "south", "east", "west"), description="of rays"
    )
    reach: int = Field(2, ge=0, le=255, description="cells of a ray")
    blockers: tuple["Condition", ...] = Field((), description="one is enough to end a ray")
    include_blocker: bool = Field(True, description="what ends a ray is found too")
    shuffled: bool = Field(False, description="in an order drawn at random")
    most: int = Field(-1, ge=-1, description="no more than these; -1: all")
