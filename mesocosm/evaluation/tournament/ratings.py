"""Ratings of entrants, from the games that they played."""

from collections.abc import Sequence
from itertools import zip_longest

from mesocosm.evaluation.tournament.games import Game
from mesocosm.learning.league.ratings import Rating, Ratings

MAX_GAMES = 200  # of a pair that are rated, spread evenly over those that were played


def rate_entrants(num_entrants: int, pairs: Sequence[Sequence[Game]]) -> dict[int, Rating]:
    """Rate entrants by their games, pair after pair and game after game.

    Every pair plays its first game before any plays its second, so that no pair's games are all
    rated while the others are still unknown.

    Args:
        pairs: The games of every pair that met.
    """
    ratings = Ratings[int]()
    for k in range(num_entrants):
        ratings.add(k)
    for games in zip_longest(*(spread(games) for games in pairs)):
        for game in games:
            if game is not None:
                ratings.rate((game.first, game.second), game.scores)
    return ratings.values


def spread(games: Sequence[Game]) -> list[Game]:
    """Pick at most `MAX_GAMES`, evenly."""
    count = min(len(games), MAX_GAMES)
    return [games[k * len(games) // count] for k in range(count)]
