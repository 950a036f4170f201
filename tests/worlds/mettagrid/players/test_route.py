"""The next step of a crew: around walls, and to the rim of what is seen for what lies beyond."""

import numpy as np

from mesocosm.worlds.mettagrid.players.route import FAR, costs, in_sight


def cost_of(*rows, way):
    """Return the costs in a window drawn as text; `.` is free, all of it is seen."""
    free = np.array([[char == "." for char in row] for row in rows])[None]
    return costs(free, np.ones_like(free), np.array([way]))[0]


def test_way_leads_around_a_wall():
    made = cost_of(".....", ".###.", ".....", ".....", ".....", way=(-2, 0))
    assert made[0, 2] == 0
    assert made[2, 2] == 6
    assert made[1, 2] == FAR


def test_goal_that_is_blocked_itself_can_be_bumped_into():
    made = cost_of(".....", ".....", "...#.", ".....", ".....", way=(0, 1))
    assert made[2, 3] == 0
    assert made[2, 2] == 1


def test_goal_out_of_sight_is_reached_over_the_rim():
    made = cost_of(".....", ".....", ".....", ".....", ".....", way=(0, 10))
    assert made[2, 4] == 8
    assert made[2, 2] == 10


def test_goal_behind_a_closed_wall_is_far():
    made = cost_of("..#..", "..#..", "..#..", "..#..", "..#..", way=(0, 2))
    assert made[2, 0] == FAR


def test_sight_is_a_disc():
    seen = in_sight(5, np.array([1, 2]))
    assert seen[0].sum() == 5
    assert seen[1].sum() == 13
