"""Training by RLlib, update after update; workers that die are replaced, and counted."""

import logging
import math
import os
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from mesocosm.adapters.rllib.lives import LIVES, SECONDS
from mesocosm.core.errors import MesocosmError, RunError
from mesocosm.core.spec import OUTCOMES, Role
from mesocosm.distributed.deaths import check_ray_lives
from mesocosm.distributed.rllib.config import Workers, make_config
from mesocosm.distributed.rllib.learner import MEASURED, REPORT, RllibLearner
from mesocosm.learning.lives import Lives
from mesocosm.learning.networks.network import Network
from mesocosm.learning.ppo import Report
from mesocosm.learning.ranks import Ranks
from mesocosm.learning.seeds import derive_seed
from mesocosm.learning.settings import LearningSettings
from mesocosm.learning.trainer import Shares, Update
from mesocosm.resolve import Resolved
from mesocosm.sim.engine import Engine

PATIENCE_SECONDS = 600.0  # without any worker
RETRY_SECONDS = 1.0
ENV_SEEDS = 1 << 31


class Learnt(NamedTuple):
    """What a role's policy is written from."""

    role: Role
    network: Network
    truth: None = None


class RllibTrainer:
    """Trains every role of a config, each with a network of its own.

    Args:
        env: The envs of all workers, as one batch; it is described, never stepped.
        number: Updates that were done before.
    """

    league = None
    stage = 0

    def __init__(  # noqa: PLR0913 (all that decides a training)
        self,
        resolved: Resolved,
        settings: LearningSettings,
        workers: Workers,
        *,
        env: Engine,
        steps: int,
        seed: int,
        number: int = 0,
    ) -> None:
        self.env, self.settings, self.workers = env, settings, workers
        self.steps, self.seed, self.number = steps, seed, number
        self.ranks = Ranks(workers.all_envs)  # workers play, but one process learns
        self.agent_steps = number * self.steps_per_update
        self.num_steps = number * settings.horizon
        env_seed = derive_seed(seed, "env", number) % ENV_SEEDS
        config = make_config(
            resolved, settings, workers, seed=seed, env_seed=env_seed, target=env.target
        )
        # it would greet at every start
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)
        self._algorithm = config.build_algo()
        self.learner: RllibLearner = self._algorithm.learner_group._learner
        roles = resolved.spec.roles
        self.learners = {
            name: Learnt(role, self.learner._module_of(name).network)
            for name, role in roles.items()
        }
        self.pids: dict[int, int] = {}  # of the workers, by number
        self.lost: list[dict[str, int]] = []  # workers that died, and after which update
        self.spread()
        self._look_after_workers()

    @property
    def steps_per_update(self) -> int:
        """Agent-steps between two updates."""
        return self.workers.all_envs * self.settings.horizon * self.env.spec.num_agents

    @property
    def num_updates(self) -> int:
        return -(-self.steps // self.steps_per_update)

    def spread(self) -> None:
        """Give all workers the weights of the learner."""
        self._algorithm.env_runner_group.sync_weights(
            from_worker_or_learner_group=self._algorithm.learner_group, inference_only=True
        )

    def run(self) -> Iterator[Update]:
        """Train to the end; each update is given as it is done."""
        while self.number < self.num_updates:
            yield self.advance()

    def advance(self) -> Update:
        """Let the workers play, and learn from it; wait for them if all have died."""
        self.learner.schedule(self.number / self.num_updates, self.number)
        begun, before = time.monotonic(), self.learner.num_updates
        result = self._algorithm.train()
        while self.learner.num_updates == before:  # nobody was there to play
            check_ray_lives()
            if time.monotonic() - begun > PATIENCE_SECONDS:
                raise RunError(
                    f"no worker has played anything for {PATIENCE_SECONDS:.0f} s; the last "
                    f"checkpoint is kept: `mesocosm train --resume` goes on from it"
                )
            time.sleep(RETRY_SECONDS)
            result = self._algorithm.train()
        found = result["env_runners"]
        played = int(found["num_env_steps_sampled"])
        self.number += 1
        self.agent_steps += played * self.env.spec.num_agents
        self.num_steps += played // self.workers.all_envs
        self._look_after_workers()
        lives = {name: _lives(found[LIVES][name]) for name in self.learners}
        reports = {name: _report(x[REPORT], name) for name, x in self._results(result).items()}
        return Update(self.number, self.agent_steps, lives, reports, self._shares(result))

    def _results(self, result: dict[str, Any]) -> dict[str, Any]:
        return {name: result["learners"].get(name, {}) for name in self.learners}

    def _shares(self, result: dict[str, Any]) -> Shares:
        """Say where the time went; workers play side by side, so theirs is their mean."""
        seconds = result["env_runners"][SECONDS]
        env, inference = (float(seconds[key]) / self.workers.number for key in ("env", "inference"))
        learning = max(float(x[REPORT]["seconds"]) for x in self._results(result).values())
        return Shares(env, inference, learning)

    def _look_after_workers(self) -> None:
        """Note which processes play, and which of those that did have died."""
        group = self._algorithm.env_runner_group
        found = group.foreach_env_runner(
            lambda runner: (runner.worker_index, os.getpid()),
            local_env_runner=False,
            timeout_seconds=PATIENCE_SECONDS,
        )
        for worker, pid in found:
            before = self.pids.get(worker)
            if before is not None and before != pid:
                self.lost.append({"worker": worker, "pid": before, "update": self.number})
            self.pids[worker] = pid

    def close(self) -> None:
        """End the workers."""
        self._algorithm.stop()


def _lives(found: dict[str, float]) -> Lives:
    count = int(found["num"])
    if count == 0:
        return Lives(0, math.nan, math.nan, {name: math.nan for name in OUTCOMES[1:]})  # noqa: C420
    shares: dict[str, float] = {name: found[name] / count for name in OUTCOMES[1:]}
    return Lives(count, found["returns"] / count, found["steps"] / count, shares)


def _report(found: dict[str, float], role: str) -> Report:
    means = [float(found[name]) for name in MEASURED]
    if not all(map(math.isfinite, means)):
        raise MesocosmError(f"role {role!r}: the loss is no longer a finite number")
    return Report._make([*means, int(found["updates"])])
