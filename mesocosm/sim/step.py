"""One step of an env, in its declared order: what the engine, the world and the layers do when.

This is plain Python, and on the python target it runs as it stands: set a breakpoint in it. For a
compiler, `mesocosm.sim.compile.specialise` writes it out for one world: loops over roles and fields
are unrolled, the world's rules and the layers' hooks are called by name, and whatever stands behind
`if env.hooks is not None` is left out where no layer is active.

Every function here gets `env`, a batch with all that its step needs; `e` is the number of an
episode in it, `a` an agent, `i` its number within its role.
"""

from typing import Any

from mesocosm.sim.bound import BoundEnv, BoundRole
from mesocosm.sim.frame import DONE, FIRST, PLAY, RENEW, REVIEW, STATE, TURN_MODE
from mesocosm.sim.handles import (
    COLUMN_COUNT,
    COLUMN_FIELD,
    COLUMN_FIRST,
    COLUMN_STRIDE,
)
from mesocosm.sim.stages import (
    begin,
    begins_episode,
    blank,
    check_turns,
    close_mask,
    decode,
    fill,
    is_shown,
    leave,
    prepare,
    rest,
    review,
    settle,
    share,
    take_turns,
    total,
)


def drive(env: BoundEnv, lo: int, hi: int) -> None:
    """Carry out the commands of envs lo..hi-1."""
    for e in range(lo, hi):
        while env.f.command[e] < DONE:
            act(env, e)
            if env.hooks is not None:
                keep_all_views(env, e)
            for a in range(env.f.active.shape[1]):
                show(env, e, a)
            leave(env.f, e)
        env.f.command[e] = PLAY


def drive_bound(env: BoundEnv, lo: int, hi: int) -> None:
    """Enter compiled code, where a block of words stands for the batch."""
    drive(env, lo, hi)


def act(env: BoundEnv, e: int) -> None:
    """Do what was commanded, up to the point where agents are shown the result."""
    command = env.f.command[e]
    begins = begins_episode(env.f, e)
    if begins:
        prepare(env.f, e)
        if env.hooks is not None:
            env.hooks.begin_episode(env.f, env.dials, e)
        env.rules.reset(env.s, env.f, env.p, e)
    elif command == REVIEW:
        review(env.f, e)
    elif env.f.finished[e]:
        rest(env.f, e)
    else:
        advance(env, e)
    if begins or command == REVIEW:
        env.rules.rebuild(env.s, env.p, e)
        remember(env, e)
    if begins and command != RENEW:
        begin(env.f, e)
    if command != REVIEW:
        take_turns(env.f, e)
        if env.f.control[TURN_MODE] == STATE:
            env.rules.turn(env.s, env.f, env.p, e)
            check_turns(env.f, e)


def advance(env: BoundEnv, e: int) -> None:
    """Play one step of a running episode."""
    begin(env.f, e)
    if env.hooks is not None:
        env.hooks.begin_step(env.f, env.dials, e)
        for role in env.roles:
            env.hooks.keep_views(env.f, role.r, role.own, e)
    for role in env.roles:
        decode(env.f, role.r, e)
        if env.hooks is not None:
            env.hooks.change_actions(env.f, env.dials, role.r, role.own, e)
    if env.hooks is not None:
        if env.dials.handles.compares:
            gather(env, env.dials.handles.before, e)
        env.hooks.before_transition(env.f, env.dials, e)
    remember(env, e)
    env.rules.transition(env.s, env.f, env.p, e)
    env.f.t[e] += 1
    if env.hooks is not None:
        apply_column_changes(env, e)
        env.hooks.change_parameters(env.f, env.dials, e)
    for role in env.roles:
        score(env, role, e)
    env.rules.ending(env.s, env.f, env.p, e)
    if env.hooks is not None:
        env.hooks.change_rewards(env.f, env.dials, e)
    for role in env.roles:
        total(env.f, role.r, e)
    settle(env.f, e)
    if env.hooks is not None:
        env.hooks.end_step(env.f, env.dials, e)


def remember(env: BoundEnv, e: int) -> None:
    """Keep the fields declared `previous` for the reward terms."""
    for field in env.previous:
        field.copy(field.now, field.before, e)


def score(env: BoundEnv, role: BoundRole, e: int) -> None:
    """Evaluate the reward terms of a role's active agents."""
    first = role.r.meta[FIRST]
    for a in range(first, first + role.r.choice.shape[1]):
        if env.f.active[e, a]:
            role.terms(env.s, env.f, env.p, e, a)
    share(env.f, role.r, e)


def show(env: BoundEnv, e: int, a: int) -> None:
    """Write what agent a receives."""
    for role in env.roles:
        if a < role.r.meta[FIRST] + role.r.choice.shape[1]:
            show_member(env, role, e, a - role.r.meta[FIRST])
            return


