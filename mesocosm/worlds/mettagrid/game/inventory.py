"""What things hold at first, and how much they can hold."""

from typing import Annotated

from pydantic import Field

from mesocosm.config.section import Section

MOST = 65535


Amount = Annotated[int, Field(ge=0, le=MOST)]


class Limit(Section):
    """A capacity that some resources share."""

    base: int = Field(ge=0, le=MOST, description="what can be held without any modifier")
    most: int = Field(MOST, ge=0, le=MOST, description="the capacity never grows beyond this")
    resources: tuple[str, ...] = Field(description="who shares it")
    modifiers: dict[str, int] = Field({}, description="capacity that each held unit brings")


class Inventory(Section):
    """What something holds at first, and how much it can hold."""

    default_limit: int = Field(MOST, ge=0, le=MOST, description="of each resource without a group")
    limits: dict[str, Limit] = Field({}, description="groups of resources with one capacity")
    initial: dict[str, int] = Field({}, description="held at the beginning")
    regen: dict[str, dict[str, int]] = Field({}, description="by vibe, what comes back (classic)")
