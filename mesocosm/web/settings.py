"""What the server was started with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
MIB = 1 << 20
PROTOCOL = "mesocosm.token."  # before the token, as a WebSocket's subprotocol


@dataclass(frozen=True)
class Limits:
    """How much a worker, an upload or a client may take.

    Args:
        start_seconds: For making an env or loading policies, compiling included.
        step_seconds: For one step with everything that is drawn of it.
        memory: Bytes of data of a worker that plays; 0 is no limit.
        job_memory: The same of one that trains, evaluates or proves.
        sessions: Workers at a time.
        body: Bytes of a request, uploads aside.
        upload: Bytes of an uploaded bundle.
        clients: Streams at a time.
    """

    start_seconds: float = 300.0
    step_seconds: float = 20.0
    memory: int = 4096 * MIB
    job_memory: int = 0
    sessions: int = 32
    body: int = 1 * MIB
    upload: int = 64 * MIB
    clients: int = 256


@dataclass(frozen=True)
class Settings:
    """What the server was started with.

    Args:
        policies: By name, `FILE.py:CLASS` or `FILE.mesop` of policies that the page may choose.
        hosts: Names by which the server may be called, beside the address it listens on.
        target: Where the rules of live runs and replays are run.
        spares: Processes that wait for the next run, so that it begins at once.
    """

    runs: Path
    token: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8470
    policies: Mapping[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    target: str = "cpu"
    spares: int = 1
    limits: Limits = field(default_factory=Limits)

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """What a Host header may say, port included."""
        names = {*LOOPBACK, *self.hosts, f"[{self.host}]" if ":" in self.host else self.host}
        return frozenset(f"{name}:{self.port}".lower() for name in names)

    @property
    def link(self) -> str:
        """The address of the page with the token: whoever has it may do everything."""
        return self.link_to("")

    def link_to(self, place: str) -> str:
        """Give the address of a place of the page, such as `watch/NAME?step=3`, with the token."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        mark = "&" if "?" in place else "?"
        return f"http://{host}:{self.port}/#/{place}{mark}token={self.token}"
