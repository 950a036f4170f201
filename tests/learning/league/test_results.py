import numpy as np
import torch

from mesocosm.learning.league.results import EpisodeScores


def _reference(worth, over, rollout):
    """Add up episode by episode, one env after the other."""
    made = {}
    for env in range(over.shape[1]):
        total = np.zeros(worth.shape[2:])
        for step in range(over.shape[0]):
            total = total + worth[step, env]
            if over[step, env]:
                made[step // rollout, env, step] = total
                total = np.zeros(worth.shape[2:])
    return made


def test_episodes_are_added_up_over_rollouts():
    rng = np.random.default_rng(1)
    worth, over = rng.normal(size=(24, 5, 2, 2, 2)), rng.random((24, 5)) < 0.2
    reason = rng.integers(1, 9, over.shape).astype(np.int16)
    scores, rollout, got = EpisodeScores(5, 2, "cpu"), 8, []
    for first in range(0, 24, rollout):
        part = slice(first, first + rollout)
        finished = scores.count(*(torch.from_numpy(x[part]) for x in (worth, over, reason)))
        got += list(zip(finished.env, finished.reason, finished.sums, strict=True))
    expected = _reference(worth, over, rollout)
    assert len(got) == len(expected) > 10
    for (env, why, sums), ((_, at, step), total) in zip(got, sorted(expected.items()), strict=True):
        assert (env, why) == (at, reason[step, at])
        np.testing.assert_allclose(sums, total, atol=1e-12)


def test_first_end_after_an_exchange_does_not_count():
    scores = EpisodeScores(3, 1, "cpu")
    scores.whole[:2] = False
    over = torch.tensor([[True, False, True], [True, False, True]])
    zeros = torch.zeros(2, 3, 1, 2, 2, dtype=torch.float64)
    finished = scores.count(zeros, over, torch.ones(2, 3, dtype=torch.int16))
    assert finished.env.tolist() == [0, 0, 2, 2]
    assert finished.counts.tolist() == [False, True, True, True]
    assert scores.whole.tolist() == [True, False, True]
