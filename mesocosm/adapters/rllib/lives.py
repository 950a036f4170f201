"""What a runner reports of what it played: RLlib's own counts, and the lives of every role."""

import time
from typing import Any

import numpy as np
from ray.rllib.utils.metrics import (
    NUM_AGENT_STEPS_SAMPLED,
    NUM_AGENT_STEPS_SAMPLED_LIFETIME,
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_EPISODES,
    NUM_EPISODES_LIFETIME,
    NUM_MODULE_STEPS_SAMPLED,
    NUM_MODULE_STEPS_SAMPLED_LIFETIME,
)

from mesocosm.core.adapter import Parts, agent_names
from mesocosm.core.spec import OUTCOMES, Spec

LIVES, SECONDS = "lives", "seconds"  # beside RLlib's entries, in the results of env runners


class LifeLog:
    """Adds up rewards and steps of lives and of episodes, over as many fragments as they last."""

    def __init__(self, spec: Spec, num_envs: int) -> None:
        self._spec, self._num_envs = spec, num_envs
        sizes = {name: (num_envs, role.num_agents) for name, role in spec.roles.items()}
        self._earned = {name: np.zeros(size) for name, size in sizes.items()}
        self._lived = {name: np.zeros(size, np.int64) for name, size in sizes.items()}
        self._gone = {name: np.zeros(size, bool) for name, size in sizes.items()}
        self._agent_return = {name: np.zeros(size) for name, size in sizes.items()}
        self._length = np.zeros(num_envs, np.int64)
        self._found: dict[str, np.ndarray] = {}
        self._episodes: list[tuple[int, dict[str, np.ndarray]]] = []
        self.begin()
        self._clear()

    def begin(self) -> None:
        """Start the clock."""
        self.inference, self._begun = 0.0, time.perf_counter()

    def forget(self) -> None:
        """Take note of a reset of every env."""
        for table in (self._earned, self._lived, self._gone, self._agent_return):
            for array in table.values():
                array[...] = 0
        self._length[:] = 0

    def _clear(self) -> None:
        # by role: how many lives ended, their returns, their steps, and how many in each outcome
        self._found = {name: np.zeros(3 + len(OUTCOMES)) for name in self._spec.roles}
        self._episodes.clear()

    def follow(self, parts: Parts) -> int:
        """Take a step in; say how many episodes ended with it."""
        over = next(iter(parts.values())).episode_over
        self._length += 1
        for name, part in parts.items():
            self._earned[name] += part.reward
            self._agent_return[name] += part.reward
            self._lived[name] += ~self._gone[name]
            ended = part.ended & ~self._gone[name]
            if ended.any():
                self._count(name, ended, part.outcome)
            np.logical_or(part.terminated, part.truncated, out=self._gone[name])
            self._gone[name][over] = False
        for env in np.flatnonzero(over).tolist():
            returns = {name: array[env].copy() for name, array in self._agent_return.items()}
            self._episodes.append((int(self._length[env]), returns))
            for array in self._agent_return.values():
                array[env] = 0.0
        self._length[over] = 0
        return int(over.sum())

    def _count(self, name: str, ended: np.ndarray, outcome: np.ndarray) -> None:
        found = self._found[name]
        earned, lived = self._earned[name], self._lived[name]
        found[:3] += ended.sum(), earned[ended].sum(), lived[ended].sum()
        found[3:] += np.bincount(outcome[ended], minlength=len(OUTCOMES))
        earned[ended], lived[ended] = 0.0, 0

    def report(self, runner: Any, steps: int) -> None:
        """Log what was played since the last report."""
        metrics, played = runner.metrics, steps * self._num_envs
        for key, lifetime, count in (
            (NUM_ENV_STEPS_SAMPLED, NUM_ENV_STEPS_SAMPLED_LIFETIME, played),
            (NUM_EPISODES, NUM_EPISODES_LIFETIME, len(self._episodes)),
        ):
            metrics.log_value(key, count, reduce="sum")
            metrics.log_value(lifetime, count, reduce="lifetime_sum")
        for name, role in self._spec.roles.items():
            keys = [(NUM_AGENT_STEPS_SAMPLED, agent, played) for agent in agent_names(role)]
            keys.append((NUM_MODULE_STEPS_SAMPLED, name, played * role.num_agents))
            for key, who, count in keys:
                metrics.log_value((key, who), count, reduce="sum")
            for key, who, count in keys:
                total = {
                    NUM_AGENT_STEPS_SAMPLED: NUM_AGENT_STEPS_SAMPLED_LIFETIME,
                    NUM_MODULE_STEPS_SAMPLED: NUM_MODULE_STEPS_SAMPLED_LIFETIME,
                }[key]
                metrics.log_value((total, who), count, reduce="lifetime_sum")
            labels = ("num", "returns", "steps", *OUTCOMES)
            for label, value in zip(labels, self._found[name].tolist(), strict=True):
                metrics.log_value((LIVES, name, label), value, reduce="sum")
        whole = time.perf_counter() - self._begun
        metrics.log_value((SECONDS, "inference"), self.inference, reduce="sum")
        metrics.log_value((SECONDS, "env"), whole - self.inference, reduce="sum")
        self._report_episodes(runner)
        self._clear()

    def _report_episodes(self, runner: Any) -> None:
        """Log finished episodes under the names that RLlib's own runner uses."""
        for length, returns in self._episodes:
            agents = {
                agent: float(value)
                for name, values in returns.items()
                for agent, value in zip(agent_names(self._spec.roles[name]), values, strict=True)
            }
            modules = {name: float(values.sum()) for name, values in returns.items()}
            runner._log_episode_metrics(
                length, sum(modules.values()), 0.0, agents, modules, dict.fromkeys(agents, length)
            )
