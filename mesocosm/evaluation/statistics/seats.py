"""Seats that are better than others: agents, sides or places that should not matter."""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.statistics import resampling
from mesocosm.evaluation.statistics.difference import difference_of
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.statistics.sample import sample
from mesocosm.evaluation.statistics.verdict import NOT_DISTINGUISHABLE, holm, verdict_on

FEWEST = 5  # episodes in which all seats were taken


class Seat(NamedTuple):
    """How one seat did beside the others of the same episodes."""

    seat: Any
    mean: float
    advantage: Estimate  # its value less the mean of the other seats
    corrected: float  # p of no advantage, corrected for the number of seats (Holm)
    verdict: str  # better, worse or not distinguishable


class SeatTest(NamedTuple):
    """What was found about all seats."""

    seats: list[Seat]
    episodes: int  # in which all seats were taken
    left_out: int  # others

    @property
    def unequal(self) -> list[Seat]:
        """The seats that are better or worse than the others."""
        return [entry for entry in self.seats if entry.verdict != NOT_DISTINGUISHABLE]


def compare_seats(values: Any, episode: Any, seat: Any) -> SeatTest:
    """Test whether some seats are better than others.

    Whoever sits there must be alike: one policy in all seats, or policies that took every seat
    equally often; then `episode` is to name the whole round of exchanges, so that each counts once.

    Args:
        values: A number for every life, such as its return.
        episode: Which episode (or round) each belongs to.
        seat: Which seat it was: an agent's index, or the name of a side.
    """
    found, seats = sample(values, episode), np.asarray(seat)
    names, column = np.unique(seats, return_inverse=True)
    ids, row = np.unique(found.episode, return_inverse=True)
    if len(names) < 2:
        raise ConfigError(f"seats: needs at least two seats to compare, got {len(names)}")
    totals, lives = np.zeros((len(ids), len(names))), np.zeros((len(ids), len(names)))
    np.add.at(totals, (row, column), found.values)
    np.add.at(lives, (row, column), 1.0)
    whole = (lives > 0).all(1)
    if whole.sum() < FEWEST:
        raise ConfigError(
            f"seats: needs at least {FEWEST} episodes in which all {len(names)} seats have a "
            f"value, got {int(whole.sum())}"
        )
    rows = totals[whole] / lives[whole]  # [episode, seat]
    p_values = holm(resampling.p_value_of_picks(rows).tolist())
    entries = [_seat(names[k].item(), rows, k, p_values[k]) for k in range(len(names))]
    return SeatTest(entries, int(whole.sum()), int((~whole).sum()))


def _seat(name: Any, rows: np.ndarray, at: int, corrected: float) -> Seat:
    others = np.delete(rows, at, 1).mean(1)
    made = difference_of(sample(rows[:, at]), sample(others), paired=True, kind="number")
    verdict = verdict_on(made.estimate.value, corrected)
    return Seat(name, float(rows[:, at].mean()), made.estimate, corrected, verdict)
