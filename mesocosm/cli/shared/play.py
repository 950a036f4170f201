"""Play scripted policies in an env, and count what happens."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mesocosm.cli.shared.interrupt import interrupts
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import PolicyError
from mesocosm.core.policy import Policy
from mesocosm.core.spec import OUTCOMES
from mesocosm.core.step import Step
from mesocosm.evaluation.acting import begin_episodes, choose_actions, to_host
from mesocosm.sim.engine import Engine

Advance = Callable[[], None]
NoteEntropy = Callable[[Any], None]


class Tally:
    """Counts over all episodes of a run; every array is `[env, agent]` over all roles."""

    def __init__(self, env: Engine) -> None:
        self._env, self.spec = env, env.spec
        lead = (env.num_envs, env.spec.num_agents)
        self._return, self._length = np.zeros(lead), np.zeros(env.num_envs, np.int64)
        self._alive, self._lives = np.ones(lead, bool), np.zeros(lead, np.int64)
        self._returns, self._num_lives = np.zeros(lead[1]), np.zeros(lead[1], np.int64)
        self._lengths = 0
        self._violations = np.zeros(lead[1], np.int64)
        self.steps = self.agent_steps = self.episodes = 0
        self.seconds = self.env_seconds = 0.0
        self.interrupted = False
        self.endings: Counter[tuple[str, str]] = Counter()
        self.agent_endings = {name: Counter[str]() for name in env.spec.roles}
        self.events: Counter[str] = Counter()

    def begin(self, step: Step, envs: np.ndarray) -> None:
        """Start chosen envs (bool [env]) from zero; `step` is what their reset gave."""
        gone = self._agents(step.terminated) | self._agents(step.truncated)
        self._alive[envs] = ~gone[envs]
        self._return[envs], self._length[envs], self._lives[envs] = 0.0, 0, 0

    def add(self, step: Step) -> None:
        """Count one step."""
        self.steps += 1
        self.agent_steps += int(self._alive.sum())
        self._return += self._agents(step.reward)
        self._length += 1
        ended = self._agents(step.ended)
        self._lives += ended
        self._count_agents(ended, self._agents(step.reason))
        self._alive = ~(self._agents(step.terminated) | self._agents(step.truncated))
        self.events.update(event["kind"] for event in self._env.events())
        over = to_host(step.episode_over)
        if over.any():
            self._close(over, step)

    def violations(self) -> dict[str, int]:
        """Count the invalid actions of each role, in finished and running episodes."""
        counts = self._violations + self._env.violations.sum(axis=0)
        return {name: int(counts[role.span].sum()) for name, role in self.spec.roles.items()}

    def mean_return(self) -> dict[str, float | None]:
        """Average what an agent of each role earned in a life, over all finished episodes."""
        made: dict[str, float | None] = {}
        for name, role in self.spec.roles.items():
            lives = int(self._num_lives[role.span].sum())
            made[name] = float(self._returns[role.span].sum()) / lives if lives else None
        return made

    def mean_length(self) -> float | None:
        """Average over finished episodes."""
        return self._lengths / self.episodes if self.episodes else None

    def _agents(self, value: Any) -> np.ndarray:
        """Put the roles side by side, in agent order."""
        parts = value.values() if isinstance(value, Mapping) else [value]
        return np.concatenate([to_host(part) for part in parts], axis=1)

    def _count_agents(self, ended: np.ndarray, reason: np.ndarray) -> None:
        for name, role in self.spec.roles.items():
            codes = reason[:, role.span][ended[:, role.span]]
            self.agent_endings[name].update(self.spec.reason_name(k) for k in codes.tolist())

    def _close(self, over: np.ndarray, step: Step) -> None:
        """Book the episodes that just ended."""
        codes, outcomes = to_host(step.episode_reason)[over], to_host(step.episode_outcome)[over]
        for code, outcome in zip(codes.tolist(), outcomes.tolist(), strict=True):
            self.endings[self.spec.reason_name(code), OUTCOMES[outcome]] += 1
        self.episodes += int(over.sum())
        self._returns += self._return[over].sum(axis=0)
        self._num_lives += self._lives[over].sum(axis=0)
        self._lengths += int(self._length[over].sum())
        self._violations += self._env.violations[over].sum(axis=0)


def play(
    env: Engine,
    policies: Mapping[str, Policy],
    *,
    steps: int,
    seed: int,
    advance: Advance,
    note_entropy: NoteEntropy | None = None,
) -> Tally:
    """Play `steps` steps of every env; the env must not reset by itself.

    Args:
        note_entropy: Gets what the policies say of their own entropy, before each step.
    """
    step, beginnings = begin_episodes(env, policies, seed), Beginnings(env)
    began, tally, start = beginnings.follow(step), Tally(env), time.perf_counter()
    tally.begin(step, np.ones(env.num_envs, bool))
    with interrupts() as interrupted:
        for _ in range(steps):
            if interrupted():
                tally.interrupted = True
                break
            actions = choose_actions(policies, step, began)
            entropy = None if note_entropy is None else read_entropy(policies, env)
            if note_entropy is not None and entropy is not None:
                note_entropy(entropy)
            before = time.perf_counter()
            step = env.step(actions)
            over = to_host(step.episode_over).copy()
            tally.env_seconds += time.perf_counter() - before
            tally.add(step)
            if over.any():
                # after the count: a reset clears what the episode's violations were
                step = env.reset(envs=over)
                tally.begin(step, over)
            began = beginnings.follow(step)
            advance()
    tally.seconds = time.perf_counter() - start
    return tally


def read_entropy(policies: Mapping[str, Policy], env: Engine) -> dict[str, np.ndarray] | None:
    """Ask the policies that know it for the entropy of their last `act`; None if none does."""
    if not any(hasattr(policy, "entropy") for policy in policies.values()):
        return None
    made = {}
    for name, policy in policies.items():
        lead = (env.num_envs, env.spec.roles[name].num_agents)
        given = np.full(lead, np.nan)
        if hasattr(policy, "entropy"):
            given = np.asarray(policy.entropy())
        if given.shape != lead:
            who = type(policy).__name__
            raise PolicyError(f"{who}: entropy() must be of shape {lead}, got {given.shape}")
        made[name] = given
    return made
