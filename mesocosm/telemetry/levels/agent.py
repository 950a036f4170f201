"""The agent level: what each agent did and earned, per env or as means over envs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mesocosm.core.spec import Role
from mesocosm.telemetry.levels.buffer import StepBuffer, mean_over_envs
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.telemetry.tables.columns import info_names, part_sizes, role_codes
from mesocosm.telemetry.tables.table import Columns, Table, Words

NOT_PLAYED = -1  # in place of an option, where an agent did not act or has no such part


class AgentLevel:
    """A row per recorded step and agent of the means over envs, or (in full) a row per env too."""

    def __init__(self, reader: StepReader, table: Table, every: int, full: bool) -> None:
        self.table, self._reader, self._every, self._per_env = table, reader, every, full
        reader.follow_turns()
        spec = self._spec = reader.spec
        self._part_sizes = part_sizes(spec)
        names = table.names()
        self._parts = [name for name in self._part_sizes if f"action.{name}" in names]
        self._levels = [n.removeprefix("level.") for n in names if n.startswith("level.")]
        self._infos = [name for name in info_names(spec) if f"info.{name}" in names]
        self._info_offsets = {name: _info_offsets(role) for name, role in spec.roles.items()}
        sizes = {f"action.{name}": size for name, size in self._part_sizes.items()}
        lists = [column.name for column in table.columns if column.kind == "list"]
        entries = {} if full else {name: sizes[name] for name in lists}
        rows = reader.num_envs * spec.num_agents if full else spec.num_agents
        self._buffer = StepBuffer(table, rows, entries, self._always())
        self._unknown = np.full((reader.num_envs, spec.num_agents), np.nan, np.float32)

    def _always(self) -> dict[str, np.ndarray]:
        """Give the columns that are the same at every step."""
        agents, num_envs = self._spec.num_agents, self._reader.num_envs
        per_agent = {"agent": np.arange(agents), "role": role_codes(self._spec)}
        if not self._per_env:
            return per_agent
        always = {name: np.tile(values, num_envs) for name, values in per_agent.items()}
        return always | {"env": np.repeat(self._reader.env_id, agents)}

    def begin(self, chosen: np.ndarray) -> None:
        """Nothing is kept between steps."""

    @property
    def full(self) -> bool:
        return self._buffer.full

    def collect(self) -> None:
        reader = self._reader
        if reader.step % self._every:
            return
        gone = reader.read("terminated") | reader.read("truncated")
        values: dict[str, Any] = {
            "alive": ~gone,
            "reward": reader.read("reward"),
            "cumulative_reward": reader.returns,
            "violations": reader.read("violations"),
            "entropy": self._unknown if reader.entropy is None else reader.entropy,
        }
        values |= self._played_levels() | self._told()
        if self._per_env:
            values |= self._played_options()
            values = {name: array.reshape(-1) for name, array in values.items()}
        else:
            stacked = np.stack([np.asarray(array, np.float64) for array in values.values()], axis=1)
            means = mean_over_envs(stacked)
            values = dict(zip(values, means, strict=True)) | self._option_counts()
        self._buffer.put(values | {"step": reader.step})

    def _per_agent(self, absent: float, pick: Callable[[Role], Any]) -> np.ndarray:
        """Gather `[env, agent]` from the roles that have something."""
        roles = self._spec.roles
        if len(roles) == 1:
            only = pick(next(iter(roles.values())))
            if only is not None:
                return np.asarray(only)
        made = np.full((self._reader.num_envs, self._spec.num_agents), absent)
        for role in roles.values():
            found = pick(role)
            if found is not None:
                made[:, role.span] = found
        return made

    def _played_options(self) -> dict[str, np.ndarray]:
        choice, acting = self._reader.read("choice"), self._reader.acting_before

        def played(name: str) -> Callable[[Role], Any]:
            def pick(role: Role) -> Any:
                names = [part.name for part in role.action.choices]
                if name not in names:
                    return None
                own = choice[:, role.span, names.index(name)]
                return np.where(acting[:, role.span], own, NOT_PLAYED)

            return pick

        return {f"action.{name}": self._per_agent(NOT_PLAYED, played(name)) for name in self._parts}

    def _option_counts(self) -> dict[str, np.ndarray]:
        """Count over envs which option of each part every agent played."""
        agents, made = self._spec.num_agents, {}
        for name, played in self._played_options().items():
            size = self._part_sizes[name.removeprefix("action.")]
            code = (played + np.arange(agents) * size)[played >= 0].astype(np.int64)
            made[name] = np.bincount(code, minlength=agents * size).reshape(agents, size)
        return made

    def _played_levels(self) -> dict[str, np.ndarray]:
        level = self._reader.read("level")

        def played(name: str) -> Callable[[Role], Any]:
            def pick(role: Role) -> Any:
                names = [part.name for part in role.action.levels]
                return level[:, role.span, names.index(name)] if name in names else None

            return pick

        return {f"level.{name}": self._per_agent(np.nan, played(name)) for name in self._levels}

    def _told(self) -> dict[str, np.ndarray]:
        rows = {name: self._reader.info(name) for name in self._spec.roles}

        def told(name: str) -> Callable[[Role], Any]:
            def pick(role: Role) -> Any:
                at = self._info_offsets[role.name].get(name)
                return None if at is None else rows[role.name][..., at]

            return pick

        return {f"info.{name}": self._per_agent(np.nan, told(name)) for name in self._infos}

    def take(self) -> Columns:
        rows: dict[str, Any] = self._buffer.take()
        return rows | {"role": Words(rows["role"], tuple(self._spec.roles))}


def _info_offsets(role: Role) -> dict[str, int]:
    """Say where in its info a role is told each single number."""
    return {
        entry.name: role.info.offsets[entry.name] for entry in role.info.features if not entry.shape
    }
