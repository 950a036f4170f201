"""What holds between the fields of mettagrid, lest rules hang or leave arrays and ranges."""

import numpy as np

from mesocosm.core.world import Invariant, Truth
from mesocosm.worlds.mettagrid.arithmetic.twister import TOP_BIT
from mesocosm.worlds.mettagrid.compile.plan import plan
from mesocosm.worlds.mettagrid.compile.ranges import stat_range, worth_range
from mesocosm.worlds.mettagrid.compile.stats import names_of
from mesocosm.worlds.mettagrid.config import Core
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


def seed_twisters(truth: Truth, core: Core) -> None:
    """Make twisters nonzero, since one of zeros yields nothing else."""
    for name in ("twister", "clip_words"):
        words = truth[name]
        if words.shape[1] > 1:
            still = (words[:, 1:-1] == 0).all(axis=1) & (words[:, 0] & TOP_BIT == 0)
            words[still, 1] = 1


def keep_worth(truth: Truth, core: Core) -> None:
    """Bring what rewards were worth into what they can be worth; 0 stands for the first step."""
    made = plan(core)
    for agent in range(core.num_agents):
        kind = made.kinds[int(made.kind_of[agent])].entry
        for k, name in enumerate(made.terms):
            reward = kind.rewards.get(name) if isinstance(kind, AgentKind) else None
            low, high = worth_range(core, reward) if reward is not None else (0.0, 0.0)
            worth = truth["worth"][:, agent, k]
            np.clip(worth, min(low, 0.0), max(high, 0.0), out=worth)


def keep_counts(truth: Truth, core: Core) -> None:
    """Bring statistics into what can be counted."""
    names = names_of(core)
    for field, scope, known in (("stat", "agent", names.agent), ("game_stat", "game", names.game)):
        for k, name in enumerate(known):
            low, high = stat_range(core, name, scope)
            np.clip(truth[field][..., k], low, high, out=truth[field][..., k])


def keep_cooldown(truth: Truth, core: Core) -> None:
    """Let nobody wait longer than one waits after speaking."""
    latest = truth["clock"][:, None] + core.talk.cooldown_steps
    np.minimum(truth["silent_until"], latest, out=truth["silent_until"])


INVARIANTS = (
    Invariant("a reward was worth what it can be worth", ("worth",), keep_worth),
    Invariant("a statistic is what can be counted", ("stat", "game_stat"), keep_counts),
    Invariant("one waits at most the cooldown", ("silent_until",), keep_cooldown),
    Invariant("an agent is on the map", ("row", "col"), keep_agents),
    Invariant("what is gone has no row and no column", ("row", "col"), remove_wholly),
    Invariant(
        "random numbers begin with other words than 0", ("twister", "clip_words"), seed_twisters
    ),
)
