"""The `serve` command: the page, and the server behind it."""

import os
import re
import secrets
from pathlib import Path
from typing import Annotated

import typer

from mesocosm.cli.shared.options import Target
from mesocosm.core.errors import ConfigError, short
from mesocosm.core.extra import missing_extra
from mesocosm.learning.policies.load import FORMS, is_file

TOKEN = "MESOCOSM_TOKEN"  # noqa: S105 (the name of a variable)
NAMED = re.compile(r"(?P<name>[A-Za-z0-9_.-]{1,60})=(?P<text>.+)", re.DOTALL)
FEWEST = 16  # characters of a token
LOOPBACK = ("127.0.0.1", "::1", "localhost")

Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME=FILE.py:CLASS",
        help="Let the page choose a policy of one's own; may be repeated.",
    ),
]


def serve(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8470,
    token: Annotated[
        str | None, typer.Option(help=f"What opens the API; else {TOKEN}, else chance.")
    ] = None,
    runs: Annotated[Path, typer.Option(help="Where runs are, and new ones go.")] = Path("runs"),
    policies: Policies = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    names: Annotated[
        list[str] | None,
        typer.Option("--name", help="Another name that the machine goes by; may be repeated."),
    ] = None,
    target: Target = "cpu",
) -> None:
    """Serve the page: watch, steer, compare and replay in a browser."""
    if not 1 <= port <= 65_535:
        raise ConfigError(f"--port: must be between 1 and 65535, got {short(port)}")
    try:
        from mesocosm.web.server import serve as run_server
        from mesocosm.web.settings import Settings
    except ImportError as error:
        raise missing_extra("the server needs FastAPI and uvicorn", "web") from error
    made = Settings(
        runs=runs,
        token=_choose_token(token),
        host=host,
        port=port,
        policies=_read_policies(policies or []),
        hosts=tuple(names or ()),
        target=target,
    )
    print(f"Open {made.link}", flush=True)
    print("Whoever has this link can start runs here. Ctrl-C ends the server.", flush=True)
    if host not in LOOPBACK:
        print(f"Others can reach it: it listens on {host}, without encryption.", flush=True)
    run_server(made)


def _choose_token(given: str | None) -> str:
    """Give the token that was chosen, or one that nobody can guess."""
    chosen = given if given is not None else os.environ.get(TOKEN)
    if chosen is None:
        return secrets.token_urlsafe(24)
    if len(chosen) < FEWEST or not re.fullmatch(r"[A-Za-z0-9_~.-]+", chosen):
        raise ConfigError(
            f"--token: must be at least {FEWEST} letters, digits or _ ~ . -, got {len(chosen)}"
        )
    return chosen


def _read_policies(texts: list[str]) -> dict[str, str]:
    made: dict[str, str] = {}
    for text in texts:
        match = NAMED.fullmatch(text)
        if match is None or not is_file(match["text"]):
            raise ConfigError(f"--policy: must be NAME=POLICY with {FORMS}, got {short(text)}")
        if match["name"] in made:
            raise ConfigError(f"--policy: two are named {match['name']!r}")
        made[match["name"]] = match["text"]
    return made
