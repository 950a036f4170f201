"""Short speech: said with an action, read by those who see the speaker."""

import numpy as np

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import TALKED
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def hush(s: State, e: int) -> None:
    """Let nobody say anything."""
    for a in range(s.speech.shape[1]):
        s.silent_until[e, a] = 0
        for i in range(s.speech.shape[2]):
            s.speech[e, a, i] = 0


@rule
def speak(s: State, f: Frame, p: Params, e: int) -> None:
    """Let those speak who want to and may; a message lasts until its speaker may speak again."""
    for a in range(p.agents):
        if not f.active[e, a]:
            continue
        if s.clock[e] >= s.silent_until[e, a]:
            for i in range(s.speech.shape[2]):
                s.speech[e, a, i] = 0
            size = spoken(f, e, a, p.talk_length)
            if size > 0:
                for i in range(size):
                    s.speech[e, a, i] = f.choice[e, a, 1 + i]
                s.silent_until[e, a] = s.clock[e] + p.talk_cooldown
                emit(f, e, TALKED, a, -1, size * 1.0)


@rule
def spoken(f: Frame, e: int, a: int, most: int) -> int:
    """How many bytes an agent wants to say: up to the first zero."""
    size = 0
    while size < most and f.choice[e, a, 1 + size] > 0:
        size += 1
    return size


@rule
def remaining(s: State, e: int, a: int) -> int:
    """How many steps what an agent says can still be read."""
    if s.speech[e, a, 0] == 0:
        return 0
    return max(s.silent_until[e, a] - s.clock[e], 0)


@rule
def hear(s: State, e: int, j: int, out: np.ndarray, at: int, size: int) -> None:
    """Write what a visible agent says: steps left, then the bytes."""
    left = remaining(s, e, j)
    out[at] = left
    for i in range(size):
        out[at + 1 + i] = s.speech[e, j, i] if left > 0 else 0.0
