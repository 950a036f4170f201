"""What things hold at first, and how much they can hold."""

from typing import Annotated

from pydantic import Field

from mesocosm.config.section import Section

MAX_AMOUNT = 65535
WRAPS_AT = MAX_AMOUNT + 1  # where sums in 16 bits begin anew


Amount = Annotated[int, Field(ge=0, le=MAX_AMOUNT)]


class Limit(Section):
    """A capacity that some resources share."""

    base: int = Field(ge=0, le=MAX_AMOUNT, description="what can be held without any modifier")
    most: int = Field(
        MAX_AMOUNT, ge=0, le=MAX_AMOUNT, description="the capacity never grows beyond this"
    )
    resources: tuple[str, ...] = Field(description="who shares it")
    modifiers: dict[str, int] = Field({}, description="capacity that each held unit brings")


class Inventory(Section):
    """What something holds at first, and how much it can hold."""

    default_limit: int = Field(
        MAX_AMOUNT, ge=0, le=MAX_AMOUNT, description="of each resource without a group"
    )
    limits: dict[str, Limit] = Field({}, description="groups of resources with one capacity")
    initial: dict[str, Amount] = Field({}, description="held at the beginning")
    regen: dict[str, dict[str, int]] = Field({}, description="by vibe, what comes back (classic)")
