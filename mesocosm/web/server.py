"""Start the server and keep it running."""

import socket
import threading
import time
from collections.abc import Callable

import uvicorn

from mesocosm.core.errors import ConfigError
from mesocosm.web.app import make_app
from mesocosm.web.settings import Settings
from mesocosm.web.state import State

MOST_MESSAGE = 64 << 10  # bytes of what a client sends on a stream
PING_SECONDS = 20.0


def serve(settings: Settings, on_started: Callable[[], None] | None = None) -> None:
    """Serve until it is interrupted.

    Args:
        on_started: Is called in a thread of its own, once the server answers.
    """
    made = make_server(settings)
    if on_started is not None:
        threading.Thread(target=_call_when_started, args=(made, on_started), daemon=True).start()
    made.run()


def _call_when_started(server: uvicorn.Server, on_started: Callable[[], None]) -> None:
    while not server.started:
        time.sleep(0.02)
    on_started()


def find_free_port(host: str) -> int:
    """Give a port that nothing listens on now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.bind((host, 0))
        return int(trial.getsockname()[1])


class PageServer(uvicorn.Server):
    """Ends the sessions first, so that whoever waits for one is answered, not cut off."""

    def __init__(self, config: uvicorn.Config, state: State) -> None:
        super().__init__(config)
        self._state = state

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End everything."""
        await self._state.sessions.end()
        await super().shutdown(sockets)


def make_server(settings: Settings) -> PageServer:
    """Make a server that is ready to run; refuse an address that is taken."""
    check_address(settings)
    app = make_app(settings)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,  # addresses may hold the token
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws_max_size=MOST_MESSAGE,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,  # would encode every frame again for every client
        h11_max_incomplete_event_size=32 << 10,
        timeout_graceful_shutdown=3,
    )
    return PageServer(config, app.state.mesocosm)


def check_address(settings: Settings) -> None:
    """Refuse an address that cannot be listened on."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((settings.host, settings.port))
        except OSError as error:
            where = f"{settings.host}:{settings.port}"
            raise ConfigError(f"{where}: cannot be listened on: {error.strerror}") from None
