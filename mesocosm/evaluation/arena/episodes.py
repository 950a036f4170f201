"""The episodes of an evaluation: their seeds, which no training has."""

from dataclasses import dataclass
from typing import NamedTuple

from mesocosm.learning.seeds import derive_seed

FIRST_SEED = 2**56  # those that training derives are smaller, as are those that people choose
MOST_EPISODES = 1_000_000  # of a bout: all of them are in memory at its end
MOST_ENVS = 256  # of a batch, if not said otherwise


def episode_seed(seed: int, batch: int) -> int:
    """Give the seed of a batch of the evaluation `seed`; all envs have that of the first batch."""
    return FIRST_SEED + derive_seed("evaluation", seed, batch)


class Batch(NamedTuple):
    """Episodes that are played side by side."""

    number: int
    first_env: int  # number of its first episode
    num_envs: int
    env_seed: int
    policy_seed: int


@dataclass(frozen=True)
class Episodes:
    """How many episodes every bout plays, and which.

    An episode is named by (seed, its number); the same two give the same beginning, whichever
    batch it is played in. What policies draw by chance belongs to the batch.
    """

    count: int
    seed: int = 0
    num_envs: int = 0  # of a batch; 0: as many as are needed, at most MOST_ENVS

    @property
    def batch_size(self) -> int:
        """Episodes that are played side by side."""
        return self.num_envs or min(self.count, MOST_ENVS)

    @property
    def num_batches(self) -> int:
        return -(-self.count // self.batch_size)

    @property
    def env_seed(self) -> int:
        """The seed of all envs; their numbers tell their episodes apart."""
        return episode_seed(self.seed, 0)

    def batch(self, number: int) -> Batch:
        """Give a batch; the last may be smaller than the others."""
        first = number * self.batch_size
        size = min(self.batch_size, self.count - first)
        return Batch(number, first, size, self.env_seed, episode_seed(self.seed, number))
