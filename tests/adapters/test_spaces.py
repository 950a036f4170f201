"""Declared roles become the spaces that the table in `spaces.py` says."""

import numpy as np
import pytest
from gymnasium import spaces

from mesocosm.adapters.spaces import action_space, observation_space, read_actions, sample_mask
from mesocosm.core.action import ActionSpec, Choice, Level
from mesocosm.core.errors import ActionError
from mesocosm.core.observation import Feature, Layout
from mesocosm.core.spec import Role

MOVE = Choice("move", ("stay", "go", "run"))
INK = Choice("ink", ("blue", "red"), masked=False, forbidden=(1,))
HEAT = Level("heat", -0.3, 0.7)
SIGHT = Layout((Feature("pixel", "what I see", (2, 3), 0, 255),), "uint8", (2, 3, 1))


def role(choices=(), levels=()):
    return Role("one", 1, SIGHT, ActionSpec(choices, levels))


def test_an_observation_space_has_the_layouts_range_dtype_and_shape():
    space = observation_space(role((MOVE,)))
    assert space == spaces.Box(0, 255, (2, 3, 1), np.uint8)


def test_an_action_space_follows_the_kinds_of_parts():
    heat = spaces.Box(np.float32([-0.3]), np.float32([0.7]))
    assert action_space(role((MOVE,))) == spaces.Discrete(3)
    assert action_space(role((MOVE, INK))) == spaces.MultiDiscrete([3, 2])
    assert action_space(role((), (HEAT,))) == heat
    both = action_space(role((MOVE,), (HEAT,)))
    assert both == spaces.Dict({"choice": spaces.Discrete(3), "level": heat})


@pytest.mark.parametrize("choices", [(MOVE,), (MOVE, INK)])
@pytest.mark.parametrize("levels", [(), (HEAT,)])
def test_a_mask_makes_the_space_sample_permitted_options_only(choices, levels):
    one = role(choices, levels)
    mask = sample_mask(one.action, np.array([False, True, False]))
    space = action_space(one)
    space.seed(0)
    for _ in range(20):
        choice, _ = read_actions(one, space.sample(mask=mask))
        assert choice.tolist() == [1, 0][: len(choices)]


def test_values_pass_whatever_they_are():
    both = role((MOVE, INK), (HEAT,))
    choice, level = read_actions(both, {"choice": np.array([-7, 2**40]), "level": [1e300]})
    assert choice.tolist() == [-7, 2**31 - 1]
    assert level.tolist() == [np.inf]
    choice, _ = read_actions(role((MOVE,)), np.uint64(2**64 - 1))
    assert choice.tolist() == [2**31 - 1]


@pytest.mark.parametrize("given", [0.5, "go", None, [0, 1], [[0], [0, 1]], True])
def test_another_form_is_refused(given):
    with pytest.raises(ActionError, match="role 'one'"):
        read_actions(role((MOVE,)), given)
