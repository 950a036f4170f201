"""The tables of a game: what kinds of things are, hold, can hold, pay and claim."""

import numpy as np

from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.compile.bytecode.script import Script
from mesocosm.worlds.mettagrid.compile.columns import (
    LIMIT_ALONE,
    LIMIT_BASE,
    LIMIT_GROWS,
    LIMIT_MOST,
    NUM_CLAIM_COLUMNS,
    NUM_LIMIT_COLUMNS,
    NUM_TEAM_COLUMNS,
)
from mesocosm.worlds.mettagrid.compile.kinds import (
    AGENT_CLASS,
    ALLOWS_PARTIAL,
    CHEST_REACH,
    CLAIMS,
    CLASS,
    CLASSES,
    END_RECIPE,
    FIRST_RECIPE,
    FIRST_VIBE,
    GROUP,
    MAX_USES,
    NUM_KIND_COLUMNS,
    OPAQUE,
    STARTS_CLIPPED,
    USE_BYTECODE,
)
from mesocosm.worlds.mettagrid.compile.plan import Plan
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.hash_order import dict_order, hash_order
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.game.thing import AgentKind, Thing


def kind_table(core: Core, made: Plan, script: Script) -> np.ndarray:  # int32 [kind, 12]
    """Tabulate the kinds."""
    rows = []
    recipes = 0
    for which, kind in enumerate(made.kinds):
        row = [0] * NUM_KIND_COLUMNS
        entry = kind.entry
        row[USE_BYTECODE] = script.uses[which]
        if isinstance(entry, AgentKind):
            row[CLASS], row[GROUP], row[FIRST_VIBE] = AGENT_CLASS, kind.group, entry.vibe
            row[CLAIMS] = bool(entry.controls)
        else:
            row[CLASS], row[FIRST_VIBE] = CLASSES[entry.kind], entry.vibe
            row[OPAQUE], row[CLAIMS] = entry.blocks_vision, bool(entry.controls)
            row[MAX_USES], row[ALLOWS_PARTIAL] = entry.max_uses, entry.allow_partial_usage
            row[STARTS_CLIPPED], row[CHEST_REACH] = entry.start_clipped, entry.chest_search_distance
            row[FIRST_RECIPE] = recipes
            recipes += len(entry.protocols)
        row[END_RECIPE] = recipes
        rows.append(row)
    return np.array(rows, np.int32)


def initial_tables(core: Core, made: Plan) -> dict[str, np.ndarray]:
    """Tabulate what kinds hold at first."""
    size, kinds = len(core.resources), len(made.kinds)
    initial = np.zeros((kinds, size), np.int32)
    first = np.full((kinds, size), -1, np.int16)
    buckets = np.zeros(kinds, np.int16)
    for k, kind in enumerate(made.kinds):
        given = kind.entry.inventory.initial
        for name, amount in given.items():
            initial[k, core.resources.index(name)] = amount
        skips = core.is_classic and isinstance(kind.entry, Thing)  # chests are not given nothing
        order, buckets[k] = _first_order(core, given, skips)
        first[k, : len(order)] = order
    return {"initial": initial, "first_held": first, "first_buckets": buckets}


def limit_tables(core: Core, made: Plan) -> dict[str, np.ndarray]:
    """Tabulate how much kinds can hold: a limit of its own for each resource, or a shared one."""
    size = len(core.resources)
    group_of = np.zeros((len(made.kinds), size), np.int16)
    bounds: list[tuple[int, int]] = []
    bonus: list[np.ndarray] = []
    members: list[list[int]] = []
    groups: list[list[int]] = []
    modifies = np.zeros((len(made.kinds), size), np.bool_)
    for k, kind in enumerate(made.kinds):
        inventory = kind.entry.inventory
        group_of[k] = len(bounds) + np.arange(size)
        bounds += [(inventory.default_limit, inventory.default_limit)] * size
        bonus += [np.zeros(size, np.int32)] * size
        members += [[r, *[-1] * (size - 1)] for r in range(size)]
        for limit in inventory.limits.values():
            for name in limit.resources:
                group_of[k, core.resources.index(name)] = len(bounds)
            bounds.append((limit.base, limit.most))
            named = {core.resources.index(name) for name in limit.resources}
            shared = [r for r in _told_limits(core, kind.entry) if r in named]
            members.append([*shared, *[-1] * (size - len(shared))])
            extra = np.zeros(size, np.int32)
            for name, amount in limit.modifiers.items():
                extra[core.resources.index(name)] = amount
            bonus.append(extra)
        if not core.is_classic:  # what several limits name counts for the last of them
            _keep_own_members(members, group_of[k])
        last = len(bounds) - len(inventory.limits)
        for group, limit in enumerate(inventory.limits.values(), last):
            if group in group_of[k]:
                modifies[k, [core.resources.index(name) for name in limit.modifiers]] = True
        used = sorted(set(group_of[k].tolist()), key=lambda group: (group < last, group))
        groups.append([*used, *[-1] * (size - len(used))])
    rows = _limit_rows(bounds, bonus, group_of)
    return {
        "limit_of": group_of,
        "modifies": modifies,
        "limit": rows,
        "fixed_most": _fixed_limits(rows)[group_of],
        "bonus": np.array(bonus, np.int32).reshape(len(bonus), size),
        "members": np.array(members, np.int16).reshape(len(members), size),
        "groups": np.array(groups, np.int16).reshape(len(groups), size),
    }


