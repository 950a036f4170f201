"""A server that runs in a thread, on a port of its own, for the tests of a module."""

import json
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from mesocosm.web.server import make_server
from mesocosm.web.settings import Limits, Settings

TOKEN = "a-token-for-tests-only"  # noqa: S105
BAD_POLICIES = Path(__file__).parent / "bad_policies.py"
BAD = (
    "Raises",
    "Exits",
    "ExitsQuietly",
    "Forks",
    "SpeaksGarbage",
    "Segfaults",
    "Hangs",
    "Hoards",
)
WAIT_SECONDS = 40.0
LIMITS = Limits(step_seconds=6.0, memory=2 << 30, body=64 << 10, upload=4 << 20)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class RunningServer:
    """A server and a client with its token."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._server = make_server(settings)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{settings.port}"
        headers = {"Authorization": f"Bearer {settings.token}"}
        self.http = httpx.Client(base_url=self.url, headers=headers, timeout=60.0)
        self.wait_for(lambda: self._server.started)

    @property
    def app(self) -> Any:
        return self._server.config.app

    def wait_for(self, holds, seconds: float = WAIT_SECONDS) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, self.get("runs")
            time.sleep(0.02)

    def get(self, path: str, **more: Any) -> Any:
        answer = self.http.get(f"/api/{path}", **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, data: Any = None) -> Any:
        answer = self.http.post(f"/api/{path}", json=data)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def start(self, path: str = "runs", **asked: Any) -> str:
        """Begin a session, and wait until it goes on."""
        name = self.post(path, asked)["id"]
        return self.follow(path.partition("/")[0].replace("replays", "runs"), name)

    def follow(self, kind: str, name: str) -> str:
        self.wait_for(lambda: self.get(f"{kind}/{name}")["status"] != "starting")
        return name

    def stream(self, name: str, perspective: str = "everything", **more: Any):
        address = f"ws://127.0.0.1:{self.settings.port}/api/streams/{name}"
        query = f"?token={self.settings.token}&perspective={perspective.replace(' ', '%20')}"
        return connect(address + query, proxy=None, max_size=None, compression=None, **more)

    def close(self) -> None:
        self.http.close()
        self._server.should_exit = True
        self._thread.join(30.0)


def next_of(socket: Any, kind: str, holds=lambda message: True) -> dict[str, Any]:
    """Give the next message of a kind."""
    while True:
        message = json.loads(socket.recv(timeout=WAIT_SECONDS))
        if message["type"] == kind and holds(message):
            return message
        assert message["type"] != "error", message


def make_settings(runs: Path) -> Settings:
    policies = {name.lower(): f"{BAD_POLICIES}:{name}" for name in BAD}
    return Settings(
        runs=runs,
        token=TOKEN,
        port=free_port(),
        policies=policies,
        target="python",
        spares=0,
        limits=LIMITS,
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = RunningServer(make_settings(tmp_path_factory.mktemp("runs")))
    yield made
    made.close()


@pytest.fixture
def restarted():
    """Give a function that ends a server and starts it anew, with the same settings."""
    made: list[RunningServer] = []

    def start(settings: Settings) -> RunningServer:
        for old in made:
            old.close()
        made.append(RunningServer(replace(settings)))
        return made[-1]

    yield start
    made[-1].close()
