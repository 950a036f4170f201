"""Who meets whom: everybody everybody else, or round by round those of like score."""

import math
from collections.abc import Mapping, Sequence

Pair = tuple[int, int]  # numbers of entrants, the lower one first


def round_robin(num_entrants: int, *, with_self: bool) -> list[Pair]:
    """Let everybody meet everybody else once, and perhaps themselves."""
    return [
        (i, j) for i in range(num_entrants) for j in range(i, num_entrants) if with_self or i != j
    ]


def num_swiss_rounds(num_entrants: int) -> int:
    """Give as many rounds as are needed to find a winner, and one more for the places behind."""
    return min(math.ceil(math.log2(num_entrants)) + 1, num_entrants - 1)


def pair_round(
    num_entrants: int, points: Mapping[int, float], met: Sequence[Pair], byes: Sequence[int]
) -> tuple[list[Pair], int | None]:
    """Pair those of like score who have not met; give the pairs, and who sits out if one must.

    Args:
        points: Of each entrant so far.
        met: Pairs of the rounds before.
        byes: Who sat out before.
    """
    order = sorted(range(num_entrants), key=lambda k: (-points.get(k, 0.0), k))
    out = None
    if num_entrants % 2:
        waiting = [k for k in reversed(order) if k not in byes] or list(reversed(order))
        out = waiting[0]
        order.remove(out)
    before = set(met)
    found = _match(order, before)
    # everybody has met: then those of like score meet again
    pairs = found if found is not None else list(zip(order[::2], order[1::2], strict=True))
    return [(min(pair), max(pair)) for pair in pairs], out


def _match(order: Sequence[int], met: set[Pair]) -> list[Pair] | None:
    """Pair the best with the next best whom it has not met, such that all find somebody."""
    if not order:
        return []
    first, *rest = order
    for other in rest:
        if (min(first, other), max(first, other)) in met:
            continue
        found = _match([k for k in rest if k != other], met)
        if found is not None:
            return [(first, other), *found]
    return None
