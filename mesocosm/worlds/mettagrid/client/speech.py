"""Speech from the outside: what to say as part of an action, and what was heard."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mesocosm.core.errors import ActionError
from mesocosm.worlds.mettagrid.state import TALK_BYTES


@dataclass(frozen=True)
class MacroDirective:
    """What a higher-level policy wants beside its moves."""

    talk: str = ""


def talk_bytes(said: MacroDirective | Mapping[str, Any] | str | None) -> np.ndarray:  # int32 [140]
    """Return the bytes of an action that say something; zeros are silence."""
    if isinstance(said, MacroDirective):
        text = said.talk
    elif isinstance(said, Mapping):
        text = said.get("talk") or ""
    else:
        text = said or ""
    data = text.encode("utf-8")
    if len(data) > TALK_BYTES or 0 in data:
        what = f"{len(data)} bytes" if len(data) > TALK_BYTES else "a zero byte"
        raise ActionError(f"talk: at most {TALK_BYTES} bytes and no zero, got {what}")
    made = np.zeros(TALK_BYTES, np.int32)
    made[: len(data)] = list(data)
    return made


def with_talk(actions: Any, said: Mapping[tuple[int, int], Any]) -> np.ndarray:
    """Add speech to actions `[env, agent]`: by (env, agent), a text, a dict or a directive."""
    main = np.asarray(actions, np.int32)
    made = np.zeros((*main.shape, 1 + TALK_BYTES), np.int32)
    made[..., 0] = main
    for (env, agent), words in said.items():
        made[env, agent, 1:] = talk_bytes(words)
    return made


def heard_by(info: Mapping[str, Any], env: int, agent: int) -> dict[int, tuple[str, int]]:
    """Give, by agent id, what one agent hears and for how many more steps."""
    rows = np.asarray(info["heard"])[env, agent]
    found = {}
    for j, row in enumerate(rows.reshape(-1, 1 + TALK_BYTES) if rows.size else ()):
        if row[0] > 0:
            data = bytes(int(x) for x in row[1:] if x > 0)
            found[j] = (data.decode("utf-8", errors="replace"), int(row[0]))
    return found
