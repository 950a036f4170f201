"""Training: play, learn, note how it goes; one update after the other."""

import time
from collections.abc import Iterator
from typing import NamedTuple

import torch

from mesocosm.core.errors import ConfigError
from mesocosm.core.step import Step
from mesocosm.learning.allocator import keep_freed_memory
from mesocosm.learning.collector import Collector
from mesocosm.learning.experience import StepTensors
from mesocosm.learning.league.league import League
from mesocosm.learning.lives import LifeCounter, Lives
from mesocosm.learning.play import Player, Replayed
from mesocosm.learning.ppo import Learner, Report
from mesocosm.learning.q_learning import QCollector, QLearner
from mesocosm.learning.ranks import Ranks
from mesocosm.learning.seeds import derive_seed, seeded
from mesocosm.learning.settings import LearningSettings
from mesocosm.learning.truth import TruthReader
from mesocosm.sim.engine import Engine

LEARNERS: dict[str, type[Learner]] = {"ppo": Learner, "q": QLearner}
COLLECTORS: dict[str, type[Collector]] = {"ppo": Collector, "q": QCollector}


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


class Replays:
    """The parts of learning that a GPU replays."""

    def __init__(self, learner: Learner, device: str) -> None:
        self.estimate = Replayed(learner.estimate, device)
        self.epoch = Replayed(learner.epoch, device)


def mean_report(reports: list[Report]) -> Report:
    """Average reports of epochs, weighted by their minibatches."""
    total = sum(report.updates for report in reports)
    columns = zip(*(report[:-1] for report in reports), strict=True)
    weights = [report.updates / total for report in reports]
    means = [sum(w * x for w, x in zip(weights, column, strict=True)) for column in columns]
    return Report._make([*means, total])


class Trainer:
    """Trains every role of an env, each with a network of its own.

    Args:
        env: Must reset itself in the same step.
        steps: Agent-steps to play in all; schedules run over these.
        ranks: Who trains together, if not this process alone; their envs are parts of one batch.
    """

    def __init__(
        self,
        env: Engine,
        settings: LearningSettings,
        *,
        steps: int,
        seed: int,
        ranks: Ranks | None = None,
    ) -> None:
        if env.autoreset != "same_step":
            raise ConfigError(f"training: needs autoreset='same_step', got {env.autoreset!r}")
        self.settings, self.seed, self.steps = settings, seed, steps
        self.device = "cuda" if env.target == "cuda" else "cpu"
        self.ranks = ranks or Ranks(env.num_envs)
        if settings.league.share and self.ranks.size > 1:
            raise ConfigError("learning.league: past selves play in one process: use --threads 1")
        if self.device == "cpu":
            torch.set_num_threads(1)  # threads would wait for each other at every operation
        self.number = self.stage = 0
        keep_freed_memory()
        self._open(env)

    def _open(self, env: Engine) -> None:
        """Begin to play in an env, with new networks."""
        self.env = env
        step = env.reset(seed=derive_seed(self.seed, "env", self.stage))
        self.learners = {name: self._learner(name, step) for name in env.spec.roles}
        self.counters = {name: LifeCounter(x.experience) for name, x in self.learners.items()}
        self.league: League | None = None
        if self.settings.league.share:
            self.league = League(env.spec, self.learners, self.settings, self.seed)
        collect = COLLECTORS[self.settings.algorithm]
        collectors = {name: collect(learner) for name, learner in self.learners.items()}
        self._player = Player(env, collectors, self.settings.horizon)
        self._replays = {name: Replays(x, self.device) for name, x in self.learners.items()}

    def move_to(self, env: Engine, stage: int) -> None:
        """Go on in another env, a later stage of a curriculum, with the networks of this one."""
        self.ranks.command("move_to", stage)
        before = self.learners
        self.stage = stage
        self._open(env)
        if before.keys() != self.learners.keys():
            raise ConfigError(f"curriculum: stage {stage} has other roles: {list(self.learners)}")
        for name, learner in self.learners.items():
            learner.adopt(before[name])

    def _learner(self, name: str, step: Step) -> Learner:
        role, fields = self.env.spec.roles[name], self.settings.truth
        truth = TruthReader(self.env, role, fields) if fields else None
        with torch.random.fork_rng():
            torch.manual_seed(derive_seed(self.seed, "network", name))
            make = LEARNERS[self.settings.algorithm]
            tensors = StepTensors(step, name)
            made = make(role, self.settings, tensors, self.device, truth, self.ranks)
        made.begin()
        return made

    def close(self) -> None:
        """Let the processes that train along end."""
        self.ranks.close()

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
        self.ranks.command("advance")
        generators = {
            name: seeded(self.device, self.seed, "update", self.number, name)
            for name in self.learners
        }
        for name, learner in self.learners.items():
            learner.schedule(self.number / self.num_updates)
            learner.draw_noise(generators[name])
        if self.league is not None:
            self.league.prepare(self.number)
        env_seconds, inference = self._player.play()
        start = time.perf_counter()
        if self.league is not None:
            self.league.rate()
        lives = {
            name: self.counters[name].count(x.experience, self.ranks)
            for name, x in self.learners.items()
        }
        reports = {
            name: self._learn(learner, generators[name]) for name, learner in self.learners.items()
        }
        seconds = Shares(env_seconds, inference, time.perf_counter() - start)
        self.number += 1
        return Update(self.number, self.number * self.steps_per_update, lives, reports, seconds)

    def _learn(self, learner: Learner, generator: torch.Generator) -> Report:
        """Improve one role's network by what was played."""
        replay = self._replays[learner.role.name]
        replay.estimate()
        made = []
        for _ in range(self.settings.epochs):
            learner.shuffle(generator)
            replay.epoch()
            made.append(learner.take_report())
            if made[-1].kl > self.settings.stop_kl:
                break
        return mean_report(made)
