from itertools import pairwise

from mesocosm.learning.league.members import draw_member, find_surplus
from mesocosm.learning.league.ratings import Player, Rating, Ratings


def _kept(updates: int, size: int) -> list[int]:
    numbers: list[int] = []
    for number in range(updates):
        numbers.append(number)
        surplus = find_surplus(numbers, size)
        if surplus is not None:
            numbers.remove(surplus)
    return numbers


def test_nobody_leaves_while_there_is_room():
    assert find_surplus([0, 1, 2], 3) is None


def test_first_and_newest_stay_and_the_others_are_spread_over_time():
    kept = _kept(200, 6)
    gaps = [b - a for a, b in pairwise(kept)]
    assert len(kept) == 6
    assert (kept[0], kept[-1]) == (0, 199)
    assert max(gaps) <= 100


def _ratings(mus: list[float]) -> tuple[list[Player], Ratings]:
    ratings = Ratings()
    members = [Player("a", number) for number in range(len(mus))]
    for member, mu in zip(members, mus, strict=True):
        ratings.values[member] = Rating(mu, 1.0)
    ratings.values[Player("a")] = Rating(25.0, 1.0)
    return members, ratings


def _draws(draw: str) -> list[int]:
    members, ratings = _ratings([0.0, 24.0])
    return [draw_member(members, [Player("a")], ratings, draw, seed).number for seed in range(400)]


def test_close_draws_mostly_members_of_like_strength_but_forgets_nobody():
    drawn = _draws("close")
    assert 0 < drawn.count(0) < 60


def test_uniform_draws_everybody_alike():
    assert 150 < _draws("uniform").count(0) < 250


def test_same_seed_draws_the_same_member():
    assert _draws("close") == _draws("close")
