import random
import sys

import pytest

from mesocosm.core.errors import MissingExtra
from mesocosm.learning.league.ratings import DRIFT, Player, Ratings


def test_ratings_recover_a_planted_order():
    rng, strengths = random.Random(5), [0.0, 0.5, 1.0, 1.5, 2.0]
    players = [Player("a", k) for k in range(len(strengths))]
    ratings = Ratings()
    for player in players:
        ratings.add(player)
    for _ in range(1500):
        first, second = rng.sample(range(len(players)), 2)
        odds = 10.0 ** (strengths[first] - strengths[second])
        won = rng.random() < odds / (1.0 + odds)
        ratings.rate([players[first], players[second]], [won, not won])
    order = sorted(players, key=lambda player: ratings.values[player].mu)
    assert order == players
    rates = [ratings.values[player].score_rate for player in players]
    assert rates == sorted(rates)


def test_tie_counts_as_half_and_leaves_equals_equal():
    ratings = Ratings()
    for k in range(2):
        ratings.add(Player("a", k))
    ratings.rate([Player("a", 0), Player("a", 1)], [1.0, 1.0])
    first, second = ratings.values.values()
    assert first == second
    assert first.score_rate == 0.5


def test_winner_among_three_gains_and_the_others_lose_alike():
    ratings = Ratings()
    players = [Player(role) for role in "abc"]
    for player in players:
        ratings.add(player)
    ratings.rate(players, [(False, 0.0), (True, 0.0), (False, 0.0)])
    a, b, c = (ratings.values[player] for player in players)
    assert b.mu > 25.0 > a.mu == c.mu
    assert (a.score_rate, b.score_rate) == (0.25, 1.0)


def test_only_drift_makes_less_certain():
    ratings = Ratings()
    players = [Player("a", 0), Player("a")]
    for player in players:
        ratings.add(player)
    for k in range(200):
        ratings.rate(players, [k % 2, 1 - k % 2])
    before = ratings.values[players[1]].sigma
    ratings.drift(players[1])
    assert before < 2.0
    assert ratings.values[players[1]].sigma == pytest.approx((before**2 + DRIFT**2) ** 0.5)


def test_new_player_is_rated_like_who_it_was():
    ratings = Ratings()
    ratings.add(Player("a"))
    ratings.add(Player("a", 0), like=Player("a"))
    ratings.rate([Player("a"), Player("a", 0)], [1, 0])
    ratings.add(Player("a", 1), like=Player("a"))
    assert ratings.values[Player("a", 1)].mu == ratings.values[Player("a")].mu > 25.0
    assert ratings.values[Player("a", 1)].games == 0


def test_missing_openskill_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(MissingExtra, match=r"OpenSkill.*\[learn\]"):
        Ratings()
