"""Short messages: sent with an action, read by those who see the speaker."""

import numpy as np

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit
from mesocosm.worlds.mettagrid.code import TALKED
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


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
            size = message_length(f, e, a, p.talk_length)
            if size > 0:
                for i in range(size):
                    s.speech[e, a, i] = f.choice[e, a, 1 + i]
                s.silent_until[e, a] = s.clock[e] + p.talk_cooldown
                emit(f, e, TALKED, a, -1, size * 1.0)


@rule
def message_length(f: Frame, e: int, a: int, most: int) -> int:
    """Return the length of an agent's message: the bytes before the first zero."""
    size = 0
    while size < most and f.choice[e, a, 1 + size] > 0:
        size += 1
    return size


@rule
def speech_steps_left(s: State, e: int, a: int) -> int:
    """Return for how many steps an agent's message can still be read."""
    if s.speech[e, a, 0] == 0:
        return 0
    return max(s.silent_until[e, a] - s.clock[e], 0)


@rule
def write_speech(s: State, e: int, j: int, out: np.ndarray, at: int, size: int) -> None:
    """Write the message of a visible agent: steps left, then the bytes."""
    left = speech_steps_left(s, e, j)
    out[at] = left
    for i in range(size):
        out[at + 1 + i] = s.speech[e, j, i] if left > 0 else 0.0
