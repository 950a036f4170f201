"""Declare each level's columns for a spec, and keep those that a config's globs choose."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError, hint
from mesocosm.core.spec import Spec
from mesocosm.telemetry.tables.table import LEVEL_OF, LEVELS, TABLES, Column, Table

MOST_OPTIONS = 32  # of a part whose options are counted one by one

STEP = Column("step", "int64", "transition", "number of the step in the run, from 0", key=True)
ENV = Column("env", "int32", "state", "global index of the env", key=True)
EPISODE = Column("episode", "int64", "state", "number of the env's episode, from 0", key=True)
TIME = Column("t", "int64", "state", "steps of the episode played before this one", key=True)
AGENT = Column("agent", "int16", "state", "index of the agent among all agents", key=True)
ROLE = Column("role", "text", "state", "role of the agent", key=True)


def enabled_tables(spec: Spec, settings: Any) -> dict[str, Table]:
    """Give the tables of the enabled levels."""
    made = {}
    for name in TABLES:
        chosen = getattr(settings, LEVEL_OF[name])
        if chosen.enabled:
            columns = table_columns(spec, name, full=chosen.verbosity == "full")
            globs = ("*",) if name == "event" else chosen.metrics
            kept = tuple(c for c in columns if c.key or _matches(c.name, globs))
            made[name] = Table(name, kept)
    return made


def table_columns(spec: Spec, table: str, *, full: bool) -> tuple[Column, ...]:
    """List everything that a table can hold."""
    makers = {"episode": _episode, "episode_agents": _episode_agents, "step": _step}
    make = (makers | {"agent": _agent, "event": _event})[table]
    if full:
        return tuple(make(spec))
    kept = (column for column in make(spec) if not column.full)
    made = [_summarised(column, spec, table) for column in kept]
    sizes = {f"action.{name}": size for name, size in part_sizes(spec).items()}
    return tuple(c for c in made if c.kind != "list" or sizes.get(c.name, 0) <= MOST_OPTIONS)


def _summarised(column: Column, spec: Spec, table: str) -> Column:
    """Say what a column of one row over all envs holds."""
    if column.key or LEVEL_OF[table] in ("episode", "event"):
        return column
    part = column.name.removeprefix("action.")
    if table == "agent" and part in part_sizes(spec) and column.kind == "int16":
        return replace(column, kind="list", meaning=f"envs in which it played each {part}")
    return replace(column, kind="float64", meaning=f"{column.meaning}; mean over envs")


def check_metrics(spec: Spec, settings: Any, where: str) -> None:
    """Require every glob to choose something."""
    for level in LEVELS:
        tables = [table for table in TABLES if LEVEL_OF[table] == level]
        columns = [c for table in tables for c in table_columns(spec, table, full=True)]
        names = [column.name for column in columns if not column.key]
        if level == "event":
            names = [kind.name for kind in spec.events]
        for glob in getattr(settings, level).metrics:
            if not any(fnmatchcase(name, glob) for name in [*names, "*"]):
                at = f"{where}: instrumentation.{level}.metrics"
                raise ConfigError(f"{at}: {glob!r} matches nothing.{hint(glob, names)}")


def event_kinds(spec: Spec, settings: Any) -> list[bool]:
    """Say for each kind of event whether it is recorded."""
    return [_matches(kind.name, settings.event.metrics) for kind in spec.events]


def _matches(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def term_names(spec: Spec) -> list[str]:
    """List the names of all roles' reward terms, once each."""
    return list(dict.fromkeys(term.name for r in spec.roles.values() for term in r.terms))


class Option(NamedTuple):
    """An option of an action that is counted, and the column it is counted in."""

    column: str
    role: str
    part: int
    option: int


def counted_options(spec: Spec) -> list[Option]:
    """List the options that are counted one by one."""
    return [
        Option(f"action.{part.name}.{name}", role.name, k, option)
        for role in spec.roles.values()
        for k, part in enumerate(role.action.choices)
        if len(part.options) <= MOST_OPTIONS
        for option, name in enumerate(part.options)
    ]


def part_sizes(spec: Spec) -> dict[str, int]:
    """Give the discrete parts of all roles' actions, with the most options that one has."""
    sizes: dict[str, int] = {}
    for role in spec.roles.values():
        for part in role.action.choices:
            sizes[part.name] = max(sizes.get(part.name, 0), len(part.options))
    return sizes


def role_codes(spec: Spec) -> np.ndarray:  # int32 [agent]
    """Number the agents' roles."""
    codes = np.zeros(spec.num_agents, np.int32)
    for k, role in enumerate(spec.roles.values()):
        codes[role.span] = k
    return codes


