"""Who acts first."""

import pytest
from games import EAST, game, try_actions


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
