"""Bouts that are played in parts: what is missing, and the whole once all of it is there."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from mesocosm.core.errors import RunError
from mesocosm.evaluation.arena.bout import Bout, join_batches
from mesocosm.evaluation.arena.bout_folder import BoutFolder
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.arena.play_job import Shard


class BoutInParts:
    """A bout of which some batches were played, now or before; `whole` is the bout once it is.

    Args:
        shard: Any of it.
        folder: Where it is kept; None: nowhere.
    """

    def __init__(self, shard: Shard, episodes: Episodes, folder: BoutFolder | None) -> None:
        self._shard, self._count, self._folder = shard, episodes.num_batches, folder
        self.whole = None if folder is None else folder.find(shard.bout)
        self._parts: dict[int, Bout] = {}
        if folder is not None and self.whole is None:
            self._parts = folder.find_batches(shard.bout)
        for found in self._parts.values() if self.whole is None else [self.whole]:
            if (found.number, found.preset, found.lineup) != shard[:3] and folder is not None:
                number = shard.bout
                raise RunError(f"{folder.path}: damaged: bout {number} was of another lineup")
        if self._parts:
            self.add({})

    def missing(self) -> Iterator[Shard]:
        """Give what is to be played."""
        for batch in range(self._count if self.whole is None else 0):
            if batch not in self._parts:
                yield self._shard._replace(batch=batch)

    def add(self, parts: Mapping[int, Bout]) -> None:
        """Take in what was played, by batch, and keep it."""
        self._parts |= parts
        self.whole = self._join()
        if self._folder is None:
            return
        if self.whole is not None:
            self._folder.keep(self.whole)
        else:
            for batch, part in parts.items():
                self._folder.keep_batch(part, batch)

    def _join(self) -> Bout | None:
        """Put the batches together, up to the first forfeit; None if one of them is missing."""
        order: list[Bout] = []
        for batch in range(self._count):
            if batch not in self._parts:
                return None
            order.append(self._parts[batch])
            if order[-1].forfeits:
                break
        return join_batches(order)


def divide(shards: Sequence[Shard], count: int | None) -> list[Sequence[Shard]]:
    """Divide shards into so many runs of neighbours, of like length; None: by bout."""
    if count is None:
        return [list(own) for _, own in groupby(shards, lambda shard: shard.bout)]
    most = min(count, len(shards))
    ends = [len(shards) * k // most for k in range(most + 1)] if most else []
    return [shards[a:b] for a, b in pairwise(ends)]
