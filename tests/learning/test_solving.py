"""Learning that must work: a task that a second solves, and one that needs memory."""

import pytest

import mesocosm
from mesocosm.core.errors import ConfigError
from mesocosm.learning.settings import LearningSettings, override
from mesocosm.learning.trainer import Trainer
from mesocosm.worlds import registry
from tests.learning import signal_world
from tests.learning.small import small_trainer

QUICK = {
    "num_envs": 32,
    "horizon": 8,
    "epochs": 2,
    "minibatches": 2,
    "gamma": 0.9,
    "learning_rate": 0.01,
    "entropy": 0.01,
    "network.hidden": [16],
    "network.memory_size": 8,
}


@pytest.fixture(autouse=True)
def _signal(monkeypatch):
    known = registry._folders()
    there = {**known, "signal": "tests.learning.signal_world"}
    monkeypatch.setattr(registry, "_folders", lambda: there)


def last_return(updates, delay=0, **changes):
    """Train; give the mean return of the lives of the last updates."""
    settings = override(
        LearningSettings(), QUICK | {k.replace("__", "."): v for k, v in changes.items()}
    )
    env = mesocosm.make(
        signal_world.config(delay=delay), num_envs=settings.num_envs, target="python"
    )
    trainer = Trainer(env, settings, steps=updates * settings.rows, seed=1)
    lives = [update.lives["player"] for update in trainer.run()][-5:]
    return sum(x.mean_return * x.num for x in lives) / sum(x.num for x in lives)


def test_ppo_learns_to_say_what_it_sees():
    assert last_return(25) > 0.95


def test_q_learning_learns_to_say_what_it_sees():
    assert last_return(30, algorithm="q", exploration__last=0.0) > 0.95


def test_without_memory_nobody_says_what_was_shown_before():
    assert last_return(30, delay=1) < 0.6


@pytest.mark.parametrize("memory", ["gru", "lstm"])
def test_memory_keeps_what_was_shown(memory):
    assert last_return(30, delay=1, network__memory=memory) > 0.95


def test_critic_that_is_told_the_truth_learns_too():
    assert last_return(25, truth=["shown"]) > 0.95


def test_q_learning_refuses_actions_of_several_parts():
    with pytest.raises(ConfigError, match=r"algorithm: 'q' needs .* deal, target, effort, amount"):
        small_trainer("commons", algorithm="q")


def test_q_learning_refuses_memory():
    with pytest.raises(ConfigError, match=r"network.memory: 'q' needs 'none', got 'gru'"):
        small_trainer("townlet/L0", algorithm="q", network__memory="gru")
