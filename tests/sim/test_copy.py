"""Copies of an env are independent, or refused with one clear error."""

import copy
import pickle

import numpy as np
import pytest

from mesocosm.build import make
from mesocosm.core.errors import CopyError
from mesocosm.testing.play import differing, outputs, wild_actions


def play(env, steps, seed=0):
    rng = np.random.default_rng(seed)
    step = None
    for _ in range(steps):
        step = env.step(wild_actions(env, rng))
    return step


@pytest.mark.parametrize("preset", ["commons/wardens", "commons/trust", "townlet/L8"])
def test_a_deep_copy_plays_the_same_steps(preset):
    env = make(preset, num_envs=3, target="python", seed=4, first_env=2)
    env.reset()
    play(env, 5)
    other = copy.deepcopy(env)
    assert other.digest() == env.digest()
    assert not differing(outputs(env, play(env, 4, 1)), outputs(other, play(other, 4, 1)))
    assert other.digest() == env.digest()
    assert not differing(outputs(env, env.reset()), outputs(other, other.reset()))


def test_a_deep_copy_and_its_original_do_not_touch_each_other():
    env = make("commons", num_envs=2, target="python", seed=4)
    env.reset()
    play(env, 3)
    other, before = copy.deepcopy(env), env.digest()
    play(other, 3)
    assert env.digest() == before
    assert other.digest() != before


def test_a_deep_copy_of_an_env_that_was_not_reset_begins_where_it_would():
    env = make("commons", num_envs=2, target="python", seed=4)
    env.aim(seed=9, episode=3)
    other = copy.deepcopy(env)
    assert np.array_equal(env.reset().obs, other.reset().obs)
    assert other.episode.tolist() == [4, 4]


def test_a_deep_copy_of_what_is_being_recorded_is_refused():
    env = make("commons", target="python")
    env.watcher = object()
    with pytest.raises(CopyError, match="being recorded cannot be copied"):
        copy.deepcopy(env)


def test_a_shallow_copy_is_refused():
    with pytest.raises(CopyError, match=r"use copy\.deepcopy\(env\)"):
        copy.copy(make("commons", target="python"))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_is_refused_with_what_to_keep_instead(protocol):
    with pytest.raises(CopyError, match=r"keep env\.config and env\.save\(\)"):
        pickle.dumps(make("commons", target="python"), protocol)
