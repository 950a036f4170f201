"""Rows of a ring, as routes give them."""

import json

from mesocosm.web.models.session import Rows
from mesocosm.web.ring import Ring

MOST_ROWS = 1000


def take_rows(ring: Ring, after: int) -> Rows:
    """Give rows from a number on."""
    rows, end = ring.after(after, MOST_ROWS)
    return Rows(next=end, rows=[json.loads(row) for row in rows])
