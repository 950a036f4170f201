import numpy as np
import pytest

from mesocosm.build import config_spec
from mesocosm.core.spec import OUTCOMES
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.score import COLUMNS
from mesocosm.evaluation.tournament.games import choose_measure, find_games

ISLAND, TOWN, COMMONS = (config_spec(p) for p in ("island/skirmish", "townlet/L0", "commons"))
WARDENS = config_spec("commons/wardens")


def bout(spec, lineup, returns, reason="", outcomes=None, forfeits=None):
    """Make a bout by what every agent earned: returns[episode][agent]."""
    earned = np.array(returns, float)
    episodes, agents = earned.shape
    env, agent = (x.ravel() for x in np.mgrid[:episodes, :agents])
    zero = np.zeros(env.size, np.int64)
    lives = dict.fromkeys(COLUMNS, zero) | {"env": env, "agent": agent}
    lives |= {"total_return": earned.ravel()}
    if outcomes is not None:
        codes = [OUTCOMES.index(name) for row in outcomes for name in row]
        lives["outcome"] = np.array(codes, np.int64)
    names = [entry.name for entry in spec.reasons]
    reasons = [reason] * episodes if isinstance(reason, str) else reason
    endings = np.array([names.index(name) + 1 if name else 1 for name in reasons], np.int64)
    if forfeits:
        endings = endings[:0]
    return Bout(0, 0, lineup, 1, forfeits or {}, lives, endings, zero, zero)


def points(games):
    return [game.points for game in games]


def test_worlds_are_compared_by_what_they_declare():
    assert choose_measure(ISLAND) == "winner"
    assert choose_measure(COMMONS) == "return"
    assert choose_measure(TOWN) == choose_measure(WARDENS) == "turns"


def test_who_plays_the_role_that_won_did_better():
    bouts = [
        bout(ISLAND, (0, 1), [[9, 0], [9, 0]], ["dynasty_win", "legacy_win"]),
        bout(ISLAND, (1, 0), [[9, 0]], "dynasty_win"),
    ]
    assert points(find_games(ISLAND, bouts, 0, 1, 2)) == [(0, 1), (1, 0), (1, 0)]


def test_where_nobody_won_the_outcomes_of_the_agents_count():
    better = bout(ISLAND, (0, 1), [[0, 5]], "time_limit", [["success", "failure"]])
    equal = bout(ISLAND, (0, 1), [[0, 5]], "draw", [["neutral", "neutral"]])
    assert points(find_games(ISLAND, [better, equal], 0, 1, 1)) == [(1, 0), (0.5, 0.5)]


def test_who_earns_more_in_the_same_episode_did_better():
    lineup = (0, 1, 0, 1, 0, 1)
    made = bout(COMMONS, lineup, [[3, 1, 3, 1, 3, 4], [1, 1, 1, 1, 1, 1]], "timeout")
    assert points(find_games(COMMONS, [made], 0, 1, 2)) == [(1, 0), (0.5, 0.5)]


def test_who_earned_more_in_the_same_seat_did_better():
    bouts = [bout(TOWN, (0,), [[2], [5]], "time"), bout(TOWN, (1,), [[3], [4]], "time")]
    assert points(find_games(TOWN, bouts, 0, 1, 2)) == [(0, 1), (1, 0)]


def test_roles_that_earn_differently_are_compared_seat_by_seat():
    first = bout(WARDENS, (0,) * 6 + (1, 1), [[5] * 6 + [100] * 2], "timeout")
    swapped = bout(WARDENS, (1,) * 6 + (0, 0), [[4] * 6 + [90] * 2], "timeout")
    assert points(find_games(WARDENS, [first, swapped], 0, 1, 1)) == [(1, 0), (0, 1)]


@pytest.mark.parametrize(("spec", "lineup"), [(COMMONS, (0, 1) * 3), (ISLAND, (0, 1))])
def test_a_forfeit_loses_every_game_of_the_bout(spec, lineup):
    lost = bout(spec, lineup, [[0] * len(lineup)], forfeits={1: "step 0: it fell"})
    assert points(find_games(spec, [lost], 0, 1, 3)) == [(1, 0)] * 3


def test_nobody_wins_where_both_forfeit():
    lost = bout(COMMONS, (0, 1) * 3, [[0] * 6], forfeits={0: "x", 1: "y"})
    assert find_games(COMMONS, [lost], 0, 1, 3) == []


def test_a_forfeit_alone_in_the_seat_loses_to_who_played():
    lost = bout(TOWN, (1,), [[0]], forfeits={1: "step 0: it fell"})
    played = bout(TOWN, (0,), [[2], [5]], "time")
    assert points(find_games(TOWN, [played, lost], 0, 1, 2)) == [(1, 0)] * 2


def test_nobody_does_better_than_itself():
    assert find_games(COMMONS, [bout(COMMONS, (0,) * 6, [[1] * 6], "timeout")], 0, 0, 1) == []
