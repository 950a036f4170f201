"""The last rows of something, each with its number: a reader comes back with the last it has."""

from collections import deque
from itertools import islice


class Ring:
    """Keeps the newest rows, already encoded; numbers rise by one and never begin again."""

    def __init__(self, size: int) -> None:
        self._rows: deque[bytes] = deque(maxlen=size)
        self.end = 0  # the number of the next row

    def add(self, row: bytes) -> None:
        """Add a row; the oldest goes if there is no room."""
        self._rows.append(row)
        self.end += 1

    def after(self, number: int, most: int) -> tuple[list[bytes], int]:
        """Give rows from a number on, as far as they are kept, and the number to go on from."""
        oldest = self.end - len(self._rows)
        first = min(max(number, oldest), self.end)
        found = list(islice(self._rows, first - oldest, first - oldest + most))
        return found, first + len(found)
