"""The episodes of an evaluation: their seeds, which no training has."""

from dataclasses import dataclass

from mesocosm.learning.seeds import derive_seed

FIRST_SEED = 2**56  # those that training derives are smaller, as are those that people choose
MOST_ENVS = 256  # of a batch, if not said otherwise


def episode_seed(seed: int, batch: int) -> int:
    """Give the env seed of a batch of episodes of the evaluation `seed`."""
    return FIRST_SEED + derive_seed("evaluation", seed, batch)


@dataclass(frozen=True)
class Episodes:
    """How many episodes every bout plays, and which.

    An episode is named by (seed, num_envs, its number); the same three give the same beginning.
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

    def batch_seed(self, batch: int) -> int:
        """Give the env seed of a batch."""
        return episode_seed(self.seed, batch)
