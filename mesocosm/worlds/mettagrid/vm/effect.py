"""What rows of bytecode do to things."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.rounding import MOST_STAT, add_rounded
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    LIST_ITEMS,
    LIST_SIZE,
    REG_ACTOR,
    REG_COL,
    REG_FAILED,
    REG_ROW,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    GIVER_STEP,
    OPCODE,
    OPERAND_1,
    OPERAND_2,
    TARGET,
    WHO,
)
from mesocosm.worlds.mettagrid.compile.stat_codes import SWAPPED
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.grid.holding import adjust_shown
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import is_on_map, swap_places
from mesocosm.worlds.mettagrid.grid.presence import remove_areas
from mesocosm.worlds.mettagrid.grid.stale import mark_displaced, mark_stale
from mesocosm.worlds.mettagrid.grid.stat import count_gift, count_stat
from mesocosm.worlds.mettagrid.grid.tag import set_tag
from mesocosm.worlds.mettagrid.grid.value import OVERFLOWS_AT, value_of
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import col_of, row_of, set_flag, subject
from mesocosm.worlds.mettagrid.vm.spawn import (
    free_at,
    move_thing,
    push_target,
    remove_if_empty,
    spawn_target,
    thing_at,
)
from mesocosm.worlds.mettagrid.vm.transfer import clear_inventory, give_listed, scale_gain, transfer


@rule
def apply_change(s: State, p: Params, e: int, at: int, gain: float) -> None:
    """Make a row's change of the actor, the target or both."""
    row = p.tables.bytecode[at]
    op = row[OPCODE]
    actor = s.reg[e, REG_ACTOR]
    target = s.reg[e, REG_TARGET]
    if op == opcodes.TRANSFER:
        giver = target if row[WHO] >= GIVER_STEP else actor
        taker = target if row[WHO] % GIVER_STEP == TARGET else actor
        if giver >= 0 and taker >= 0:
            most = scale_gain(row[OPERAND_2], gain, taker == actor and row[OPERAND_2] > 0)
            got = transfer(s, p, e, giver, taker, row[OPERAND_1], most)
            count_gift(s, p, e, giver, row[OPERAND_1], got)
        return
    who = target if row[WHO] == TARGET else actor
    if who < 0:
        return
    x = row[OPERAND_1]
    if op == opcodes.CHANGE_AMOUNT:
        delta = scale_gain(row[OPERAND_2], gain, who == actor and row[OPERAND_2] > 0)
        adjust_shown(s, p, e, who, x, delta)
    elif op == opcodes.CLEAR_RESOURCE:
        adjust_shown(s, p, e, who, x, -s.amount[e, who, x])
    elif op == opcodes.SET_VIBE:
        s.vibe[e, who] = x
        mark_stale(s, e, who)
    else:
        set_tag(s, p, e, who, x, op == opcodes.ADD_TAG)


@rule
def write_value(s: State, p: Params, e: int, at: int, gain: float) -> None:
    """Set or change a statistic, or a resource, to or by a value."""
    row = p.tables.bytecode[at]
    op = row[OPCODE]
    who = subject(s, p, e, at)
    x = row[OPERAND_1]
    value = value_of(s, p, e, who, row[OPERAND_2])
    if op == opcodes.ADD_AMOUNT and who >= 0:
        most = whole_amount(value, s.amount[e, who, x])
        delta = scale_gain(most, gain, who == s.reg[e, REG_ACTOR] and most > 0)
        adjust_shown(s, p, e, who, x, delta)
    elif op == opcodes.SET_GAME_STAT:
        s.game_stat[e, x] = keep_stat(p, value)
    elif op == opcodes.ADD_GAME_STAT or (op == opcodes.ADD_IF_NOBODY and who < 0):
        s.game_stat[e, x] = keep_stat(p, add_rounded(s.game_stat[e, x], value))
    elif op < opcodes.ADD_AMOUNT and 0 <= who < p.agents:
        before = 0.0 if op == opcodes.SET_STAT else s.stat[e, who, x]
        s.stat[e, who, x] = keep_stat(p, add_rounded(before, value))


@rule
def keep_stat(p: Params, value: float) -> float:
    """Return a value as a statistic holds it: upstream as it is, else within bounds."""
    return value if p.wraps_told else clip(value, -MOST_STAT, MOST_STAT)


@rule
def whole_amount(value: float, held: int) -> int:
    """Return a value as a change of an amount; what 32 bits cannot hold takes all away."""
    if value + held < OVERFLOWS_AT:
        return int(clip(value, -1.0 * MAX_AMOUNT, 1.0 * MAX_AMOUNT))
    return -MAX_AMOUNT


