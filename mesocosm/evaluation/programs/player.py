"""The process in which Python code plays a match: it reads questions and writes actions."""

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.policy import Policy, check_policy
from mesocosm.evaluation.programs.message import decode, encode
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
    """Make a program's policy: called with (role, config) if it takes two arguments, else none."""
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
    """Answer questions as long as there are any; the first message says whom to play."""
    begin = decode(reading.readline())
    resolved = resolve(begin["config"])
    told = begin["spec"]
    spec = replace(resolved.spec.roles[told["role"]], num_agents=told["num_agents"])
    player = make_player(begin["program"], spec.name, resolved.config)
    player.reset(spec, told["num_envs"], begin["seed"])
    write(writing, {"kind": "ready"})
    for line in reading:
        question = decode(line)
        chosen = player.act(question["obs"], question["mask"], question["info"], question["began"])
        if not isinstance(chosen, Action):
            chosen = Action(*((chosen, None) if spec.action.choices else (None, chosen)))
        answer = {"kind": "action", "number": question["number"]}
        write(writing, answer | {name: _array(part) for name, part in chosen._asdict().items()})


def write(writing: Any, message: dict[str, Any]) -> None:
    """Send a message at once."""
    writing.write(encode(message))
    writing.flush()


def _array(value: Any) -> Any:
    return None if value is None else np.asarray(value)


def main() -> None:
    """Serve on the standard streams; what the program prints goes to the error stream."""
    writing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        serve(sys.stdin.buffer, writing)
    except Exception as error:  # whatever a program raises is its forfeit
        traceback.print_exc()
        write(writing, {"kind": "error", "what": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
