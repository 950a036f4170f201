"""Speech from the outside: what to say as part of an action, and what was heard."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ActionError, short
from mesocosm.worlds.mettagrid.code import (
    CHARACTER_BYTES,
    MESSAGE_PLACE,
    MESSAGE_STEPS,
    MESSAGE_TEXT,
)
from mesocosm.worlds.mettagrid.game.core import Talk
from mesocosm.worlds.mettagrid.game.idmap import LOCATION_ROW
from mesocosm.worlds.mettagrid.render import message_text

MAX_LENGTH = Talk().max_length


@dataclass(frozen=True)
class MacroDirective:
    """What a higher-level policy wants beside its moves."""

    talk: str = ""


class Message(NamedTuple):
    """What one agent says: the text, for how many more steps, and where in the window it is."""

    text: str
    remaining_steps: int
    row: int
    col: int


def talk_bytes(
    said: MacroDirective | Mapping[str, Any] | str | None, max_length: int = MAX_LENGTH
) -> np.ndarray:  # int32 [4 * max_length]
    """Return the bytes of an action that say something, as UTF-8; zeros are silence.

    Args:
        max_length: The game's `core.talk.max_length`, in characters.
    """
    text: Any = said
    if isinstance(said, MacroDirective):
        text = said.talk
    elif isinstance(said, Mapping):
        text = said.get("talk")
    text = "" if text is None else text
    if not isinstance(text, str):
        raise ActionError(f"talk: must be a text, got {short(text)}")
    if len(text) > max_length:
        what = f"at most {max_length} characters (core.talk.max_length), got {len(text)}"
        raise ActionError(f"talk: {what}: {short(text)}")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ActionError(f"talk: half a character at {error.start}, in {short(text)}") from None
    if 0 in data:
        raise ActionError(f"talk: a zero character ends a message, got {short(text)}")
    made = np.zeros(CHARACTER_BYTES * max_length, np.int32)
    made[: len(data)] = list(data)
    return made


def with_talk(
    actions: Any, said: Mapping[tuple[int, int], Any], max_length: int = MAX_LENGTH
) -> np.ndarray:  # int32 [env, agent, 1 + 4 * max_length]
    """Add speech to actions `[env, agent]`: by (env, agent), a text, a dict or a directive.

    Args:
        max_length: The game's `core.talk.max_length`, in characters.
    """
    main = np.asarray(actions, np.int32)
    made = np.zeros((*main.shape, 1 + CHARACTER_BYTES * max_length), np.int32)
    made[..., 0] = main
    for (env, agent), words in said.items():
        made[env, agent, 1:] = talk_bytes(words, max_length)
    return made


def heard_by(info: Mapping[str, Any], env: int, agent: int) -> dict[int, Message]:
    """Give, by agent id, what one agent hears."""
    rows = np.asarray(info["heard"])[env, agent]
    found = {}
    for j, row in enumerate(rows if rows.size else ()):
        if row[MESSAGE_STEPS] > 0:
            place = divmod(int(row[MESSAGE_PLACE]), LOCATION_ROW)
            text = message_text(row[MESSAGE_TEXT:])
            found[j] = Message(text, int(row[MESSAGE_STEPS]), *place)
    return found
