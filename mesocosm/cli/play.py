"""The `play` command: the page, opened on a running world that a person plays in."""

import json
import os
import secrets
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import typer

from mesocosm.cli.shared.options import (
    Archetypes,
    Policies,
    Sets,
    Source,
    Target,
    Variants,
    at_least,
    resolve_source,
)
from mesocosm.cli.shared.output import say
from mesocosm.cli.shared.players import choose_policies
from mesocosm.config.identity import dump
from mesocosm.core.errors import ConfigError, RunError, short
from mesocosm.core.extra import missing_extra
from mesocosm.core.policy import GENERIC_POLICIES
from mesocosm.core.world import World
from mesocosm.learning.policies.load import is_file

if TYPE_CHECKING:
    from mesocosm.web.settings import Settings

HOST = "127.0.0.1"
PLAYER = 0  # the agent that the person plays
ANSWER_SECONDS = 60.0
POLL_SECONDS = 0.1


def play(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: Source,
    policies: Policies = None,
    seed: Annotated[int | None, typer.Option(help="Seed; else the config's.")] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look only: policies play all agents.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(help="The port to listen on; else a free one.")
    ] = None,
    runs: Annotated[Path, typer.Option(help="Where the run is recorded.")] = Path("runs"),
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the link, and open no browser.")
    ] = False,
    target: Target = "cpu",
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
) -> None:
    """Open the page on a running world: agent 0 is yours, policies play the others."""
    at_least(0, seed=seed)
    if port is not None and not 1 <= port <= 65_535:
        raise ConfigError(f"--port: must be between 1 and 65535, got {short(port)}")
    resolved = resolve_source(source, assignments, archetypes, variants)
    chosen = choose_policies(policies or [], resolved.spec, choose_scripted(resolved.world))
    try:
        from mesocosm.web.server import find_free_port, serve
        from mesocosm.web.settings import Settings
    except ImportError as error:
        raise missing_extra("the server needs FastAPI and uvicorn", "web") from error
    names, given = name_policies(chosen)
    settings = Settings(
        runs=runs,
        token=secrets.token_urlsafe(24),
        port=find_free_port(HOST) if port is None else port,
        policies=given,
        target=target,
    )
    asked = {"config": dump(resolved.config), "policies": names, "paused": not watch}
    asked |= {} if seed is None else {"seed": seed}
    print(f"Starting {resolved.spec.world} ...", flush=True)
    serve(settings, lambda: _open(settings, asked, watch=watch, browser=not no_open))


def choose_scripted(world: World) -> str:
    """Give the first scripted policy of a world that is its own; else chance plays."""
    return next((name for name in world.policies if name not in GENERIC_POLICIES), "random")


def name_policies(chosen: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Give policies by the names that the server knows them by, and the files behind these."""
    given: dict[str, str] = {}
    names: dict[str, str] = {}
    for who, text in chosen.items():
        names[who] = text
        if is_file(text):
            own = f"policy-{len(given) + 1}"
            given[own], names[who] = text, f"given/{own}"
    return names, given


def _open(settings: "Settings", asked: dict[str, Any], *, watch: bool, browser: bool) -> None:
    """Begin the run, take the person's agent over, and open the page on it (in a thread)."""
    try:
        run = _ask(settings, "runs", asked)["id"]
        _wait_for_start(settings, run)
        if not watch:
            _ask(settings, f"runs/{run}/take", {"agents": [PLAYER]})
            _ask(settings, f"runs/{run}/resume", {})
    except Exception as error:
        say(f"mesocosm: error: {_reason(error)}")
        os._exit(2)
    place = f"watch/{run}" if watch else f"watch/{run}?perspective={quote(f'agent {PLAYER}')}"
    print(f"Open {settings.link_to(place)}", flush=True)
    print(f"The run is recorded in {settings.runs / run}. Ctrl-C ends it.", flush=True)
    if browser:
        webbrowser.open(settings.link_to(place))


def _wait_for_start(settings: "Settings", run: str) -> None:
    """Wait until a run goes on; its rules may have to be compiled first."""
    while (found := _ask(settings, f"runs/{run}"))["status"] == "starting":
        time.sleep(POLL_SECONDS)
    if found["status"] == "crashed":
        raise RunError(found["error"])


def _ask(settings: "Settings", path: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    """Ask the server: with data to do something, else for what there is."""
    headers = {"Authorization": f"Bearer {settings.token}", "Content-Type": "application/json"}
    address = f"http://{HOST}:{settings.port}/api/{path}"
    body = None if data is None else json.dumps(data).encode()
    request = Request(address, body, headers)
    with urlopen(request, timeout=ANSWER_SECONDS) as answer:  # noqa: S310 (our own address)
        found: dict[str, Any] = json.load(answer)
        return found


def _reason(error: Exception) -> str:
    if isinstance(error, HTTPError):
        return str(json.load(error)["error"])
    return str(error)
