"""What teams remember of the map: what stood where, when that was seen, and who is after it."""

from typing import NamedTuple

import numpy as np

REACH = 64  # cells from the hub that are remembered, each way
SIDE = 2 * REACH + 1
NOWHERE = 1 << 20  # farther than anything
NEVER = -1
STALE_STEPS, STALE_WEIGHT = 100, 0.3  # what was seen this long ago is as good as unknown


class Wanted(NamedTuple):
    """What each of some agents looks for, by the tags of things as bits."""

    every: np.ndarray  # int64 [who]: tags that it has
    some: np.ndarray  # int64 [who]: tags of which it has one; 0: any
    none: np.ndarray  # int64 [who]: tags that it has not
    home: np.ndarray  # float64 [who]: what the way from the hub counts beside the own way
    stale: np.ndarray  # float64 [who]: what every step since it was seen takes off the way
    alone: np.ndarray  # float64 [who]: what it adds to the way that somebody else is after it

    def of(self, who: np.ndarray) -> "Wanted":
        """Return what some of the agents look for."""
        return Wanted(*(part[who] for part in self))


class Memory:
    """Grids with the hub in the middle, one for each team of each env.

    Args:
        ground: The tags, as bits, of what nobody looks for.
    """

    def __init__(self, teams: int, ground: int) -> None:
        self._ground = ground
        self._things: tuple[np.ndarray, np.ndarray] | None = None  # made when it is asked for
        self._tags = np.zeros((teams, SIDE, SIDE), np.int64)
        self._seen_at = np.full((teams, SIDE, SIDE), NEVER, np.int32)
        self._avoid = np.zeros((teams, SIDE, SIDE), np.int32)  # until which step
        self._claimed = np.zeros((teams, SIDE, SIDE), np.int32)  # until which step
        self._claimer = np.zeros((teams, SIDE, SIDE), np.int32)  # by which agent
        self._low, self._high = np.array([REACH, REACH]), np.array([REACH, REACH])
        self._axis = np.arange(SIDE) - REACH

    def forget(self, teams: np.ndarray) -> None:
        """Forget all that some teams know."""
        self._tags[teams] = self._avoid[teams] = self._claimed[teams] = 0
        self._seen_at[teams] = NEVER

    def note(self, team: np.ndarray, at: np.ndarray, tags: np.ndarray, seen: np.ndarray) -> None:
        """Remember what is in view.

        Args:
            team: int64 [agent]
            at: int64 [agent, 2], where it is, from the hub.
            tags: int64 [agent, row, col], around it.
            seen: int64 [agent, row, col], the step for cells that it sees, else NEVER.
        """
        who, r, c = np.nonzero(seen > NEVER)
        rows, cols = _index(at[who] + np.stack([r, c], -1) - tags.shape[1] // 2)
        self._tags[team[who], rows, cols] = tags[who, r, c]
        self._seen_at[team[who], rows, cols] = seen[who, r, c]
        self._things = None
        self._low = np.minimum(self._low, [rows.min(), cols.min()])
        self._high = np.maximum(self._high, [rows.max(), cols.max()])

    def avoid(self, team: np.ndarray, place: np.ndarray, until: np.ndarray) -> None:
        """Leave what is at some places alone until a step."""
        self._avoid[(team, *_index(place))] = until

    def claim(
        self, team: np.ndarray, place: np.ndarray, who: np.ndarray, until: np.ndarray
    ) -> None:
        """Tell the team that agents are after what is at some places."""
        self._claimed[(team, *_index(place))] = until
        self._claimer[(team, *_index(place))] = who

    def nearest(
        self, team: np.ndarray, agent: np.ndarray, at: np.ndarray, clock: np.ndarray, wanted: Wanted
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest thing that is wanted, and whether one is known."""
        if self._things is None:
            self._things = self._list_things()
        tags, place = self._things[0][team], self._things[1][team]
        good = (tags & wanted.every[:, None]) == wanted.every[:, None]
        good &= ((tags & wanted.some[:, None]) != 0) | (wanted.some == 0)[:, None]
        good &= ((tags & wanted.none[:, None]) == 0) & (tags != 0)
        who, k = np.nonzero(good)
        place = place[who, k]
        spot = (team[who], *_index(place))
        far = np.abs(place - at[who]).sum(-1) + wanted.home[who] * np.abs(place).sum(-1)
        taken = (self._claimed[spot] > clock[who]) & (self._claimer[spot] != agent[who])
        age = np.minimum(clock[who] - self._seen_at[spot], STALE_STEPS)
        cost = far - wanted.stale[who] * age + wanted.alone[who] * taken
        fine = self._avoid[spot] <= clock[who]
        return _least(who[fine], place[fine], cost[fine], len(at))

    def _list_things(self) -> tuple[np.ndarray, np.ndarray]:
        """List what each team knows: tags `[team, thing]` and places `[team, thing, 2]`."""
        rows, cols = self._box(0)
        team, r, c = np.nonzero(self._tags[:, rows, cols] & ~self._ground)
        place = np.stack([r + rows.start, c + cols.start], -1)
        count = np.bincount(team, minlength=len(self._tags))
        slot = np.arange(len(team)) - (np.cumsum(count) - count)[team]
        most = int(count.max(initial=1))
        tags, places = np.zeros((len(count), most), np.int64), np.zeros((len(count), most, 2), int)
        tags[team, slot] = self._tags[team, place[:, 0], place[:, 1]]
        places[team, slot] = place - REACH
        return tags, places

    def frontier(
        self, team: np.ndarray, at: np.ndarray, clock: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return a near cell that nobody saw yet, beside a free one that was seen."""
        box = self._box(1)
        seen = self._seen_at[(team, *box)] > NEVER
        free = seen & (self._tags[(team, *box)] == 0)
        beside = np.zeros_like(free)
        beside[:, 1:] |= free[:, :-1]
        beside[:, :-1] |= free[:, 1:]
        beside[:, :, 1:] |= free[:, :, :-1]
        beside[:, :, :-1] |= free[:, :, 1:]
        good = beside & ~seen & (self._avoid[(team, *box)] <= clock[:, None, None])
        who, r, c = np.nonzero(good)
        place = np.stack([r + box[0].start, c + box[1].start], -1) - REACH
        far = np.abs(place - at[who]).sum(-1) + 12.0 * rng.random(len(who))
        return _least(who, place, far, len(at))

    def _box(self, margin: int) -> tuple[slice, slice]:
        """Return the part of the grids that anybody saw."""
        low, high = np.maximum(self._low - margin, 0), np.minimum(self._high + margin, SIDE - 1)
        return slice(int(low[0]), int(high[0]) + 1), slice(int(low[1]), int(high[1]) + 1)


def _index(place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where in a grid places are; those beyond its edge are on the edge."""
    rows, cols = np.clip(place + REACH, 0, SIDE - 1).T
    return rows, cols


def _least(
    who: np.ndarray, place: np.ndarray, cost: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of least cost of each who, and whether it has one."""
    order = np.lexsort((cost, who))
    first = np.unique(who[order], return_index=True)
    made, found = np.zeros((size, 2), np.int64), np.zeros(size, bool)
    made[first[0]], found[first[0]] = place[order][first[1]], True
    return made, found
