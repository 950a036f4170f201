"""Export a run as a Minari dataset: one episode of it per agent and episode of the run."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.core.extra import missing_extra
from mesocosm.core.spec import Role
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.files import writing
from mesocosm.telemetry.replay.resimulate import perform, prepare
from mesocosm.telemetry.run import Run

ROOT = "MINARI_DATASETS_PATH"
Episode = tuple["_Trajectory", bool, bool, dict[str, int]]  # what, terminated, truncated, whose


class _Trajectory:
    """What one agent saw, did and earned in one episode."""

    def __init__(self, observation: np.ndarray) -> None:
        self.observations = [observation]
        self.actions: list[np.ndarray] = []
        self.rewards: list[float] = []

    def add(self, action: np.ndarray, reward: float, observation: np.ndarray) -> None:
        """Keep one step."""
        self.actions.append(action)
        self.rewards.append(reward)
        self.observations.append(observation)


def export_minari(run: Run, out: Path) -> str:
    """Play the run again and write every agent's finished and unfinished episodes.

    The dataset is one of single agents, as Minari's are: the agents of a role share it, and an
    episode's `infos` name its env and agent. Runs with several roles make a dataset per role.
    """
    try:
        import gymnasium
        import minari  # noqa: F401 (asked for, used below)
    except ImportError as error:
        raise missing_extra("a Minari export needs Minari", "minari") from error
    if out.exists():
        raise ConfigError(f"--out: {out}: exists already; choose another folder")
    roles = run.make().spec.roles.values()
    with _root(out):
        return "; ".join(_write(run, role, _episodes(run, role), gymnasium) for role in roles)


@contextmanager
def _root(out: Path) -> Iterator[None]:
    """Let Minari write under a folder of ours; it takes that from the environment alone."""
    before = os.environ.get(ROOT)
    os.environ[ROOT] = str(out.absolute())
    try:
        with writing(out):
            out.mkdir(parents=True)
            yield
    finally:
        if before is None:
            del os.environ[ROOT]
        else:
            os.environ[ROOT] = before


def _episodes(run: Run, role: Role) -> list[Episode]:
    """Play the run again and cut it into one trajectory per agent and life."""
    env = run.make()
    prepare(run.replay, env)
    collector = _TrajectoryCollector(env, role, run.replay.first_env)
    for operation in run.replay.operations(dict(env.spec.roles)):
        step = perform(env, operation)
        if operation.envs is None:
            collector.extend(step, operation.actions)
        else:
            collector.close_envs(operation.envs)
        collector.begin(step)
    collector.close_envs(np.ones(env.num_envs, bool))
    return [entry for entry in collector.done if entry[0].actions]


class _TrajectoryCollector:
    """Collects what the agents of one role live through, a trajectory per life."""

    def __init__(self, env: Engine, role: Role, first_env: int) -> None:
        self._env, self._role, self._first_env = env, role, first_env
        self._open: dict[tuple[int, int], _Trajectory] = {}
        self.done: list[Episode] = []

    def _pick(self, value: Any) -> np.ndarray:
        return np.asarray(value[self._role.name] if isinstance(value, dict) else value)

    def _close(self, e: int, i: int, *, terminated: bool) -> None:
        who = {"env": self._first_env + e, "agent": self._role.first + i}
        self.done.append((self._open.pop((e, i)), terminated, not terminated, who))

    def close_envs(self, envs: np.ndarray) -> None:
        """End the trajectories of envs that are reset, or whose run is over."""
        for e, i in [key for key in self._open if envs[key[0]]]:
            self._close(e, i, terminated=False)

    def extend(self, step: Step, actions: Any) -> None:
        """Add a step to every trajectory, and end those of agents that ended."""
        own = actions[self._role.name] if isinstance(actions, dict) else actions
        done, ended, last = _flat(own), self._pick(step.ended), self._pick(step.final_obs)
        obs, reward = self._pick(step.obs), self._pick(step.reward)
        for e, i in list(self._open):
            seen = last[e, i] if ended[e, i] else obs[e, i]
            self._open[e, i].add(done[e, i].copy(), float(reward[e, i]), seen.reshape(-1).copy())
            if ended[e, i]:
                self._close(e, i, terminated=bool(self._pick(step.terminated)[e, i]))

    def begin(self, step: Step) -> None:
        """Begin a trajectory for every agent that lives and has none."""
        f, obs = self._env.driver.f, self._pick(step.obs)
        alive = self._env.copy(f.active)[:, self._role.span]
        alive &= ~self._env.copy(f.finished)[:, None]
        for e, i in np.argwhere(alive).tolist():
            if (e, i) not in self._open:
                self._open[e, i] = _Trajectory(obs[e, i].reshape(-1).copy())


def _flat(given: Any) -> np.ndarray:  # float32 or int32 [env, agent, part]
    if isinstance(given, tuple):
        return np.concatenate([np.asarray(part, np.float32) for part in given], axis=-1)
    return np.asarray(given)


def _spaces(role: Role, gymnasium: Any) -> tuple[Any, Any]:
    layout, action = role.observation, role.action
    low, high = layout.low.astype(layout.dtype), layout.high.astype(layout.dtype)
    seen = gymnasium.spaces.Box(low, high, dtype=np.dtype(layout.dtype).type)
    count = len(action.choices) + len(action.levels)
    if action.levels:
        done = gymnasium.spaces.Box(-np.inf, np.inf, (count,), np.float32)
    else:
        info = np.iinfo(np.int32)
        done = gymnasium.spaces.Box(info.min, info.max, (count,), np.int32)
    return seen, done


def _write(run: Run, role: Role, episodes: list[Any], gymnasium: Any) -> str:
    import minari
    from minari.data_collector import EpisodeBuffer

    seen, done = _spaces(role, gymnasium)
    buffers = [
        EpisodeBuffer(
            id=k,
            observations=np.stack(trajectory.observations),
            actions=np.stack(trajectory.actions),
            rewards=list(trajectory.rewards),
            terminations=[*([False] * (len(trajectory.rewards) - 1)), terminated],
            truncations=[*([False] * (len(trajectory.rewards) - 1)), truncated],
            infos={name: np.full(len(trajectory.observations), v) for name, v in who.items()},
        )
        for k, (trajectory, terminated, truncated, who) in enumerate(episodes)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wishes for authors and links
        dataset = _create(minari, run, role, buffers, (seen, done))
    return f"{role.name}: {dataset.total_episodes} episodes, {dataset.total_steps} steps"


def _create(minari: Any, run: Run, role: Role, buffers: list[Any], spaces: tuple[Any, Any]) -> Any:
    about = run.about
    plan = about.get("plan") or {}
    return minari.create_dataset_from_buffers(
        dataset_id=f"mesocosm/{about['world']}/{role.name}-v0",
        buffer=buffers,
        observation_space=spaces[0],
        action_space=spaces[1],
        algorithm_name=str(plan.get("policies", {}).get(role.name, "unknown")),
        description=f"{about['preset']} seed {about['seed']} config {about['config_hash']}",
        requirements=[f"mesocosm=={about['versions']['mesocosm']}"],
    )
