"""Write a world's step as one module: the declared order of a step, with the world's rules in it.

The module is real source text (open it, set a breakpoint in it). Generating it lets one static
function per world name all its roles and fields, so that one compilation serves every config.
"""

import sys

from mesocosm.core.errors import SpecError
from mesocosm.core.spec import BEFORE, Field, Spec
from mesocosm.core.world import Rule, World
from mesocosm.sim import default
from mesocosm.sim import layering as layers
from mesocosm.sim.layering import Layering

HEAD = '''"""The step of the world {name!r}, composed from its rules. Generated: do not edit."""

from mesocosm.sim.frame import DONE, PLAY, RENEW, REVIEW, STATE, TURN_MODE
from mesocosm.sim.rule import here, rule
from mesocosm.sim.stages import (
    begin, begins_episode, blank, check_turns, close_mask, decode, fill, hide, hide_info, leave,
    prepare, rest, review, settle, share, take_turns, total,
)
{imports}
'''

SHOW_ROLE = '''
@rule
def show_{k}(s, f, p, r, e, i):
    """Write what one agent of role {role!r} receives."""
    a = r.meta[0] + i
    out = r.obs[e, i]
    if f.active[e, a] or f.ending[e, a] != 0:
        observe_{k}(s, p, e, a, out)
        hide(r, out)
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
        fill(r.mask[e, i], r.idle_mask)
    if f.ending[e, a] != 0:
        fill(r.final_obs[e, i], out)


@rule
def score_{k}(s, f, p, r, e):
    """Evaluate the active agents of role {role!r}."""
    for i in range(r.meta[0], r.meta[0] + r.choice.shape[1]):
        a = here(i)
        if f.active[e, a]:
            terms_{k}(s, f, p, e, a)
    share(f, r, e)
    total(f, r, e)

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
    begin(f, e)
{decode}
    remember(s, e)
    transition(s, f, p, e)
    f.t[e] += 1
{score}
    ending(s, f, p, e)
    settle(f, e)
'''

ACT = '''

@rule
def act(s, f, p, {roles}, e):
    """Do what was commanded, up to the point where agents are shown the result."""
    command = f.command[e]
    begins = begins_episode(f, e)
    if begins:
        prepare(f, here(e))
{prepare}        reset(s, f, p, here(e))
    elif command == REVIEW:
        review(f, here(e))
    elif f.finished[e]:
        rest(f, here(e))
    else:
        advance(s, f, p, {roles}, e)
    if begins or command == REVIEW:
        rebuild(s, p, here(e))
        remember(s, here(e))
    if begins and command != RENEW:
        begin(f, here(e))
    if command != REVIEW:
        take_turns(f, e)
        if f.control[TURN_MODE] == STATE:
            turn(s, f, p, here(e))
            check_turns(f, here(e))


@rule
def show(s, f, p, {roles}, e, a):
    """Write what agent a receives."""
{show}

'''

DRIVE = '''
@rule
def drive(s, f, p, {roles}, lo, hi):
    """Carry out the commands of envs lo..hi-1."""
    for index in range(lo, hi):
        while f.command[index] < DONE:
            e = here(index)
            act(s, f, p, {roles}, e)
            for i in range(f.active.shape[1]):
                show(s, f, p, {roles}, e, here(i))
            leave(f, e)
        f.command[index] = PLAY
'''

BIND = '''

stash = fetch = None  # compiled code only; see mesocosm.sim.bind


def bind(s, f, p, {roles}, place):
    """Keep the arguments of a batch."""
    stash((s, f, p, {roles}), place)


def drive_bound(place, lo, hi):
    """Carry out the commands of a batch whose arguments were kept."""
    s, f, p, {roles} = fetch(place)
    drive(s, f, p, {roles}, lo, hi)
'''

CUDA = '''
from numba import cuda


def act_kernel(s, f, p, {roles}):
    """One thread per env: carry out its command."""
    e = cuda.grid(1)
    if e < f.command.shape[0] and f.command[e] < DONE:
        act(s, f, p, {roles}, e)


def show_kernel(s, f, p, {roles}):
    """One thread per agent: write what it receives."""
    i = cuda.grid(1)
    agents = f.active.shape[1]
    e = i // agents
    if e < f.command.shape[0] and f.command[e] < DONE:
        show(s, f, p, {roles}, e, i - e * agents)


def leave_kernel(f):
    """One thread per env: close its episode if that just ended."""
    e = cuda.grid(1)
    if e < f.command.shape[0] and f.command[e] < DONE:
        leave(f, e)


def finish_kernel(f):
    """One thread per env: make it ready for the next step."""
    e = cuda.grid(1)
    if e < f.command.shape[0]:
        f.command[e] = PLAY
'''


