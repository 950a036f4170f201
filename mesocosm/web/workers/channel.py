"""The pipe between the server and a worker: messages of a kind and of bytes."""

import json
import threading
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from mesocosm.web.encoding import encode

# kinds of what a worker sends
FRAME, METRICS, EVENTS, STATUS, REPLY, RESULT, ERROR, DONE = (
    "frame",
    "metrics",
    "events",
    "status",
    "reply",
    "result",
    "error",
    "done",
)


class Message(NamedTuple):
    """What came through the pipe.

    Args:
        about: What the kind is about, such as the perspective of a frame.
    """

    kind: str
    about: str
    payload: bytes

    @property
    def data(self) -> Any:
        """The payload, read as JSON."""
        return json.loads(self.payload)


class Channel:
    """One end of the pipe; any thread may send, one receives."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()

    def send(self, kind: str, payload: bytes, about: str = "") -> None:
        """Send bytes."""
        with self._sending:
            self._connection.send_bytes(f"{kind} {about}\n".encode() + payload)

    def send_data(self, kind: str, data: Any, about: str = "") -> None:
        """Send data as JSON."""
        self.send(kind, encode(data), about)

    def receive(self) -> Message:
        """Wait for a message; EOFError or OSError if the other end is gone."""
        head, _, payload = self._connection.recv_bytes().partition(b"\n")
        kind, _, about = head.decode().partition(" ")
        return Message(kind, about, payload)

    def poll(self, seconds: float) -> bool:
        """Whether a message is there, within some seconds."""
        return self._connection.poll(max(seconds, 0.0))

    def close(self) -> None:
        """Let go of the pipe."""
        self._connection.close()
