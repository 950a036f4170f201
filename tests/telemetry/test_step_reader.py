"""The one view recording has of an env: where it stood before a step, and what the step did."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.telemetry.step_reader import EVENT_COLUMNS, FINISHED_COLUMNS, StepReader, join_roles
from mesocosm.testing.play import wild_actions

SHORT = {"core.max_steps": 3}


def played(steps, **settings):
    """Give an env and its reader after some steps, every sum and turn followed."""
    env = meso.make("commons", SHORT, num_envs=2, target="python", first_env=7, **settings)
    reader = StepReader(env)
    reader.prepare_sums()
    reader.follow_turns()
    env.reset(seed=1)
    reader.begin(np.ones(2, bool))
    for k in range(steps):
        env.step(wild_actions(env, np.random.default_rng(k)))
        reader.advance()
        if k < steps - 1:
            reader.settle()
    return env, reader


def test_a_step_in_the_middle_of_an_episode_ends_and_renews_nothing():
    _, reader = played(2)
    assert (reader.step, reader.num_ended) == (1, 0)
    assert reader.ended is None
    assert reader.renewed is None
    assert (reader.t_before == 1).all()


def test_the_step_that_ends_an_episode_says_how_long_it_was_and_what_it_earned():
    env, reader = played(3)
    assert reader.num_ended == 2
    assert reader.ended.all()
    assert reader.renewed.all()  # same_step: the next episode has begun
    assert (reader.finished[:, FINISHED_COLUMNS["length"]] == 3).all()
    assert (reader.finished[:, FINISHED_COLUMNS["episode"]] == 0).all()
    assert reader.totals.tobytes() == reader.returns.tobytes()
    assert (env.episode == 1).all()


def test_an_ended_episode_that_waits_for_a_reset_ends_once():
    _, reader = played(5, autoreset="off")
    assert reader.num_ended == 0
    assert reader.renewed is None


def test_returns_begin_anew_with_the_next_episode():
    env, reader = played(4)
    assert np.array_equal(reader.returns, env.copy(env.driver.f.reward).astype(np.float64))


def test_sums_are_those_of_the_agents():
    env, reader = played(1)
    sums = reader.sums()
    assert sums["reward"].tolist() == pytest.approx(
        env.copy(env.driver.f.reward).sum(axis=1, dtype=np.float64).tolist()
    )
    assert (sums["acting"] == env.spec.num_agents).all()


def test_sums_that_were_not_prepared_are_refused():
    reader = StepReader(meso.make("commons", target="python"))
    with pytest.raises(AssertionError, match="prepare_sums"):
        reader.sums()


def test_reading_events_takes_none_from_the_caller():
    env, reader = played(2)
    bare = meso.make("commons", SHORT, num_envs=2, target="python", first_env=7)
    bare.reset(seed=1)
    for k in range(2):
        bare.step(wild_actions(bare, np.random.default_rng(k)))
    assert reader.events.shape[1] == len(EVENT_COLUMNS)
    assert env.events() == bare.events()


def test_reading_changes_no_state():
    env, _ = played(3)
    bare = meso.make("commons", SHORT, num_envs=2, target="python", first_env=7)
    bare.reset(seed=1)
    for k in range(3):
        bare.step(wild_actions(bare, np.random.default_rng(k)))
    assert env.digest() == bare.digest()


def test_roles_are_joined_in_agent_order():
    parts = {"harvester": np.array([[1, 2]]), "warden": np.array([[3]])}
    assert join_roles(parts).tolist() == [[1, 2, 3]]
    assert join_roles(np.array([[1, 2]])).tolist() == [[1, 2]]
