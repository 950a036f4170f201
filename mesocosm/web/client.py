"""A client that watches a session: room for one frame, and a place in each ring."""

import asyncio
from collections.abc import Mapping

from mesocosm.web.ring import Ring

MOST_ROWS = 256  # of one message


class Client:
    """Takes what is new when its socket is ready; frames that it had no time for are dropped."""

    def __init__(self, perspective: str) -> None:
        self.perspective = perspective
        self.taken: set[int] = set()  # agents that it has taken over
        self.dropped = 0  # frames that a newer one replaced
        self.wake = asyncio.Event()
        self._frame: bytes | None = None
        self._status: bytes | None = None
        self._places = {"metrics": 0, "events": 0}
        self._words: list[bytes] = []

    def offer_frame(self, frame: bytes) -> None:
        """Hand over the newest frame."""
        self.dropped += self._frame is not None
        self._frame = frame
        self.wake.set()

    def offer_status(self, status: bytes) -> None:
        """Hand over the newest status."""
        self._status = status
        self.wake.set()

    def say(self, words: bytes) -> None:
        """Answer something that the client sent; of many answers the last ones are kept."""
        self._words = [*self._words[-63:], words]
        self.wake.set()

    def forget_frame(self) -> None:
        """Drop a frame of another perspective than is now watched."""
        self._frame = None

    def next_messages(self, rings: Mapping[str, Ring]) -> list[bytes]:
        """Take everything that is new, the frame last."""
        self.wake.clear()
        made, self._words = self._words, []
        if self._status is not None:
            made.append(self._status)
            self._status = None
        for name, ring in rings.items():
            rows = self._take_rows(name, ring)
            if rows:
                made.append(rows)
        if self._frame is not None:
            made.append(self._frame)
            self._frame = None
        return made

    def _take_rows(self, name: str, ring: Ring) -> bytes:
        rows, self._places[name] = ring.after(self._places[name], MOST_ROWS)
        if self._places[name] < ring.end:
            self.wake.set()
        return join_rows(name, rows, self._places[name]) if rows else b""


def join_rows(name: str, rows: list[bytes], end: int) -> bytes:
    """Make one JSON message of rows that are encoded already."""
    head = f'{{"type":"{name}","next":{end},"rows":['.encode()
    return head + b",".join(rows) + b"]}"
