"""What agents can do: stay, move, change vibes, and in the classic profile fight and give."""

from typing import Literal

from pydantic import Field

from mesocosm.config.section import Section
from mesocosm.worlds.mettagrid.game.handler import Direction, Handler
from mesocosm.worlds.mettagrid.game.inventory import Amount


class Attack(Section):
    """Freezing others by moving into them (classic)."""

    vibes: tuple[str, ...] = Field((), description="vibes that attack")
    cost: dict[str, Amount] = Field({}, description="what one must have, and spends")
    defense: dict[str, Amount] = Field({}, description="what a target spends to resist")
    armor: dict[str, Amount] = Field({}, description="power of each unit of a target's resources")
    weapons: dict[str, Amount] = Field({}, description="power of each unit of the attacker's")
    vibe_bonus: dict[str, int] = Field({}, description="units that the vibe of an armor adds to it")
    freeze: int = Field(0, ge=0, le=32000, description="attempts that the target loses")
    actor_delta: dict[str, int] = Field({}, description="what the attacker gains")
    target_delta: dict[str, int] = Field({}, description="what the target gains")
    loot: tuple[str, ...] = Field((), description="what is taken")


class Transfer(Section):
    """Giving by moving into someone with a vibe (classic)."""

    vibe: str = Field(description="the vibe that gives, unless it attacks")
    required: dict[str, Amount] = Field({}, description="what the giver must have")
    actor: dict[str, int] = Field({}, description="change of the giver")
    target: dict[str, int] = Field({}, description="change of the receiver")
    share: Literal["all", "most", "half"] = Field(
        "all",
        description="all of it or nothing; of what the giver loses as much as the receiver holds; "
        "or so of a half of what the giver has, which never fails",
    )


class Actions(Section):
    """What can be done."""

    directions: tuple[Direction, ...] = Field(
        ("north", "south", "west", "east"), description="moves, in the order of their ids"
    )
    vibes: tuple[str, ...] = Field((), description="vibes that can be taken on, in order")
    noop_required: dict[str, int] = Field({}, description="what one must have to stay")
    noop_cost: dict[str, int] = Field({}, description="what staying costs")
    move_required: dict[str, int] = Field({}, description="what one must have to move")
    move_cost: dict[str, int] = Field({}, description="what a move that succeeds costs")
    vibe_required: dict[str, int] = Field({}, description="what one must have to change vibe")
    vibe_cost: dict[str, int] = Field({}, description="what a change of vibe costs")
    attack: Attack = Field(default_factory=Attack, description="freezing others (classic)")
    transfers: tuple[Transfer, ...] = Field((), description="giving by vibe (classic)")
    layout: Literal["combined", "split"] = Field("combined", description="one id, or two")
    named: tuple[str, ...] = Field(
        (), description="what ids are called, where MettaGrid's names are not what they do"
    )
    handlers: tuple[Handler, ...] = Field((), description="tried before a plain move (cogs)")
