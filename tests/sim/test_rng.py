"""Random numbers are pure, well spread, and the same on every target."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesocosm.sim import rng
from mesocosm.sim.rule import rule
from mesocosm.sim.targets.launch import launch

WORDS = st.integers(-(2**63), 2**63 - 1)


@rule
def fill_draws(words, out):
    for k in range(words.shape[0]):
        word = words[k]
        out[k, 0] = rng.uniform(word, k, 3, k % 5)
        out[k, 1] = rng.below(1 + k % 97, word, k, 4, 1)
        out[k, 2] = rng.normal(word, k, 5, 2)
        out[k, 3] = rng.episode_word(word, k, k % 11)


@pytest.fixture(scope="module")
def compiled():
    return launch(fill_draws, "cpu")


@given(words=st.lists(WORDS, min_size=1, max_size=20))
def test_python_and_compiled_code_draw_the_same_bits(compiled, words):
    array = np.array(words, np.int64)
    plain, fast = np.zeros((len(words), 4)), np.zeros((len(words), 4))
    launch(fill_draws, "python")(array, plain)
    compiled(array, fast)
    assert plain.tobytes() == fast.tobytes()


@given(
    word=WORDS, t=st.integers(0, 2**40), stream=st.integers(0, 9999), index=st.integers(0, 10**6)
)
def test_draws_stay_in_their_range(word, t, stream, index):
    assert 0.0 <= rng.uniform(word, t, stream, index) < 1.0
    assert 0 <= rng.below(7, word, t, stream, index) < 7
    assert abs(rng.normal(word, t, stream, index)) < 3.5
    assert rng.below(0, word, t, stream, index) == 0


@pytest.mark.parametrize("axis", range(4))
def test_draws_are_spread_evenly_along_every_argument(axis, compiled):
    values = np.zeros((20_000, 4))
    base = [rng.episode_word(1, 2, 3), 4, 5, 6]
    for k in range(len(values)):
        arguments = list(base)
        arguments[axis] += k
        values[k, 0] = rng.uniform(*arguments)
        values[k, 1] = rng.normal(*arguments)
    counts = np.histogram(values[:, 0], bins=50, range=(0, 1))[0]
    expected = len(values) / 50
    assert ((counts - expected) ** 2 / expected).sum() < 100  # 49 degrees of freedom
    neighbours = np.corrcoef(values[:-1, 0], values[1:, 0])[0, 1]
    assert abs(neighbours) < 0.03
    assert abs(values[:, 1].mean()) < 0.03
    assert abs(values[:, 1].std() - 1) < 0.03


def test_neighbouring_seeds_envs_and_episodes_have_unrelated_words():
    words = {
        rng.episode_word(seed, env, episode)
        for seed in range(20)
        for env in range(20)
        for episode in range(20)
    }
    assert len(words) == 8000
    bits = np.array([[(w >> k) & 1 for k in range(64)] for w in words])
    assert abs(bits.mean(axis=0) - 0.5).max() < 0.03
