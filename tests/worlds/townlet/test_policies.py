"""How long the scripted residents of townlet live, and how far they can be trusted."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.action import ActionSpec, Choice
from mesocosm.worlds.townlet.declare import INTERACT, MONEY

SCRIPTED = ("greedy", "explorer")


class Lives(NamedTuple):
    """What became of everybody in a batch of episodes."""

    length: np.ndarray  # int64 [env, agent]
    reason: np.ndarray  # str [env, agent]

    @property
    def retired(self):
        return (self.reason == "retired").mean()


def begin(preset, name, overrides=None, **settings):
    """Give an env after its reset, a player ready for it, and the first step."""
    env = meso.make(f"townlet/{preset}", overrides, **({"seed": 7} | settings))
    player = meso.policy("townlet", name)
    if player.privileged:
        player.truth = env.truth
    step = env.reset()
    player.reset(env.spec.roles["resident"], env.num_envs, 3)
    return env, player, step


@cache
def live(preset, name, num_envs=200):
    """Play whole lives."""
    env, player, step = begin(preset, name, num_envs=num_envs, autoreset="off")
    length, beginnings = np.zeros(step.reason.shape, int), meso.Beginnings(env)
    reason = np.full(step.reason.shape, "", object)
    for t in range(env.config.core.max_steps):
        step = env.step(player.act(step.obs, step.mask, step.info, beginnings.follow(step)))
        length[step.ended] = t + 1
        reason[step.ended] = [env.spec.reason_name(code) for code in step.reason[step.ended]]
        if step.episode_over.all():
            break
    assert (reason != "").all()
    return Lives(length, reason)


def test_random_legal_play_lives_a_bit_over_a_hundred_ticks():
    assert 100 <= live("L4", "random", num_envs=500).length.mean() <= 130


def test_greedy_retires_in_the_full_town():
    assert live("L3", "greedy").retired >= 0.9


def test_greedy_retires_in_a_town_with_opening_hours():
    assert live("L5", "greedy").retired >= 0.75


@pytest.mark.parametrize("level", ["L4", "L5"])
def test_explorer_outlives_random_play_by_far(level):
    scripted, random = live(level, "explorer"), live(level, "random")
    assert scripted.length.mean() > 5 * random.length.mean()


@pytest.mark.parametrize("name", SCRIPTED)
def test_residents_that_compete_for_places_outlive_random_play(name):
    crowd = live("L6", name, num_envs=12)
    assert crowd.length.mean() > 5 * live("L6", "random", num_envs=12).length.mean()


def test_explorer_needs_no_truth_and_greedy_says_that_it_does():
    assert meso.policy("townlet", "greedy").privileged
    assert not meso.policy("townlet", "explorer").privileged


@pytest.mark.parametrize("name", SCRIPTED)
@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        ("L0", {}),
        ("L3", {"core.grid_size": 6}),
        ("L4", {"core.grid_size": 2, "core.deployed": ["Bed", "Job"]}),
        ("L5", {"core.grid_size": 12, "core.vision_range": 7}),
        ("L7", {"core.num_agents": 3, "core.vision_range": 1}),
    ],
)
def test_scripted_residents_play_legally_in_towns_of_any_shape(name, preset, overrides):
    env, player, step = begin(preset, name, overrides, num_envs=3)
    beginnings = meso.Beginnings(env)
    for _ in range(60):
        action = player.act(step.obs, step.mask, step.info, beginnings.follow(step))
        assert action.shape == (*step.reward.shape, 1)
        assert action.dtype == np.int32
        assert np.take_along_axis(step.mask, action, axis=2).all()
        step = env.step(action)


@pytest.mark.parametrize("name", SCRIPTED)
def test_scripted_residents_leave_a_second_part_alone(name):
    env, player, step = begin("L6", name, num_envs=2)
    role = env.spec.roles["resident"]
    act = replace(role.action.choices[0], options=(*role.action.choices[0].options, "SPEAK"))
    signal = Choice("signal", ("a", "b", "c"), masked=False, noop=1)
    player.reset(replace(role, action=ActionSpec((act, signal))), env.num_envs, 0)
    mask = np.concatenate([step.mask, np.ones((*step.mask.shape[:2], 1), bool)], axis=2)
    action = player.act(step.obs, mask, step.info, np.ones(step.reward.shape, bool))
    assert action.shape == (2, role.num_agents, 2)
    assert (action[..., 1] == 1).all()


def test_explorer_forgets_the_town_in_a_new_life():
    env, player, step = begin("L4", "explorer", {"core.max_steps": 30}, num_envs=4)
    beginnings = meso.Beginnings(env)
    for _ in range(30):
        step = env.step(player.act(step.obs, step.mask, step.info, beginnings.follow(step)))
    fresh = meso.policy("townlet", "explorer")
    fresh.reset(env.spec.roles["resident"], 4, 3)
    for _ in range(20):
        began = beginnings.follow(step)
        action = player.act(step.obs, step.mask, step.info, began)
        assert (action == fresh.act(step.obs, step.mask, step.info, began)).all()
        step = env.step(action)


@pytest.mark.parametrize("name", SCRIPTED)
def test_someone_who_cannot_pay_for_the_rest_of_a_visit_leaves_it(name):
    env, player, step = begin("L5", name, num_envs=1)
    beginnings = meso.Beginnings(env)
    for _ in range(24):
        step = env.step(player.act(step.obs, step.mask, step.info, beginnings.follow(step)))
    saved = env.save()
    saved["hour"][...] = 9
    saved["position"][0, 0] = saved["affordance_position"][0, 0]
    saved["meters"][..., MONEY] = 0.0
    saved["progress"][...], saved["doing"][...] = 1, 0
    step = env.load(saved)
    step = env.step(np.full((1, 1, 1), INTERACT, np.int32))
    assert step.info["action_failed"].item() > 0
    later = np.zeros(step.reward.shape, bool)
    assert player.act(step.obs, step.mask, step.info, later).item() != INTERACT
