"""The parameters of rules: sizes, switches and tables, read-only."""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.worlds.mettagrid.compile.actions import action_rows, cost_table
from mesocosm.worlds.mettagrid.compile.bytecode.script import (
    Script,
    area_table,
    is_scripted,
    own_area_tables,
    script_of,
)
from mesocosm.worlds.mettagrid.compile.bytecode.value_opcodes import (
    QUERY_GLIMPSE,
    VALUE_PER_TICK,
    VALUE_START,
)
from mesocosm.worlds.mettagrid.compile.classic import classic_tables
from mesocosm.worlds.mettagrid.compile.columns import ACTION_KIND, CHANGE_VIBE
from mesocosm.worlds.mettagrid.compile.feature_ids import feature_ids
from mesocosm.worlds.mettagrid.compile.geometry import PAD, half_of, ranks_of_cells
from mesocosm.worlds.mettagrid.compile.kinds import OPAQUE
from mesocosm.worlds.mettagrid.compile.plan import Plan, list_room, plan
from mesocosm.worlds.mettagrid.compile.schema import Code, InventoryTables, Schedule, Tables
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
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.idmap import LOCATION_ROW, MAX_IDS, inventory_digits
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.game.scan import (
    keeps_areas,
    keeps_land,
    keeps_proxies,
    mixes_land,
    moves_proxies,
    vanishes,
)


class Params(NamedTuple):
    """Read-only numbers for the rules."""

    agents: int
    things: int
    list_room: int  # how many things a list has room for
    resources: int
    height: int
    width: int
    pitch: int  # length of a padded row
    window_height: int
    window_width: int
    half: int
    num_pairs: int  # of words that have a bit for every cell of a window
    centre: int  # packed location of the agent itself
    num_tokens: int
    base: int
    digits: int  # features of each resource
    most_told: int  # the largest amount that these can tell
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
    tells_goal: bool  # among what one is told about oneself
    goal_on_cells: bool  # on every cog's cell
    tells_position: bool
    tells_compass: bool
    tells_protocols: bool
    has_blockers: bool
    has_territory: bool
    agents_claim: bool  # agents claim land where they are
    has_radius: bool
    has_stats: bool
    has_values: bool  # expressions, beside plain sums
    pays_ticks: bool  # rewards that are paid in every step
    has_asks: bool  # rewards that count by queries
    counts_views: bool  # tokens or things seen are counted
    tracks_cells: bool
    looks_first: bool  # whether some neighbouring cell may be out of sight
    counts_tokens: bool
    wraps_told: bool  # values are told in 32 bits, and may spill into the next features
    keeps_land: bool  # things that vanish still claim land
    keeps_areas: bool  # areas may outlast what they are of
    vanishes: bool  # agents can vanish from the map, and act on
    keeps_proxies: bool  # lists or cells have proxies of land
    moves_proxies: bool  # cells may show proxies of land
    mixes_shadows: bool  # with a radius, cells hide behind what blocks the view of others
    mixes_land: bool  # with a radius, whose land a cell is may be told of another one
    overflow_ends: bool
    scripted: bool  # handlers ask about more, or do more, than the actor and target at hand
    veils: bool  # what appears later does not show what it holds
    overtime: bool
    truncates: bool
    split: bool
    talks: bool
    talk_cooldown: int
    broadcast: int  # the resource whose holders hear each other, or -1
    hears_unseen: bool  # all in the window are heard, as upstream
    regen_interval: int
    most_passed: float
    ids: Any  # Ids
    inventory: Any  # InventoryTables
    tables: Any  # Tables
    classic: Any  # compile.classic.ClassicTables
    stats: Any  # compile.stats.Stats
    values: Any  # compile.values.ValueTables
    code: Any  # Code


def _broadcast(core: Core) -> int:
    """Return the resource whose holders hear each other, or -1."""
    name = core.talk.broadcast_resource
    return core.resources.index(name) if name else -1


def _code(core: Core, made: Plan, script: Script) -> Code:
    return Code(
        kind_handlers_at=script.kind_handlers_at,
        num_tags=script.num_tags,
        data=script.data,
        born=born_table(core, made),
        areas=area_table(script, len(made.kinds)),
        **own_area_tables(script, made),
        schedule=Schedule(**script.schedule, tick=script.tick),
    )


def _tables(core: Core, made: Plan, script: Script) -> Tables:
    kind = kind_table(core, made, script)
    return Tables(
        window=made.view.window,
        rays=made.view.rays,
        rank_at=ranks_of_cells(made.view.window, core.obs.height, core.obs.width),
        ray_of=made.view.ray_of,
        spots=made.view.spots,
        ranks=made.view.ranks,
        shadows=made.view.shadows,
        reaches=made.view.reaches,
        kind_of=made.kind_of,
        kind=kind,
        first_tags=tag_bits(made),
        tag_list=tag_lists(made),
        bytecode=script.bytecode,
        places=made.places,
        ground=made.ground,
        action=action_rows(core, made.width + 2 * PAD),
        cost=cost_table(core),
        nothing=np.zeros(0, np.uint8),
        **initial_tables(core, made),
        paid=script.paid,
        told=script.told,
        **claim_tables(core, made),
    )


