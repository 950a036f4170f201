"""The levels with rows at every recorded step: over all envs, or for each of them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mesocosm.core.observation import Feature
from mesocosm.core.spec import Role
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.metrics import changing, info_names, part_sizes
from mesocosm.telemetry.moment import Now
from mesocosm.telemetry.table import Columns, Table, Words

BUFFER_BYTES = 1 << 24  # of one level, before it is written
KINDS = {"list": "int32", "text": "int32"}


class Grid:
    """Buffers with a fixed number of rows per recorded step.

    Args:
        tails: How many entries each row of a list column has.
        always: Columns that are the same at every step; they are written once.
    """

    def __init__(
        self,
        table: Table,
        per_step: int,
        tails: Mapping[str, int],
        always: Mapping[str, np.ndarray],
    ) -> None:
        self.table = table
        self.num_steps = 0
        kinds = {column.name: KINDS.get(column.kind, column.kind) for column in table.columns}
        sizes = [np.dtype(kind).itemsize * tails.get(name, 1) for name, kind in kinds.items()]
        self._most = max(BUFFER_BYTES // (per_step * sum(sizes)), 1)
        self._columns = {}
        for name, kind in kinds.items():
            tail = (tails[name],) if name in tails else ()
            self._columns[name] = np.zeros((self._most, per_step, *tail), kind)
            self._columns[name][:] = always.get(name, 0)
        self._varying = {k: v for k, v in self._columns.items() if k not in always}

    @property
    def full(self) -> bool:
        return self.num_steps >= self._most

    def put(self, values: dict[str, Any]) -> None:
        """Write one step's rows."""
        for name, column in self._varying.items():
            column[self.num_steps] = values[name]
        self.num_steps += 1

    def rows(self) -> dict[str, np.ndarray]:
        """Hand the rows out, and begin anew over them."""
        count, self.num_steps = self.num_steps, 0
        return {
            name: column[:count].reshape(-1, *column.shape[2:])
            for name, column in self._columns.items()
        }


def _numbers(role: Role) -> list[Feature]:
    """List what a role is told in one number each."""
    return [entry for entry in role.info.features if not entry.shape]


