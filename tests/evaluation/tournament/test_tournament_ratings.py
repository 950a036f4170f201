import itertools

import numpy as np
import pytest

from mesocosm.evaluation.tournament.games import Game
from mesocosm.evaluation.tournament.ratings import MAX_GAMES, rate_entrants, spread


def simulate(strength, num_games, rng):
    """Let all pairs play, each won with the odds that strengths give."""
    pairs = []
    for i, j in itertools.combinations(range(len(strength)), 2):
        chance = 1.0 / (1.0 + np.exp(strength[j] - strength[i]))
        won = (rng.random(num_games) < chance).astype(float).tolist()
        pairs.append([Game(k, i, j, ((w,), (1.0 - w,))) for k, w in enumerate(won)])
    return pairs


@pytest.mark.parametrize("seed", range(5))
def test_ratings_find_the_planted_order_of_eight(seed):
    rng = np.random.default_rng(seed)
    strength = rng.permutation(8) * 0.5
    ratings = rate_entrants(8, simulate(strength, 50, rng))
    found = sorted(range(8), key=lambda k: ratings[k].mu)
    assert found == np.argsort(strength).tolist()


def test_uncertainty_falls_with_games():
    rng = np.random.default_rng(0)
    few, many = (rate_entrants(4, simulate(np.zeros(4), n, rng))[0].sigma for n in (4, 80))
    assert many < few < 25 / 3


def test_who_played_nothing_is_a_newcomer():
    assert rate_entrants(2, [[]])[0][:2] == pytest.approx((25.0, 25 / 3))


def test_many_games_are_thinned_evenly():
    games = [Game(k, 0, 1, ((1.0,), (0.0,))) for k in range(10 * MAX_GAMES)]
    kept = [game.episode for game in spread(games)]
    assert len(kept) == MAX_GAMES
    assert set(np.diff(kept)) == {10}
    assert spread(games[:3]) == games[:3]
    assert spread([]) == []
