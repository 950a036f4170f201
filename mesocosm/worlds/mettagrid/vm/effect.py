"""What rows of programs do to things."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.rounding import MOST_STAT, grown
from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.opcodes import NOBODY, OP, TARGET, WHO, X, Y
from mesocosm.worlds.mettagrid.game.inventory import MOST
from mesocosm.worlds.mettagrid.grid.holding import adjust, space
from mesocosm.worlds.mettagrid.grid.inventory import gives_room, wide
from mesocosm.worlds.mettagrid.grid.place import swap_places
from mesocosm.worlds.mettagrid.grid.presence import lose_areas
from mesocosm.worlds.mettagrid.grid.stat import note_gift
from mesocosm.worlds.mettagrid.grid.tag import set_tag
from mesocosm.worlds.mettagrid.grid.value import worth_of
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import (
    BY,
    COL,
    DEFERS,
    FAILED,
    ROW,
    TO,
    col_of,
    row_of,
    set_flag,
    subject,
)
from mesocosm.worlds.mettagrid.vm.spawn import free_at, push, shift, spawn_target, thing_at, vanish
from mesocosm.worlds.mettagrid.vm.tally import FIRST, SIZE


@rule
def scale(amount: int, gain: float, applies: bool) -> int:
    """What an agent's yield makes of an amount."""
    return int(amount * gain) if applies else amount


@rule
def apply(s: State, p: Params, e: int, at: int, gain: float) -> None:
    """Do what a row of the program says to the actor or the target."""
    row = p.tables.program[at]
    op = row[OP]
    actor = s.reg[e, BY]
    target = s.reg[e, TO]
    if op == opcodes.TRANSFER:
        giver = target if row[WHO] >= 2 else actor
        taker = target if row[WHO] % 2 == 1 else actor
        if giver >= 0 and taker >= 0:
            most = scale(row[Y], gain, taker == actor and row[Y] > 0)
            got = transfer(s, p, e, giver, taker, row[X], most)
            note_gift(s, p, e, giver, row[X], got)
        return
    who = target if row[WHO] == TARGET else actor
    if who < 0:
        return
    x = row[X]
    s.stale[e, who] = True
    if op == opcodes.DELTA:
        adjust(s, p, e, who, x, scale(row[Y], gain, who == actor and row[Y] > 0))
    elif op == opcodes.CLEAR:
        adjust(s, p, e, who, x, -s.amount[e, who, x])
    elif op == opcodes.SET_VIBE:
        s.vibe[e, who] = x
    else:
        set_tag(s, p, e, who, x, op == opcodes.ADD_TAG)


@rule
def write_value(s: State, p: Params, e: int, at: int, gain: float) -> None:
    """Set or change a statistic, or a resource, to or by a value."""
    row = p.tables.program[at]
    op = row[OP]
    who = subject(s, p, e, at)
    x = row[X]
    value = clip(worth_of(s, p, e, who, row[Y]), -MOST_STAT, MOST_STAT)
    if op == opcodes.ADD_ITEM and who >= 0:
        most = int(clip(value, -1.0 * MOST, 1.0 * MOST))
        adjust(s, p, e, who, x, scale(most, gain, who == s.reg[e, BY] and most > 0))
        s.stale[e, who] = True
    elif op == opcodes.SET_GAME_STAT:
        s.game_stat[e, x] = value
    elif op == opcodes.ADD_GAME_STAT:
        s.game_stat[e, x] = grown(s.game_stat[e, x], value)
    elif op != opcodes.ADD_ITEM and 0 <= who < p.agents:
        s.stat[e, who, x] = value if op == opcodes.SET_STAT else grown(s.stat[e, who, x], value)


@rule
def act_out(s: State, p: Params, e: int, at: int) -> None:
    """Do what a row of the program says about places, queries or the program itself."""
    row = p.tables.program[at]
    op = row[OP]
    x = row[X]
    if op <= opcodes.SWAP:
        act_on_places(s, p, e, at)
    elif op == opcodes.HAND:
        hand_out(s, p, e, at)
    elif op == opcodes.UNTAG:
        untag(s, p, e, x)
    elif op == opcodes.TAG_ALL:
        for i in range(s.pile[e, x, SIZE]):
            set_tag(s, p, e, s.pile[e, x, FIRST + i], row[Y], True)
    elif op == opcodes.CLEAR_ALL:
        clear_all(s, p, e, subject(s, p, e, at))
    else:
        set_flag(s, p, e, at)


@rule
def act_on_places(s: State, p: Params, e: int, at: int) -> None:
    """Let things move, appear or vanish, as a row says, or turn to a place."""
    row = p.tables.program[at]
    op = row[OP]
    by = s.reg[e, BY]
    to = s.reg[e, TO]
    k = subject(s, p, e, at)
    if op == opcodes.RELOCATE:
        if 0 <= by < p.agents:
            shift(s, p, e, wide(by), wide(s.reg[e, ROW]), wide(s.reg[e, COL]))
    elif op == opcodes.SPAWN:
        spawn_target(s, p, e, wide(row[X]))
    elif op == opcodes.PUSH:
        push(s, p, e, by, to)
    elif op == opcodes.AIM:
        aim(s, p, e, row[X], row[Y])
    elif op == opcodes.PLACE:
        place_beside(s, p, e, k, row[X])
    elif op == opcodes.SWAP:
        if 0 <= by < p.agents and 0 <= to < p.agents:
            swap_places(s, p, e, by, to)
    elif vanish(s, p, e, wide(k)) and p.code.plot.num_areas > 0:
        lose_areas(s, p, e, wide(k))


