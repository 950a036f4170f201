"""Handlers at work: follow a program's conditions and changes."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import program
from mesocosm.worlds.mettagrid.config import MOST
from mesocosm.worlds.mettagrid.holding import adjust
from mesocosm.worlds.mettagrid.inventory import is_empty
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.place import cell_of, vanish
from mesocosm.worlds.mettagrid.plan import OPAQUE
from mesocosm.worlds.mettagrid.program import FAIL, OP, PASS, TARGET, WHO, X, Y
from mesocosm.worlds.mettagrid.rounding import MOST_STAT, grown
from mesocosm.worlds.mettagrid.stat import note_gift
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.value import worth_of


@rule
def holds(s: State, p: Params, e: int, actor: int, target: int, at: int) -> bool:
    """Whether the condition in a row of the program holds."""
    row = p.tables.program[at]
    op = row[OP]
    who = target if row[WHO] == TARGET else actor
    x = row[X]
    if op == program.RESOURCE:
        return s.amount[e, who, x] >= row[Y]
    if op == program.GAME_VALUE:
        return worth_of(s, p, e, who, x) >= worth_of(s, p, e, who, row[Y])
    if op == program.VIBE:
        return s.vibe[e, who] == x
    return holds_there(s, p, e, actor, target, at)


@rule
def holds_there(s: State, p: Params, e: int, actor: int, target: int, at: int) -> bool:
    """Whether a condition on tags, places or times holds."""
    row = p.tables.program[at]
    op = row[OP]
    who = target if row[WHO] == TARGET else actor
    x = row[X]
    if op == program.TAG:
        return (s.tag[e, who, x // 62] >> (x % 62)) & 1 == 1
    if op == program.DISTANCE:
        dr = s.row[e, actor] - s.row[e, target]
        dc = s.col[e, actor] - s.col[e, target]
        return dr * dr + dc * dc <= x * x
    if op == program.PERIODIC:
        since = s.clock[e] - row[Y]
        return since >= 0 and since % max(x, 1) == 0
    return op == program.USABLE


@rule
def would_pass(s: State, p: Params, e: int, actor: int, target: int, start: int) -> bool:
    """Whether some handler of a program would act, without letting it."""
    at = start
    for _ in range(p.tables.program.shape[0]):
        op = p.tables.program[at, OP]
        if op == program.END:
            return False
        if op >= program.DELTA:
            return True
        ok = holds(s, p, e, actor, target, at)
        at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
    return False


@rule
def scale(amount: int, gain: float, applies: bool) -> int:
    """What an agent's yield makes of an amount."""
    return int(amount * gain) if applies else amount


@rule
def run(s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float) -> bool:
    """Let a program act; give whether some handler's conditions held."""
    at = start
    done = False
    for _ in range(p.tables.program.shape[0]):
        op = p.tables.program[at, OP]
        if op == program.END:
            break
        if op == program.DONE:
            done = True
            if p.tables.program[at, X] == 1:
                break
            at += 1
        elif op < program.DELTA:
            ok = holds(s, p, e, actor, target, at)
            at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
        else:
            apply(s, p, e, actor, target, at, gain)
            at += 1
    if done:
        s.stale[e, actor] = True
        s.stale[e, target] = True
    return done


@rule
def apply(s: State, p: Params, e: int, actor: int, target: int, at: int, gain: float) -> None:
    """Do what a row of the program says."""
    row = p.tables.program[at]
    op = row[OP]
    who = target if row[WHO] == TARGET else actor
    x = row[X]
    if op == program.DELTA:
        adjust(s, p, e, who, x, scale(row[Y], gain, who == actor and row[Y] > 0))
    elif op == program.TRANSFER:
        giver = target if row[WHO] >= 2 else actor
        taker = target if row[WHO] % 2 == 1 else actor
        transfer(s, p, e, giver, taker, x, scale(row[Y], gain, taker == actor and row[Y] > 0))
    elif op == program.VANISH:
        if is_empty(s.held[e, who]) and who >= p.agents and s.row[e, who] >= 0:
            vanish(s, p, e, who)
    elif op == program.CLEAR:
        adjust(s, p, e, who, x, -s.amount[e, who, x])
    elif op == program.SET_VIBE:
        s.vibe[e, who] = x
    elif op == program.SWAP:
        swap_places(s, p, e, actor, target)
    elif program.SET_STAT <= op <= program.ADD_ITEM:
        write_value(s, p, e, who, at, gain if who == actor else 1.0)
    else:
        set_tag(s, p, e, who, x, op == program.ADD_TAG)


@rule(inline=False)
def write_value(s: State, p: Params, e: int, who: int, at: int, gain: float) -> None:
    """Set or change a statistic, or a resource, to or by a value."""
    row = p.tables.program[at]
    op = row[OP]
    x = row[X]
    value = clip(worth_of(s, p, e, who, row[Y]), -MOST_STAT, MOST_STAT)
    if op == program.ADD_ITEM:
        most = int(clip(value, -MOST, MOST))
        adjust(s, p, e, who, x, scale(most, gain, most > 0))
    elif op == program.SET_GAME_STAT:
        s.game_stat[e, x] = value
    elif op == program.ADD_GAME_STAT:
        s.game_stat[e, x] = grown(s.game_stat[e, x], value)
    elif who < p.agents:
        s.stat[e, who, x] = value if op == program.SET_STAT else grown(s.stat[e, who, x], value)


@rule
def transfer(s: State, p: Params, e: int, giver: int, taker: int, r: int, most: int) -> None:
    """Hand over as much as there is and as fits; -1 means all.

    Both sides are touched even if nothing is handed over, and lose what is beyond their limits.
    """
    has = s.amount[e, giver, r]
    if most < 0 and has == 0:
        return
    want = has if most < 0 else min(most, has)
    got = adjust(s, p, e, taker, r, want)
    adjust(s, p, e, giver, r, -max(got, 0))
    note_gift(s, p, e, giver, r, got)


@rule
def swap_places(s: State, p: Params, e: int, actor: int, target: int) -> None:
    """Let two things change places."""
    r, c = s.row[e, actor], s.col[e, actor]
    y, x = s.row[e, target], s.col[e, target]
    if r < 0 or y < 0:
        return
    s.row[e, actor], s.col[e, actor] = y, x
    s.row[e, target], s.col[e, target] = r, c
    s.cell[e, cell_of(p, y, x)] = actor + 1
    s.cell[e, cell_of(p, r, c)] = target + 1
    if p.tables.kind[p.tables.kind_of[target], OPAQUE] != 0:
        s.opaque[e, cell_of(p, y, x)] -= 1
        s.opaque[e, cell_of(p, r, c)] += 1


@rule
def set_tag(s: State, p: Params, e: int, k: int, tag: int, on: bool) -> None:
    """Give or take a tag."""
    word = tag // 62
    bit = 1 << (tag % 62)
    if on:
        s.tag[e, k, word] = s.tag[e, k, word] | bit
    else:
        s.tag[e, k, word] = s.tag[e, k, word] & ~bit
