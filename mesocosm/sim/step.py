"""One step of an env, in its declared order: what the engine, the world and the layers do when.

This is plain Python, and on the python target it runs as it stands: set a breakpoint in it. For a
compiler, `mesocosm.sim.compile.specialise` writes it out for one world: loops over roles and fields
are unrolled, the world's rules and the layers' hooks are called by name, and whatever stands behind
`if batch.hooks is not None` is left out where no layer is active.

Every function here gets `batch`: the arrays of all envs, and the rules that work on them. `e` is
the number of an env, `a` an agent, `i` its number within its role.
"""

from typing import Any

from mesocosm.sim.bound import BoundBatch, BoundRole
from mesocosm.sim.element import nearest_whole
from mesocosm.sim.frame import DONE, FIRST, PLAY, RENEW, REVIEW, STATE, TURN_MODE
from mesocosm.sim.handles import (
    COLUMN_COUNT,
    COLUMN_FIELD,
    COLUMN_FIRST,
    COLUMN_STRIDE,
)
from mesocosm.sim.stages import (
    blank,
    check_turns,
    clear_last_step,
    close_mask,
    decode,
    fill,
    is_shown,
    leave,
    prepare,
    report,
    rest,
    review,
    settle,
    share,
    show_mask,
    start_episode_if_due,
    take_turns,
    total,
)


def drive(batch: BoundBatch, lo: int, hi: int) -> None:
    """Carry out the commands of envs lo..hi-1."""
    for e in range(lo, hi):
        while batch.f.command[e] < DONE:
            act(batch, e)
            if batch.hooks is not None:
                write_world_views(batch, e)
            for a in range(batch.f.active.shape[1]):
                show(batch, e, a)
            leave(batch.f, e)
        batch.f.command[e] = PLAY


def drive_bound(batch: BoundBatch, lo: int, hi: int) -> None:
    """Enter compiled code, where a block of words stands for the batch."""
    drive(batch, lo, hi)


def act(batch: BoundBatch, e: int) -> None:
    """Do what was commanded, up to the point where agents are shown the result."""
    command = batch.f.command[e]
    begins = start_episode_if_due(batch.f, e)
    if begins:
        prepare(batch.f, e)
        if batch.hooks is not None:
            batch.hooks.begin_episode(batch.f, batch.layers, e)
        batch.rules.reset(batch.s, batch.f, batch.p, e)
    elif command == REVIEW:
        review(batch.f, e)
    elif batch.f.finished[e]:
        rest(batch.f, e)
    else:
        advance(batch, e)
    if begins or command == REVIEW:
        batch.rules.rebuild(batch.s, batch.p, e)
        remember(batch, e)
    if begins and command != RENEW:
        clear_last_step(batch.f, e)
    if command != REVIEW:
        take_turns(batch.f, e)
        if batch.f.control[TURN_MODE] == STATE:
            batch.rules.turn(batch.s, batch.f, batch.p, e)
            check_turns(batch.f, e)


def advance(batch: BoundBatch, e: int) -> None:
    """Play one step of a running episode."""
    clear_last_step(batch.f, e)
    if batch.hooks is not None:
        batch.hooks.begin_step(batch.f, batch.layers, e)
        for role in batch.roles:
            batch.hooks.store_history(batch.f, role.r, role.layers, e)
    for role in batch.roles:
        decode(batch.f, role.r, e)
        if batch.hooks is not None:
            batch.hooks.change_actions(batch.f, batch.layers, role.r, role.layers, e)
    if batch.hooks is not None:
        if batch.layers.handles.compares:
            gather(batch, batch.layers.handles.before, e)
        batch.hooks.before_transition(batch.f, batch.layers, e)
    remember(batch, e)
    batch.rules.transition(batch.s, batch.f, batch.p, e)
    batch.f.t[e] += 1
    if batch.hooks is not None:
        apply_column_changes(batch, e)
        batch.hooks.change_parameters(batch.f, batch.layers, e)
    for role in batch.roles:
        score(batch, role, e)
    batch.rules.ending(batch.s, batch.f, batch.p, e)
    if batch.hooks is not None:
        batch.hooks.change_rewards(batch.f, batch.layers, e)
    for role in batch.roles:
        total(batch.f, role.r, e)
    settle(batch.f, e)
    if batch.hooks is not None:
        batch.hooks.end_step(batch.f, batch.layers, e)


