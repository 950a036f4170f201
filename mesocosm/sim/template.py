"""The text of a world's step, and what fills its gaps: without layers, and with them."""

HEAD = '''"""The step of the world {name!r}, composed from its rules. Generated: do not edit."""

from mesocosm.sim.frame import DONE, PLAY, RENEW, REVIEW, STATE, TURN_MODE
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import (
    begin, begins_episode, blank, check_turns, close_mask, decode, fill, hide, hide_info, leave,
    prepare, rest, review, settle, share, take_turns, total,
)
{imports}
'''

ROLE = '''
@rule
def show_{k}(s, f, p, {arguments}, e, i):
    """Write what one agent of role {role!r} receives."""
    a = r.meta[0] + i
    out = r.obs[e, i]
    if f.active[e, a] or f.ending[e, a] != 0:{see}
        inform_{k}(s, p, e, a, r.info[e, i])
        hide_info(r, r.info[e, i])
    else:
        fill(out, r.absent)
        fill(r.info[e, i], r.info_absent)
    if f.acting[e, a]:
        fill(r.mask[e, i], r.open_mask)
        mask_{k}(s, p, e, a, r.mask[e, i])
        close_mask(r, r.mask[e, i])
    else:
        fill(r.mask[e, i], r.idle_mask){alter}
    if f.ending[e, a] != 0:
        fill(r.final_obs[e, i], out)


@rule
def score_{k}(s, f, p, r, e):
    """Evaluate the active agents of role {role!r}."""
    for a in range(r.meta[0], r.meta[0] + r.choice.shape[1]):
        if f.active[e, a]:
            terms_{k}(s, f, p, e, a)
    share(f, r, e){sum}

'''

REMEMBER = '''
@rule
def remember(s, e):
    """Keep the fields declared `previous` for the reward terms."""
{remember}

'''

ADVANCE = '''
@rule
def advance(s, f, p, {roles}, e):
    """Play one step of a running episode."""
    begin(f, e){begun}{decode}{decoded}
    remember(s, e)
    transition(s, f, p, e)
    f.t[e] += 1{moved}{score}
    ending(s, f, p, e){scored}
    settle(f, e){settled}
'''

ACT = '''

@rule
def act(s, f, p, {roles}, e):
    """Do what was commanded, up to the point where agents are shown the result."""
    command = f.command[e]
    begins = begins_episode(f, e)
    if begins:
        prepare(f, e){prepared}
        reset(s, f, p, e)
    elif command == REVIEW:
        review(f, e)
    elif f.finished[e]:
        rest(f, e)
    else:
        advance(s, f, p, {roles}, e)
    if begins or command == REVIEW:
        rebuild(s, p, e)
        remember(s, e)
    if begins and command != RENEW:
        begin(f, e)
    if command != REVIEW:
        take_turns(f, e)
        if f.control[TURN_MODE] == STATE:
            turn(s, f, p, e)
            check_turns(f, e)


@rule
def show(s, f, p, {roles}, e, a):
    """Write what agent a receives."""
{show}

'''

DRIVE = '''
@rule
def drive(s, f, p, {roles}, lo, hi):
    """Carry out the commands of envs lo..hi-1."""
    for e in range(lo, hi):
        while f.command[e] < DONE:
            act(s, f, p, {roles}, e){acted}
            for a in range(f.active.shape[1]):
                show(s, f, p, {roles}, e, a)
            leave(f, e)
        f.command[e] = PLAY
'''

BIND = '''

fetch = None  # compiled code only; see mesocosm.sim.reference


def drive_bound(words, lo, hi):
    """Carry out the commands of a batch whose arguments a block of words refers to."""
    s, f, p, {roles} = fetch(words)
    drive(s, f, p, {roles}, lo, hi)
'''

CUDA = '''
from numba import cuda


def act_kernel(words, again):
    """One thread per env: carry out its command, or begin anew what the last round ended."""
    s, f, p, {roles} = fetch(words)
    e = cuda.grid(1)
    if e < f.command.shape[0]:
        if again and f.command[e] < DONE:
            leave(f, e)
        if f.command[e] < DONE:
            act(s, f, p, {roles}, e)


def show_kernel(words):
    """One thread per agent, neighbours of one env apart: write what it receives."""
    s, f, p, {roles} = fetch(words)
    i = cuda.grid(1)
    a = i // f.command.shape[0]
    e = i - a * f.command.shape[0]
    if a < f.active.shape[1] and f.command[e] < DONE:
        show(s, f, p, {roles}, e, a)


def finish_kernel(words):
    """One thread per env: close what ended, and make it ready for the next step."""
    s, f, p, {roles} = fetch(words)
    e = cuda.grid(1)
    if e < f.command.shape[0]:
        if f.command[e] < DONE:
            leave(f, e)
        f.command[e] = PLAY
'''

STEP = (REMEMBER, ADVANCE, ACT, DRIVE, BIND)

LAYER_ROLE = '''
@rule
def view_{k}(s, f, p, r, own, e, i):
    """Write the world's own view for one agent of role {role!r}, where it is kept apart."""
    a = r.meta[0] + i
    if own.rows.shape[0] == 0:
        return
    if f.active[e, a] or f.ending[e, a] != 0:
        observe_{k}(s, p, e, a, own.rows[e, i])
        blank(own.rows[e, i], own.hidden, own.absent)
    else:
        fill(own.rows[e, i], own.absent)

@rule
def alter_{k}(s, f, p, r, dials, own, e, i, a):
    """Make of what the world shows, tells and lets one agent do what its layers make of it."""
    if f.active[e, a] or f.ending[e, a] != 0:
        perceive(f, dials, own, e, i, a, r.obs[e, i])
        if dials.seen.shape[1] > 0:
            meet(s, p, dials, e, a)
        recollect(f, dials, own, e, i, a, r.obs[e, i])
        blank(r.info[e, i], own.untold, r.info_absent)
    if f.acting[e, a]:
        bar_mask(r, own, i, r.mask[e, i])

'''

