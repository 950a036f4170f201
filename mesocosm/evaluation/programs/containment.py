"""What this system allows to close programs in, found out by trying; and the plan for a keeper."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Literal

from mesocosm.core.errors import MesocosmError
from mesocosm.evaluation.programs.command import Command
from mesocosm.evaluation.programs.limits import Limits

KEEPER = Path(__file__).parent / "keeper"
ROOM = "/room"  # the folder of a program in a closed room
MARK = "MESOCOSM_PROGRAM"  # in the environment of all that a program starts
TRIAL_SECONDS = 10.0
Containment = Literal["namespaces", "process group"]


def start_keeper(plan: dict[str, Any], **streams: Any) -> tuple[Any, socket.socket]:
    """Start a keeper with a plan; give its process and the way to it."""
    here, there = socket.socketpair()
    try:
        arguments = [sys.executable, "-I", "-S", str(KEEPER), str(there.fileno())]
        process = subprocess.Popen(  # noqa: S603 (our own script)
            arguments, pass_fds=[there.fileno()], start_new_session=True, cwd="/",
            env={"PATH": os.defpath}, **streams,
        )  # fmt: skip
        here.sendall(json.dumps(plan).encode() + b"\n")
    except BaseException:
        here.close()
        raise
    finally:
        there.close()
    return process, here


def make_plan(
    command: Command, limits: Limits, folder: Path, hidden: Iterable[Path], mark: str
) -> dict[str, Any]:
    """Say how to run a program.

    Args:
        folder: An empty folder of its own.
        hidden: Folders that it must not see, wherever they are.
        mark: What all processes of it have in their environment.
    """
    closed = find_containment() == "namespaces"
    home = ROOM if closed else str(folder / "home")
    readable = [os.path.abspath(path) for path in command.readable]
    for name in ("root", "home"):
        (folder / name).mkdir()
    return {
        "closed": closed,
        "drop": closed and os.getuid() == 0 and all(map(_is_public, readable)),
        "command": list(command.arguments),
        "environment": command.environment(home) | {MARK: mark},
        "folder": home,
        "root": str(folder / "root"),
        "readable": readable,
        "hidden": [str(place) for path in hidden for place in {path.absolute(), path.resolve()}],
        "limits": asdict(limits),
    }


def _is_public(path: str) -> bool:
    """Whether anyone may read something, and what lies in it."""
    try:
        mode = os.stat(path).st_mode
        inside = [entry.stat().st_mode for entry in os.scandir(path)] if stat.S_ISDIR(mode) else []
    except OSError:
        return False
    wanted = [stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(one) else 0) for one in (mode, *inside)]
    return all(one & want == want for one, want in zip((mode, *inside), wanted, strict=True))


@cache
def find_containment() -> Containment:
    """Try to build a closed room; say what programs of this process will be closed in."""
    if sys.platform != "linux":
        return "process group"
    folder = Path(tempfile.mkdtemp(prefix="mesocosm-trial-"))
    (folder / "root").mkdir()
    plan = {"closed": True, "drop": False, "command": [], "folder": ROOM}
    plan |= {"root": str(folder / "root"), "readable": [], "hidden": [], "limits": asdict(Limits())}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    process, control = start_keeper(plan, **streams)
    try:
        with control:
            control.settimeout(TRIAL_SECONDS)
            with control.makefile("rb") as reports:
                report = json.loads(reports.readline() or b"{}")
        process.wait(TRIAL_SECONDS)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        report = {}
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    return "namespaces" if report.get("started") else "process group"


def require_containment(wanted: Containment | None) -> Containment:
    """Give what programs are closed in; refuse if that is not what is wanted."""
    found = find_containment()
    if wanted is not None and wanted != found and wanted == "namespaces":
        raise MesocosmError(
            "programs would not be closed in: this system allows no user, pid and mount "
            "namespaces (see docs/matches.md); got 'process group'"
        )
    return found
