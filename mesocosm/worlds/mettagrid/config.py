"""The parameters of mettagrid: what a game is made of, down to the last handler."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mesocosm.config.section import Section
from mesocosm.worlds.mettagrid.config_check import check_core
from mesocosm.worlds.mettagrid.config_query import Cardinal, Query
from mesocosm.worlds.mettagrid.config_value import Reward, Value

if TYPE_CHECKING:
    from mesocosm.worlds.mettagrid.idmap import IdMap

Who = Literal["actor", "target"]
Direction = Literal[
    "north", "south", "west", "east", "northwest", "northeast", "southwest", "southeast"
]
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
    radius: int = Field(0, ge=0, le=255, description="greatest Euclidean distance; 0: any")
    query: Query | None = Field(None, description="the distance is to one of these")
    period: int = Field(1, ge=1, description="steps between passes")
    start: int = Field(0, ge=0, description="first step that passes")
    inner: tuple["Condition", ...] = Field((), description="one of these is enough")
    value: Value | None = Field(None, description="game_value: what must be large enough")
    least: Value | None = Field(None, description="game_value: how large; nothing: 0")


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
    limit: str = Field("", description="the group of resources to clear")
    vibe: str = Field("", description="the new vibe")
    tag: str = Field("", description="the tag to add or remove")
    stat: str = Field("", description="set_stat, add_value: the statistic that is written")
    scope: Literal["agent", "game"] = Field("agent", description="whose statistic")
    resource: str = Field("", description="add_value: the resource, if it is no statistic")
    source: Value | None = Field(None, description="set_stat, add_value: the new value, the change")
    prefix: str = Field("", description="how the tags begin that are removed or worked out anew")
    query: Query | None = Field(None, description="whose inventory changes, or beside whom it goes")
    giver: Who | None = Field(None, description="who gives what those of a query get")
    object: str = Field("", description="the type of object that appears")
    direction: Direction = Field("north", description="from the actor to the new target")
    distance: int = Field(1, ge=1, le=255, description="cells to the new target")
    directions: tuple[Cardinal, ...] = Field(
        ("north", "south", "east", "west"), description="of rays, from the target"
    )
    reach: int = Field(2, ge=0, le=255, description="cells of a ray")
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

    radius: int = Field(1, ge=0, le=255, description="cells it reaches, in a straight line")
    fixed: bool = Field(True, description="stays where its source was at first, or goes with it")
    own: bool = Field(False, description="a cog is in its own area too")
    filters: tuple[Condition, ...] = Field((), description="all must hold")
    mutations: tuple[Change, ...] = Field((), description="all are done, at every step")
    presence: dict[str, int] = Field({}, description="what one gains by entering, and loses again")


class Event(Section):
    """Something that happens to the things of a query, at set times."""

    targets: Query = Field(description="to whom it may happen")
    steps: tuple[int, ...] = Field((), description="when")
    filters: tuple[Condition, ...] = Field((), description="all must hold")
    mutations: tuple[Change, ...] = Field((), description="all are done")
    priority: int = Field(0, description="lower ones happen first")
    most: int = Field(-1, ge=-1, description="to no more than these, drawn at random; -1: all")
    fallback: str = Field("", description="the event that happens if this one hits nobody")


Query.model_rebuild(_types_namespace={"Condition": Condition, "Query": Query})
for _model in (Value, Reward, Condition, Change, Handler, Materialized, Event, Area):
    _model.model_rebuild()


class Control(Section):
    """How strongly something claims the land around it."""

    territory: str = Field(description="which kind of territory")
    strength: int = Field(1, ge=1, le=255, description="influence where it stands")
    decay: int = Field(1, ge=1, le=255, description="influence lost per cell of distance")


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
    tags: tuple[str, ...] = Field((), description="what it is called, beside its type")
    vibe: int = Field(0, ge=0, le=255, description="the vibe it shows")
    inventory: Inventory = Field(default_factory=Inventory, description="what it holds")
    blocks_vision: bool = Field(False, description="hides what is behind it")
    on_use: tuple[Handler, ...] = Field((), description="tried when someone moves into it")
    on_use_mode: Literal["first", "all"] = Field("first", description="stop at the first success?")
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

    team: int = Field(0, ge=0, le=255, description="the team's number")
    group: int = Field(-1, ge=-1, le=255, description="as told in cogs; -1: teams as they appear")
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
    areas: tuple[Area, ...] = Field((), description="what it does to the cogs around it")


class Window(Section):
    """What an observation is made of."""

    width: int = Field(11, ge=1, le=15, description="cells across; odd")
    height: int = Field(11, ge=1, le=15, description="cells down; odd")
    num_tokens: int = Field(200, ge=1, le=4096, description="room for tokens")
    token_value_base: int = Field(256, ge=2, le=256, description="base of inventory digits")
    episode_completion_pct: bool = Field(True, description="tell how far the episode is")
    last_action: bool = Field(True, description="tell what was done last")
    last_reward: bool = Field(True, description="tell what it brought")
    last_action_move: bool = Field(False, description="tell whether that was a move (cogs)")
    goal: bool = Field(False, description="tell what is rewarded")
    local_position: bool = Field(False, description="tell the way from the spawn (cogs)")
    compass: bool = Field(False, description="point the way (classic)")
    territory: bool = Field(False, description="show whose land it is (cogs)")
    aoe_mask: bool = Field(False, description="reserve the feature id; it is never shown")
    protocol_details: bool = Field(True, description="features for inputs and outputs")
    values: dict[str, Reward] = Field({}, description="further numbers about oneself (cogs)")
    radius: Reward | None = Field(None, description="sight that shrinks with a value (cogs)")


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
    handlers: tuple[Handler, ...] = Field((), description="tried before a plain move (cogs)")


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
    max_length: int = Field(140, ge=1, le=140, description="bytes of a message")
    cooldown_steps: int = Field(50, ge=0, le=10_000, description="steps until one may speak again")


class Core(Section):
    """A grid of agents, objects and resources, seen as tokens."""

    key_order_matters: ClassVar[bool] = True  # sums and inventories go by it

    profile: Literal["cogs", "classic"] = Field("cogs", description="which manual holds")
    conformance: Literal["spec", "upstream"] = Field(
        "spec", description="as the manual says, or as the program does it; sets the four below"
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
    num_agents: int = Field(8, ge=1, le=255, description="agents")
    max_steps: int = Field(1000, ge=0, le=10_000_000, description="length of an episode; 0: no end")
    episode_truncates: bool = Field(False, description="the last step truncates, not terminates")
    resources: tuple[str, ...] = Field(("energy", "ore", "heart"), description="in order of ids")
    vibes: tuple[str, ...] = Field(("default",), description="in order of ids")
    tags: tuple[str, ...] = Field((), description="tags beside those that something has")
    obs: Window = Field(default_factory=Window, description="what a cog sees")
    actions: Actions = Field(default_factory=Actions, description="what a cog can do")
    agent: AgentKind = Field(default_factory=AgentKind, description="every agent")
    agents: tuple[AgentKind, ...] = Field((), description="each agent by itself, if not all alike")
    objects: dict[str, Thing] = Field({"wall": Thing(kind="wall")}, description="by name")
    territories: dict[str, str] = Field({}, description="by name, the prefix of the teams' tags")
    stats: tuple[str, ...] = Field(
        (),
        description="statistics to keep beside those that something names; game.NAME: the game's",
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

    def resolved(self, name: str) -> bool:
        """Whether a switch that follows `conformance` unless set is as upstream has it."""
        value: Any = getattr(self, name)
        if value == "auto":
            return self.conformance == "upstream"
        return str(value).endswith("upstream")

    def id_map(self) -> "IdMap":
        """Name the numbers of this game's tokens."""
        from mesocosm.worlds.mettagrid.idmap import IdMap

        return IdMap(self)

    @property
    def kinds(self) -> tuple[AgentKind, ...]:
        """The kind of every agent."""
        return self.agents or (self.agent,) * self.num_agents