def _mean(values: Any) -> Any:
    """Average over envs, NaN aside; nothing there is NaN."""
    array = np.asarray(values, np.float64)
    there = ~np.isnan(array)
    count = there.sum(axis=0)
    total = np.where(there, array, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


class StepLevel:
    """Rewards, actions and state of a step: a row per env, or one of their means."""

    sums = True

    def __init__(self, env: Engine, table: Table, every: int, full: bool) -> None:
        self.table, self._env, self._every, self._per_env = table, env, every, full
        always = {"env": env.copy(env.driver.f.env_id)} if full else {}
        self._grid = Grid(table, env.num_envs if full else 1, {}, always)
        names = set(table.names())
        saved, self._changing = env.spec.saved, set(changing(env.spec))
        self._fields = [name for name in saved if {f"state.{name}", f"delta.{name}"} & names]
        arrays = {name: env.array(name) for name in self._fields}
        self._folder = env.folder(arrays) if arrays else None
        sizes = [max(int(np.prod(saved[name].shape)), 1) for name in self._fields]
        self._sizes = np.array(sizes, np.float64).reshape(-1, 1)
        self._means = np.zeros((len(sizes), env.num_envs))
        self._violations = np.zeros(env.num_envs)

    def begin(self, chosen: np.ndarray) -> None:
        self._violations[chosen] = 0.0
        if self._folder is not None:
            self._means[:] = self._folder.sums() / self._sizes

    @property
    def full(self) -> bool:
        return self._grid.full

    def collect(self, now: Now) -> None:
        sums = now.sums()
        violations = sums["violations"].copy()
        if now.step % self._every == 0:
            values = sums | self._keys(now) | self._state(now)
            values["violations"] = violations - self._violations
            self._grid.put(values if self._per_env else self._averaged(values))
        elif self._folder is not None and (now.step + 1) % self._every == 0:
            self._means[:] = self._folder.sums() / self._sizes
        # the count starts again with the next episode's first step
        self._violations = violations if now.ended is None else violations * ~now.ended

    def _keys(self, now: Now) -> dict[str, Any]:
        ended = now.ended
        return {
            "step": now.step,
            "env": now.env_id,
            "episode": now.episode_before,
            "t": now.t_before,
            "ended": np.zeros(len(now.env_id)) if ended is None else ended,
        }

    def _averaged(self, values: dict[str, Any]) -> dict[str, Any]:
        names = [name for name in self.table.names() if name != "step"]
        means = _mean(np.stack([values[name] for name in names], axis=1))
        return dict(zip(names, means, strict=True)) | {"step": values["step"]}

    def _state(self, now: Now) -> dict[str, Any]:
        if self._folder is None:
            return {}
        means = self._folder.sums() / self._sizes
        changed = [k for k, name in enumerate(self._fields) if name in self._changing]
        deltas = means[changed] - self._means[changed]
        if now.renewed is not None:
            deltas[:, now.renewed] = np.nan  # the old episode's last state is gone
        self._means = means
        values = {f"state.{name}": means[k] for k, name in enumerate(self._fields)}
        return values | {f"delta.{self._fields[at]}": deltas[k] for k, at in enumerate(changed)}

    def take(self) -> Columns:
        return self._grid.rows()


class AgentLevel:
    """What each agent did and earned: a row per env and agent, or one per agent of their means."""

    sums = False

    def __init__(self, env: Engine, table: Table, every: int, full: bool) -> None:
        self.table, self._env, self._every, self._per_env = table, env, every, full
        agents = env.spec.num_agents
        self._parts = [n for n in part_sizes(env.spec) if f"action.{n}" in table.names()]
        sizes = {f"action.{name}": size for name, size in part_sizes(env.spec).items()}
        tails = {} if full else {c.name: sizes[c.name] for c in table.columns if c.kind == "list"}
        roles = list(env.spec.roles)
        self._roles = tuple(roles)
        codes = np.zeros(agents, np.int32)
        for k, name in enumerate(roles):
            codes[env.spec.roles[name].span] = k
        always = self._spread({"agent": np.arange(agents), "role": codes})
        if full:
            always["env"] = np.repeat(env.copy(env.driver.f.env_id), agents)
        rows = env.num_envs * agents if full else agents
        self._grid = Grid(table, rows, tails, always)
        self._unknown = np.full((env.num_envs, agents), np.nan, np.float32)
        self._infos = [n for n in info_names(env.spec) if f"info.{n}" in table.names()]
        self._told = {
            name: {entry.name: role.info.offsets[entry.name] for entry in _numbers(role)}
            for name, role in env.spec.roles.items()
        }
        named = (name for name in table.names() if name.startswith("level."))
        self._level_names = [name.removeprefix("level.") for name in named]

    def _spread(self, per_agent: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Repeat what belongs to agents for every env."""
        if not self._per_env:
            return per_agent
        return {name: np.tile(values, self._env.num_envs) for name, values in per_agent.items()}

    def begin(self, chosen: np.ndarray) -> None:
        """Nothing is kept between steps."""

    @property
    def full(self) -> bool:
        return self._grid.full

    def collect(self, now: Now) -> None:
        if now.step % self._every:
            return
        gone = now.read("terminated") | now.read("truncated")
        values: dict[str, Any] = {
            "alive": ~gone,
            "reward": now.read("reward"),
            "cumulative_reward": now.returns,
            "violations": now.read("violations"),
            "entropy": self._unknown if now.entropy is None else now.entropy,
        }
        values |= self._levels(now) | self._informed(now)
        if self._per_env:
            values |= self._choices(now)
            values = {name: array.reshape(-1) for name, array in values.items()}
        else:
            stacked = np.stack([np.asarray(array, np.float64) for array in values.values()], axis=1)
            means = _mean(stacked)
            values = dict(zip(values, means, strict=True)) | self._counts(now)
        self._grid.put(values | {"step": now.step})

    def _per_agent(self, fill: float, pick: Callable[[Any], Any]) -> np.ndarray:
        """Gather `[env, agent]` from the roles that have something."""
        if len(self._env.spec.roles) == 1:
            only = pick(next(iter(self._env.spec.roles.values())))
            if only is not None:
                return np.asarray(only)
        made = np.full((self._env.num_envs, self._env.spec.num_agents), fill)
        for role in self._env.spec.roles.values():
            found = pick(role)
            if found is not None:
                made[:, role.span] = found
        return made

    def _choices(self, now: Now) -> dict[str, np.ndarray]:
        choice = now.read("choice")

        def of(name: str, role: Any) -> Any:
            names = [part.name for part in role.action.choices]
            if name not in names:
                return None
            played = choice[:, role.span, names.index(name)]
            return np.where(now.acting_before[:, role.span], played, -1)

        return {
            f"action.{name}": self._per_agent(-1, lambda role, n=name: of(n, role))  # type: ignore[misc]
            for name in self._parts
        }

    def _counts(self, now: Now) -> dict[str, np.ndarray]:
        """Count over envs which option of each part every agent played."""
        agents, sizes, made = self._env.spec.num_agents, part_sizes(self._env.spec), {}
        for name, played in self._choices(now).items():
            size = sizes[name.removeprefix("action.")]
            code = (played + np.arange(agents) * size)[played >= 0].astype(np.int64)
            made[name] = np.bincount(code, minlength=agents * size).reshape(agents, size)
        return made

    def _levels(self, now: Now) -> dict[str, np.ndarray]:
        level = now.read("level")

        def of(name: str, role: Any) -> Any:
            names = [part.name for part in role.action.levels]
            return level[:, role.span, names.index(name)] if name in names else None

        return {
            f"level.{name}": self._per_agent(np.nan, lambda role, n=name: of(n, role))  # type: ignore[misc]
            for name in self._level_names
        }

    def _informed(self, now: Now) -> dict[str, np.ndarray]:
        rows = {name: self._env.host(r.info) for name, r in self._env.buffers.items()}

        def of(name: str, role: Any) -> Any:
            at = self._told[role.name].get(name)
            return None if at is None else rows[role.name][..., at]

        return {
            f"info.{name}": self._per_agent(np.nan, lambda role, n=name: of(n, role))  # type: ignore[misc]
            for name in self._infos
        }

    def take(self) -> Columns:
        rows: dict[str, Any] = self._grid.rows()
        return rows | {"role": Words(rows["role"], self._roles)}
