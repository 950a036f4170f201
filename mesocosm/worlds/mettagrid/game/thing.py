"""Types of objects and agents, and what they make, claim and clip."""

from typing import Literal

from pydantic import Field

from mesocosm.config.section import Section
from mesocosm.worlds.mettagrid.game.handler import Area, Handler
from mesocosm.worlds.mettagrid.game.inventory import Amount, Inventory
from mesocosm.worlds.mettagrid.game.value import Reward

MOST_STRENGTH = 1_000_000
MOST_TEAM = 2**31 - 1


class Control(Section):
    """How strongly something claims the land around it."""

    territory: str = Field(description="which kind of territory")
    strength: int = Field(1, ge=1, le=MOST_STRENGTH, description="influence where it stands")
    decay: int = Field(1, ge=1, le=MOST_STRENGTH, description="influence lost per cell of distance")


class Protocol(Section):
    """A recipe of an assembler (classic)."""

    min_agents: int = Field(0, ge=0, le=255, description="how many must stand around")
    vibes: tuple[str, ...] = Field((), description="what those around must show")
    inputs: dict[str, int] = Field({}, description="what it takes")
    outputs: dict[str, int] = Field({}, description="what it makes")
    cooldown: int = Field(0, ge=0, description="steps until it works again")


class Clipper(Section):
    """What clips assemblers, near those that are clipped first (classic)."""

    unclipping: tuple[Protocol, ...] = Field(description="what unclips; one is drawn per clipping")
    period: int = Field(0, ge=0, le=1_000_000, description="steps between clippings; 0: none")
    length_scale: int = Field(0, ge=0, le=256, description="cells per halving; 0: from the map")
    cutoff: int = Field(3, ge=1, le=16, description="length scales that a clipping reaches")


class Thing(Section):
    """A type of object."""

    kind: Literal["wall", "object", "chest", "assembler"] = Field(
        "object", description="chests and assemblers work as in the classic profile"
    )
    type: str = Field("", description="what it is tagged as (cogs); nothing: its own name")
    tags: tuple[str, ...] = Field((), description="what it is called, beside its type")
    vibe: int = Field(0, ge=0, le=255, description="the vibe it shows")
    inventory: Inventory = Field(default_factory=Inventory, description="what it holds")
    blocks_vision: bool = Field(False, description="hides what is behind it")
    on_use: tuple[Handler, ...] = Field((), description="tried when someone moves into it")
    on_use_mode: Literal["first", "all"] = Field("first", description="stop at the first success?")
    on_tag_remove: dict[str, Handler] = Field(
        {}, description="to itself, when it loses a tag that begins so"
    )
    controls: tuple[Control, ...] = Field((), description="the land it claims")
    areas: tuple[Area, ...] = Field((), description="what it does to the cogs around it")
    protocols: tuple[Protocol, ...] = Field((), description="an assembler's recipes")
    allow_partial_usage: bool = Field(False, description="usable while cooling, for less")
    max_uses: int = Field(0, ge=0, description="0: no end")
    clip_immune: bool = Field(False, description="never clipped")
    start_clipped: bool = Field(False, description="clipped at the beginning")
    chest_search_distance: int = Field(0, ge=0, description="chests this near give inputs")
    vibe_transfers: dict[str, dict[str, int]] = Field({}, description="by vibe: to or from a chest")


class Damage(Section):
    """What is lost when harm has added up (classic)."""

    threshold: dict[str, Amount] = Field({}, description="all reached: they are taken, one is lost")
    resources: dict[str, int] = Field({}, description="what can be lost, and how much is safe")


class AgentKind(Section):
    """A type of agent."""

    team: int = Field(0, ge=0, le=MOST_TEAM, description="the team's number")
    group: int = Field(
        -1, ge=-1, le=MOST_TEAM, description="as told in cogs; -1: teams as they appear"
    )
    type: str = Field("agent", description="what its tag calls its type")
    tags: tuple[str, ...] = Field((), description="beside its type")
    vibe: int = Field(0, ge=0, le=255, description="the vibe at first")
    inventory: Inventory = Field(default_factory=Inventory, description="what it holds")
    rewards: dict[str, Reward] = Field({}, description="named parts of the reward")
    stats: dict[str, float] = Field({}, description="statistics that do not begin at 0")
    diversity: tuple[str, ...] = Field(
        (), description="resources that the statistic inventory.diversity counts (classic)"
    )
    damage: Damage = Field(default_factory=Damage, description="loss by harm (classic)")
    on_use: Handler | None = Field(None, description="tried when someone moves into it")
    on_after_use: Handler | None = Field(None, description="after it used something")
    on_tick: Handler | None = Field(None, description="at every step")
    on_tag_remove: dict[str, Handler] = Field(
        {}, description="to itself, when it loses a tag that begins so"
    )
    controls: tuple[Control, ...] = Field((), description="the land it claims, where it is (cogs)")
    areas: tuple[Area, ...] = Field((), description="what it does to the cogs around it")


class Team(Section):
    """Some agents in a row that are like `agent`, with tags and rewards of their own beside its."""

    size: int = Field(ge=1, le=255, description="agents")
    tags: tuple[str, ...] = Field((), description="beside those of `agent`")
    rewards: dict[str, Reward] = Field({}, description="beside those of `agent`, or instead")

    def kind(self, agent: AgentKind, number: int) -> AgentKind:
        """Return the kind of the team's agents."""
        tags, rewards = (*agent.tags, *self.tags), agent.rewards | self.rewards
        return agent.model_copy(update={"team": number, "tags": tags, "rewards": rewards})
