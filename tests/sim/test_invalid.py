"""Invalid actions: handled as the config says, the same way every time, and counted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mesocosm.build import make
from mesocosm.core.action import Action

CHOICE = np.zeros((2, 6, 2), np.int32)
LEVEL = np.zeros((2, 6, 2), np.float32)
DEAL, EFFORT = 0, 0


def fresh(preset="commons", **core):
    """Make a small env without droughts on the python target and start it."""
    overrides = {"core.drought_prob": 0.0} | {f"core.{key}": core[key] for key in core}
    env = make(preset, overrides, num_envs=2, target="python", seed=3)
    env.reset()
    return env


WRONG = {
    "option above": (0, DEAL, 3),
    "option far above": (0, DEAL, 2**31 - 1),
    "option below": (0, DEAL, -1),
    "level above": (1, EFFORT, 1.5),
    "level below": (1, EFFORT, -0.5),
    "level infinite": (1, EFFORT, np.inf),
    "level minus infinite": (1, EFFORT, -np.inf),
    "level NaN": (1, EFFORT, np.nan),
}


def wrong_action(what):
    """Let agent 2 of each env play something invalid while it also fishes and gives."""
    part, index, value = WRONG[what]
    actions = Action(CHOICE.copy(), LEVEL.copy())
    actions.choice[:, 2] = (1, 0)
    actions.level[:, 2] = (0.5, 1.0)
    actions[part][:, 2, index] = value
    return actions


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("invalid", ["noop", "penalty"])
def test_an_invalid_action_plays_as_the_whole_no_op(invalid, what):
    env, still = fresh(invalid=invalid), fresh(invalid=invalid)
    env.step(wrong_action(what))
    still.step((CHOICE, LEVEL))
    differs = {key for key, value in env.digest().items() if value != still.digest()[key]}
    assert differs == {"frame.violations"}
    assert env.violations.tolist() == [[0, 0, 1, 0, 0, 0]] * 2


CLAMPED = {
    "option above": ((2, 0), (0.5, 1.0)),
    "option far above": ((2, 0), (0.5, 1.0)),
    "option below": ((0, 0), (0.5, 1.0)),
    "level above": ((1, 0), (1.0, 1.0)),
    "level below": ((1, 0), (0.0, 1.0)),
    "level infinite": ((1, 0), (1.0, 1.0)),
    "level minus infinite": ((1, 0), (0.0, 1.0)),
    "level NaN": ((1, 0), (0.0, 1.0)),
}


@pytest.mark.parametrize("what", WRONG)
def test_clamping_plays_the_nearest_valid_part(what):
    env, nearest = fresh(invalid="clamp"), fresh(invalid="clamp")
    env.step(wrong_action(what))
    actions = Action(CHOICE.copy(), LEVEL.copy())
    actions.choice[:, 2], actions.level[:, 2] = CLAMPED[what]
    nearest.step(actions)
    differs = {key for key, value in env.digest().items() if value != nearest.digest()[key]}
    assert differs == {"frame.violations"}
    assert env.violations.tolist() == [[0, 0, 1, 0, 0, 0]] * 2


@pytest.mark.parametrize("what", WRONG)
def test_the_penalty_costs_and_is_recorded(what):
    env = fresh(invalid="penalty", invalid_penalty=0.25)
    still = fresh(invalid="penalty", invalid_penalty=0.25)
    step, rest = env.step(wrong_action(what)), still.step((CHOICE, LEVEL))
    for agent in range(6):
        terms = env.explain(env=1, agent=agent)
        assert terms["invalid_action"] == (-0.25 if agent == 2 else 0.0)
        assert sum(terms.values()) == pytest.approx(float(step.reward[1, agent]))
    assert step.reward[0, 2] == pytest.approx(rest.reward[0, 2] - 0.25)
    found = [event for event in env.events() if event["kind"] == "invalid_action"]
    assert [(event["env"], event["actor"], event["value"]) for event in found] == [
        (0, 2, 0.25),
        (1, 2, 0.25),
    ]
    assert found[0]["text"] == "agent 2 played an invalid action"


@pytest.mark.parametrize("invalid", ["noop", "clamp"])
def test_without_a_penalty_nothing_is_charged_or_recorded(invalid):
    env = fresh(invalid=invalid)
    env.step(wrong_action("level NaN"))
    assert "invalid_action" not in env.explain(env=0, agent=2)
    assert "invalid_action" not in {event["kind"] for event in env.events()}


def test_several_wrong_parts_of_one_action_count_once():
    env = fresh(invalid="penalty")
    env.step((CHOICE + 9, LEVEL + np.float32(np.nan)))
    assert (env.violations == 1).all()
    assert len(env.events()) == 12


@pytest.mark.parametrize("invalid", ["noop", "clamp", "penalty"])
def test_a_masked_option_is_refused_and_counted(invalid):
    env = fresh(invalid=invalid, initial_wealth=3.0, sanction_cost=5.0)
    choice = CHOICE.copy()
    choice[:, 1, DEAL] = 2
    env.step((choice, LEVEL))
    assert env.violations.tolist() == [[0, 1, 0, 0, 0, 0]] * 2
    assert (env.truth("fined") == 0).all()


def test_violations_add_up_and_start_again_with_the_episode():
    env = fresh(max_steps=3)
    for count in (1, 2):
        env.step((CHOICE - 1, LEVEL))
        assert (env.violations == count).all()
    env.reset()
    assert (env.violations == 0).all()


def test_actions_of_those_who_do_not_act_are_ignored():
    env = fresh("commons/turns")
    step = env.step((CHOICE, LEVEL))
    acting = np.array(step.acting)
    env.step((CHOICE - 1, LEVEL * np.float32(np.nan)))
    assert acting.sum() == 2
    assert np.array_equal(env.violations > 0, acting)


@settings(max_examples=60, deadline=None)
@given(
    choice=hnp.arrays(np.int64, (2, 6, 2)),
    level=hnp.arrays(np.float64, (2, 6, 2), elements=st.floats(width=64)),
    invalid=st.sampled_from(["noop", "clamp", "penalty"]),
)
def test_no_value_of_an_action_raises_and_each_is_handled_the_same_every_time(
    choice, level, invalid
):
    envs = fresh(invalid=invalid), fresh(invalid=invalid)
    for env in envs:
        step = env.step((choice, level))
        assert np.isfinite(step.reward).all()
        assert np.isfinite(step.obs).all()
    assert envs[0].digest() == envs[1].digest()