def show_member(env: BoundEnv, role: BoundRole, e: int, i: int) -> None:
    """Write what one agent of a role receives: observation, info and mask."""
    a = role.r.meta[FIRST] + i
    out = role.r.obs[e, i]
    if is_shown(env.f, e, a):
        observe(env, role, e, i, a)
        role.inform(env.s, env.p, e, a, role.r.info[e, i])
        blank(role.r.info[e, i], role.r.info_hidden, role.r.info_absent)
    else:
        fill(out, role.r.absent)
        fill(role.r.info[e, i], role.r.info_absent)
    if env.f.acting[e, a]:
        fill(role.r.mask[e, i], role.r.open_mask)
        role.mask(env.s, env.p, e, a, role.r.mask[e, i])
        close_mask(role.r, role.r.mask[e, i])
    else:
        fill(role.r.mask[e, i], role.r.idle_mask)
    if role.own is not None:
        change_shown(env, role, e, i, a)
    if env.f.ending[e, a] != 0:
        fill(role.r.final_obs[e, i], out)


def observe(env: BoundEnv, role: BoundRole, e: int, i: int, a: int) -> None:
    """Write the world's own view into what an agent is shown, unless layers keep it apart."""
    if role.own is None:
        role.observe(env.s, env.p, e, a, role.r.obs[e, i])
        blank(role.r.obs[e, i], role.r.hidden, role.r.absent)
    elif not role.own.world_view.is_changed or role.own.world_view.rows.shape[0] == 0:
        role.observe(env.s, env.p, e, a, role.r.obs[e, i])
        blank(role.r.obs[e, i], role.own.world_view.hidden, role.own.world_view.absent)


def change_shown(env: BoundEnv, role: BoundRole, e: int, i: int, a: int) -> None:
    """Let layers change what one agent is shown and told, and what it may do."""
    if not role.own.world_view.is_changed:
        return
    if is_shown(env.f, e, a):
        if env.dials.handles.seen.shape[1] > 0:
            mark_seen(env, e, a)
        env.hooks.change_observation(env.f, env.dials, role.own, e, i, a, role.r.obs[e, i])
        env.hooks.change_info(role.r, role.own, role.r.info[e, i])
    if env.f.acting[e, a]:
        env.hooks.change_mask(role.r, role.own, i, role.r.mask[e, i])


def keep_all_views(env: BoundEnv, e: int) -> None:
    """Write the world's own views of an env, where some role's are kept apart."""
    if env.dials.handles.keeps_views:
        for a in range(env.f.active.shape[1]):
            keep_view(env, e, a)
        share_all_views(env, e)


def keep_view(env: BoundEnv, e: int, a: int) -> None:
    """Write the world's own view of agent a."""
    for role in env.roles:
        if a < role.r.meta[FIRST] + role.r.choice.shape[1]:
            keep_member_view(env, role, e, a - role.r.meta[FIRST])
            return


def keep_member_view(env: BoundEnv, role: BoundRole, e: int, i: int) -> None:
    """Write the world's own view for one agent of a role, where it is kept apart."""
    a = role.r.meta[FIRST] + i
    view = role.own.world_view
    if view.rows.shape[0] == 0:
        return
    if is_shown(env.f, e, a):
        role.observe(env.s, env.p, e, a, view.rows[e, i])
        blank(view.rows[e, i], view.hidden, view.absent)
    else:
        fill(view.rows[e, i], view.absent)


def share_all_views(env: BoundEnv, e: int) -> None:
    """Let layers make of all views what agents know of each other's."""
    for role in env.roles:
        env.hooks.share_views(env.f, env.dials, role.r, role.own, e)


def mark_seen(env: BoundEnv, e: int, a: int) -> None:
    """Mark whom an agent sees."""
    for j in range(env.dials.handles.seen.shape[2]):
        env.dials.handles.seen[e, a, j] = j == a or env.rules.sees(env.s, env.p, e, a, j)


def apply_column_changes(env: BoundEnv, e: int) -> None:
    """Let layers change what the transition did to the columns they act on."""
    if env.dials.handles.column.shape[0] == 0:
        return
    gather(env, env.dials.handles.value, e)
    if env.dials.handles.seen.shape[1] > 0:
        for a in range(env.f.active.shape[1]):
            mark_seen(env, e, a)
    env.hooks.change_columns(env.f, env.dials, e)
    scatter(env, e)


def gather(env: BoundEnv, into: Any, e: int) -> None:
    """Copy the columns that layers act on out of the state."""
    column = env.dials.handles.column
    for c in range(column.shape[0]):
        for j in range(column[c, COLUMN_COUNT]):
            at = column[c, COLUMN_FIRST] + j * column[c, COLUMN_STRIDE]
            into[e, c, j] = read_number(env, column[c, COLUMN_FIELD], e, at)


def scatter(env: BoundEnv, e: int) -> None:
    """Write the columns that layers act on back, for the agents that take part."""
    column = env.dials.handles.column
    for c in range(column.shape[0]):
        for j in range(column[c, COLUMN_COUNT]):
            if column[c, COLUMN_STRIDE] == 0 or env.f.active[e, j]:
                at = column[c, COLUMN_FIRST] + j * column[c, COLUMN_STRIDE]
                value = env.dials.handles.value[e, c, j]
                write_number(env, column[c, COLUMN_FIELD], e, at, value)


def read_number(env: BoundEnv, k: int, e: int, at: int) -> float:
    """Read one number of a malleable field."""
    for field in env.malleable:
        if k == field.number:
            return field.read(field.now, e, at)
    return 0.0


def write_number(env: BoundEnv, k: int, e: int, at: int, value: float) -> None:
    """Write one number of a malleable field."""
    for field in env.malleable:
        if k == field.number:
            field.write(field.now, e, at, value)