def compose(
    world: World, spec: Spec, layering: Layering | None = None, *, cuda: bool = False
) -> str:
    """Write the module text for a world; `cuda` adds the kernels that need numba's cuda."""
    rules = world.rules
    names: dict[str, Rule] = {
        "reset": rules.reset,
        "transition": rules.transition,
        "ending": rules.ending,
        "rebuild": rules.rebuild or default.no_rebuild,
        "turn": rules.turn or default.no_turn,
    }
    if layering is not None:
        names |= {"sees": rules.sees or default.no_sight, **layering.rules}
    for k, role in enumerate(spec.all_roles):
        own = rules.roles[role.name]
        names |= {f"observe_{k}": own.observe, f"terms_{k}": own.terms}
        names |= {f"mask_{k}": own.mask or default.no_mask}
        names |= {f"inform_{k}": own.inform or default.no_info}
    imports = "\n".join(_import(name, function) for name, function in names.items())
    if layering is not None:
        imports += "\nfrom mesocosm.sim.layering import APART, CHANGED"
    text = HEAD.format(name=world.name, imports=imports)
    lines = _lines(spec, layered=layering is not None)
    show_role = SHOW_ROLE if layering is None else layers.SHOW_ROLE
    for k, role in enumerate(spec.all_roles):
        text += show_role.format(k=k, role=role.name)
    blocks = [REMEMBER, ADVANCE, ACT, DRIVE, BIND]
    if layering is not None:
        lines |= layers.field_access(spec.fields)
        blocks = [REMEMBER, layers.ADVANCE, ACT, layers.DRIVE, BIND]
    if cuda:
        blocks += [CUDA] if layering is None else [CUDA, layers.CUDA]
    return text + "".join(block.format(**lines) for block in blocks)


def _lines(spec: Spec, *, layered: bool) -> dict[str, str]:
    """Write the lines that differ from world to world: one call per role."""
    count = range(len(spec.all_roles))
    roles = [f"r{k}" for k in count]
    decode = "    decode(f, r{k}, e)"
    score = "    score_{k}(s, f, p, r{k}, e)"
    if layered:
        roles += ["dials", *(f"own{k}" for k in count)]
        decode += "\n    hold(f, dials, r{k}, e)\n    bar(f, r{k}, own{k}, e)"
        decode += "\n    charge(f, dials, r{k}, own{k}, e)"

    def each(line: str) -> str:
        return "\n".join(line.format(k=k) for k in count)

    layer = "dials, own{k}, " if layered else ""
    return {
        "roles": ", ".join(roles),
        "remember": _remember(spec),
        "decode": each(decode),
        "score": each(score),
        "total": each("    total(f, r{k}, e)"),
        "keep": each("    keep(f, r{k}, own{k}, e)"),
        "prepare": "        awake(f, dials, e)\n" if layered else "",
        "show": _by_role(len(count), f"show_{{k}}(s, f, p, r{{k}}, {layer}e, a - r{{k}}.meta[0])"),
        "view": _by_role(len(count), "view_{k}(s, f, p, r{k}, own{k}, e, a - r{k}.meta[0])"),
        "pool_views": each("    confide(f, dials, r{k}, own{k}, e)"),
    }


def _import(name: str, function: Rule) -> str:
    """Write the import of a rule, which must stand at module level under its own name."""
    module = sys.modules.get(function.__module__)
    if getattr(module, function.__name__, None) is not function:
        where = f"{function.__module__}.{function.__qualname__}"
        raise SpecError(f"rule {where}: must be a module-level function under its own name")
    return f"from {function.__module__} import {function.__name__} as {name}"


def _by_role(count: int, call: str) -> str:
    """Write a call for the role that agent a is of."""
    lines = []
    for k in range(count):
        test = f"a < r{k}.meta[0] + r{k}.choice.shape[1]"
        lines.append(f"    {'if' if k == 0 else 'elif'} {test}:")
        lines.append(f"        {call.format(k=k)}")
    return "\n".join(lines)


def _remember(spec: Spec) -> str:
    kept = [entry for entry in spec.fields if entry.previous]
    return "\n".join(_copy(entry) for entry in kept) or "    return"


def _copy(entry: Field) -> str:
    """Write the loops that copy one field of one env."""
    lines, indices = [], ["e"]
    for axis in range(len(entry.shape)):
        pad = "    " * (axis + 1)
        lines.append(f"{pad}for i{axis} in range(s.{entry.name}.shape[{axis + 1}]):")
        indices.append(f"i{axis}")
    at, pad = ", ".join(indices), "    " * (len(entry.shape) + 1)
    lines.append(f"{pad}s.{entry.name}{BEFORE}[{at}] = s.{entry.name}[{at}]")
    return "\n".join(lines)
