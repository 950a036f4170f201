"""Draws from the data themselves: exchanges for tests, repeated samples for intervals."""

import itertools
import math
from functools import lru_cache
from typing import Any

import numpy as np

DRAWS = 9_999  # exchanges that are tried where there are too many for all of them
SEED = 20_261_116  # of these draws: the same data give the same p
RESAMPLES = 1_999  # of the data, with repetition
FEWEST_RESAMPLES = 399  # of a large sample, which differ little
MOST_KEPT = 1_000  # values of a sample whose resamples are drawn once and kept
SMALLEST = float(np.finfo(float).tiny)
NEAR = 1e-9  # relative difference that rounding may make


def p_value_of_signs(differences: np.ndarray) -> float:
    """Test whether paired differences are as often up as down: exchange signs."""
    signs = _signs(len(differences))
    return _p_value(signs @ differences, float(differences.sum()), 2 ** len(differences))


def p_value_of_groups(first: np.ndarray, second: np.ndarray) -> float:
    """Test whether two groups are alike: exchange members, and compare studentised differences."""
    flipped = len(first) > len(second)
    small, large = (second, first) if flipped else (first, second)
    pooled = np.concatenate([small, large])
    pooled = pooled - pooled.mean()
    pooled = pooled / max(float(np.abs(pooled).max()), SMALLEST)
    chosen = pooled[_members(len(pooled), len(small))]  # [draw, member]
    drawn = _welch(chosen.sum(1), (chosen**2).sum(1), pooled, len(small))
    seen = pooled[: len(small)]
    actual = _welch(seen.sum(), (seen**2).sum(), pooled, len(small))
    return _p_value(drawn, float(actual), math.comb(len(pooled), len(small)))


def p_value_of_picks(rows: np.ndarray) -> np.ndarray:
    """Test for each column of [row, column] whether it is as high as the others: exchange columns.

    A row's values are exchanged among themselves, so that the mean of a column becomes the mean of
    one value picked at random from every row.
    """
    rng = np.random.default_rng(SEED)
    apart = rows - rows.mean(1, keepdims=True)
    drawn = np.zeros(DRAWS)
    for row in apart:
        drawn += rng.choice(row, DRAWS)
    drawn /= len(rows)
    return np.array([_p_value(drawn, float(value)) for value in apart.mean(0)])


def resampled_middles(ordered: np.ndarray, cut: int) -> np.ndarray:
    """Give the means of resamples without the `cut` lowest and highest: float64 [draw].

    Args:
        ordered: The values in rising order.
    """
    count = len(ordered)
    if count <= MOST_KEPT:
        return ordered[_ranks(count)[:, cut : count - cut]].mean(1)
    rng = np.random.default_rng(SEED)
    draws = max(RESAMPLES * MOST_KEPT // count, FEWEST_RESAMPLES)
    made = np.zeros(draws)
    for k in range(draws):
        steps = rng.standard_exponential(count + 1).cumsum()  # uniform numbers in rising order
        ranks = np.minimum(steps[cut : count - cut] * (count / steps[-1]), count - 1)
        made[k] = ordered[ranks.astype(np.int64)].mean()
    return made


def fewest_pairs(alpha: float) -> int:
    """Say with how many pairs exchanged signs can be rarer than `alpha`."""
    return math.ceil(1.0 - math.log2(alpha))


def fewest_members(alpha: float) -> int:
    """Say with how many members of each group exchanged members can be rarer than `alpha`."""
    count = 2
    while 2.0 / math.comb(2 * count, count) > alpha:
        count += 1
    return count


def _p_value(drawn: np.ndarray, actual: float, every: int = 0) -> float:
    """Give the share of exchanges at least as far from 0 as what was seen."""
    reach = abs(actual) - NEAR * float(np.abs(drawn[np.isfinite(drawn)]).max(initial=0.0))
    count = int(np.count_nonzero(np.abs(drawn) >= reach))
    if every == len(drawn):  # what was seen is one of them
        return count / len(drawn)
    return (count + 1) / (len(drawn) + 1)


def _welch(total: Any, squares: Any, pooled: np.ndarray, count: int) -> np.ndarray:
    """Give the studentised differences of a group of `count` members from the rest."""
    rest = len(pooled) - count
    other, other_squares = pooled.sum() - total, (pooled**2).sum() - squares
    spread = (squares - total**2 / count) / (count * (count - 1))
    spread = spread + (other_squares - other**2 / rest) / (rest * (rest - 1))
    apart = total / count - other / rest
    with np.errstate(divide="ignore", invalid="ignore"):
        made = apart / np.sqrt(np.maximum(spread, 0.0))
    return np.where(np.isnan(made), 0.0, made)


@lru_cache(maxsize=8)
def _signs(count: int) -> np.ndarray:
    """Give ways to exchange signs: all of them if they are few, as float64 [way, pair]."""
    if 2**count <= DRAWS:
        return np.array(list(itertools.product((1.0, -1.0), repeat=count)))
    rng = np.random.default_rng(SEED)
    return rng.choice((1.0, -1.0), (DRAWS, count))


@lru_cache(maxsize=8)
def _members(total: int, count: int) -> np.ndarray:
    """Give ways to choose the members of a group: all if they are few, as int64 [way, member]."""
    if math.comb(total, count) <= DRAWS:
        return np.array(list(itertools.combinations(range(total), count)))
    rng = np.random.default_rng(SEED)
    return np.array([rng.choice(total, count, replace=False) for _ in range(DRAWS)])


@lru_cache(maxsize=4)
def _ranks(count: int) -> np.ndarray:
    """Give which values are in each resample, in rising order: int64 [draw, value]."""
    rng = np.random.default_rng(SEED)
    return np.array([_draw_ranks(rng, count) for _ in range(RESAMPLES)])


def _draw_ranks(rng: np.random.Generator, count: int) -> np.ndarray:
    return np.sort(rng.integers(0, count, count))
