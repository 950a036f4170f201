"""What rows of programs do to things."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import program
from mesocosm.worlds.mettagrid.config import MOST
from mesocosm.worlds.mettagrid.inventory import change, gives_room, is_empty, room, wide
from mesocosm.worlds.mettagrid.program import NOBODY, OP, TARGET, WHO, X, Y
from mesocosm.worlds.mettagrid.register import (
    BY,
    COL,
    DEFERS,
    FAILED,
    FLAGS,
    ROW,
    TO,
    col_of,
    row_of,
    set_tag,
    subject,
)
from mesocosm.worlds.mettagrid.rounding import MOST_STAT, grown
from mesocosm.worlds.mettagrid.spawn import (
    cell_at,
    free_at,
    push,
    remove,
    shift,
    spawn_target,
    thing_at,
)
from mesocosm.worlds.mettagrid.stat import note_gift
from mesocosm.worlds.mettagrid.tally import FIRST, SIZE
from mesocosm.worlds.mettagrid.value import evaluate
from mesocosm.worlds.mettagrid.work import Seen, Work


@rule
def adjust(w: Work, k: int, r: int, delta: int) -> int:
    """Add to or take from what a thing holds; give the real change."""
    return change(w.amount, w.held, w.buckets, w.stat, w.bag, wide(k), wide(r), wide(delta))


@rule
def scale(amount: int, gain: float, applies: bool) -> int:
    """What an agent's yield makes of an amount."""
    return int(amount * gain) if applies else amount


@rule
def apply(w: Work, at: int, gain: float) -> None:
    """Do what a row of the program says to the actor or the target."""
    row = w.program[at]
    op = row[OP]
    actor = w.reg[BY]
    target = w.reg[TO]
    if op == program.TRANSFER:
        giver = target if row[WHO] >= 2 else actor
        taker = target if row[WHO] % 2 == 1 else actor
        if giver >= 0 and taker >= 0:
            most = scale(row[Y], gain, taker == actor and row[Y] > 0)
            got = transfer(w, giver, taker, row[X], most)
            note_gift(w.stat, w.bag, wide(giver), wide(row[X]), got)
        return
    if op == program.SWAP:
        if 0 <= actor < w.agents and 0 <= target < w.agents:
            swap_agents(w, actor, target)
        return
    who = target if row[WHO] == TARGET else actor
    if who < 0:
        return
    x = row[X]
    w.stale[who] = True
    if op == program.DELTA:
        later = w.reg[DEFERS] > 0 and row[WHO] == TARGET
        if not (later and defer(w, who, wide(x), wide(row[Y]))):
            adjust(w, who, x, scale(row[Y], gain, who == actor and row[Y] > 0))
    elif op == program.VANISH:
        if is_empty(w.held[who]) and who >= w.agents and w.row[who] >= 0:
            remove(w, wide(who))
    elif op == program.CLEAR:
        adjust(w, who, x, -w.amount[who, x])
    elif op == program.SET_VIBE:
        w.vibe[who] = x
    else:
        set_tag(w, who, x, op == program.ADD_TAG)


@rule
def worth(w: Seen, k: int, which: int) -> float:
    """Give a value, for a thing."""
    return evaluate(
        w.amount, w.stat, w.game_stat, w.glimpse, w.pile, w.values, wide(k), wide(which)
    )


@rule
def write_value(w: Work, at: int, gain: float) -> None:
    """Set or change a statistic, or a resource, to or by a value."""
    row = w.program[at]
    op = row[OP]
    who = subject(w, at)
    x = row[X]
    value = clip(worth(w, who, row[Y]), -MOST_STAT, MOST_STAT)
    if op == program.ADD_ITEM and who >= 0:
        most = int(clip(value, -MOST, MOST))
        adjust(w, who, x, scale(most, gain, who == w.reg[BY] and most > 0))
        w.stale[who] = True
    elif op == program.SET_GAME_STAT:
        w.game_stat[x] = value
    elif op == program.ADD_GAME_STAT:
        w.game_stat[x] = grown(w.game_stat[x], value)
    elif op != program.ADD_ITEM and 0 <= who < w.agents:
        w.stat[who, x] = value if op == program.SET_STAT else grown(w.stat[who, x], value)


@rule
def act_out(w: Work, at: int) -> None:
    """Do what a row of the program says about places, queries or the program itself."""
    row = w.program[at]
    op = row[OP]
    x = row[X]
    if op == program.RELOCATE:
        by = w.reg[BY]
        if 0 <= by < w.agents:
            shift(w, wide(by), wide(w.reg[ROW]), wide(w.reg[COL]))
    elif op == program.SPAWN:
        spawn_target(w, wide(x))
    elif op == program.PUSH:
        push(w, w.reg[BY], w.reg[TO])
    elif op == program.AIM:
        aim(w, x, row[Y])
    elif op == program.PLACE:
        place_beside(w, subject(w, at), x)
    elif op == program.HAND:
        hand_out(w, at)
    elif op == program.UNTAG:
        untag(w, x)
    elif op == program.TAG_ALL:
        for i in range(w.pile[x, SIZE]):
            set_tag(w, w.pile[x, FIRST + i], row[Y], True)
    elif op == program.CLEAR_ALL:
        clear_all(w, subject(w, at))
    else:
        bit = 1 << x
        w.reg[FLAGS] = (w.reg[FLAGS] | bit) - (0 if op == program.SET_FLAG else bit)


