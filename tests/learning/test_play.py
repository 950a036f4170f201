"""Rollouts: threads share the envs out, and play what one would have played."""

import pytest
import torch

from tests.learning.small import StepWatcher, small_trainer

KEPT = ("obs", "mask", "choice", "levels", "reward", "began", "valid", "acts", "boundary", "ended")
CASES = [
    ("commons", {"horizon": 60}),
    ("townlet/L6", {"truth": ("meters", "hour"), "horizon": 60}),
    ("townlet/L0", {"algorithm": "q", "horizon": 210}),
    ("island/skirmish", {"network__memory": "gru", "horizon": 20}),
]


def _play(preset, changes, threads, watched=False):
    trainer = small_trainer(preset, target="cpu", threads=threads, num_envs=7, **changes)
    if watched:
        StepWatcher(trainer.env, lambda step: None)
    for name, learner in trainer.learners.items():
        learner.draw_noise(torch.Generator().manual_seed(len(name)))
    for _ in range(2):
        trainer._player.play()
    return trainer


@pytest.mark.parametrize(("preset", "changes"), CASES)
def test_threads_play_the_same_rollout_as_one_thread(preset, changes):
    alone, shared = (_play(preset, changes, threads) for threads in (1, 3))
    assert [len(shards) for shards in alone._player._shards.values()] == [1]
    assert [len(shards) for shards in shared._player._shards.values()] == [3]
    for name, learner in alone.learners.items():
        other = shared.learners[name]
        for key in KEPT:
            first, second = getattr(learner.experience, key), getattr(other.experience, key)
            assert torch.equal(first, second), key
        for key in ("log_prob", "bootstrap", "truth"):
            first, second = getattr(learner.experience, key), getattr(other.experience, key)
            torch.testing.assert_close(first, second)
        torch.testing.assert_close(learner.state, other.state)
        assert torch.equal(learner.generation, other.generation)
    assert alone.env.digest() == shared.env.digest()
    if preset != "island/skirmish":  # a game of hundreds of steps
        assert any(learner.experience.boundary.any() for learner in alone.learners.values())


def test_recorded_env_is_played_as_a_whole_and_the_same():
    shared, watched = (_play("commons", {}, 3, watched=watched) for watched in (False, True))
    assert list(shared._player._shards) == [3]
    assert list(watched._player._shards) == [1]
    assert shared.env.digest() == watched.env.digest()
