"""How information reaches an agent: late, blurred, dropped, masked; rows, tokens and info."""

import math

import numpy as np

from mesocosm.layers import streams
from mesocosm.layers.added import MAX_BYTE, TOKEN_WIDTH, AddedRole, write_added
from mesocosm.layers.blurs import (
    DEVIATION,
    DRAW,
    LATE_NUMBER,
    LATE_STEPS,
    NOISE_HIGH,
    NOISE_LOW,
    RUN_START,
    RUN_STOP,
    TABLE_ROW_START,
    TABLE_ROW_STOP,
    RowBlur,
)
from mesocosm.layers.information import (
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
    """Remember what the world showed and told of the numbers that arrive late."""
    past = information.past
    told = information.info_past
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.active[e, a]:
            for q in range(information.row.late.shape[0]):
                number = information.row.late[q, LATE_NUMBER]
                past[e, a, f.t[e] % past.shape[2], q] = view.rows[e, i, number]
            for q in range(information.info.late.shape[0]):
                told[e, a, f.t[e] % told.shape[2], q] = information.told[e, i, q]


@rule
def copy_view(view: View, e: int, i: int, out: np.ndarray) -> None:
    """Start from what the world shows, where it is kept apart."""
    if view.rows.shape[0] > 0:
        for n in range(view.rows.shape[2]):
            out[n] = view.rows[e, i, n]


@rule
def blur_info(
    f: Frame,
    since: np.ndarray,
    information: InformationRole,
    untold: np.ndarray,
    e: int,
    i: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Blur what an agent is told; keep what is to be told later."""
    late = information.info.late
    for q in range(late.shape[0]):
        information.told[e, i, q] = out[late[q, LATE_NUMBER]]
    blur_row(f, since, information.info, information.info_past, e, a, out)
    hide_unseen(information.info, untold, i, out)


@rule
def blur_row(
    f: Frame,
    since: np.ndarray,
    blur: RowBlur,
    past: np.ndarray,
    e: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Delay, blur, drop and mask the numbers of a row."""
    for n in range(blur.flag.shape[0]):
        if blur.flag[n] >= 0:
            out[blur.flag[n]] = 1.0
    if blur.late.shape[0] > 0:
        delay_numbers(f, since, blur, past, e, a, out)
    if blur.noise.shape[0] > 0:
        add_noise(blur, row_key(f.word[e], f.t[e], NOISE_STREAM, a), out)
    if blur.drop.shape[0] > 0:
        drop_numbers(f, blur, e, a, out)
    for k in range(blur.masked.shape[0]):
        withhold(blur, blur.masked[k], out)


@rule
def withhold(blur: RowBlur, n: int, out: np.ndarray) -> None:
    """Give a number its absent value, and say so where validity is shown."""
    out[n] = blur.absent[n]
    if blur.flag.shape[0] > 0 and blur.flag[n] >= 0:
        out[blur.flag[n]] = 0.0


@rule
def hide_unseen(blur: RowBlur, unseen: np.ndarray, i: int, out: np.ndarray) -> None:
    """Withhold the numbers that an agent's caste never sees."""
    for k in range(unseen.shape[1]):
        if unseen[i, k] >= 0:
            withhold(blur, unseen[i, k], out)


@rule
def delay_numbers(
    f: Frame,
    since: np.ndarray,
    blur: RowBlur,
    past: np.ndarray,
    e: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Replace late numbers by what they were."""
    for q in range(blur.late.shape[0]):
        then = f.t[e] - blur.late[q, LATE_STEPS]
        n = blur.late[q, LATE_NUMBER]
        if then >= since[e, a]:
            out[n] = past[e, a, then % past.shape[2], q]
        else:
            withhold(blur, n, out)


@rule
def is_nobody(blur: RowBlur, out: np.ndarray, start: int, stop: int) -> bool:
    """Whether a row of a table stands for nobody."""
    for n in range(start, stop):
        if out[n] != blur.absent[n]:
            return False
    return stop > start


@rule
def add_noise(blur: RowBlur, key: int, out: np.ndarray) -> None:
    """Add noise, inside the declared range."""
    at = blur.noise_at
    for run in range(at.shape[0]):
        if is_nobody(blur, out, at[run, TABLE_ROW_START], at[run, TABLE_ROW_STOP]):
            continue
        sigma = blur.noise[run, DEVIATION]
        low = blur.noise[run, NOISE_LOW]
        high = blur.noise[run, NOISE_HIGH]
        shift = at[run, DRAW] - at[run, RUN_START]
        for n in range(at[run, RUN_START], at[run, RUN_STOP]):
            value = clip(out[n] + sigma * normal_at(key, n + shift), low, high)
            if blur.is_whole:
                value = math.floor(value + 0.5) * 1.0
            out[n] = value


@rule
def drop_numbers(f: Frame, blur: RowBlur, e: int, a: int, out: np.ndarray) -> None:
    """Let numbers, or whole rows of tables, be absent by chance."""
    key = row_key(f.word[e], f.t[e], DROP_STREAM, a)
    for run in range(blur.drop.shape[0]):
        if uniform_at(key, blur.drop_at[run, DRAW]) < blur.drop[run]:
            for n in range(blur.drop_at[run, RUN_START], blur.drop_at[run, RUN_STOP]):
                withhold(blur, n, out)


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
    """Write the tokens that reach an agent: those of now, those that are late, their validity."""
    key = row_key(f.word[e], f.t[e], NOISE_STREAM, a)
    size = added.num_tokens * TOKEN_WIDTH
    past = information.past
    begin_flags(f, since, information, unseen, e, i, a)
    at = 0
    for n in range(0, size, TOKEN_WIDTH):
        at = pass_token(information, added, unseen, key, e, i, 0, n, view.rows[e, i], at, out)
    for lag in range(1, past.shape[2] + 1):
        if information.row.late.shape[0] > 0 and f.t[e] - lag >= since[e, a]:
            row = past[e, a, (f.t[e] - lag) % past.shape[2]]
            for n in range(0, size, TOKEN_WIDTH):
                at = pass_token(information, added, unseen, key, e, i, lag, n, row, at, out)
    for n in range(at, size):
        out[n] = added.empty
    for k in range(information.flag_kind.shape[0]):
        value = 1.0 if information.kept[e, i, k] else 0.0
        write_added(added, out, information.flags_at + k, value, 0.0, MAX_BYTE)


@rule
def begin_flags(
    f: Frame,
    since: np.ndarray,
    information: InformationRole,
    unseen: np.ndarray,
    e: int,
    i: int,
    a: int,
) -> None:
    """Say of which kinds an agent is shown nothing at all, before tokens are passed."""
    token = information.token
    for k in range(information.flag_kind.shape[0]):
        kind = information.flag_kind[k]
        shown = token[kind, TOKEN_MASK] == 0.0 and not is_unseen(unseen, i, kind)
        lag = token[kind, TOKEN_LAG]
        information.kept[e, i, k] = shown and (lag == 0.0 or f.t[e] - lag >= since[e, a])


@rule
def is_unseen(unseen: np.ndarray, i: int, kind: int) -> bool:
    """Whether an agent's caste never sees a kind of token."""
    for k in range(unseen.shape[1]):
        if unseen[i, k] == kind:
            return True
    return False


@rule
def lose_token(information: InformationRole, e: int, i: int, kind: int) -> None:
    """Note that a token of a kind was withheld."""
    if information.flag_kind.shape[0] > 0 and information.token_flag[kind] >= 0:
        information.kept[e, i, information.token_flag[kind]] = False


@rule
def pass_token(
    information: InformationRole,
    added: AddedRole,
    unseen: np.ndarray,
    key: int,
    e: int,
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
    if token[kind, TOKEN_MASK] != 0.0 or is_unseen(unseen, i, kind):
        return at
    room = added.num_tokens - information.flag_kind.shape[0]
    chance = token[kind, TOKEN_DROP]
    if at + TOKEN_WIDTH > room * TOKEN_WIDTH or (chance > 0.0 and uniform_at(key, n + 1) < chance):
        lose_token(information, e, i, kind)
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
