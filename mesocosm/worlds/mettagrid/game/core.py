"""The parameters of a whole game: all sections together, and how the map and the view are set."""

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mesocosm.config.section import Section
from mesocosm.worlds.mettagrid.game.action import Actions
from mesocosm.worlds.mettagrid.game.check import check_core
from mesocosm.worlds.mettagrid.game.handler import Event, Handler, Land, Materialized
from mesocosm.worlds.mettagrid.game.idmap import IdMap
from mesocosm.worlds.mettagrid.game.thing import AgentKind, Clipper, Team, Thing
from mesocosm.worlds.mettagrid.game.value import Reward

MOST_STEPS = 2_000_000_000


class Window(Section):
    """What an observation is made of."""

    width: int = Field(11, ge=1, le=15, description="cells across; odd")
    height: int = Field(11, ge=1, le=15, description="cells down; odd")
    shape: Literal["auto", "disc", "rectangle"] = Field(
        "auto", description="which cells of it are seen; a disc in cogs, all in classic"
    )
    num_tokens: int = Field(200, ge=1, le=65536, description="room for tokens")
    token_value_base: int = Field(
        256, ge=2, le=2**31 - 1, description="base of inventory digits; a token has the low byte"
    )
    episode_completion_pct: bool = Field(True, description="tell how far the episode is")
    last_action: bool = Field(True, description="tell what was done last")
    last_reward: bool = Field(True, description="tell what it brought")
    last_action_move: bool = Field(False, description="tell whether that was a move (cogs)")
    inventory_powers: bool = Field(
        True, description="features for the higher digits of inventories; else 255 is 255 or more"
    )
    goal: bool = Field(False, description="tell what is rewarded")
    goal_scope: Literal["self", "cogs"] = Field(
        "self", description="tell one's own goals, or those of every visible cog on its cell (cogs)"
    )
    local_position: bool = Field(False, description="tell the way from the spawn (cogs)")
    compass: bool = Field(False, description="point the way (classic)")
    territory: bool = Field(False, description="show whose land it is (cogs)")
    aoe_mask: bool = Field(False, description="reserve the feature id; it is never shown")
    protocol_details: bool = Field(True, description="features for inputs and outputs")
    values: dict[str, Reward] = Field({}, description="further numbers about oneself (cogs)")
    radius: Reward | None = Field(None, description="sight that shrinks with a value (cogs)")


class Map(Section):
    """Where everything is at first."""

    kind: Literal["ascii", "random", "rooms", "maze"] = Field(
        "random", description="how it is made"
    )
    rows: tuple[str, ...] = Field((), description="an ascii map, one character per cell")
    legend: dict[str, str] = Field({}, description="what the characters mean")
    width: int = Field(24, ge=1, le=256, description="cells across")
    height: int = Field(24, ge=1, le=256, description="cells down")
    border: int = Field(1, ge=0, le=16, description="cells of wall around it")
    objects: dict[str, int] = Field({}, description="how many of each, placed at random")
    room_size: int = Field(7, ge=3, le=64, description="cells of a room, walls included")
    layouts: int = Field(8, ge=1, le=256, description="maps to draw from, one per episode")
    seed: int = Field(0, ge=0, description="what these are made from")


class Talk(Section):
    """Short speech that those nearby can read."""

    enabled: bool = Field(False, description="say something with each action")
    max_length: int = Field(140, ge=1, le=1000, description="characters of a message")
    cooldown_steps: int = Field(50, ge=0, le=10_000, description="steps until one may speak again")
    broadcast_resource: str = Field(
        "", description="those who hold it hear each other, however far; nothing: nobody does"
    )


