"""Blurs of one layout, an observation or an info row: the settings of each number, as tables."""

from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.config.layers import Blur
from mesocosm.core.observation import Layout

SPREAD = 0.6180339887498949  # the golden section: any part of the numbers, and nested
# columns of noise_at, noise, drop_at and late
RUN_START, RUN_STOP, DRAW, TABLE_ROW_START, TABLE_ROW_STOP = range(5)
DEVIATION, NOISE_LOW, NOISE_HIGH = range(3)
LATE_NUMBER, LATE_STEPS = range(2)
TABLES = {
    "masked": ((0,), np.int32),
    "noise_at": ((0, 5), np.int32),
    "noise": ((0, 3), np.float64),
    "drop_at": ((0, 3), np.int32),
    "drop": ((0,), np.float64),
    "late": ((0, 2), np.int32),
    "flag": ((0,), np.int32),
}


class RowBlur(NamedTuple):
    """What happens to each number of a row on its way to an agent."""

    is_whole: bool  # whether the row is of whole numbers
    absent: Annotated[np.ndarray, "[..]"]
    masked: Annotated[np.ndarray, "int32 [..]"]
    # numbers from..to, the draw of the first, their table row from..to
    noise_at: Annotated[np.ndarray, "int32 [.., 5]"]
    noise: Annotated[np.ndarray, "float64 [.., 3]"]  # deviation, low, high
    drop_at: Annotated[np.ndarray, "int32 [.., 3]"]  # numbers from..to, the draw
    drop: Annotated[np.ndarray, "float64 [..]"]
    late: Annotated[np.ndarray, "int32 [.., 2]"]  # number, steps
    flag: Annotated[np.ndarray, "int32 [..]"]  # where each number's validity stands; -1: nowhere


def is_chosen(number: int, intensity: float) -> bool:
    """Pick a part of the numbers that grows with intensity: what is in stays in."""
    return ((number + 1) * SPREAD) % 1.0 < intensity or intensity >= 1.0


class Channel:
    """What blurs do to each number of a layout, or to each kind of its tokens.

    Args:
        twins: For a number, the one of the observation that is the same feature's: it is masked
            with it, and gets the same draws.
    """

    def __init__(self, layout: Layout, intensity: float, twins: dict[int, int]) -> None:
        self.layout, self.intensity, self.twins = layout, intensity, twins
        count = len(layout.tokens.kinds) if layout.tokens else layout.size
        self.mask = np.zeros(count, bool)
        self.noise, self.drop, self.lag = np.zeros(count), np.zeros(count), np.zeros(count, int)

    def take(self, chosen: list[int], blur: Blur) -> None:
        """Apply one blur; what it sets replaces what an earlier one set."""
        hides = blur.mask or blur.scope == "hidden"
        for n in chosen:
            self.mask[n] |= hides and is_chosen(self.twins.get(n, n), self.intensity)
            self.noise[n] = blur.noise * self.intensity or self.noise[n]
            self.drop[n] = blur.dropout * self.intensity or self.drop[n]
            self.lag[n] = round(blur.delay * self.intensity) or self.lag[n]

    @property
    def withheld(self) -> np.ndarray:  # bool [number or kind]
        """What may be missing: masked, dropped by chance or late."""
        missing: np.ndarray = self.mask | (self.drop > 0) | (self.lag > 0)
        return missing

    @property
    def depth(self) -> int:
        """How many steps must be remembered."""
        return int(self.lag.max(initial=0))

    def rows(self, first_draw: int, row_drops: dict[tuple[int, int], int]) -> dict[str, np.ndarray]:
        """Write the tables of a plain row.

        Args:
            first_draw: The draw of the first number that has no twin.
            row_drops: What drops out of the observation together, and the draw that decides.
        """
        late = [(n, int(self.lag[n])) for n in range(self.layout.size) if self.lag[n]]
        noise_at, noise = self._noise_runs(first_draw)
        drop_at, drop = self._drop_runs(row_drops)
        return {
            "masked": np.flatnonzero(self.mask).astype(np.int32),
            "noise_at": noise_at,
            "noise": noise,
            "drop_at": drop_at,
            "drop": drop,
            "late": np.array(late, np.int32).reshape(-1, 2),
        }

    def _noise_runs(self, first_draw: int) -> tuple[np.ndarray, np.ndarray]:
        """Join neighbours of equal noise and range; a run stays inside one row of a table."""
        at: list[list[int]] = []
        how: list[tuple[float, float, float]] = []
        rows = table_rows(self.layout)
        for n in np.flatnonzero(self.noise).tolist():
            low, high = float(self.layout.low[n]), float(self.layout.high[n])
            value = (float(self.noise[n]) * (high - low), low, high)
            draw = self.twins.get(n, first_draw + n)
            tail = [*rows.get(n, (0, 0))]
            joins = at and at[-1][RUN_STOP] == n and at[-1][TABLE_ROW_START:] == tail
            if joins and how[-1] == value and draw == at[-1][DRAW] + n - at[-1][RUN_START]:
                at[-1][RUN_STOP] = n + 1
            else:
                at.append([n, n + 1, draw, *tail])
                how.append(value)
        return np.array(at, np.int32).reshape(-1, 5), np.array(how, float).reshape(-1, 3)

    def _drop_runs(self, row_drops: dict[tuple[int, int], int]) -> tuple[np.ndarray, np.ndarray]:
        """List what drops out together: a number, or a whole row of a table."""
        rows = table_rows(self.layout)
        runs: dict[tuple[int, int], float] = {}
        for n in np.flatnonzero(self.drop).tolist():
            run = rows.get(n, (n, n + 1))
            runs[run] = max(runs.get(run, 0.0), float(self.drop[n]))
        at = []
        for k, (start, stop) in enumerate(runs):
            twin = (self.twins.get(start, -1), self.twins.get(stop - 1, -2) + 1)
            at.append((start, stop, row_drops.get(twin, len(row_drops) + k)))
        return np.array(at, np.int32).reshape(-1, 3), np.array(list(runs.values()), float)


def twin_numbers(row: Layout, info: Layout) -> dict[int, int]:
    """Pair the numbers of info with those of an observation's feature of like name and shape."""
    pairs: dict[int, int] = {}
    known = {} if row.tokens else {entry.name: entry for entry in row.features}
    for entry in info.features:
        if entry.name in known and known[entry.name].shape == entry.shape:
            first, theirs = info.offsets[entry.name], row.offsets[entry.name]
            pairs |= {first + k: theirs + k for k in range(entry.size)}
    return pairs


def table_rows(layout: Layout) -> dict[int, tuple[int, int]]:
    """Give, for each number of an entity table, where its entity's row begins and ends."""
    rows: dict[int, tuple[int, int]] = {}
    for entry in layout.features:
        if entry.table and entry.size:
            width = entry.size // entry.shape[0]
            start = layout.offsets[entry.name]
            for n in range(entry.size):
                first = start + n // width * width
                rows[start + n] = (first, first + width)
    return rows


def make_row_blur(layout: Layout, tables: dict[str, np.ndarray], prefix: str) -> RowBlur:
    """Put the tables of one layout together; what was not written is empty."""
    kind = np.dtype(layout.dtype)
    made = {
        name: tables.get(f"{prefix}.{name}", np.zeros(shape, dtype))
        for name, (shape, dtype) in TABLES.items()
    }
    return RowBlur(is_whole=kind.kind in "iu", absent=layout.absent.astype(kind), **made)
