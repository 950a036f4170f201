"""Several people in one town: who sees whom, and what becomes of the dead."""

import numpy as np
import pytest

from .town import ACTIONS, act, failures, feel, may, put, see, society, town

HERE = (3, 3)
USE = "INTERACT"


def crowd(num_agents, name, **overrides):
    """Put some people onto one place at noon."""
    env = society(num_agents, **overrides)
    put(env, places={name: HERE}, position=[HERE] * num_agents, hour=12)
    return env


def served(env):
    return [index for index, ticks in enumerate(env.truth("progress")[0]) if ticks > 0]


def others(env, step, agent=0):
    """List where others are seen, padding left out."""
    count = int(step.info["visible_agents"][0, agent])
    return [tuple(pair.values()) for pair in see(env, step, agent)["others"][:count]]


def test_towns_of_one_batch_do_not_meet():
    env = town("L7", {"num_agents": 2}, num_envs=2)
    saved = env.save()
    saved["position"][:] = [[(0, 0), (7, 7)], [(0, 0), (7, 7)]]
    assert env.load(saved).info["visible_agents"].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_the_dead_free_their_place():
    env = crowd(2, "Bed")
    put(env, progress=[2, 0], doing=[0, -1], meters=[feel(health=0.0001), feel()])
    assert failures(act(env, USE, USE)) == ["none", "contention"]
    assert env.truth("alive")[0].tolist() == [False, True]
    step = act(env, USE, USE)
    assert failures(step)[1] == "none"
    assert served(env)[-1] == 1


def test_the_dead_are_invisible():
    env = society(3)
    positions = [(4, 4), (4, 5), (4, 6)]
    put(env, places={}, position=positions, meters=[feel(), feel(energy=0.001), feel()])
    step = act(env)
    assert step.terminated[0].tolist() == [False, True, False]
    assert others(env, step) == [(0.0, 2.0)]
    assert others(env, step, 2) == [(0.0, -2.0)]


def test_the_dead_stay_dead_and_can_only_wait():
    env = society(2)
    put(env, places={}, position=[(4, 4), (6, 6)], meters=[feel(energy=0.001), feel()])
    act(env)
    step = act(env, "RIGHT")
    assert step.terminated[0].tolist() == [True, False]
    assert step.reward[0, 0] == 0.0
    assert env.truth("position")[0, 0].tolist() == [4, 4]
    assert [name for name in ACTIONS[:6] if may(step, name)] == ["WAIT"]
    assert step.obs[0, 0].tolist() == [0.0] * 124


def test_the_retired_are_invisible():
    env = society(2, lifespan=10)
    put(env, places={}, position=[(4, 4), (4, 5)], age=[0, 9])
    step = act(env)
    assert step.terminated[0].tolist() == [False, True]
    assert others(env, step) == []


def seen_cells(metric, vision):
    """Collect every cell in which a second person is seen from the middle."""
    env = society(2, visibility_metric=metric, vision_range=vision, grid_size=9)
    cells = [(x, y) for x in range(9) for y in range(9)]
    found = set()
    for cell in cells:
        step = put(env, position=[(4, 4), cell])
        if step.info["visible_agents"][0, 0]:
            found.add((cell[0] - 4, cell[1] - 4))
            assert others(env, step) == [(cell[0] - 4, cell[1] - 4)]
    return found


@pytest.mark.parametrize("vision", [1, 2, 3])
def test_manhattan_vision_is_a_diamond(vision):
    reach = range(-vision, vision + 1)
    wanted = {(dx, dy) for dx in reach for dy in reach if abs(dx) + abs(dy) <= vision}
    assert seen_cells("manhattan", vision) == wanted


@pytest.mark.parametrize("vision", [1, 2])
def test_chebyshev_vision_is_the_window(vision):
    reach = range(-vision, vision + 1)
    assert seen_cells("chebyshev", vision) == {(dx, dy) for dx in reach for dy in reach}


def test_agents_at_equal_distance_are_seen_in_index_order():
    env = society(5)
    around = [(4, 4), (4, 5), (5, 4), (4, 3), (3, 4)]
    step = put(env, position=around)
    assert others(env, step) == [(0, 1), (1, 0), (0, -1), (-1, 0)]
    step = put(env, position=[around[0], *around[:0:-1]])
    assert others(env, step) == [(-1, 0), (0, -1), (1, 0), (0, 1)]


def test_agents_at_equal_distance_are_seen_in_index_order_across_shared_cells():
    env = society(6, visibility_metric="chebyshev")
    cells = [(4, 4), (5, 5), (3, 4), (5, 5), (3, 4), (6, 4)]
    step = put(env, position=cells)
    assert others(env, step) == [(1, 1), (-1, 0), (1, 1), (-1, 0), (2, 0)]


def test_of_too_many_the_closest_are_seen():
    env = society(6, max_visible_agents=2)
    step = put(env, position=[(4, 4), (4, 6), (4, 6), (4, 5), (4, 6), (4, 4)])
    assert others(env, step) == [(0, 0), (0, 1)]


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev"])
def test_every_crowd_is_seen_as_sorting_all_pairs_would_say(metric):
    env = society(12, visibility_metric=metric, grid_size=6, max_visible_agents=4)
    rng = np.random.default_rng(5)
    for _ in range(10):
        cells = rng.integers(0, 6, (12, 2))
        step = put(env, position=cells)
        for me in range(12):
            away = np.abs(cells - cells[me])
            far = away.sum(axis=1) if metric == "manhattan" else away.max(axis=1)
            near = sorted((far[a], a) for a in range(12) if a != me and far[a] <= 2)[:4]
            assert others(env, step, me) == [tuple(cells[a] - cells[me]) for _, a in near]


def test_people_share_cells_and_pass_through_each_other():
    env = society(2)
    put(env, places={}, position=[(4, 4), (5, 4)])
    act(env, "RIGHT", "LEFT")
    assert env.truth("position")[0].tolist() == [[5, 4], [4, 4]]
