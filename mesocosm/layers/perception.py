"""How information reaches an agent: late, blurred, dropped, masked, as a row or as tokens."""

import math

import numpy as np

from mesocosm.layers import streams
from mesocosm.layers.added import TOKEN_WIDTH, AddedRole
from mesocosm.layers.information import (
    DEVIATION,
    LATE_NUMBER,
    LATE_STEPS,
    NOISE_HIGH,
    NOISE_LOW,
    RUN_START,
    RUN_STOP,
    TABLE_ROW_START,
    TABLE_ROW_STOP,
    TOKEN_DROP,
    TOKEN_HIGH,
    TOKEN_LAG,
    TOKEN_LOW,
    TOKEN_MASK,
    TOKEN_NOISE,
    InformationRole,
)
from mesocosm.sim.frame import FIRST, Frame, RoleFrame
from mesocosm.sim.handles import View
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import normal_at, row_key, uniform_at
from mesocosm.sim.rule import rule

NOISE_STREAM, DROP_STREAM = streams.INFORMATION, streams.INFORMATION + 1


@rule
def keep_late_values(
    f: Frame, r: RoleFrame, view: View, information: InformationRole, e: int
) -> None:
    """Remember what the world showed of the numbers that arrive late."""
    past = information.past
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.active[e, a]:
            for q in range(information.late.shape[0]):
                number = information.late[q, LATE_NUMBER]
                past[e, a, f.t[e] % past.shape[2], q] = view.rows[e, i, number]


@rule
def copy_view(view: View, e: int, i: int, out: np.ndarray) -> None:
    """Start from what the world shows, where it is kept apart."""
    if view.rows.shape[0] > 0:
        for n in range(view.rows.shape[2]):
            out[n] = view.rows[e, i, n]


@rule
def blur_row(
    f: Frame,
    since: np.ndarray,
    view: View,
    information: InformationRole,
    e: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Delay, blur, drop and mask the numbers of a row."""
    if information.late.shape[0] > 0:
        delay_numbers(f, since, view, information, e, a, out)
    if information.noise.shape[0] > 0:
        add_noise(view, information, row_key(f.word[e], f.t[e], NOISE_STREAM, a), out)
    if information.drop.shape[0] > 0:
        drop_numbers(f, view, information, e, a, out)
    for n in range(information.masked.shape[0]):
        out[information.masked[n]] = view.absent[information.masked[n]]


@rule
def delay_numbers(
    f: Frame,
    since: np.ndarray,
    view: View,
    information: InformationRole,
    e: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Replace late numbers by what they were."""
    past = information.past
    for q in range(information.late.shape[0]):
        then = f.t[e] - information.late[q, LATE_STEPS]
        n = information.late[q, LATE_NUMBER]
        out[n] = view.absent[n]
        if then >= since[e, a]:
            out[n] = past[e, a, then % past.shape[2], q]


@rule
def is_nobody(view: View, out: np.ndarray, start: int, stop: int) -> bool:
    """Whether a row of a table stands for nobody."""
    for n in range(start, stop):
        if out[n] != view.absent[n]:
            return False
    return stop > start


@rule
def add_noise(view: View, information: InformationRole, key: int, out: np.ndarray) -> None:
    """Add noise, inside the declared range."""
    at = information.noise_at
    for run in range(at.shape[0]):
        if is_nobody(view, out, at[run, TABLE_ROW_START], at[run, TABLE_ROW_STOP]):
            continue
        sigma = information.noise[run, DEVIATION]
        low = information.noise[run, NOISE_LOW]
        high = information.noise[run, NOISE_HIGH]
        for n in range(at[run, RUN_START], at[run, RUN_STOP]):
            value = clip(out[n] + sigma * normal_at(key, n), low, high)
            if information.is_whole:
                value = math.floor(value + 0.5) * 1.0
            out[n] = value


@rule
def drop_numbers(
    f: Frame, view: View, information: InformationRole, e: int, a: int, out: np.ndarray
) -> None:
    """Let numbers, or whole rows of tables, be absent by chance."""
    key = row_key(f.word[e], f.t[e], DROP_STREAM, a)
    for run in range(information.drop.shape[0]):
        if uniform_at(key, run) < information.drop[run]:
            for n in range(information.drop_at[run, RUN_START], information.drop_at[run, RUN_STOP]):
                out[n] = view.absent[n]


@rule
def pass_tokens(
    f: Frame,
    since: np.ndarray,
    view: View,
    information: InformationRole,
    added: AddedRole,
    unseen: np.ndarray,
    e: int,
    i: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Write the tokens that reach an agent: those of now, then those that are late."""
    key = row_key(f.word[e], f.t[e], NOISE_STREAM, a)
    size = added.num_tokens * TOKEN_WIDTH
    past = information.past
    at = 0
    for n in range(0, size, TOKEN_WIDTH):
        at = pass_token(information, added, unseen, key, i, 0, n, view.rows[e, i], at, out)
    for lag in range(1, past.shape[2] + 1):
        if information.late.shape[0] > 0 and f.t[e] - lag >= since[e, a]:
            row = past[e, a, (f.t[e] - lag) % past.shape[2]]
            for n in range(0, size, TOKEN_WIDTH):
                at = pass_token(information, added, unseen, key, i, lag, n, row, at, out)
    for n in range(at, size):
        out[n] = added.empty


@rule
def pass_token(
    information: InformationRole,
    added: AddedRole,
    unseen: np.ndarray,
    key: int,
    i: int,
    lag: int,
    n: int,
    row: np.ndarray,
    at: int,
    out: np.ndarray,
) -> int:
    """Pass one token on if it arrives now and gets through; give where the next one goes."""
    token = information.token
    place = row[n]
    kind = int(row[n + 1])
    if place == added.empty or token[kind, TOKEN_LAG] != lag:
        return at
    if token[kind, TOKEN_MASK] != 0.0 or at + TOKEN_WIDTH > added.num_tokens * TOKEN_WIDTH:
        return at
    for b in range(unseen.shape[1]):
        if unseen[i, b] == kind:
            return at
    chance = token[kind, TOKEN_DROP]
    if chance > 0.0 and uniform_at(key, n + 1) < chance:
        return at
    value = row[n + 2] * 1.0
    sigma = token[kind, TOKEN_NOISE]
    if sigma > 0.0:
        low = token[kind, TOKEN_LOW]
        noisy = clip(value + sigma * normal_at(key, n), low, token[kind, TOKEN_HIGH])
        value = math.floor(noisy + 0.5) * 1.0
    out[at] = place
    out[at + 1] = kind
    out[at + 2] = int(value)
    return at + TOKEN_WIDTH