@rule
def transfer(s: State, p: Params, e: int, giver: int, taker: int, r: int, most: int) -> int:
    """Hand over as much as there is and as fits; -1 means all.

    Gives how much it was. Both sides are touched even if it was nothing, and lose what is beyond
    their limits.
    """
    has = s.amount[e, giver, r]
    s.stale[e, giver] = True
    s.stale[e, taker] = True
    if most < 0 and has == 0:
        return 0
    want = has if most < 0 else min(most, has)
    fits = min(want, space(s, p, e, taker, r))
    # who gives comes first: giving to oneself may change the order of what one holds
    adjust(s, p, e, giver, r, -fits)
    adjust(s, p, e, taker, r, fits)
    return fits


@rule
def defers(s: State, p: Params, e: int, at: int) -> bool:
    """Add to what is changed at once later, in order of its first mention; not what gives room."""
    row = p.tables.program[at]
    k = s.reg[e, TO]
    if s.reg[e, DEFERS] == 0 or row[OP] != opcodes.DELTA or row[WHO] != TARGET or k < 0:
        return False
    r = row[X]
    if gives_room(p, p.tables.kind_of[k], r):
        return False
    s.stale[e, k] = True
    sums = s.reg[e, DEFERS] - 1
    size = s.pile[e, sums, SIZE]
    fresh = True
    for i in range(size):
        fresh = fresh and s.pile[e, sums, FIRST + i] != r
    if fresh:
        s.pile[e, sums, FIRST + size] = r
        s.pile[e, sums, SIZE] = size + 1
    s.pile[e, sums, FIRST + p.resources + r] += row[Y]
    return True


@rule
def clear_all(s: State, p: Params, e: int, k: int) -> None:
    """Take away all that a thing holds, in the order it is told."""
    if k < 0:
        return
    s.stale[e, k] = True
    for _ in range(p.resources):
        r = s.held[e, k, 0]
        if r < 0:
            return
        adjust(s, p, e, k, r, -s.amount[e, k, r])


@rule
def aim(s: State, p: Params, e: int, dr: int, dc: int) -> None:
    """Turn to a cell as seen from the actor, and to what is there."""
    by = s.reg[e, BY]
    r = row_of(s, e, by) + dr if by >= 0 else -1
    c = col_of(s, e, by) + dc if by >= 0 else -1
    if r < 0 or c < 0 or r >= p.height or c >= p.width:
        s.reg[e, FAILED] = 1
        return
    s.reg[e, ROW] = r
    s.reg[e, COL] = c
    s.reg[e, TO] = thing_at(s, p, e, r, c)


@rule
def place_beside(s: State, p: Params, e: int, k: int, found: int) -> None:
    """Put a thing on a free cell beside the first of a list that has one."""
    if k < 0:
        return
    for i in range(s.pile[e, found, SIZE]):
        j = s.pile[e, found, FIRST + i]
        r = row_of(s, e, j)
        c = col_of(s, e, j)
        for side in range(4):
            y = r + (1 if side == 1 else 0) - (1 if side == 0 else 0)
            x = c + (1 if side == 3 else 0) - (1 if side == 2 else 0)
            if free_at(s, p, e, y, x):
                shift(s, p, e, wide(k), wide(y), wide(x))
                return


@rule
def hand_out(s: State, p: Params, e: int, at: int) -> None:
    """Change what all of a list hold; with a giver, what they get is its own and back."""
    row = p.tables.program[at]
    found = row[X]
    giver = subject(s, p, e, at)
    for i in range(s.pile[e, found, SIZE]):
        k = s.pile[e, found, FIRST + i]
        j = row[Y]
        while p.code.data[j] >= 0:
            r = p.code.data[j]
            amount = p.code.data[j + 1]
            if row[WHO] == NOBODY:
                adjust(s, p, e, k, r, amount)
                s.stale[e, k] = True
            elif giver >= 0 and amount > 0:
                transfer(s, p, e, giver, k, r, amount)
            elif giver >= 0 and amount < 0:
                transfer(s, p, e, k, giver, r, -amount)
            j += 2


@rule
def untag(s: State, p: Params, e: int, tag: int) -> None:
    """Take a tag from everyone who is listed as having it."""
    place = p.code.data[tag]
    for k in range(p.things):
        if place >= 0 and s.since[e, k, place] > 0:
            set_tag(s, p, e, k, tag, False)


@rule
def defends(s: State, p: Params, e: int, at: int) -> bool:
    """Whether a target resists an attack; it then spends what that takes."""
    actor = s.reg[e, BY]
    target = s.reg[e, TO]
    if actor < 0 or target < 0:
        return True
    first = p.tables.program[at, X]
    power = 0
    shields = False
    i = first
    while p.code.data[i] >= 0:
        kind, r, x = p.code.data[i], p.code.data[i + 1], p.code.data[i + 2]
        if kind == 0:
            power += x * s.amount[e, actor, r]
        elif kind == 1:
            power -= x * s.amount[e, target, r]
        elif kind == 3 and s.vibe[e, target] == r:
            power -= x
        shields = shields or kind == 2
        i += 3
    for turn in range(2):  # first whether it can, then it does
        i = first
        while shields and p.code.data[i] >= 0:
            r = p.code.data[i + 1]
            need = p.code.data[i + 2] + max(power, 0)
            if p.code.data[i] == 2:
                if turn == 0 and s.amount[e, target, r] < need:
                    return False
                if turn == 1:
                    adjust(s, p, e, target, r, -need)
                    s.stale[e, target] = True
            i += 3
    return shields
