"""The record of a match: config, seed and actions, and digests that prove what came of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.build import make
from mesocosm.config.identity import dump
from mesocosm.core.action import Action
from mesocosm.core.errors import MesocosmError
from mesocosm.core.path import open_regular_file
from mesocosm.evaluation.message import decode, encode
from mesocosm.sim.engine import Engine

SCHEMA = 1


def write_replay(
    path: Path, env: Engine, seed: int, actions: list[dict[str, Any]], forfeits: Mapping[str, str]
) -> Path:
    """Write what was played; the state in which the env stands now is what it came to."""
    head = {"kind": "match", "schema": SCHEMA, "config": dump(env.config), "seed": seed}
    lines = [encode(head)]
    for chosen in actions:
        parts = {
            name: dict(zip(("choice", "level"), value, strict=True))
            if isinstance(value, Action)
            else {"only": value}
            for name, value in chosen.items()
        }
        lines.append(encode({"kind": "step", "actions": parts}))
    tail = {"kind": "end", "steps": len(actions), "digest": env.digest()}
    lines.append(encode(tail | {"forfeits": dict(forfeits)}))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    return path


def read_replay(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]:
    """Give the head, the actions of every step, and the end of a replay."""
    try:
        with open_regular_file(path) as file:
            lines = [decode(line) for line in file.read().splitlines()]
        head, steps, tail = lines[0], lines[1:-1], lines[-1]
        whole = head["kind"] == "match" and tail["kind"] == "end" and tail["steps"] == len(steps)
    except OSError as error:
        raise MesocosmError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, IndexError, json.JSONDecodeError) as error:
        raise MesocosmError(f"{path}: is no replay of a match: {error}") from None
    if not whole or head["schema"] != SCHEMA:
        raise MesocosmError(f"{path}: the replay is cut short, or of another schema")
    return head, [_join(entry["actions"]) for entry in steps], tail


def _join(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        name: value["only"] if "only" in value else Action(value["choice"], value["level"])
        for name, value in parts.items()
    }


def verify_replay(path: Path, *, target: str = "cpu") -> int:
    """Play a replay again and compare the state it comes to; give the number of steps."""
    head, steps, tail = read_replay(path)
    env = make(head["config"], target=target, seed=head["seed"], autoreset="off")
    env.reset()
    for chosen in steps:
        env.step(chosen if len(chosen) > 1 else next(iter(chosen.values())))
    now = json.loads(json.dumps(env.digest(), default=_text))
    odd = [key for key, value in tail["digest"].items() if now.get(key) != value]
    if odd or set(now) != set(tail["digest"]):
        raise MesocosmError(f"{path}: played again, the state differs in {odd[:3]}")
    return len(steps)


def _text(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