def remember(batch: BoundBatch, e: int) -> None:
    """Keep the fields declared `previous` for the reward terms."""
    for field in batch.previous:
        field.copy(field.now, field.before, e)


def score(batch: BoundBatch, role: BoundRole, e: int) -> None:
    """Evaluate the reward terms of a role's active agents."""
    first = role.r.meta[FIRST]
    for a in range(first, first + role.r.choice.shape[1]):
        if batch.f.active[e, a]:
            role.terms(batch.s, batch.f, batch.p, e, a)
    share(batch.f, role.r, e)


def show(batch: BoundBatch, e: int, a: int) -> None:
    """Write what agent a receives."""
    for role in batch.roles:
        if a < role.r.meta[FIRST] + role.r.choice.shape[1]:
            show_member(batch, role, e, a - role.r.meta[FIRST])
            return


def show_member(batch: BoundBatch, role: BoundRole, e: int, i: int) -> None:
    """Write what one agent of a role receives: observation, info and mask."""
    a = role.r.meta[FIRST] + i
    report(batch.f, role.r, e, i, a)
    out = role.r.obs[e, i]
    if is_shown(batch.f, e, a):
        observe(batch, role, e, i, a)
        role.inform(batch.s, batch.p, e, a, role.r.info[e, i])
        blank(role.r.info[e, i], role.r.info_hidden, role.r.info_absent)
    else:
        fill(out, role.r.absent)
        fill(role.r.info[e, i], role.r.info_absent)
    if role.layers is not None:
        change_shown(batch, role, e, i, a)
    write_mask(batch, role, e, i, a)
    if batch.f.ending[e, a] != 0:
        fill(role.r.final_obs[e, i], out)


def write_mask(batch: BoundBatch, role: BoundRole, e: int, i: int, a: int) -> None:
    """Write what one agent may do: the truth, which decoding reads, and what it is shown of it."""
    valid = role.r.valid[e, i]
    if not batch.f.acting[e, a]:
        fill(valid, role.r.idle_mask)
        fill(role.r.mask[e, i], role.r.idle_mask)
        return
    fill(valid, role.r.open_mask)
    role.mask(batch.s, batch.p, e, a, valid)
    close_mask(role.r, valid)
    if batch.hooks is not None:
        batch.hooks.change_mask(role.r, role.layers, i, valid)
    show_mask(role.r, e, i)


def observe(batch: BoundBatch, role: BoundRole, e: int, i: int, a: int) -> None:
    """Write the world's own view into what an agent is shown, unless layers keep it apart."""
    if role.layers is None:
        role.observe(batch.s, batch.p, e, a, role.r.obs[e, i])
        blank(role.r.obs[e, i], role.r.hidden, role.r.absent)
    elif not role.layers.world_view.is_changed or role.layers.world_view.rows.shape[0] == 0:
        role.observe(batch.s, batch.p, e, a, role.r.obs[e, i])
        blank(role.r.obs[e, i], role.layers.world_view.hidden, role.layers.world_view.absent)


def change_shown(batch: BoundBatch, role: BoundRole, e: int, i: int, a: int) -> None:
    """Let layers change what one agent is shown and told."""
    if not role.layers.world_view.is_changed:
        return
    if is_shown(batch.f, e, a):
        if batch.layers.handles.seen.shape[1] > 0:
            mark_seen(batch, e, a)
        batch.hooks.change_observation(
            batch.f, batch.layers, role.layers, e, i, a, role.r.obs[e, i]
        )
        batch.hooks.change_info(batch.f, batch.layers, role.layers, e, i, a, role.r.info[e, i])


def write_world_views(batch: BoundBatch, e: int) -> None:
    """Write the world's own views of an env, where some role's are kept apart."""
    if batch.layers.handles.keeps_views:
        for a in range(batch.f.active.shape[1]):
            write_world_view(batch, e, a)
        share_all_views(batch, e)


def write_world_view(batch: BoundBatch, e: int, a: int) -> None:
    """Write the world's own view of agent a."""
    for role in batch.roles:
        if a < role.r.meta[FIRST] + role.r.choice.shape[1]:
            write_member_view(batch, role, e, a - role.r.meta[FIRST])
            return