LAYER_STEP = '''
@rule
def meet(s, p, dials, e, a):
    """Mark whom an agent sees."""
    for j in range(dials.seen.shape[2]):
        dials.seen[e, a, j] = j == a or sees(s, p, e, a, j)


@rule
def read_field(s, k, e, i):
    """Read one number of a malleable field."""
{read}
    return 0.0


@rule
def write_field(s, k, e, i, value):
    """Write one number of a malleable field."""
{write}


@rule
def keep_rows(f, {roles}, e):
    """Remember what agents were shown before this step."""{keep}


@rule
def sum_terms(f, {roles}, e):
    """Sum the terms of all roles, those of layers included."""{total}


@rule
def gather(s, dials, e, into):
    """Copy the columns that layers act on out of the state."""
    for c in range(dials.column.shape[0]):
        for j in range(dials.column[c, 3]):
            at = dials.column[c, 1] + j * dials.column[c, 2]
            into[e, c, j] = read_field(s, dials.column[c, 0], e, at)


@rule
def scatter(s, f, dials, e):
    """Write the columns that layers act on back, for the agents that take part."""
    for c in range(dials.column.shape[0]):
        for j in range(dials.column[c, 3]):
            if dials.column[c, 2] == 0 or f.active[e, j]:
                at = dials.column[c, 1] + j * dials.column[c, 2]
                write_field(s, dials.column[c, 0], e, at, dials.value[e, c, j])


@rule
def bend(s, f, p, dials, e):
    """Let layers change what the transition did to the columns they act on."""
    gather(s, dials, e, dials.value)
    withhold(f, dials, e)
    pool(f, dials, e)
    if dials.seen.shape[1] > 0:
        for a in range(f.active.shape[1]):
            meet(s, p, dials, e, a)
    spill(f, dials, e)
    shake(f, dials, e)
    scatter(s, f, dials, e)


@rule
def view(s, f, p, {roles}, e, a):
    """Write the world's own view of agent a."""
{view}


@rule
def pool_views(f, {roles}, e):
    """Write what groups know of their members."""{confide}


@rule
def look(s, f, p, {roles}, e):
    """Write the world's own views of an env, where some role's are kept apart."""
    if dials.switch[APART] != 0:
        for i in range(f.active.shape[1]):
            view(s, f, p, {roles}, e, i)
        pool_views(f, {roles}, e)

'''

LAYER_CUDA = '''
def view_kernel(words):
    """One thread per agent: write the world's own view."""
    s, f, p, {roles} = fetch(words)
    i = cuda.grid(1)
    a = i // f.command.shape[0]
    e = i - a * f.command.shape[0]
    if dials.switch[APART] != 0 and a < f.active.shape[1] and f.command[e] < DONE:
        view(s, f, p, {roles}, e, a)


def pool_kernel(words):
    """One thread per env: write what groups know of their members."""
    s, f, p, {roles} = fetch(words)
    e = cuda.grid(1)
    if dials.switch[APART] != 0 and e < f.command.shape[0] and f.command[e] < DONE:
        pool_views(f, {roles}, e)
'''

ROLE_GAPS = ("arguments", "see", "alter", "sum")
STEP_GAPS = ("begun", "decode", "decoded", "moved", "scored", "settled", "prepared", "acted")
PLAIN = {
    "arguments": "r",
    "see": """
        observe_{k}(s, p, e, a, out)
        hide(r, out)""",
    "alter": "",
    "sum": "\n    total(f, r, e)",
    "show": "show_{k}(s, f, p, r{k}, e, a - r{k}.meta[0])",
    "decode": """
    decode(f, r{k}, e)""",
    **dict.fromkeys(("begun", "decoded", "moved", "scored", "settled", "prepared", "acted"), ""),
}
LAYERED = {
    "arguments": "r, dials, own",
    "see": """
        if own.extra[CHANGED] == 0 or own.rows.shape[0] == 0:
            observe_{k}(s, p, e, a, out)
            blank(out, own.hidden, own.absent)""",
    "alter": """
    if own.extra[CHANGED] != 0:
        alter_{k}(s, f, p, r, dials, own, e, i, a)""",
    "sum": "",
    "show": "show_{k}(s, f, p, r{k}, dials, own{k}, e, a - r{k}.meta[0])",
    "begun": """
    wane(f, dials, e)
    keep_rows(f, {roles}, e)""",
    "decode": """
    decode(f, r{k}, e)
    hold(f, dials, r{k}, e)
    bar(f, r{k}, own{k}, e)
    charge(f, dials, r{k}, own{k}, e)""",
    "decoded": """
    if dials.switch[COMPARED] != 0:
        gather(s, dials, e, dials.before)
    rank(f, dials, e)""",
    "moved": """
    if dials.column.shape[0] > 0:
        bend(s, f, p, dials, e)
    drift(f, dials, e)""",
    "scored": """
    reward(f, dials, e)
    sum_terms(f, {roles}, e)""",
    "settled": """
    learn(f, dials, e)""",
    "prepared": """
        awake(f, dials, e)""",
    "acted": """
            look(s, f, p, {roles}, e)""",
}
