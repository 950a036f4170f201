"""The process in which one program of a match runs: it reads moments and writes actions."""

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.policy import Policy, check_policy
from mesocosm.evaluation.message import decode, encode
from mesocosm.learning.policies.load import is_bundle, load_policy
from mesocosm.resolve import resolve


def find_program(program: str) -> Any:
    """Import `module:name` or `path/to/file.py:name`."""
    home, colon, name = program.rpartition(":")
    if not colon:
        raise ValueError(f"a program is 'module:name' or 'file.py:name', got {program!r}")
    if home.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(home).stem, home)
        if spec is None or spec.loader is None or not Path(home).is_file():
            raise FileNotFoundError(f"no file {home}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(home)
    return getattr(module, name)


def make_player(program: str, role: str, config: Any) -> Policy:
    """Make a program's policy: called with (role, config) if it takes two arguments, else none.

    A program may also be a policy bundle, `FILE.mesop`.
    """
    if is_bundle(program):
        return load_policy(program, config.identity.world).policy
    made = find_program(program)
    taken = [
        entry
        for entry in inspect.signature(made).parameters.values()
        if entry.default is entry.empty and entry.kind is not entry.VAR_KEYWORD
    ]
    player = check_policy(made(role, config) if len(taken) == 2 else made(), program)
    if player.privileged:
        raise ValueError(f"{program} is privileged: it would need the truth, which no player gets")
    return player


def serve(reading: Any, writing: Any) -> None:
    """Answer messages until told to stop; the first says whom to play."""
    begin = decode(reading.readline())
    resolved = resolve(begin["config"])
    spec = resolved.spec.roles[begin["role"]]
    player = make_player(begin["program"], begin["role"], resolved.config)
    player.reset(spec, 1, begin["seed"])
    writing.write(encode({"kind": "ready"}))
    writing.flush()
    for line in reading:
        message = decode(line)
        if message["kind"] == "end":
            return
        chosen = player.act(message["obs"], message["mask"], message["info"], message["began"])
        parts = chosen if isinstance(chosen, Action) else spec.action.noop((1, spec.num_agents))
        if not isinstance(chosen, Action):
            parts = Action(*((chosen, None) if spec.action.choices else (None, chosen)))
        answer = {"kind": "action", "choice": _array(parts.choice), "level": _array(parts.level)}
        writing.write(encode(answer))
        writing.flush()


def _array(value: Any) -> Any:
    return None if value is None else np.asarray(value)


def main() -> None:
    """Serve on the standard streams; what the program prints goes to the error stream."""
    writing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.path.insert(0, os.getcwd())
    try:
        serve(sys.stdin.buffer, writing)
    except Exception as error:  # whatever a program raises is its forfeit
        traceback.print_exc()
        what = f"{type(error).__name__}: {error}"
        writing.write(encode({"kind": "error", "what": what}))
        writing.flush()


if __name__ == "__main__":
    main()
