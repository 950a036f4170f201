"""What was measured: a value for every life, and which lives hang together."""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError

MOST_VALUE = 1e300  # of whom a million can be added up


class Sample(NamedTuple):
    """A metric of lives; lives of one episode are not independent, so episodes are counted."""

    values: np.ndarray  # float64 [life]
    episode: np.ndarray  # int64 [life]: equal for the lives of one episode

    @property
    def num_episodes(self) -> int:
        """How many episodes there are."""
        return len(np.unique(self.episode))

    @property
    def mean(self) -> float:
        """The mean over all lives; NaN if there are none."""
        return float(self.values.mean()) if len(self.values) else float("nan")

    def is_single(self) -> bool:
        """Whether every episode has one life."""
        return self.num_episodes == len(self.values)

    def is_share(self) -> bool:
        """Whether all values are 0 or 1."""
        return bool(np.isin(self.values, (0.0, 1.0)).all())

    def check_share(self) -> None:
        """Refuse values other than 0 and 1."""
        if not self.is_share():
            other = self.values[~np.isin(self.values, (0.0, 1.0))][0]
            raise ConfigError(f"statistics: values of a share must be 0 or 1, got {other}")

    def has_two_values(self) -> bool:
        """Whether exactly two different values occur."""
        return len(np.unique(self.values)) == 2

    def episode_values(self) -> np.ndarray:
        """Give a value for every episode whose mean is the mean over lives: float64 [episode].

        Where all episodes have equally many lives these are the episodes' means. Elsewhere the mean
        over lives is a ratio of two sums over episodes, and these are its linearised parts.
        """
        ids, at = np.unique(self.episode, return_inverse=True)
        lives = np.bincount(at, minlength=len(ids))
        residual = np.bincount(at, weights=self.values - self.mean, minlength=len(ids))
        return self.mean + residual / lives.mean() if len(ids) else residual

    def episode_means(self) -> np.ndarray:
        """Give the mean of each episode's lives: float64 [episode], in the order of their ids."""
        ids, at = np.unique(self.episode, return_inverse=True)
        return np.bincount(at, weights=self.values, minlength=len(ids)) / np.bincount(at)

    def of_episodes(self, ids: np.ndarray) -> "Sample":
        """Leave out the lives of other episodes."""
        kept = np.isin(self.episode, ids)
        return Sample(self.values[kept], self.episode[kept])


def sample(values: Any, episode: Any = None) -> Sample:
    """Make a sample of numbers.

    Args:
        episode: Which episode each value belongs to; each is one of its own if not said.
    """
    made = np.asarray(values, np.float64)
    ids = np.arange(len(made)) if episode is None else np.asarray(episode)
    if made.ndim != 1 or ids.shape != made.shape:
        raise ConfigError(
            f"statistics: values and episodes must be two lists of one length, got {made.shape} "
            f"and {ids.shape}"
        )
    if not np.isfinite(made).all():
        at = int(np.flatnonzero(~np.isfinite(made))[0])
        raise ConfigError(f"statistics: values must be finite, got {made[at]} at {at}")
    if float(np.abs(made).max(initial=0.0)) > MOST_VALUE:
        at = int(np.abs(made).argmax())
        raise ConfigError(
            f"statistics: values must be within {MOST_VALUE:g} of 0, got {made[at]:g} at {at}"
        )
    return Sample(made, ids)


def seed_values(values: Any, seed: Any) -> Sample:
    """Give one value for every training seed: the mean of its lives.

    What was trained with one seed hangs together, however many episodes it plays; a claim about the
    algorithm rests on the number of seeds.
    """
    found = sample(values, seed)
    return sample(found.episode_means())
