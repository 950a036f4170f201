"""Training: play, learn, note how it goes; one update after the other."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mesocosm.core.action import Action
from mesocosm.core.errors import ConfigError
from mesocosm.core.step import Step
from mesocosm.learning.experience import StepTensors
from mesocosm.learning.lives import LifeCounter, Lives
from mesocosm.learning.ppo import Learner, Report
from mesocosm.learning.seeds import derive_seed, seeded
from mesocosm.learning.settings import LearningSettings
from mesocosm.sim.engine import Engine


class Shares(NamedTuple):
    """Seconds spent in each part of training."""

    env: float = 0.0
    inference: float = 0.0
    learning: float = 0.0


class Update(NamedTuple):
    """What one update was: a row of the curve."""

    number: int
    agent_steps: int  # played until then
    lives: dict[str, Lives]  # by role, of those that ended since the last update
    reports: dict[str, Report]
    seconds: Shares


class Trainer:
    """Trains every role of an env, each with a network of its own.

    Args:
        env: Must reset itself in the same step.
        steps: Agent-steps to play in all; schedules run over these.
    """

    def __init__(self, env: Engine, settings: LearningSettings, *, steps: int, seed: int) -> None:
        if env.autoreset != "same_step":
            raise ConfigError(f"training: needs autoreset='same_step', got {env.autoreset!r}")
        self.env, self.settings, self.seed, self.steps = env, settings, seed, steps
        self.device = "cuda" if env.target == "cuda" else "cpu"
        self.number = 0
        step = env.reset(seed=derive_seed(seed, "env"))
        self.learners = {name: self._learner(name, step) for name in env.spec.roles}
        self.counters = {name: LifeCounter(x.experience) for name, x in self.learners.items()}

    def _learner(self, name: str, step: Step) -> Learner:
        role = self.env.spec.roles[name]
        with torch.random.fork_rng():
            torch.manual_seed(derive_seed(self.seed, "network", name))
            made = Learner(role, self.settings, StepTensors(step, name), self.device)
        made.begin()
        return made

    @property
    def steps_per_update(self) -> int:
        """Agent-steps between two updates."""
        return self.settings.rows * self.env.spec.num_agents

    @property
    def num_updates(self) -> int:
        return -(-self.steps // self.steps_per_update)

    def run(self) -> Iterator[Update]:
        """Train to the end; each update is given as it is done."""
        while self.number < self.num_updates:
            yield self.advance()

    def advance(self) -> Update:
        """Play a rollout and learn from it."""
        progress = self.number / self.num_updates
        generators = {
            name: seeded(self.device, self.seed, "update", self.number, name)
            for name in self.learners
        }
        env_seconds, inference = self._play(generators)
        start = time.perf_counter()
        lives = {name: self.counters[name].count(x.experience) for name, x in self.learners.items()}
        reports = {
            name: learner.update(progress, generators[name])
            for name, learner in self.learners.items()
        }
        seconds = Shares(env_seconds, inference, time.perf_counter() - start)
        self.number += 1
        return Update(self.number, self.number * self.steps_per_update, lives, reports, seconds)

    def _play(self, generators: dict[str, torch.Generator]) -> tuple[float, float]:
        """Play a rollout; give the seconds in the env, and those around it."""
        inside, begun = 0.0, time.perf_counter()
        for name, learner in self.learners.items():
            learner.start_rollout(generators[name])
        for t in range(self.settings.horizon):
            actions = {name: self._actions(learner, t) for name, learner in self.learners.items()}
            start = time.perf_counter()
            self.env.step(actions)
            inside += time.perf_counter() - start
            for learner in self.learners.values():
                learner.observe(t)
        return inside, time.perf_counter() - begun - inside

    def _actions(self, learner: Learner, t: int) -> Any:
        choice, levels = learner.act(t)
        parts = learner.role.action
        if not parts.levels:
            return self._hand_over(choice)
        if not parts.choices:
            return self._hand_over(levels)
        return Action(self._hand_over(choice), self._hand_over(levels))

    def _hand_over(self, tensor: Tensor) -> Any:
        """Give a tensor as what the env takes without a copy."""
        return tensor if self.device == "cuda" else tensor.numpy()
