"""Moves, invalid ids, masks and split actions."""

import numpy as np
import pytest
from games import (
    EAST,
    INVALID,
    NOOP,
    NORTH,
    SOUTH,
    WEST,
    game,
    inventory,
    positions,
    succeeded,
    try_actions,
)

HAPPY = 5 + 1  # the id of the second vibe's action


def test_move_into_a_wall_or_off_the_map_fails():
    env = game("@#")
    for move in (NORTH, SOUTH, WEST, EAST):
        assert try_actions(env, move) == [False]
    assert positions(env) == [(0, 0)]


def test_invalid_action_id_is_a_failed_noop_and_a_violation():
    env = game("@.")
    assert try_actions(env, INVALID) == [False]
    assert env.violations[0, 0] == 1
    assert try_actions(env, NOOP) == [True]


def test_mask_allows_exactly_what_would_succeed():
    env = game("@E", "#@")
    step = env.reset(seed=0)
    assert np.asarray(step.mask)[0].tolist() == [
        [True, False, False, False, True],
        [True, True, False, False, False],
    ]


def test_move_that_cannot_be_paid_is_masked_and_fails():
    env = game("@.", actions={"move_cost": {"energy": 1}})
    step = env.reset(seed=0)
    assert not step.mask[0, 0, EAST]
    assert try_actions(env, EAST) == [False]
    rich = game(
        "@.", actions={"move_cost": {"energy": 1}}, agent={"inventory": {"initial": {"energy": 1}}}
    )
    assert try_actions(rich, EAST) == [True]
    assert inventory(rich) == {}


def test_split_action_moves_and_changes_vibe_in_one_step():
    env = game(
        "@.", vibes=["default", "happy"], actions={"vibes": ["default", "happy"], "layout": "split"}
    )
    env.step(np.array([[[EAST, HAPPY]]], np.int32))
    assert positions(env)[0] == (0, 1)
    assert int(env.truth("vibe")[0, 0]) == 1


@pytest.mark.parametrize(
    ("given", "place", "shown", "succeeds"),
    [
        ((EAST, INVALID), (0, 1), EAST, False),  # what was done stays, but counts as failed
        ((EAST, -1), (0, 1), EAST, False),
        ((INVALID, HAPPY), (0, 0), HAPPY, True),
        ((-1, HAPPY), (0, 0), HAPPY, True),
        ((EAST, HAPPY), (0, 1), HAPPY, True),
        ((NOOP, SOUTH), (0, 0), NOOP, True),  # no vibe: not looked at
        ((HAPPY, NOOP), (0, 0), NOOP, False),
        ((INVALID, INVALID), (0, 0), NOOP, False),
    ],
)
def test_invalid_id_in_one_part_of_a_split_action_leaves_the_other(given, place, shown, succeeds):
    """Expect what MettaGrid does in all eight cases."""
    env = game(
        "@.",
        vibes=["default", "happy"],
        conformance="upstream",
        actions={"vibes": ["default", "happy"], "layout": "split"},
    )
    step = env.step(np.array([[given]], np.int32))
    assert (positions(env)[0], succeeded(step)) == (place, [succeeds])
    assert int(env.truth("last_action")[0, 0]) == shown
    assert int(env.truth("vibe")[0, 0]) == (1 if shown == HAPPY else 0)
