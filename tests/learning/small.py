"""Small trainings that take a second."""

import torch

import mesocosm
from mesocosm.learning.settings import LearningSettings, override
from mesocosm.learning.trainer import Trainer

SMALL = {"num_envs": 8, "horizon": 8, "minibatches": 2, "epochs": 2, "network.hidden": [16]}


def small_settings(**changes) -> LearningSettings:
    return override(
        LearningSettings(), SMALL | {k.replace("__", "."): v for k, v in changes.items()}
    )


def small_trainer(preset="commons", *, updates=6, seed=3, target="python", core=None, **changes):
    settings = small_settings(**changes)
    env = mesocosm.make(preset, core, num_envs=settings.num_envs, target=target)
    steps = updates * settings.rows * env.spec.num_agents
    return Trainer(env, settings, steps=steps, seed=seed)


class StepWatcher:
    """Calls a function with every step that an env makes."""

    def __init__(self, env, function) -> None:
        self._step, self._function = env._step, function
        env.watcher = self

    def after_step(self) -> None:
        self._function(self._step)


def weights(trainer: Trainer) -> dict[str, torch.Tensor]:
    """Every number that training goes on from in the networks, by role and name."""
    return {
        f"{role}/{name}": value.clone()
        for role, learner in trainer.learners.items()
        for name, value in learner.network.state_dict().items()
    }


def same_weights(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(value, second[name]) for name, value in first.items()
    )
