import pytest

from mesocosm.build import config_spec
from mesocosm.core.errors import ConfigError, UnknownName
from mesocosm.evaluation.arena.lineup import (
    describe,
    find_agents,
    pair_lineups,
    rotate,
    seat_names,
)

COMMONS, WARDENS = config_spec("commons"), config_spec("commons/wardens")
ISLAND, TOWN = config_spec("island/skirmish"), config_spec("townlet/L0")


def test_two_entrants_alternate_within_one_role_and_swap():
    assert pair_lineups(COMMONS, 0, 1) == [(0, 1, 0, 1, 0, 1), (1, 0, 1, 0, 1, 0)]


def test_two_entrants_have_a_role_each_and_swap():
    assert pair_lineups(ISLAND, 3, 5) == [(3, 5), (5, 3)]
    assert pair_lineups(WARDENS, 0, 1) == [(0,) * 6 + (1, 1), (1,) * 6 + (0, 0)]


def test_two_entrants_take_turns_where_there_is_one_agent():
    assert pair_lineups(TOWN, 0, 1) == [(0,), (1,)]


def test_an_entrant_that_meets_itself_has_every_seat_once():
    assert pair_lineups(COMMONS, 2, 2) == [(2,) * 6]


def test_rotation_brings_everybody_everywhere_within_a_role():
    found = rotate(WARDENS, (9, 0, 0, 0, 0, 0, 1, 2))
    assert [lineup.index(9) for lineup in found] == [0, 1, 2, 3, 4, 5]
    assert {lineup[6:] for lineup in found} == {(1, 2), (2, 1)}
    assert rotate(COMMONS, (0,) * 6) == [(0,) * 6]


def test_seats_are_roles_or_the_agents_of_the_only_one():
    assert seat_names(ISLAND) == ["legacy", "dynasty"]
    assert seat_names(COMMONS)[:2] == ["harvester[0]", "harvester[1]"]


def test_agents_of_seats_are_found():
    assert find_agents(WARDENS, ["warden", "harvester[3]"]) == [3, 6, 7]


@pytest.mark.parametrize(
    ("seat", "error", "said"),
    [
        ("boss", UnknownName, "no role with agents named 'boss'"),
        ("warden[2]", ConfigError, "warden has agents 0 to 1"),
        ("warden[x]", ConfigError, "must be a role or ROLE[NUMBER]"),
    ],
)
def test_a_seat_that_is_not_there_is_refused(seat, error, said):
    with pytest.raises(error) as raised:
        find_agents(WARDENS, [seat])
    assert said in str(raised.value)


def test_lineup_is_written_for_people():
    text = describe(WARDENS, (0, 1, 0, 1, 1, 1, 2, 2), ["a", "b", "c"])
    assert text == "harvester[0,2]=a, harvester[1,3,4,5]=b, warden=c"
