"""The next step on the way to a place, around what is in view."""

import numpy as np

FAR = np.int16(10_000)


def in_sight(side: int, radius: np.ndarray) -> np.ndarray:  # bool [agent, side, side]
    """Mark the cells of a window that lie within a radius of its centre."""
    axis = np.arange(side) - side // 2
    return (axis[:, None] ** 2 + axis[None, :] ** 2)[None] <= (radius**2)[:, None, None]


def costs(free: np.ndarray, seen: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Return how far the goal is from every cell of a window; blocked cells are FAR.

    A goal out of sight is as far from the cells at the rim of what is seen as if nothing stood
    between.

    Args:
        free: bool [agent, row, col], cells that one can step on.
        seen: bool [agent, row, col], cells in view.
        way: int64 [agent, 2], the goal from the centre.
    """
    agents, side = free.shape[0], free.shape[1]
    half = side // 2
    rows = np.abs(np.arange(side)[None, :] - half - way[:, 0, None])
    cols = np.abs(np.arange(side)[None, :] - half - way[:, 1, None])
    guess = (rows[:, :, None] + cols[:, None, :]).astype(np.int16)
    goal = (guess == 0) & seen
    ends = np.where(goal.any((1, 2))[:, None, None], goal, _rim(seen) & free)
    wall = np.where(free | goal, np.int16(0), FAR).transpose(1, 2, 0).copy()
    cost = np.full((side + 2, side + 2, agents), FAR, np.int16)  # agents last: whole rows at once
    inner = cost[1:-1, 1:-1]
    inner[:] = np.where(ends, guess, FAR).transpose(1, 2, 0)
    near = np.empty_like(wall)
    for _ in range(3 * half):
        np.minimum(cost[:-2, 1:-1], cost[2:, 1:-1], out=near)
        np.minimum(near, cost[1:-1, :-2], out=near)
        np.minimum(near, cost[1:-1, 2:], out=near)
        near += 1
        np.maximum(near, wall, out=near)
        np.minimum(inner, near, out=inner)
    return inner.transpose(2, 0, 1)


def _rim(seen: np.ndarray) -> np.ndarray:
    """Mark the cells in view that border on cells that are not."""
    wide = np.pad(seen, ((0, 0), (1, 1), (1, 1)))
    inside = wide[:, :-2, 1:-1] & wide[:, 2:, 1:-1] & wide[:, 1:-1, :-2] & wide[:, 1:-1, 2:]
    return seen & ~inside
