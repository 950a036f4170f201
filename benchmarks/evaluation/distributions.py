"""Distributions of simulated episodes, with the true values that intervals must cover."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
TRUTH_DRAWS = 4_000_000  # for what has no closed form


class Distribution(NamedTuple):
    """How values are drawn, and their true mean."""

    kind: str
    name: str
    draw: Draw
    mean: float

    def truths(self) -> dict[str, float]:
        """Give the true mean, median and interquartile mean."""
        ordered = np.sort(self.draw(np.random.default_rng(0), (TRUTH_DRAWS,)))
        quarter = TRUTH_DRAWS // 4
        return {
            "mean": self.mean,
            "median": float(np.median(ordered)),
            "iqm": float(ordered[quarter:-quarter].mean()),
        }


def two_peaks(share: float) -> Distribution:
    """Make a mixture of two normal peaks, 8 deviations apart; `share` is that of the lower."""
    return Distribution(
        "bimodal",
        f"{share:.0%} low",
        lambda rng, shape: (
            np.where(rng.random(shape) < share, -2.0, 2.0) + rng.normal(0.0, 0.5, shape)
        ),
        2.0 - 4.0 * share,
    )


def lognormal(sigma: float, kind: str = "skewed") -> Distribution:
    """Make a lognormal distribution."""
    return Distribution(
        kind,
        f"lognormal {sigma}",
        lambda rng, shape: rng.lognormal(0.0, sigma, shape),
        float(np.exp(sigma**2 / 2)),
    )


def coin(share: float) -> Distribution:
    """Make values of 0 and 1."""
    return Distribution(
        "0/1", f"p = {share}", lambda rng, shape: (rng.random(shape) < share).astype(float), share
    )


PROMISED = (
    Distribution("normal", "normal", lambda rng, shape: rng.normal(3.0, 1.0, shape), 3.0),
    Distribution("normal", "uniform", lambda rng, shape: rng.random(shape), 0.5),
    Distribution("normal", "t, 3 df", lambda rng, shape: rng.standard_t(3, shape), 0.0),
    Distribution("skewed", "exponential", lambda rng, shape: rng.exponential(1.0, shape), 1.0),
    Distribution("skewed", "-exponential", lambda rng, shape: -rng.exponential(1.0, shape), -1.0),
    Distribution("skewed", "gamma 0.3", lambda rng, shape: rng.gamma(0.3, 1.0, shape), 0.3),
    lognormal(0.5),
    lognormal(1.0),
    lognormal(1.5),
    Distribution(
        "skewed",
        "80 % zero",
        lambda rng, shape: (rng.random(shape) < 0.2) * rng.exponential(1.0, shape),
        0.2,
    ),
    two_peaks(0.5),
    two_peaks(0.3),
    two_peaks(0.15),
    two_peaks(0.1),
    *(coin(share) for share in (0.02, 0.1, 0.3, 0.5, 0.9, 0.98)),
)
# rare values that a sample often lacks, and tails without end: nothing in the data tells
BEYOND = (
    two_peaks(0.05),
    two_peaks(0.02),
    lognormal(2.0),
    Distribution("skewed", "Pareto 2.5", lambda rng, shape: rng.pareto(2.5, shape), 1 / 1.5),
)
