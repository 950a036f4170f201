"""What rules know of a game: sizes, switches and tables, read-only."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.worlds.mettagrid.compile.classic import old_tables
from mesocosm.worlds.mettagrid.compile.geometry import PAD, STEPS, half_of
from mesocosm.worlds.mettagrid.compile.kinds import OPAQUE
from mesocosm.worlds.mettagrid.compile.plan import Plan, plan
from mesocosm.worlds.mettagrid.compile.script import Script, is_scripted, script_of
from mesocosm.worlds.mettagrid.compile.stats import (
    Stats,
    names_of,
    stat_tables,
    told_queries,
    views_counted,
)
from mesocosm.worlds.mettagrid.compile.tables import (
    born_table,
    claim_tables,
    initial_tables,
    kind_table,
    limit_tables,
    tag_bits,
    tag_lists,
)
from mesocosm.worlds.mettagrid.compile.values import COLUMN, START
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.idmap import IdMap, digits

NOOP, MOVE, CHANGE_VIBE, HANDLED = 0, 1, 2, 3


class Ids(NamedTuple):
    """The feature ids, or -1 for what the game does not have."""

    group: int
    frozen: int
    completion: int
    last_action: int
    last_reward: int
    goal: int
    vibe: int
    compass: int
    tag: int
    cooldown: int
    clipped: int
    uses: int
    east: int
    west: int
    north: int
    south: int
    agent_id: int
    inventory: int
    protocol_input: int
    protocol_output: int
    moved: int
    here: int
    border: int


NAMES = (
    "agent:group", "agent:frozen", "episode_completion_pct", "last_action", "last_reward", "goal",
    "vibe", "agent:compass", "tag", "cooldown_remaining", "clipped", "remaining_uses", "lp:east",
    "lp:west", "lp:north", "lp:south", "agent_id", "inv:{}", "protocol_input:{}",
    "protocol_output:{}", "last_action_move", "territory:here", "territory:north",
)  # fmt: skip


class Bag(NamedTuple):
    """What rules need to know about inventories."""

    limit_of: Annotated[np.ndarray, "int16 [kind, resource]"]
    limit: Annotated[np.ndarray, "int32 [limit, 2]"]
    bonus: Annotated[np.ndarray, "int32 [limit, resource]"]
    # who shares it, who is dropped first; -1
    members: Annotated[np.ndarray, "int16 [limit, resource]"]
    groups: Annotated[np.ndarray, "int16 [kind, resource]"]  # limits as they were written, then -1
    # statistics of what agents hold, gain and lose
    flow: Annotated[np.ndarray, "int16 [resource, 5]"]
    # where it is counted that one has a resource
    diverse: Annotated[np.ndarray, "int16 [kind, resource]"]
    counts: bool  # whether a game names any of these
    wraps: bool  # groups are counted in 16 bits, as the program does it
    adds_up: bool  # modifiers add to the base (classic)
    hashes: bool  # told in the order of the program's hash map


class Params(NamedTuple):
    """Read-only numbers for the rules."""

    agents: int
    things: int
    resources: int
    height: int
    width: int
    pitch: int  # length of a padded row
    window_height: int
    window_width: int
    half: int
    centre: int  # packed location of the agent itself
    num_tokens: int
    base: int
    digits: int
    max_steps: int
    shuffles: bool
    has_costs: bool
    has_vibes: bool
    tells_reward: bool
    tells_id: bool  # agent ids on cells, not as a global
    compass_centre: bool
    tells_completion: bool
    tells_action: bool
    tells_last: bool
    tells_goal: bool
    tells_position: bool
    tells_compass: bool
    tells_protocols: bool
    has_blockers: bool
    has_territory: bool
    has_radius: bool
    has_stats: bool
    has_values: bool  # expressions, beside plain sums
    has_asks: bool  # rewards that count by queries
    counts_views: bool  # tokens or things seen are counted
    tracks_cells: bool
    looks_first: bool  # whether some neighbouring cell may be out of sight
    counts_tokens: bool
    overflow_ends: bool
    scripted: bool  # handlers ask about more, or do more, than the actor and target at hand
    veils: bool  # what appears later does not show what it holds
    overtime: bool
    truncates: bool
    split: bool
    talks: bool
    talk_length: int
    talk_cooldown: int
    regen_interval: int
    most_passed: float
    ids: Any  # Ids
    bag: Any  # Bag
    tables: Any  # Tables
    old: Any  # compile.classic.Old
    stats: Any  # compile.stats.Stats
    values: Any  # value_plan.Values
    code: Any  # Code


class Code(NamedTuple):
    """What programs refer to."""

    own_at: int
    num_tags: int
    # places of tags in `since`, programs of agents, the rest
    data: Annotated[np.ndarray, "int64 [..]"]
    born: Annotated[np.ndarray, "int64 [kind, ..]"]
    plot: Any  # Plot


class Plot(NamedTuple):
    """Where in `data` it stands what happens, and how much of it."""

    times_at: int
    num_times: int
    events_at: int
    num_events: int
    moves_at: int
    num_moves: int
    made_at: int
    num_made: int
    areas_at: int
    num_areas: int
    sources: int  # a list for the things with areas; the next is for what areas add up to
    tick: int  # a program, or -1


class Tables(NamedTuple):
    """The tables of a game."""

    window: Annotated[np.ndarray, "int32 [seen cell, 10]"]
    rays: Annotated[np.ndarray, "int32 [..]"]
    masks: Annotated[np.ndarray, "int64 [seen row]"]
    ranks: Annotated[np.ndarray, "int64 [.., rank word]"]
    kind_of: Annotated[np.ndarray, "int32 [slot]"]
    kind: Annotated[np.ndarray, "int32 [kind, 12]"]
    initial: Annotated[np.ndarray, "int32 [kind, resource]"]
    first_held: Annotated[np.ndarray, "int16 [kind, resource]"]
    first_buckets: Annotated[np.ndarray, "int16 [kind]"]
    first_tags: Annotated[np.ndarray, "int64 [kind, tag word]"]
    tag_list: Annotated[np.ndarray, "int16 [kind, ..]"]
    program: Annotated[np.ndarray, "int32 [instruction, 6]"]
    places: Annotated[np.ndarray, "int16 [layout, thing, 2]"]
    ground: Annotated[np.ndarray, "int16 [layout, cell]"]
    # kind, row and column or vibe, offset of the cell
    action: Annotated[np.ndarray, "int32 [action, 4]"]
    # of noop, moves and vibes: required, paid
    cost: Annotated[np.ndarray, "int32 [3, 2, resource]"]
    # values in their order, and the terms they are
    paid: Annotated[np.ndarray, "int16 [kind, .., 2]"]
    told: Annotated[np.ndarray, "int32 [.., 2]"]
    claim: Annotated[np.ndarray, "int32 [claim, 4]"]
    team: Annotated[np.ndarray, "int32 [team, 2]"]
    nothing: Annotated[np.ndarray, "uint8 [0]"]  # a view with no room, for counting


def feature_ids(ids: IdMap, core: Core) -> Ids:
    """Look the feature ids up."""
    first = core.resources[0] if core.resources else ""
    names = [name.format(first) for name in NAMES]
    return Ids(*(ids.feature_id(name) if ids.has(name) else -1 for name in names))


def _actions(core: Core, pitch: int) -> np.ndarray:  # int32 [action, 4]
    rows = [(NOOP, 0, 0, 0)]
    steps = [STEPS[name] for name in core.actions.directions]
    move = HANDLED if core.actions.handlers else MOVE
    rows += [(move, r, c, r * pitch + c) for r, c in steps]
    if not core.talk.enabled:
        rows += [(CHANGE_VIBE, core.vibes.index(name), 0, 0) for name in core.actions.vibes]
    return np.array(rows, np.int32)


def _costs(core: Core) -> np.ndarray:  # int32 [3, 2, resource]
    """Tabulate what actions need and cost; upstream, cogs ignores both."""
    made = np.zeros((3, 2, len(core.resources)), np.int32)
    if not core.is_classic and core.conformance == "upstream":
        return made
    acts = core.actions
    every = (
        (acts.noop_required, acts.noop_cost),
        (acts.move_required, acts.move_cost),
        (acts.vibe_required, acts.vibe_cost),
    )
    for k, tables in enumerate(every):
        for j, table in enumerate((tables[0] or tables[1], tables[1])):
            for name, amount in table.items():
                made[k, j, core.resources.index(name)] = amount
    return made


def _code(core: Core, made: Plan, script: Script) -> Code:
    return Code(
        own_at=script.own_at,
        num_tags=script.num_tags,
        data=script.data,
        born=born_table(core, made),
        plot=Plot(**script.plot, tick=script.tick),
    )


def _tables(core: Core, made: Plan, script: Script) -> Tables:
    kind = kind_table(core, made, script)
    return Tables(
        window=made.view.window,
        rays=made.view.rays,
        masks=made.view.masks,
        ranks=made.view.ranks,
        kind_of=made.kind_of,
        kind=kind,
        first_tags=tag_bits(made),
        tag_list=tag_lists(made),
        program=script.program,
        places=made.places,
        ground=made.ground,
        action=_actions(core, made.width + 2 * PAD),
        cost=_costs(core),
        nothing=np.zeros(0, np.uint8),
        **initial_tables(core, made),
        paid=script.paid,
        told=script.told,
        **claim_tables(core, made),
    )


def _looks_first(core: Core, tables: Tables) -> bool:
    small = min(core.obs.width, core.obs.height) < 3
    disc = not core.is_classic and min(core.obs.width, core.obs.height) == 3
    slanted = any(len(name) > len("north") for name in core.actions.directions)
    blocked = bool(tables.kind[:, OPAQUE].any())
    return small or core.obs.radius is not None or (slanted and (blocked or disc))


def _counted(core: Core) -> dict[str, bool]:
    """Give what is counted in a game."""
    names, told = names_of(core), told_queries(core) > 0
    walked = {"cell.unique_visited", "cell.max_distance_from_spawn"}
    return {
        "has_stats": bool(names.agent or names.game or told),
        "counts_views": any(views_counted(core)) or told,
        "tracks_cells": bool(walked & set(names.agent)),
    }


def _switches(core: Core, tables: Tables) -> dict[str, bool]:
    """Give what is on in a game."""
    obs, old = core.obs, core.is_classic
    return {
        "has_vibes": bool((tables.action[:, 0] == CHANGE_VIBE).any()),
        "has_costs": bool(tables.cost.any()),
        "shuffles": core.resolved("order"),
        "tells_reward": not core.resolved("last_reward"),
        "tells_id": core.agent_id == "upstream",
        "compass_centre": core.resolved("compass"),
        "tells_completion": obs.episode_completion_pct,
        "tells_action": obs.last_action,
        "tells_last": obs.last_reward,
        "tells_goal": obs.goal and (old or core.conformance == "spec"),
        "tells_position": obs.local_position,
        "tells_compass": obs.compass and old,
        "tells_protocols": obs.protocol_details and (old or core.conformance == "spec"),
        "has_blockers": bool(tables.kind[:, OPAQUE].any()),
        "has_territory": obs.territory,
        "has_radius": obs.radius is not None,
        **_counted(core),
        "looks_first": _looks_first(core, tables),
        "counts_tokens": core.budget_info,
        "overflow_ends": core.overflow == "error",
        "overtime": core.overtime,
        "truncates": core.episode_truncates,
        "split": core.actions.layout == "split",
        "talks": core.talk.enabled,
    }


def _bag(core: Core, made: Plan, stats: Stats) -> Bag:
    return Bag(
        **limit_tables(core, made),
        flow=stats.flow,
        diverse=stats.old.diverse,
        counts=bool((stats.flow >= 0).any() or (stats.old.diverse >= 0).any()),
        wraps=core.conformance == "upstream",
        adds_up=core.is_classic,
        hashes=core.resolved("token_order"),
    )


def params(core: Core, spec: Spec) -> Params:
    """Turn the config into what rules read."""
    made, obs, script = plan(core), core.obs, script_of(core)
    tables = _tables(core, made, script)
    stats, values = stat_tables(core, made), script.values
    return Params(
        agents=core.num_agents,
        things=made.num_things,
        resources=made.num_resources,
        height=made.height,
        width=made.width,
        pitch=made.width + 2 * PAD,
        window_height=obs.height,
        window_width=obs.width,
        half=half_of(obs.width),
        centre=(obs.height // 2) << 4 | obs.width // 2,
        num_tokens=obs.num_tokens,
        base=obs.token_value_base,
        digits=digits(obs.token_value_base),
        max_steps=core.max_steps,
        **_switches(core, tables),
        has_values=bool((values.value[:, START] >= 0).any()),
        has_asks=bool((values.asks[:, COLUMN] < 0).any()),
        scripted=is_scripted(core, script),
        veils=core.conformance == "upstream",
        talk_length=core.talk.max_length,
        talk_cooldown=core.talk.cooldown_steps,
        regen_interval=core.regen_interval,
        most_passed=made.most_worth * core.num_agents,
        ids=feature_ids(made.ids, core),
        bag=_bag(core, made, stats),
        tables=tables,
        old=old_tables(core, made),
        stats=stats,
        values=values,
        code=_code(core, made, script),
    )
