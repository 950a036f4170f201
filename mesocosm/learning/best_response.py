"""Train a fresh network against policies that stay as they are."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mesocosm.build import make
from mesocosm.core.policy import Policy
from mesocosm.learning.bundles.bundle import write_bundle
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.league.frozen_seats import FrozenSeats
from mesocosm.learning.ppo import Learner, Report
from mesocosm.learning.presets import settings_for
from mesocosm.learning.seeds import derive_seed
from mesocosm.learning.settings import LearningSettings, override
from mesocosm.learning.trainer import Trainer
from mesocosm.resolve import Resolved
from mesocosm.sim.engine import Engine

MOST_ENVS = 1024
NOTHING = Report(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1)


class BestResponse(Trainer):
    """Trains one role, or one agent of it, while frozen policies play all others.

    Where the role is the only one, who learns plays one agent of every env: the first in the
    first env, the second in the second, and so on. Where there are several, it plays all of it.

    Args:
        frozen: By role, who plays what who learns does not.
    """

    def __init__(
        self,
        env: Engine,
        settings: LearningSettings,
        role: str,
        frozen: Mapping[str, Policy],
        *,
        steps: int,
        seed: int,
    ) -> None:
        self.role = role
        super().__init__(env, settings, steps=steps, seed=seed)
        step = env.reset(seed=derive_seed(seed, "env", self.stage))  # as the trainer did
        alone = len(env.spec.roles) == 1
        for name, learner in self.learners.items():
            taken = free_rows(env, role) if name == role else np.zeros((env.num_envs, 1), bool)
            taken = ~np.broadcast_to(taken, (env.num_envs, learner.role.num_agents))
            policy = frozen[name]
            if policy.privileged:
                vars(policy)["truth"] = env.truth
            if taken.any():
                info = step.info if alone else step.info[name]
                own = derive_seed(seed, "frozen", name)
                learner.past = FrozenSeats(learner, policy, taken.copy(), info, own)

    def _learn(self, learner: Learner, generator: torch.Generator) -> Report:
        return super()._learn(learner, generator) if learner.role.name == self.role else NOTHING


def free_rows(env: Engine, role: str) -> np.ndarray:  # bool [env, agent of the role]
    """Say for which agents of a role the best response plays."""
    count = env.spec.roles[role].num_agents
    if len(env.spec.roles) > 1:
        return np.ones((env.num_envs, count), bool)
    return np.arange(count) == (np.arange(env.num_envs) % count)[:, None]


def response_settings(resolved: Resolved, role: str) -> LearningSettings:
    """Choose settings, with more envs where who learns plays one agent of each."""
    settings, spec = settings_for(resolved.spec), resolved.spec
    if len(spec.roles) > 1:
        return settings
    num_envs = min(settings.num_envs * spec.roles[role].num_agents, MOST_ENVS)
    return override(settings, {"num_envs": num_envs})


def train_response(  # noqa: PLR0913 (what a training is made of)
    resolved: Resolved,
    role: str,
    frozen: Mapping[str, Policy],
    path: Path,
    *,
    steps: int,
    seed: int,
    target: str = "cpu",
    on_update: Callable[[float], None] | None = None,
    changes: Mapping[str, Any] | None = None,
) -> int:
    """Train a best response and write it as a bundle; give the agent-steps it has learnt from.

    Args:
        steps: Agent-steps of who learns, at least.
        on_update: Is told after each update which share of the training is done.
        changes: Of the settings, by dotted path.
    """
    settings = override(response_settings(resolved, role), changes or {})
    env = make(resolved, num_envs=settings.num_envs, target=target)
    share = free_rows(env, role).sum() / (env.num_envs * env.spec.num_agents)
    trainer = BestResponse(env, settings, role, frozen, steps=int(steps / share), seed=seed)
    for update in _updates(trainer):
        if on_update is not None:
            on_update(update / trainer.num_updates)
    played = int(trainer.number * trainer.steps_per_update * share)
    learner = trainer.learners[role]
    training = Training(settings=settings, agent_steps=played, seed=seed, metrics={}, command="")
    write_bundle(path, learner.network, make_card(learner.role, env.config, training))
    return played


def _updates(trainer: Trainer) -> Iterable[int]:
    for update in trainer.run():
        yield update.number
