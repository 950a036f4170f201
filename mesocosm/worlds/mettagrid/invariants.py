"""What holds between the fields of mettagrid, lest rules hang or leave arrays and ranges."""

import numpy as np

from mesocosm.core.world import Invariant, Truth
from mesocosm.worlds.mettagrid.arithmetic.twister import TOP_BIT
from mesocosm.worlds.mettagrid.compile.plan import plan
from mesocosm.worlds.mettagrid.compile.ranges import stat_range, worth_range
from mesocosm.worlds.mettagrid.compile.stats import names_of
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.scan import vanishes
from mesocosm.worlds.mettagrid.game.thing import AgentKind


def keep_agents(truth: Truth, core: Core) -> None:
    """Put agents on the map."""
    for name in ("row", "col"):
        agents = truth[name][:, : core.num_agents]
        np.maximum(agents, 0, out=agents)


def remove_wholly(truth: Truth, core: Core) -> None:
    """Remove both row and column of what has only one."""
    gone = (truth["row"] < 0) | (truth["col"] < 0)
    truth["row"][gone] = -1
    truth["col"][gone] = -1


def part_things(truth: Truth, core: Core) -> None:
    """Move an agent off another's cell, to the first without one; remove other things there."""
    made, rows, cols, agents = plan(core), truth["row"], truth["col"], core.num_agents
    if vanishes(core):  # who vanished may be anywhere
        return
    for e in np.flatnonzero(_share_cells(rows, cols)).tolist():
        taken: set[tuple[int, int]] = set()
        for k in range(rows.shape[1]):
            if (rows[e, k], cols[e, k]) in taken:
                others = set(zip(rows[e, :agents].tolist(), cols[e, :agents].tolist(), strict=True))
                free = (at for at in np.ndindex(made.height, made.width) if at not in others)
                rows[e, k], cols[e, k] = next(free) if k < agents else (-1, -1)
            if rows[e, k] >= 0 and cols[e, k] >= 0:
                taken.add((int(rows[e, k]), int(cols[e, k])))


def part_shown(truth: Truth, core: Core) -> None:
    """Let all but the first thing of a cell have vanished, where things can vanish."""
    if not vanishes(core):
        truth["vanished"][:] = False
        return
    rows, cols = truth["row"], truth["col"]
    for e in np.flatnonzero(_share_cells(rows, cols)).tolist():
        taken: set[tuple[int, int]] = set()
        for k in np.flatnonzero((rows[e] >= 0) & ~truth["vanished"][e]).tolist():
            truth["vanished"][e, k] = (rows[e, k], cols[e, k]) in taken
            taken.add((rows[e, k], cols[e, k]))


def _share_cells(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:  # bool [env]
    """Say in which envs two things are on one cell."""
    there = (rows >= 0) & (cols >= 0)
    apart = -1 - np.arange(rows.shape[1])  # what is gone shares nothing
    cells = np.sort(np.where(there, rows.astype(np.int64) << 16 | cols, apart), axis=1)
    shared: np.ndarray = (cells[:, 1:] == cells[:, :-1]).any(axis=1)
    return shared


def seed_twisters(truth: Truth, core: Core) -> None:
    """Make twisters nonzero, since one of zeros yields nothing else."""
    for name in ("twister", "clip_words"):
        words = truth[name]
        if words.shape[1] > 1:
            still = (words[:, 1:-1] == 0).all(axis=1) & (words[:, 0] & TOP_BIT == 0)
            words[still, 1] = 1


def keep_worth(truth: Truth, core: Core) -> None:
    """Bring rewards into what they can be: worth 0 at first, and nothing where none is paid."""
    made = plan(core)
    for agent in range(core.num_agents):
        kind = made.kinds[int(made.kind_of[agent])].entry
        for k, name in enumerate(made.terms):
            reward = kind.rewards.get(name) if isinstance(kind, AgentKind) else None
            low, high = worth_range(core, reward) if reward is not None else (0.0, 0.0)
            worth = truth["worth"][:, agent, k]
            np.clip(worth, min(low, 0.0), max(high, 0.0), out=worth)
            if reward is None:
                truth["earned"][:, agent, k] = 0.0


def keep_counts(truth: Truth, core: Core) -> None:
    """Bring statistics into what can be counted."""
    names = names_of(core)
    for field, scope, known in (("stat", "agent", names.agent), ("game_stat", "game", names.game)):
        for k, name in enumerate(known):
            low, high = stat_range(core, name, scope)
            np.clip(truth[field][..., k], low, high, out=truth[field][..., k])


def keep_cooldown(truth: Truth, core: Core) -> None:
    """Let nobody wait longer than one waits after speaking."""
    latest = truth["clock"][:, None] + max(core.talk.cooldown_steps, 1)
    np.minimum(truth["silent_until"], latest, out=truth["silent_until"])


INVARIANTS = (
    Invariant("rewards are what they can be", ("worth", "earned"), keep_worth),
    Invariant("a statistic is what can be counted", ("stat", "game_stat"), keep_counts),
    Invariant("one waits at most the cooldown", ("silent_until",), keep_cooldown),
    Invariant("an agent is on the map", ("row", "col"), keep_agents),
    Invariant("what is gone has no row and no column", ("row", "col"), remove_wholly),
    Invariant("no two things are on one cell", ("row", "col"), part_things),
    Invariant("a cell shows one thing", ("vanished",), part_shown),
    Invariant(
        "random numbers begin with other words than 0", ("twister", "clip_words"), seed_twisters
    ),
)