def _limit_rows(
    bounds: list[tuple[int, int]], bonus: list[np.ndarray], group_of: np.ndarray
) -> np.ndarray:  # int32 [limit, 4]
    """Tabulate limits: base, most, the one resource that it is for or -1, whether it grows."""
    made = np.full((len(bounds), NUM_LIMIT_COLUMNS), -1, np.int32)
    made[:, : LIMIT_MOST + 1] = np.array(bounds, np.int32).reshape(-1, LIMIT_MOST + 1)
    for group, extra in enumerate(bonus):
        own = np.argwhere(group_of == group)[:, 1]
        made[group, LIMIT_ALONE] = own[0] if len(own) == 1 else -1
        made[group, LIMIT_GROWS] = int(extra.any())
    return made


def _fixed_limits(limit: np.ndarray) -> np.ndarray:  # int32 [limit]
    """Return what limits are that stay the same and are for one resource; -1 for all others."""
    most = np.minimum(np.maximum(limit[:, LIMIT_BASE], 0), limit[:, LIMIT_MOST])
    plain = (limit[:, LIMIT_ALONE] >= 0) & (limit[:, LIMIT_GROWS] == 0)
    return np.where(plain & (most >= 0) & (most <= MAX_AMOUNT), most, -1).astype(np.int32)


def _keep_own_members(members: list[list[int]], group_of: np.ndarray) -> None:
    """Take out of each limit the resources that a later one has too."""
    for group in sorted(set(group_of.tolist())):
        own = [r for r in members[group] if r >= 0 and group_of[r] == group]
        members[group] = own + [-1] * (len(members[group]) - len(own))


def _told_limits(core: Core, entry: AgentKind | Thing) -> list[int]:
    """Order resources as MettaGrid's map of limits has them.

    An agent's resources without a limit have one each, after the others; a chest's have none.
    """
    names = [name for limit in entry.inventory.limits.values() for name in limit.resources]
    if isinstance(entry, AgentKind):
        names += [name for name in core.resources if name not in names]
    order, _ = hash_order([(core.resources.index(name), 1) for name in dict.fromkeys(names)])
    return order


def _first_order(core: Core, initial: dict[str, int], skips: bool) -> tuple[list[int], int]:
    """Order an initial inventory as MettaGrid tells it, or by id; and size its hash map."""
    amounts = {core.resources.index(name): amount for name, amount in initial.items()}
    if core.resolved("token_order"):
        return hash_order([(k, amounts[k]) for k in dict_order(amounts) if amounts[k] or not skips])
    return sorted(k for k, amount in amounts.items() if amount > 0), 0


def tag_bits(made: Plan) -> np.ndarray:  # int64 [kind, word]
    """Tabulate the tags of kinds, as bits."""
    bits = np.zeros((len(made.kinds), made.tag_words), np.int64)
    for k, kind in enumerate(made.kinds):
        for tag in kind.tags:
            bits[k, tag // WORD_BITS] |= 1 << (tag % WORD_BITS)
    return bits


def tag_lists(made: Plan) -> np.ndarray:  # int16 [kind, 1 + tags]
    """List the tags of kinds in the order they are told (classic), with their count first."""
    most = max(len(kind.tags) for kind in made.kinds)
    rows = np.zeros((len(made.kinds), 1 + most), np.int16)
    for k, kind in enumerate(made.kinds):
        rows[k, 0] = len(kind.tags)
        rows[k, 1 : 1 + len(kind.tags)] = kind.tags
    return rows


def born_table(core: Core, made: Plan) -> np.ndarray:  # int64 [kind, number]
    """Tabulate what a new thing of each kind is like: amounts, their order, map, vibe, tags."""
    first = initial_tables(core, made)
    vibes = np.array([[kind.entry.vibe] for kind in made.kinds])
    parts = (first["initial"], first["first_held"], first["first_buckets"][:, None], vibes)
    return np.concatenate([*parts, tag_bits(made)], axis=1).astype(np.int64)


def claim_tables(core: Core, made: Plan) -> dict[str, np.ndarray]:
    """Tabulate who claims land and which tags are teams."""
    names = list(core.territories)
    rows = [
        (k, names.index(control.territory), control.strength, control.decay)
        for k, kind in enumerate(made.kinds)
        for control in kind.entry.controls
    ]
    tags = made.ids.tag_names()
    teams = [
        (names.index(name), tag)
        for name, prefix in core.territories.items()
        for tag, text in enumerate(tags)
        if rows and text.startswith(prefix)  # where nobody claims, no land is kept for teams
    ]
    return {
        "claim": np.array(rows, np.int32).reshape(-1, NUM_CLAIM_COLUMNS),
        "team": np.array(teams, np.int32).reshape(-1, NUM_TEAM_COLUMNS),
    }