@rule
def apply_effect(s: State, p: Params, e: int, at: int) -> None:
    """Make a row's change of places, lists, tags or flags."""
    row = p.tables.bytecode[at]
    op = row[OPCODE]
    x = row[OPERAND_1]
    if op <= opcodes.SWAP_PLACES:
        apply_placement(s, p, e, at)
    elif op == opcodes.GIVE_LISTED:
        give_listed(s, p, e, at)
    elif op == opcodes.UNTAG_ALL:
        untag_all(s, p, e, x)
    elif op == opcodes.TAG_LISTED:
        for i in range(s.pile[e, x, LIST_SIZE]):
            set_tag(s, p, e, s.pile[e, x, LIST_ITEMS + i], row[OPERAND_2], True)
    elif op == opcodes.CLEAR_INVENTORY:
        clear_inventory(s, p, e, subject(s, p, e, at))
    else:
        set_flag(s, p, e, at)


@rule
def apply_placement(s: State, p: Params, e: int, at: int) -> None:
    """Move, spawn or remove a thing as a row says, or set the target cell."""
    row = p.tables.bytecode[at]
    op = row[OPCODE]
    by = s.reg[e, REG_ACTOR]
    to = s.reg[e, REG_TARGET]
    k = subject(s, p, e, at)
    if op == opcodes.RELOCATE:
        if 0 <= by < p.agents:
            move_thing(s, p, e, wide(by), wide(s.reg[e, REG_ROW]), wide(s.reg[e, REG_COL]))
    elif op == opcodes.SPAWN:
        spawn_target(s, p, e, wide(row[OPERAND_1]))
    elif op == opcodes.PUSH_TARGET:
        push_target(s, p, e, by, to)
    elif op == opcodes.SET_TARGET_CELL:
        set_target_cell(s, p, e, row[OPERAND_1], row[OPERAND_2])
    elif op == opcodes.PLACE_BESIDE:
        place_beside(s, p, e, k, row[OPERAND_1])
    elif op == opcodes.SWAP_PLACES:
        if 0 <= by < p.agents and 0 <= to < p.agents:
            swap_places(s, p, e, by, to)
            if p.agents_claim:
                mark_displaced(s, e, by)
                mark_displaced(s, e, to)
            count_stat(s, p, e, by, SWAPPED, 1.0)
    elif remove_if_empty(s, p, e, wide(k)) and p.code.schedule.num_areas > 0:
        remove_areas(s, p, e, wide(k), wide(row_of(s, p, e, k)), wide(col_of(s, p, e, k)))


@rule
def set_target_cell(s: State, p: Params, e: int, dr: int, dc: int) -> None:
    """Set the target to a cell relative to the actor, and to what is there."""
    by = s.reg[e, REG_ACTOR]
    r = row_of(s, p, e, by) + dr if by >= 0 else -1
    c = col_of(s, p, e, by) + dc if by >= 0 else -1
    if not is_on_map(p, r, c):
        s.reg[e, REG_FAILED] = 1
        return
    s.reg[e, REG_ROW] = r
    s.reg[e, REG_COL] = c
    s.reg[e, REG_TARGET] = thing_at(s, p, e, r, c)


@rule
def place_beside(s: State, p: Params, e: int, k: int, found: int) -> None:
    """Put a thing on a free cell beside the first of a list that has one."""
    if k < 0:
        return
    for i in range(s.pile[e, found, LIST_SIZE]):
        j = s.pile[e, found, LIST_ITEMS + i]
        r = row_of(s, p, e, j)
        c = col_of(s, p, e, j)
        for side in range(4):
            y = r + (1 if side == 1 else 0) - (1 if side == 0 else 0)
            x = c + (1 if side == 3 else 0) - (1 if side == 2 else 0)
            own = y == row_of(s, p, e, k) and x == col_of(s, p, e, k)  # free if it vanished there
            if not own and free_at(s, p, e, y, x):
                move_thing(s, p, e, wide(k), wide(y), wide(x))
                return


@rule
def untag_all(s: State, p: Params, e: int, tag: int) -> None:
    """Take a tag from every thing that has it."""
    place = p.code.data[tag]
    if place >= 0:
        i = wide(s.listed[e, place, 0])
        while i > 0:
            set_tag(s, p, e, wide(s.listed[e, place, i]), tag, False)
            i = min(i - 1, wide(s.listed[e, place, 0]))
