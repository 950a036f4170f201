"""Who acts first, and the random numbers that decide it."""

import numpy as np
import pytest
from games import EAST, game, try_actions

from mesocosm.worlds.mettagrid.grid.order import draw_below, draw_real, next_word, seed_twister


def test_agent_enters_a_cell_only_after_its_occupant_has_left():
    env = game("@@..")
    outcomes = set()
    for _ in range(6):
        env.reset()
        outcomes.add(tuple(try_actions(env, EAST, EAST)))
    assert outcomes == {(True, True), (False, True)}


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (7, ["FFFT", "TTTT", "FFTT", "FTTT", "TTTF", "TTFF"]),
        (8, ["FFTT", "TTFT", "TTTT", "FTTT", "TFTF", "TTFF"]),
    ],
)
def test_agents_act_in_the_order_of_mettagrids_shuffle(seed, expected):
    env = game("##########", "#@@@@....#", "##########")
    env.reset(seed=seed)
    found = ["".join("FT"[x] for x in try_actions(env, *[EAST] * 4)) for _ in range(6)]
    assert found == expected


def test_draws_equal_those_of_libstdcxx():
    words = np.zeros(625, np.int64)
    seed_twister(words, 42)
    assert [draw_below(words, 3) for _ in range(5)] == [1, 2, 2, 0, 2]
    assert [draw_below(words, 3) + 1 for _ in range(3)] == [3, 2, 2]
    assert [draw_below(words, 17) + 1 for _ in range(3)] == [3, 8, 3]
    sums = np.array([10 / 14, 13 / 14, 1.0])
    found = [int(np.searchsorted(sums, draw_real(words))) for _ in range(20)]
    assert found == [0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert next_word(words) == 2655947709
    seed_twister(words, 3)
    assert draw_real(words) == 0.070724880451056613
