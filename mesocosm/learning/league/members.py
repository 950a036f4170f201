"""The past selves that a league keeps, and who of them plays next."""

from collections.abc import Sequence

import numpy as np

from mesocosm.learning.league.ratings import Player, Ratings

LEAST_WEIGHT = 0.01  # nobody is forgotten: even who always loses may be drawn


def find_surplus(numbers: Sequence[int], size: int) -> int | None:
    """Name the member that has to leave, if there are too many: the one least missed.

    The first and the newest stay; of the others leaves the one whose neighbours in time are
    closest to each other, the older of equals. So those who stay are spread over the training.
    """
    if len(numbers) <= size:
        return None
    gaps = [(numbers[k + 1] - numbers[k - 1], numbers[k]) for k in range(1, len(numbers) - 1)]
    return min(gaps)[1]


def draw_member(
    members: Sequence[Player],
    rivals: Sequence[Player],
    ratings: Ratings[Player],
    draw: str,
    seed: int,
) -> Player:
    """Choose who plays next against some rivals.

    `uniform` prefers nobody. `close` weighs each by how open a game is: p(1 - p), if p is the
    probability that it does better.
    """
    weights = np.ones(len(members))
    if draw == "close":
        chances = np.array([ratings.win_probability(member, rivals) for member in members])
        weights = np.maximum(chances * (1.0 - chances), LEAST_WEIGHT)
    rng = np.random.default_rng(seed)
    return members[int(rng.choice(len(members), p=weights / weights.sum()))]
