"""Play whole episodes of an env with given policies, and give a row for every life in them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ConfigError
from mesocosm.core.policy import Policy
from mesocosm.core.spec import OUTCOMES, Spec
from mesocosm.core.step import Step
from mesocosm.evaluation.acting import begin_episodes, choose_actions, to_host
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.lives import EndedLives, Lives

MOST_STEPS = 100_000  # of an episode that does not end by itself
COLUMNS = ("env", "agent", "life", "began", "length", "total_return", "reason", "outcome")


class Scores(NamedTuple):
    """The lives that ended in some episodes, one in each env, in the order in which they did."""

    spec: Spec
    num_episodes: int
    num_finished: int  # of these
    env: np.ndarray  # int64 [life]: global index
    agent: np.ndarray  # int64 [life]: among all agents
    life: np.ndarray  # int64 [life]: which one in its slot, from 0
    began: np.ndarray  # int64 [life]: steps of the episode played before it
    length: np.ndarray  # int64 [life]
    total_return: np.ndarray  # float64 [life]
    reason: np.ndarray  # int64 [life]: code of `spec.reasons`
    outcome: np.ndarray  # int64 [life]: index into OUTCOMES
    # int64 [episode]: why each ended, code of `spec.reasons`; 0: it did not
    endings: np.ndarray = np.zeros(0, np.int64)

    def of_role(self, role: str) -> "Scores":
        """Leave out the lives of other roles."""
        span = self.spec.roles[role].span
        kept = (self.agent >= span.start) & (self.agent < span.stop)
        return self._replace(**{name: getattr(self, name)[kept] for name in COLUMNS})

    def rows(self) -> list[dict[str, Any]]:
        """Give the lives as plain data, with roles, reasons and outcomes by name."""
        made = []
        for values in zip(*(getattr(self, name).tolist() for name in COLUMNS), strict=True):
            row = dict(zip(COLUMNS, values, strict=True))
            row["role"] = self.spec.role_of(row["agent"]).name
            row["reason"] = self.spec.reason_name(row["reason"])
            row["outcome"] = OUTCOMES[row["outcome"]]
            made.append(row)
        return made


def play_episodes(
    env: Engine,
    policies: Mapping[str, Policy],
    *,
    seed: int,
    policy_seed: int | None = None,
    most_steps: int = MOST_STEPS,
    advance: Callable[[int], None] | None = None,
) -> Scores:
    """Play the first episode of a seed in every env to its end, or for `most_steps` steps.

    Policies that are given the same env and seed meet the same beginnings.

    Args:
        env: Must not reset by itself.
        policies: By role.
        policy_seed: What policies are prepared with; the env's seed if not said.
        advance: Is told after each step how many episodes are over.
    """
    if env.autoreset != "off":
        raise ConfigError(f"evaluation: needs autoreset='off', got {env.autoreset!r}")
    step, beginnings = begin_episodes(env, policies, seed, policy_seed), Beginnings(env)
    counter = _Counter(env)
    for t in range(most_steps):
        step = env.step(choose_actions(policies, step, beginnings.follow(step)))
        counter.add(step, t)
        over = int(to_host(step.episode_over).sum())
        if advance is not None:
            advance(over)
        if over == env.num_envs:
            break
    return counter.scores(step)


class _Counter:
    """Keeps what became of every life; all episodes have begun at the same time."""

    def __init__(self, env: Engine) -> None:
        self._env = env
        lead = (env.num_envs, env.spec.num_agents)
        self._returns, self._lives = np.zeros(lead), Lives(*lead)
        self._kept: list[tuple[np.ndarray, ...]] = []

    def add(self, step: Step, t: int) -> None:
        """Take in a step, before which `t` steps were played."""
        self._returns += _join(step.reward)
        played = np.full(self._env.num_envs, t, np.int64)
        ended = self._lives.end(_join(step.ended), played, self._returns)
        if len(ended.env):
            self._keep(ended, step)
        self._lives.bear(_join(step.generation), played, self._returns)

    def _keep(self, ended: EndedLives, step: Step) -> None:
        at = (ended.env, ended.agent)
        codes = (_join(step.reason)[at], _join(step.outcome)[at])
        self._kept.append((*ended, *codes))

    def scores(self, step: Step) -> Scores:
        """Put the lives together, after the last step."""
        env = self._env
        kinds = [np.float64 if name == "total_return" else np.int64 for name in COLUMNS]
        parts = zip(*self._kept, strict=True) if self._kept else ((),) * len(COLUMNS)
        arrays = [
            np.concatenate([np.zeros(0, kind), *part]).astype(kind)
            for part, kind in zip(parts, kinds, strict=True)
        ]
        arrays[0] = arrays[0] + int(env.host(env.driver.f.env_id)[0])
        over = to_host(step.episode_over)
        endings = np.where(over, to_host(step.episode_reason), 0).astype(np.int64)
        columns = dict(zip(COLUMNS, arrays, strict=True))
        finished = int(over.sum())
        return Scores(env.spec, env.num_envs, finished, **columns, endings=endings)


def _join(value: Any) -> np.ndarray:
    """Put the roles side by side, in agent order."""
    parts = value.values() if isinstance(value, Mapping) else [value]
    return np.concatenate([to_host(part) for part in parts], axis=1)
