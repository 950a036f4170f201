"""Ratings of entrants, from the games that they played."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from mesocosm.evaluation.tournament.games import Game
from mesocosm.learning.league.ratings import Rating, Ratings

MAX_GAMES = 200  # of a pair that are rated, spread evenly over those that were played
ORDERS = 8  # in which the same games are rated; OpenSkill gives what came last more weight
SEED = 17  # of these orders: the same games give the same ratings


def rate_entrants(num_entrants: int, pairs: Sequence[Sequence[Game]]) -> dict[int, Rating]:
    """Rate entrants by their games, and average over several orders of them.

    Every pair plays its first game before any plays its second, so that no pair's games are all
    rated while the others are still unknown.

    Args:
        pairs: The games of every pair that met.
    """
    rng, chosen = np.random.default_rng(SEED), [spread(games) for games in pairs]
    found = []
    for _ in range(ORDERS):
        found.append(_rate(num_entrants, chosen))
        chosen = [[games[k] for k in rng.permutation(len(games))] for games in chosen]
    made = {}
    for k, first in found[0].items():
        mu = float(np.mean([ratings[k].mu for ratings in found]))
        sigma = float(np.sqrt(np.mean([ratings[k].sigma ** 2 for ratings in found])))
        made[k] = first._replace(mu=mu, sigma=sigma)
    return made


def _rate(num_entrants: int, pairs: Sequence[Sequence[Game]]) -> dict[int, Rating]:
    ratings = Ratings[int]()
    for k in range(num_entrants):
        ratings.add(k)
    for games in zip_longest(*pairs):
        for game in games:
            if game is not None:
                ratings.rate((game.first, game.second), game.scores)
    return ratings.values


def spread(games: Sequence[Game]) -> list[Game]:
    """Pick at most `MAX_GAMES`, evenly."""
    count = min(len(games), MAX_GAMES)
    return [games[k * len(games) // count] for k in range(count)]