def info_names(spec: Spec) -> list[str]:
    """List the single numbers that roles are informed of, once each."""
    roles = spec.roles.values()
    return list(dict.fromkeys(e.name for r in roles for e in r.info.features if not e.shape))


def _episode(spec: Spec) -> list[Column]:
    return [
        Column("step", "int64", "termination", "number of the step that ended it", key=True),
        ENV,
        EPISODE,
        Column("length", "int64", "transition", "steps played"),
        Column("reason", "text", "termination", "why it ended"),
        Column("outcome", "text", "termination", "how that counts"),
        Column("winner", "text", "termination", "role that won it; empty if none did"),
        Column("total_return", "float64", "reward", "sum of all agents' rewards"),
        Column("lives", "int64", "termination", "lives that ended in it: one for each agent's row"),
        Column("mean_return", "float64", "reward", "what an agent earned in a life, on average"),
        Column("returns", "list", "reward", "each agent's sum of rewards, in agent order"),
        Column("violations", "int64", "action", "invalid actions played"),
        *(
            Column(f"term.{name}", "float64", "reward", f"sum of the term {name}", full=True)
            for name in term_names(spec)
        ),
    ]


def _episode_agents(spec: Spec) -> list[Column]:
    return [
        Column("step", "int64", "termination", "number of the step that ended the life", key=True),
        ENV,
        EPISODE,
        AGENT,
        ROLE,
        Column("life", "int32", "state", "its generation in its slot, from 0", key=True),
        Column("began", "int64", "transition", "steps of the episode played before it"),
        Column("length", "int64", "transition", "steps lived"),
        Column("reason", "text", "termination", "why it ended: its own reason, or the episode's"),
        Column("outcome", "text", "termination", "how that counts for the agent"),
        Column("total_return", "float64", "reward", "sum of its rewards"),
    ]


def _step(spec: Spec) -> list[Column]:
    options = dict.fromkeys(option.column for option in counted_options(spec))
    fields = list(spec.saved)
    return [
        STEP,
        replace(ENV, full=True),
        replace(EPISODE, full=True),
        replace(TIME, full=True),
        Column("ended", "float32", "termination", "1 if the episode ended in this step"),
        Column("reward", "float64", "reward", "sum of the agents' rewards"),
        *(
            Column(f"term.{name}", "float64", "reward", f"sum of the agents' term {name}")
            for name in term_names(spec)
        ),
        Column("acting", "float32", "action", "agents whose actions counted"),
        Column("idle", "float32", "action", "of these, how many played no-ops only"),
        Column("violations", "float32", "action", "invalid actions played"),
        *(Column(name, "float32", "action", "acting agents that played it") for name in options),
        *(
            Column(f"state.{name}", "float32", "state", f"mean of {name} after the step")
            for name in fields
        ),
        *(
            Column(
                f"delta.{name}",
                "float32",
                "transition",
                f"change of the mean of {name}; nothing where the next episode began",
                optional=True,
            )
            for name in fields
        ),
    ]


def _agent(spec: Spec) -> list[Column]:
    levels = dict.fromkeys(p.name for r in spec.roles.values() for p in r.action.levels)
    return [
        STEP,
        replace(ENV, full=True),
        AGENT,
        ROLE,
        Column("alive", "bool", "termination", "1 if it had not ended after the step"),
        Column("reward", "float32", "reward", "its reward in the step"),
        Column("cumulative_reward", "float32", "reward", "its rewards in the episode so far"),
        Column("violations", "int32", "action", "its invalid actions in the episode so far"),
        Column("entropy", "float32", "action", "entropy of its policy, where given", optional=True),
        *(
            Column(f"action.{name}", "int16", "action", f"option of {name} it played; -1: none")
            for name in part_sizes(spec)
        ),
        *(
            Column(f"level.{name}", "float32", "action", f"level of {name}", optional=True)
            for name in levels
        ),
        *(
            Column(f"info.{name}", "float32", "state", name, optional=True)
            for name in info_names(spec)
        ),
    ]


def _event(spec: Spec) -> list[Column]:
    return [
        STEP,
        ENV,
        EPISODE,
        Column("t", "int64", "state", "steps of the episode played before it", key=True),
        Column("kind", "text", "transition", "what happened"),
        Column("actor", "int32", "transition", "who did it; -1: nobody"),
        Column("target", "int32", "transition", "to whom or what; -1: nobody"),
        Column("value", "float64", "transition", "how much"),
        Column("text", "text", "transition", "the sentence a person reads", full=True),
    ]