def _looks_first(core: Core, tables: Tables) -> bool:
    small = min(core.obs.width, core.obs.height) < 3
    disc = core.has_round_window and min(core.obs.width, core.obs.height) == 3
    slanted = any(len(name) > len("north") for name in core.actions.directions)
    blocked = bool(tables.kind[:, OPAQUE].any())
    return small or core.obs.radius is not None or (slanted and (blocked or disc))


def _counted(core: Core) -> dict[str, bool]:
    """Return which counts a game needs."""
    names, told = names_of(core), told_queries(core) > 0 or mixes_land(core)
    walked = {"cell.unique_visited", "cell.max_distance_from_spawn"}
    return {
        "has_stats": bool(names.agent or names.game or told),
        "counts_views": any(views_counted(core)) or told,
        "tracks_cells": bool(walked & set(names.agent)),
    }


def _switches(core: Core, tables: Tables) -> dict[str, bool]:
    """Return the switches of a game."""
    obs, classic = core.obs, core.is_classic
    goal = obs.goal and (classic or core.conformance == "spec")
    return {
        "has_vibes": bool((tables.action[:, ACTION_KIND] == CHANGE_VIBE).any()),
        "has_costs": bool(tables.cost.any()),
        "shuffles": core.resolved("order"),
        "tells_reward": not core.resolved("last_reward"),
        "tells_id": core.agent_id == "upstream",
        "compass_centre": core.resolved("compass"),
        "tells_completion": obs.episode_completion_pct,
        "tells_action": obs.last_action,
        "tells_last": obs.last_reward,
        "tells_goal": goal and obs.goal_scope == "self",
        "goal_on_cells": goal and obs.goal_scope == "cogs",
        "tells_position": obs.local_position,
        "tells_compass": obs.compass and classic,
        "tells_protocols": obs.protocol_details and (classic or core.conformance == "spec"),
        "has_blockers": bool(tables.kind[:, OPAQUE].any()),
        "has_territory": obs.territory,
        "agents_claim": any(kind.controls for kind in core.kinds),
        "has_radius": obs.radius is not None,
        **_counted(core),
        "looks_first": _looks_first(core, tables),
        "counts_tokens": core.budget_info,
        "wraps_told": core.conformance == "upstream",
        "keeps_land": keeps_land(core),
        "keeps_areas": keeps_areas(core),
        "vanishes": vanishes(core),
        "keeps_proxies": keeps_proxies(core),
        "moves_proxies": moves_proxies(core),
        "mixes_shadows": core.conformance == "upstream" and obs.radius is not None,
        "mixes_land": mixes_land(core),
        "overflow_ends": core.overflow == "error",
        "overtime": core.overtime,
        "truncates": core.episode_truncates,
        "split": core.actions.layout == "split" and not core.talk.enabled,
        "talks": core.talk.enabled,
    }


def _inventory(core: Core, made: Plan, stats: Stats) -> InventoryTables:
    return InventoryTables(
        **limit_tables(core, made),
        flow=stats.flow,
        diverse=stats.classic.diverse,
        counts=bool((stats.flow >= 0).any() or (stats.classic.diverse >= 0).any()),
        wraps=core.conformance == "upstream",
        adds_up=core.is_classic,
        hashes=core.resolved("token_order"),
    )


def params(core: Core, spec: Spec) -> Params:
    """Return the parameters of rules for a config."""
    made, obs, script = plan(core), core.obs, script_of(core)
    tables = _tables(core, made, script)
    stats, values = stat_tables(core, made), script.values
    return Params(
        agents=core.num_agents,
        things=made.num_things,
        list_room=list_room(core, made),
        resources=made.num_resources,
        height=made.height,
        width=made.width,
        pitch=made.width + 2 * PAD,
        window_height=obs.height,
        window_width=obs.width,
        half=half_of(obs.width),
        num_pairs=made.view.ranks.shape[0] // 4,
        centre=obs.height // 2 * LOCATION_ROW + obs.width // 2,
        num_tokens=obs.num_tokens,
        base=obs.token_value_base,
        digits=inventory_digits(core),
        most_told=MAX_AMOUNT if obs.inventory_powers else min(obs.token_value_base, MAX_IDS) - 1,
        max_steps=core.max_steps,
        **_switches(core, tables),
        has_values=bool((values.value[:, VALUE_START] >= 0).any()),
        pays_ticks=bool((values.value[:, VALUE_PER_TICK] != 0.0).any()),
        has_asks=bool((values.asks[:, QUERY_GLIMPSE] < 0).any()),
        scripted=is_scripted(core, script),
        veils=core.conformance == "upstream",
        talk_cooldown=max(core.talk.cooldown_steps, 1),  # with none, one may speak at every step
        broadcast=_broadcast(core),
        hears_unseen=core.conformance == "upstream",
        regen_interval=core.regen_interval,
        most_passed=made.most_worth * core.num_agents,
        ids=feature_ids(made.ids, core),
        inventory=_inventory(core, made, stats),
        tables=tables,
        classic=classic_tables(core, made),
        stats=stats,
        values=values,
        code=_code(core, made, script),
    )
