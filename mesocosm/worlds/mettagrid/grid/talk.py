"""Short messages: sent with an action, read by those who see the speaker.

An action holds a message as UTF-8, the state as characters; zeros are silence.
"""

import numpy as np

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import (
    MAX_CHARACTER,
    MESSAGE_PLACE,
    MESSAGE_STEPS,
    MESSAGE_TEXT,
    TALKED,
)
from mesocosm.worlds.mettagrid.compile.geometry import DC, DR, LOCATION
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

REPLACEMENT = 0xFFFD  # the character for bytes that are none
FIRST_SURROGATE, LAST_SURROGATE = 0xD800, 0xDFFF  # no characters by themselves
TWO_BYTES, THREE_BYTES, FOUR_BYTES = 0xC0, 0xE0, 0xF0  # least first byte of so many
CONTINUATION, CONTINUATION_MASK = 0x80, 0xC0
CONTINUATION_BITS = 6
ASCII_END = 0x80


@rule
def clear_speech(s: State, e: int) -> None:
    """Clear all messages."""
    for a in range(s.speech.shape[1]):
        s.silent_until[e, a] = 0
        for i in range(s.speech.shape[2]):
            s.speech[e, a, i] = 0


@rule
def speak(s: State, f: Frame, p: Params, e: int) -> None:
    """Take messages from agents that may speak; one lasts until its speaker may speak again."""
    for a in range(p.agents):
        if not f.active[e, a]:
            continue
        if s.clock[e] >= s.silent_until[e, a]:
            for i in range(s.speech.shape[2]):
                s.speech[e, a, i] = 0
            size = read_message(s, f, e, a)
            if size > 0:
                s.silent_until[e, a] = s.clock[e] + p.talk_cooldown
                emit(f, e, TALKED, a, -1, size * 1.0)


@rule
def read_message(s: State, f: Frame, e: int, a: int) -> int:
    """Take the characters before the first zero byte, as many as fit; return how many."""
    number = 0
    at = 0
    end = f.choice.shape[2] - 1
    while number < s.speech.shape[2] and at < end and f.choice[e, a, 1 + at] > 0:
        size = character_bytes(f.choice[e, a, 1 + at])
        code = character_at(f, e, a, at, size) if at + size <= end else REPLACEMENT
        s.speech[e, a, number] = code
        number += 1
        at += size if code != REPLACEMENT else 1
    return number


@rule
def character_bytes(first: int) -> int:
    """Return how many bytes a character has that begins with this one."""
    if first >= FOUR_BYTES:
        return 4
    if first >= THREE_BYTES:
        return 3
    return 2 if first >= TWO_BYTES else 1


@rule
def character_at(f: Frame, e: int, a: int, at: int, size: int) -> int:
    """Decode one character of a message; what is none becomes the replacement character."""
    code = f.choice[e, a, 1 + at]
    if size == 1:
        return code if code < ASCII_END else REPLACEMENT
    code &= (ASCII_END - 1) >> size
    for i in range(1, size):
        byte = f.choice[e, a, 1 + at + i]
        if byte & CONTINUATION_MASK != CONTINUATION:
            return REPLACEMENT
        code = (code << CONTINUATION_BITS) | (byte & ~CONTINUATION_MASK)
    least = ASCII_END if size == 2 else 1 << (5 * size - 4)
    if code < least or code > MAX_CHARACTER or FIRST_SURROGATE <= code <= LAST_SURROGATE:
        return REPLACEMENT
    return code


@rule
def speech_steps_left(s: State, e: int, a: int) -> int:
    """Return for how many steps an agent's message can still be read."""
    if s.speech[e, a, 0] == 0:
        return 0
    return max(s.silent_until[e, a] - s.clock[e], 0)


@rule
def write_speech(s: State, p: Params, e: int, a: int, j: int, out: np.ndarray, at: int) -> None:
    """Write the message of an agent that is heard: steps left, its location, the characters.

    Who is heard from outside the window is at its centre.
    """
    place = p.centre
    for rank in range(p.tables.window.shape[0]):
        if (
            p.tables.window[rank, DR] == s.row[e, j] - s.row[e, a]
            and p.tables.window[rank, DC] == s.col[e, j] - s.col[e, a]
        ):
            place = p.tables.window[rank, LOCATION]
    out[at + MESSAGE_STEPS] = speech_steps_left(s, e, j)
    out[at + MESSAGE_PLACE] = place
    for i in range(s.speech.shape[2]):
        out[at + MESSAGE_TEXT + i] = s.speech[e, j, i]
