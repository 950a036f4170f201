"""What rows of bytecode do to inventories: transfers, sums that are applied later, defence."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    ATTACK_ARMOR,
    ATTACK_DEFENSE,
    ATTACK_ITEM,
    ATTACK_PART,
    ATTACK_POWER,
    ATTACK_SIZE,
    ATTACK_VIBE_ARMOR,
    ATTACK_WEAPON,
    END_OF_ROWS,
    GIFT_AMOUNT,
    GIFT_RESOURCE,
    GIFT_SIZE,
    GIFT_STAT,
    LIST_ITEMS,
    LIST_SIZE,
    REG_ACTOR,
    REG_DEFERRED_TO,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    NOBODY,
    OPCODE,
    OPERAND_1,
    OPERAND_2,
    TARGET,
    WHO,
)
from mesocosm.worlds.mettagrid.grid.holding import adjust, adjust_shown, space
from mesocosm.worlds.mettagrid.grid.inventory import gives_room, wide
from mesocosm.worlds.mettagrid.grid.stale import mark_stale
from mesocosm.worlds.mettagrid.grid.stat import add_to_stat
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import subject
from mesocosm.worlds.mettagrid.vm.scratch import append_item


@rule
def scale_gain(amount: int, gain: float, applies: bool) -> int:
    """Multiply an amount by an agent's yield."""
    return int(amount * gain) if applies else amount


@rule
def transfer(s: State, p: Params, e: int, giver: int, taker: int, r: int, most: int) -> int:
    """Transfer as much as there is and fits; -1 means all.

    Returns the amount. Even if that is 0, both sides lose what is beyond their limits.
    """
    has = s.amount[e, giver, r]
    if most < 0 and has == 0:
        return 0
    want = has if most < 0 else min(most, has)
    fits = min(want, space(s, p, e, taker, r))
    # who gives comes first: giving to oneself may change the order of what one holds
    adjust_shown(s, p, e, giver, r, -fits)
    adjust_shown(s, p, e, taker, r, fits)
    return fits


@rule
def defer_change(s: State, p: Params, e: int, at: int) -> bool:
    """Add a change to the sums that are applied later; not one of a resource that gives room."""
    row = p.tables.bytecode[at]
    k = s.reg[e, REG_TARGET]
    if (
        s.reg[e, REG_DEFERRED_TO] == 0
        or row[OPCODE] != opcodes.CHANGE_AMOUNT
        or row[WHO] != TARGET
        or k < 0
    ):
        return False
    r = row[OPERAND_1]
    if gives_room(p, p.tables.kind_of[k], r):
        return False
    sums = s.reg[e, REG_DEFERRED_TO] - 1
    size = s.pile[e, sums, LIST_SIZE]
    fresh = True
    for i in range(size):
        fresh = fresh and s.pile[e, sums, LIST_ITEMS + i] != r
    if fresh:
        append_item(s, e, sums, r)
    s.pile[e, sums, LIST_ITEMS + p.resources + r] += row[OPERAND_2]
    return True


@rule
def clear_inventory(s: State, p: Params, e: int, k: int) -> None:
    """Take away all that a thing holds, in the order it is told."""
    if k < 0:
        return
    mark_stale(s, e, k)
    for _ in range(p.resources):
        r = s.held[e, k, 0]
        if r < 0:
            return
        adjust(s, p, e, k, r, -s.amount[e, k, r])


@rule
def give_listed(s: State, p: Params, e: int, at: int) -> None:
    """Change what the things of a list hold; with a giver, by transfers from and to it."""
    row = p.tables.bytecode[at]
    found = row[OPERAND_1]
    giver = subject(s, p, e, at)
    for i in range(s.pile[e, found, LIST_SIZE]):
        k = s.pile[e, found, LIST_ITEMS + i]
        j = row[OPERAND_2]
        while p.code.data[j] != END_OF_ROWS:
            r = p.code.data[j + GIFT_RESOURCE]
            amount = p.code.data[j + GIFT_AMOUNT]
            given = 0
            if row[WHO] == NOBODY:
                adjust_shown(s, p, e, k, r, amount)
            elif giver >= 0 and amount > 0:
                given = transfer(s, p, e, giver, k, r, amount)
            elif giver >= 0 and amount < 0:
                given = transfer(s, p, e, k, giver, r, -amount)
            if given != 0:
                add_to_stat(s.game_stat[e], wide(p.code.data[j + GIFT_STAT]), given * 1.0)
            j += GIFT_SIZE


@rule
def defend(s: State, p: Params, e: int, at: int) -> bool:
    """Whether a target resists an attack; if so, it pays for that."""
    actor = s.reg[e, REG_ACTOR]
    target = s.reg[e, REG_TARGET]
    if actor < 0 or target < 0:
        return True
    first = p.tables.bytecode[at, OPERAND_1]
    power = 0
    shields = False
    i = first
    while p.code.data[i] != END_OF_ROWS:
        kind = p.code.data[i + ATTACK_PART]
        r = p.code.data[i + ATTACK_ITEM]
        x = p.code.data[i + ATTACK_POWER]
        if kind == ATTACK_WEAPON:
            power += x * s.amount[e, actor, r]
        elif kind == ATTACK_ARMOR:
            power -= x * s.amount[e, target, r]
        elif kind == ATTACK_VIBE_ARMOR and s.vibe[e, target] == r:
            power -= x
        shields = shields or kind == ATTACK_DEFENSE
        i += ATTACK_SIZE
    for turn in range(2):  # first whether it can, then it does
        i = first
        while shields and p.code.data[i] != END_OF_ROWS:
            r = p.code.data[i + ATTACK_ITEM]
            need = p.code.data[i + ATTACK_POWER] + max(power, 0)
            if p.code.data[i + ATTACK_PART] == ATTACK_DEFENSE:
                if turn == 0 and s.amount[e, target, r] < need:
                    return False
                if turn == 1:
                    adjust_shown(s, p, e, target, r, -need)
            i += ATTACK_SIZE
    return shields
