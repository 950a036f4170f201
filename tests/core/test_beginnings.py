"""Where episodes and lives begin, on worlds that respawn and for every autoreset."""

import itertools

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.testing.play import wild_actions

MODES = ["same_step", "next_step", "off"]
LIVES = {"core.max_steps": 30, "core.respawn": True, "core.hazard": 4}


def played(mode, steps=100):
    """Play a world of births; give for each Step `began`, and what the env itself counts."""
    env = meso.make("probe", LIVES, num_envs=3, target="python", autoreset=mode)
    beginnings, rows = meso.Beginnings(env), []
    step = env.reset(seed=2)
    for k in range(steps):
        counted = (env.episode.copy(), np.array(step.generation))
        rows.append((beginnings.follow(step), *counted))
        step = env.step(wild_actions(env, np.random.default_rng(k)))
    return rows


@pytest.mark.parametrize("mode", MODES)
def test_began_is_true_where_the_episode_or_the_generation_changed(mode):
    rows = played(mode)
    assert rows[0][0].all()
    births = restarts = 0
    for (_, episode, before), (began, later, after) in itertools.pairwise(rows):
        fresh = (later != episode)[:, None]
        born = (after > before) & ~fresh
        assert (began == (fresh | born)).all()
        births, restarts = births + born.sum(), restarts + fresh.sum()
    assert births > 10
    assert (restarts > 0) == (mode != "off")


def test_an_explicit_reset_begins_the_chosen_envs_and_forgets_no_birth_of_the_others():
    env = meso.make("probe", LIVES, num_envs=2, target="python", autoreset="off")
    beginnings = meso.Beginnings(env)
    beginnings.follow(env.reset(seed=2))
    for k in range(29):
        began = np.array(beginnings.follow(env.step(wild_actions(env, np.random.default_rng(k)))))
        if began[1].any():
            break
    assert began[1].any()
    assert not began[1].all()
    again = beginnings.follow(env.reset(envs=np.array([True, False])))
    assert again[0].all()
    assert (again[1] == began[1]).all()
    assert beginnings.follow(env.reset()).all()


def test_an_episode_that_stays_finished_begins_nowhere():
    env = meso.make("commons", {"core.max_steps": 2}, target="python", autoreset="off")
    beginnings = meso.Beginnings(env)
    found = [beginnings.follow(env.reset(seed=0))]
    noop = env.spec.roles["harvester"].action.noop((1, 6))
    found += [beginnings.follow(env.step(noop)) for _ in range(4)]
    assert [bool(began.any()) for began in found] == [True, False, False, False, False]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [None, 2])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_a_reset_in_mid_episode_begins_every_env(mode, seed, steps):
    env = meso.make("probe", LIVES, num_envs=2, target="python", autoreset=mode)
    beginnings = meso.Beginnings(env)
    began = beginnings.follow(env.reset(seed=2))
    for k in range(steps):
        began = beginnings.follow(env.step(wild_actions(env, np.random.default_rng(k))))
    assert began.all() == (steps == 0)
    assert beginnings.follow(env.reset(seed=seed)).all()


def test_a_reset_after_the_end_begins_the_next_episode_without_autoreset():
    env = meso.make("commons", {"core.max_steps": 2}, num_envs=2, target="python", autoreset="off")
    beginnings, noop = meso.Beginnings(env), env.spec.roles["harvester"].action.noop((2, 6))
    found = [beginnings.follow(env.reset(seed=0))]
    for _ in range(2):
        found += [beginnings.follow(env.step(noop)) for _ in range(3)]
        found.append(beginnings.follow(env.reset()))
    assert [bool(began.all()) for began in found] == [True, *[False, False, False, True] * 2]


def test_with_several_roles_began_is_by_role():
    env = meso.make("commons/wardens", num_envs=2, target="python")
    began = meso.Beginnings(env).follow(env.reset(seed=0))
    assert {name: part.shape for name, part in began.items()} == {
        "harvester": (2, 6),
        "warden": (2, 2),
    }