def write_member_view(batch: BoundBatch, role: BoundRole, e: int, i: int) -> None:
    """Write the world's own view for one agent of a role, where it is kept apart."""
    a = role.r.meta[FIRST] + i
    view = role.layers.world_view
    if view.rows.shape[0] == 0:
        return
    if is_shown(batch.f, e, a):
        role.observe(batch.s, batch.p, e, a, view.rows[e, i])
        blank(view.rows[e, i], view.hidden, view.absent)
    else:
        fill(view.rows[e, i], view.absent)


def share_all_views(batch: BoundBatch, e: int) -> None:
    """Let layers make of all views what agents know of each other's."""
    for role in batch.roles:
        batch.hooks.share_views(batch.f, batch.layers, role.r, role.layers, e)


def mark_seen(batch: BoundBatch, e: int, a: int) -> None:
    """Mark whom an agent sees."""
    for j in range(batch.layers.handles.seen.shape[2]):
        batch.layers.handles.seen[e, a, j] = j == a or batch.rules.sees(batch.s, batch.p, e, a, j)


def apply_column_changes(batch: BoundBatch, e: int) -> None:
    """Let layers change what the transition did to the columns they act on."""
    if batch.layers.handles.column.shape[0] == 0:
        return
    gather(batch, batch.layers.handles.value, e)
    if batch.layers.handles.seen.shape[1] > 0:
        for a in range(batch.f.active.shape[1]):
            mark_seen(batch, e, a)
    batch.hooks.change_columns(batch.f, batch.layers, e)
    scatter(batch, e)
    if batch.layers.handles.rebuilds:
        batch.rules.rebuild(batch.s, batch.p, e)


def gather(batch: BoundBatch, into: Any, e: int) -> None:
    """Copy the columns that layers act on out of the state."""
    column = batch.layers.handles.column
    for c in range(column.shape[0]):
        for j in range(column[c, COLUMN_COUNT]):
            at = column[c, COLUMN_FIRST] + j * column[c, COLUMN_STRIDE]
            into[e, c, j] = read_number(batch, column[c, COLUMN_FIELD], e, at)
            if column[c, COLUMN_FIELD] < 0:
                into[e, c, j] = read_quantity(batch, e, c, j)


def scatter(batch: BoundBatch, e: int) -> None:
    """Write the columns that layers act on back, for the agents that take part."""
    column = batch.layers.handles.column
    for c in range(column.shape[0]):
        for j in range(column[c, COLUMN_COUNT]):
            if column[c, COLUMN_STRIDE] == 0 or batch.f.active[e, j]:
                at = column[c, COLUMN_FIRST] + j * column[c, COLUMN_STRIDE]
                value = batch.layers.handles.value[e, c, j]
                write_number(batch, column[c, COLUMN_FIELD], e, at, value)
    for c in range(column.shape[0]):  # last: what a quantity pays is added to what fields are now
        if column[c, COLUMN_FIELD] < 0:
            for j in range(column[c, COLUMN_COUNT]):
                if batch.f.active[e, j]:
                    write_quantity(batch, e, c, j)


def read_number(batch: BoundBatch, k: int, e: int, at: int) -> float:
    """Read one number of a malleable field."""
    for field in batch.malleable:
        if k == field.number:
            return field.read(field.now, e, at)
    return 0.0


def write_number(batch: BoundBatch, k: int, e: int, at: int, value: float) -> None:
    """Write one number of a malleable field."""
    for field in batch.malleable:
        if k == field.number:
            field.write(field.now, e, at, value)


def read_quantity(batch: BoundBatch, e: int, c: int, j: int) -> float:
    """Read one number of a quantity, with the fraction that layers left over."""
    column = batch.layers.handles.column
    for quantity in batch.quantities:
        if column[c, COLUMN_FIELD] == quantity.number:
            whole = quantity.read(batch.s, batch.p, e, j, column[c, COLUMN_FIRST])
            return whole + batch.layers.handles.fraction[e, j, c]
    return 0.0


def write_quantity(batch: BoundBatch, e: int, c: int, j: int) -> None:
    """Write one number of a quantity; keep the fraction unless the world allowed less or more."""
    handles = batch.layers.handles
    k = handles.column[c, COLUMN_FIRST]
    whole = nearest_whole(handles.value[e, c, j])
    for quantity in batch.quantities:
        if handles.column[c, COLUMN_FIELD] == quantity.number:
            quantity.write(batch.s, batch.p, e, j, k, whole)
            kept = quantity.read(batch.s, batch.p, e, j, k) == whole
            left = handles.value[e, c, j] - whole
            handles.fraction[e, j, c] = left if kept else 0.0