class Core(Section):
    """A grid of agents, objects and resources, seen as tokens."""

    key_order_matters: ClassVar[bool] = True  # sums and inventories go by it

    profile: Literal["cogs", "classic"] = Field("cogs", description="which manual holds")
    conformance: Literal["spec", "upstream"] = Field(
        "spec",
        description="as the manual says, or as MettaGrid does it; decides what is auto",
    )
    token_order: Literal["auto", "sorted", "upstream"] = Field("auto", description="of inventories")
    order: Literal["auto", "seeded", "seeded_shuffle_upstream"] = Field(
        "auto", description="who acts first"
    )
    last_reward: Literal["auto", "spec", "upstream"] = Field("auto", description="upstream tells 0")
    compass: Literal["auto", "spec", "upstream"] = Field(
        "auto", description="to the nearest assembler, or to the centre"
    )
    agent_id: Literal["upstream", "spec"] = Field(
        "upstream", description="on every agent's cell, or once among the globals"
    )
    overflow: Literal["truncate", "error"] = Field(
        "truncate", description="too many tokens: drop the last, or end the episode"
    )
    budget_info: bool = Field(True, description="count tokens written and dropped, in the info")
    overtime: bool = Field(False, description="play on after max_steps; the episode never ends")
    num_agents: int = Field(8, ge=1, le=4096, description="agents")
    max_steps: int = Field(1000, ge=0, le=MOST_STEPS, description="length of an episode; 0: no end")
    episode_truncates: bool = Field(False, description="the last step truncates, not terminates")
    resources: tuple[str, ...] = Field(("energy", "ore", "heart"), description="in order of ids")
    vibes: tuple[str, ...] = Field(("default",), description="in order of ids")
    tags: tuple[str, ...] = Field((), description="tags beside those that something has")
    obs: Window = Field(default_factory=Window, description="what a cog sees")
    actions: Actions = Field(default_factory=Actions, description="what a cog can do")
    agent: AgentKind = Field(default_factory=AgentKind, description="every agent")
    agents: tuple[AgentKind, ...] = Field((), description="each agent by itself, if not all alike")
    seats: tuple[str, ...] = Field(
        (), description="MettaGrid's names of the agents' cells, which it counts as objects.NAME"
    )
    teams: tuple[Team, ...] = Field((), description="or teams, in the order of the map")
    objects: dict[str, Thing] = Field({"wall": Thing(kind="wall")}, description="by name")
    territories: dict[str, str] = Field({}, description="by name, the prefix of the teams' tags")
    land: dict[str, Land] = Field({}, description="by territory, what happens to cogs on its land")
    stats: tuple[str, ...] = Field(
        (),
        description="statistics to keep beside those that something names; game.NAME: the game's",
    )
    end_on: dict[str, float] = Field(
        {}, description="statistics of the game that end the episode when they are so large (cogs)"
    )
    materialized: tuple[Materialized, ...] = Field((), description="tags worked out by queries")
    events: dict[str, Event] = Field({}, description="what happens at set times")
    on_tick: Handler | None = Field(None, description="at every step, to nobody in particular")
    max_spawned: int = Field(
        0, ge=0, le=32000, description="objects of a type that may appear; 0: as many as fit"
    )
    regen_interval: int = Field(0, ge=0, description="steps between regenerations; 0: none")
    clipper: Clipper | None = Field(None, description="what clips assemblers (classic)")
    map: Map = Field(default_factory=Map, description="where everything is at first")
    talk: Talk = Field(default_factory=Talk, description="short speech")

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_core(self)
        return self

    @property
    def is_classic(self) -> bool:
        return self.profile == "classic"

    @property
    def has_round_window(self) -> bool:
        shape = self.obs.shape
        return shape == "disc" or (shape == "auto" and not self.is_classic)

    def resolved(self, name: str) -> bool:
        """Whether a switch that follows `conformance` unless set is as upstream has it."""
        value: Any = getattr(self, name)
        if value == "auto":
            return self.conformance == "upstream"
        return str(value).endswith("upstream")

    def id_map(self) -> IdMap:
        """Name the numbers of this game's tokens."""
        return IdMap(self)

    @property
    def kinds(self) -> tuple[AgentKind, ...]:
        """Return the kind of every agent."""
        if self.teams:
            made = [team.kind(self.agent, k) for k, team in enumerate(self.teams)]
            return tuple(
                k for k, team in zip(made, self.teams, strict=True) for _ in range(team.size)
            )
        return self.agents or (self.agent,) * self.num_agents
