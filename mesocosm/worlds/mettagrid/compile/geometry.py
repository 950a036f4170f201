"""The window an agent sees: which cells, in which order, along which rays."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS, words_for
from mesocosm.worlds.mettagrid.game.idmap import LOCATION_ROW

PAD = 7  # cells of nothing around a map, so that no window leaves the array
STRIDE = WORD_BITS - 2 * PAD - 1  # words overlap, so that every window lies within one of them
LOCATIONS = 1 << 24 | 1  # times a location: as the first byte of both tokens in a word

# columns of the table of spots
SPOT_OFFSET, SPOT_LOCATIONS = 0, 1
# columns of the window table
LOCATION, OFFSET, DR, DC, RAY_AT, RAY_LEN, NORTH_SEEN, SOUTH_SEEN, EAST_SEEN, WEST_SEEN = range(10)
DIRECTION_STEPS = {
    "north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1), "northwest": (-1, -1),
    "northeast": (-1, 1), "southwest": (1, -1), "southeast": (1, 1),
}  # fmt: skip
SIDE_STEPS = ((-1, 0), (1, 0), (0, 1), (0, -1))


class Geometry(NamedTuple):
    """Tables about one window on one map."""

    window: np.ndarray  # int32 [cell, 10]: cells in order of emission
    rays: np.ndarray  # int32 [k]: offsets of the cells between the centre and a cell
    ray_of: np.ndarray  # int32 [cell of the whole window, 2]: where its ray begins, how long it is
    spots: np.ndarray  # int64 [cell, 2]: offset, and location as a word of tokens has it
    ranks: np.ndarray  # int64 [pair and half and word, row and bits]: by order of emission
    shadows: np.ndarray  # int64 [cell, word]: which cells something opaque there hides
    reaches: np.ndarray  # int64 [radius, word]: which cells lie within a radius


def visible_cells(height: int, width: int, *, round_: bool) -> list[tuple[int, int]]:
    """List the cells of a window as (dr, dc), nearest first, then by row and column."""
    rows, cols = height // 2, width // 2
    cells = [(dr, dc) for dr in range(-rows, rows + 1) for dc in range(-cols, cols + 1)]
    if round_:
        cells = [cell for cell in cells if _in_disc(*cell, rows, cols)]
    return sorted(cells, key=lambda cell: (abs(cell[0]) + abs(cell[1]), cell))


def _in_disc(dr: int, dc: int, rows: int, cols: int) -> bool:
    if rows != cols:
        return dr * dr * cols * cols + dc * dc * rows * rows <= rows * rows * cols * cols
    far = dr * dr + dc * dc
    if far <= rows * rows:
        return True
    return rows >= 2 and far == rows * rows + 1 and max(abs(dr), abs(dc)) == rows


def between(dr: int, dc: int) -> list[tuple[int, int]]:
    """List the cells that a ray from (0, 0) to (dr, dc) touches on its way, ends excluded."""
    rows, cols = abs(dr), abs(dc)
    down, right = (1 if dr > 0 else -1), (1 if dc > 0 else -1)
    r = c = i = k = 0
    found = []
    while i < rows or k < cols:
        side = (1 + 2 * k) * rows - (1 + 2 * i) * cols
        if side == 0:
            found += [(r + down, c), (r, c + right)]
            r, c, i, k = r + down, c + right, i + 1, k + 1
        elif side < 0:
            c, k = c + right, k + 1
        else:
            r, i = r + down, i + 1
        found.append((r, c))
    ends = {(0, 0), (dr, dc)}
    return [cell for cell in dict.fromkeys(found) if cell not in ends]


def geometry(height: int, width: int, pitch: int, *, round_: bool) -> Geometry:
    """Tabulate a window of height by width on a map whose padded rows are `pitch` long."""
    cells = visible_cells(height, width, round_=round_)
    seen, rows, cols = set(cells), height // 2, width // 2
    table: list[list[int]] = []
    rays: list[int] = []
    ray_of: dict[tuple[int, int], list[int]] = {}
    for dr, dc in np.ndindex(height, width):
        ray = between(dr - rows, dc - cols)
        ray_of[dr - rows, dc - cols] = [len(rays), len(ray)]
        rays += [y * pitch + x for y, x in ray]
    for dr, dc in cells:
        sides = [int((dr + y, dc + x) in seen) for y, x in SIDE_STEPS]
        place = (dr + rows) * LOCATION_ROW + dc + cols
        table.append([place, dr * pitch + dc, dr, dc, *ray_of[dr, dc], *sides])
    window = np.array(table, np.int32)
    return Geometry(
        window=window,
        rays=np.array([*rays, 0], np.int32),
        ray_of=np.array(list(ray_of.values()), np.int32),
        spots=np.array([(row[OFFSET], row[LOCATION] * LOCATIONS) for row in table], np.int64),
        ranks=_ranks(cells, height, width),
        shadows=_shadows(cells),
        reaches=_reaches(cells, rows, cols),
    )


def half_of(width: int) -> int:
    """Return how many bits of a window row are looked up at once."""
    return (width + 1) // 2


def num_pairs(cells: list[tuple[int, int]]) -> int:
    """Return how many pairs of words have a bit for every cell of a window."""
    return -(-words_for(len(cells)) // 2)


def _ranks(cells: list[tuple[int, int]], height: int, width: int) -> np.ndarray:
    half, words = half_of(width), 2 * num_pairs(cells)
    made = np.zeros((height, 2, 1 << half, words), np.int64)
    for rank, (dr, dc) in enumerate(cells):
        row, col = dr + height // 2, dc + width // 2
        side, bit = divmod(col, half)
        holding = (np.arange(1 << half) >> bit) & 1 == 1
        made[row, side, holding, rank // WORD_BITS] |= 1 << (rank % WORD_BITS)
    pairs = made.reshape(height, 2, 1 << half, words // 2, 2).transpose(3, 1, 4, 0, 2)
    return np.ascontiguousarray(pairs.reshape(2 * words, height << half))


def _as_bits(ranks: Iterable[int], words: int) -> list[int]:
    """Set the bits of some ranks."""
    made = [0] * words
    for rank in ranks:
        made[rank // WORD_BITS] |= 1 << (rank % WORD_BITS)
    return made


def _shadows(cells: list[tuple[int, int]]) -> np.ndarray:
    hidden: dict[tuple[int, int], list[int]] = {cell: [] for cell in cells}
    for rank, cell in enumerate(cells):
        for other in between(*cell):
            if other in hidden:
                hidden[other].append(rank)
    words = 2 * num_pairs(cells)
    return np.array([_as_bits(hidden[cell], words) for cell in cells], np.int64)


def _reaches(cells: list[tuple[int, int]], rows: int, cols: int) -> np.ndarray:
    words = 2 * num_pairs(cells)
    made = []
    for radius in range(max(rows, cols) + 1):
        near = min(radius, rows), min(radius, cols)
        made.append(_as_bits((k for k, cell in enumerate(cells) if _is_near(*cell, *near)), words))
    return np.array(made, np.int64)


def _is_near(dr: int, dc: int, rows: int, cols: int) -> bool:
    """Whether a distance lies within the disc of a smaller window."""
    return abs(dr) <= rows and abs(dc) <= cols and _in_disc(dr, dc, rows, cols)


def words_across(width: int) -> int:
    """Return how many overlapping words hold a row of a map."""
    return (width + 2 * PAD - 1) // STRIDE + 1


def ranks_of_cells(window: np.ndarray, height: int, width: int) -> np.ndarray:  # int32 [cell]
    """Tabulate the order of emission by row and column of the window; -1 is outside of the disc."""
    made = np.full(height * width, -1, np.int32)
    made[(window[:, DR] + height // 2) * width + window[:, DC] + width // 2] = np.arange(
        len(window)
    )
    return made