@rule
def transfer(w: Work, giver: int, taker: int, r: int, most: int) -> int:
    """Hand over as much as there is and as fits; -1 means all.

    Gives how much it was. Both sides are touched even if it was nothing, and lose what is beyond
    their limits.
    """
    has = w.amount[giver, r]
    w.stale[giver] = True
    w.stale[taker] = True
    if most < 0 and has == 0:
        return 0
    want = has if most < 0 else min(most, has)
    fits = min(want, room(w.amount, w.bag, wide(taker), wide(r)))
    adjust(w, giver, r, -fits)  # first: who gives to itself may change the order of what it holds
    adjust(w, taker, r, fits)
    return fits


@rule
def defer(w: Work, k: int, r: int, amount: int) -> bool:
    """Add to what is changed at once later, in order of its first mention; not what gives room."""
    if gives_room(w.bag, wide(w.bag.kind_of[k]), r):
        return False
    sums = w.reg[DEFERS] - 1
    size = w.pile[sums, SIZE]
    fresh = True
    for i in range(size):
        fresh = fresh and w.pile[sums, FIRST + i] != r
    if fresh:
        w.pile[sums, FIRST + size] = r
        w.pile[sums, SIZE] = size + 1
    w.pile[sums, FIRST + w.resources + r] += amount
    return True


@rule
def clear_all(w: Work, k: int) -> None:
    """Take away all that a thing holds, in the order it is told."""
    if k < 0:
        return
    w.stale[k] = True
    for _ in range(w.resources):
        r = w.held[k, 0]
        if r < 0:
            return
        adjust(w, k, r, -w.amount[k, r])


@rule
def swap_agents(w: Work, actor: int, target: int) -> None:
    """Let two agents change places."""
    r, c = w.row[actor], w.col[actor]
    y, x = w.row[target], w.col[target]
    if r < 0 or y < 0:
        return
    w.row[actor], w.col[actor] = y, x
    w.row[target], w.col[target] = r, c
    w.cell[cell_at(w, y, x)] = actor + 1
    w.cell[cell_at(w, r, c)] = target + 1


@rule
def aim(w: Work, dr: int, dc: int) -> None:
    """Turn to a cell as seen from the actor, and to what is there."""
    by = w.reg[BY]
    r = row_of(w, by) + dr if by >= 0 else -1
    c = col_of(w, by) + dc if by >= 0 else -1
    if r < 0 or c < 0 or r >= w.height or c >= w.width:
        w.reg[FAILED] = 1
        return
    w.reg[ROW] = r
    w.reg[COL] = c
    w.reg[TO] = thing_at(w, r, c)


@rule
def place_beside(w: Work, k: int, found: int) -> None:
    """Put a thing on a free cell beside the first of a list that has one."""
    if k < 0:
        return
    for i in range(w.pile[found, SIZE]):
        j = w.pile[found, FIRST + i]
        r = row_of(w, j)
        c = col_of(w, j)
        for side in range(4):
            y = r + (1 if side == 1 else 0) - (1 if side == 0 else 0)
            x = c + (1 if side == 3 else 0) - (1 if side == 2 else 0)
            if free_at(w, y, x):
                shift(w, wide(k), wide(y), wide(x))
                return


@rule
def hand_out(w: Work, at: int) -> None:
    """Change what all of a list hold; with a giver, what they get is its own and back."""
    row = w.program[at]
    found = row[X]
    giver = subject(w, at)
    for i in range(w.pile[found, SIZE]):
        k = w.pile[found, FIRST + i]
        j = row[Y]
        while w.data[j] >= 0:
            r = w.data[j]
            amount = w.data[j + 1]
            if row[WHO] == NOBODY:
                adjust(w, k, r, amount)
                w.stale[k] = True
            elif giver >= 0 and amount > 0:
                transfer(w, giver, k, r, amount)
            elif giver >= 0 and amount < 0:
                transfer(w, k, giver, r, -amount)
            j += 2


@rule
def untag(w: Work, tag: int) -> None:
    """Take a tag from everyone who is listed as having it."""
    place = w.data[tag]
    for k in range(w.things):
        if place >= 0 and w.since[k, place] > 0:
            set_tag(w, k, tag, False)


@rule
def defends(w: Work, at: int) -> bool:
    """Whether a target resists an attack; it then spends what that takes."""
    actor = w.reg[BY]
    target = w.reg[TO]
    if actor < 0 or target < 0:
        return True
    first = w.program[at, X]
    power = 0
    shields = False
    i = first
    while w.data[i] >= 0:
        kind, r, x = w.data[i], w.data[i + 1], w.data[i + 2]
        if kind == 0:
            power += x * w.amount[actor, r]
        elif kind == 1:
            power -= x * w.amount[target, r]
        elif kind == 3 and w.vibe[target] == r:
            power -= x
        shields = shields or kind == 2
        i += 3
    for turn in range(2):  # first whether it can, then it does
        i = first
        while shields and w.data[i] >= 0:
            r = w.data[i + 1]
            need = w.data[i + 2] + max(power, 0)
            if w.data[i] == 2:
                if turn == 0 and w.amount[target, r] < need:
                    return False
                if turn == 1:
                    adjust(w, target, r, -need)
                    w.stale[target] = True
            i += 3
    return shields
