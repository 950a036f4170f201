"""What active layers add to a world's step: their hooks in the composed text, and their arrays.

The layered step is a second module, composed once per world; which layers are on, and how far, is
in arrays. At the baseline none of this is used: the plain step runs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Field, Spec
from mesocosm.core.world import Rule


def find_array(place: tuple[int, str], frame: Any, extra: tuple[Any, ...]) -> Any:
    """Find the array of a layer field among the frame, the dials and the roles' own tuples."""
    whose, name = place
    return getattr(frame if whose == FRAME else extra[whose + 1], name)


class Added(NamedTuple):
    """The arrays that layers need for a batch."""

    dials: Any  # what concerns all agents
    own: tuple[Any, ...]  # per role: views, tables and memories of its observations
    frame: Mapping[str, np.ndarray]  # handles of the frame, by name
    truth: Mapping[str, tuple[int, str]]  # where layer fields are: whose tuple, and its attribute


APART = 11  # entry of dials.switch: whether some role's views are kept apart from what it sees
CHANGED = 8  # entry of own.extra: whether anything is done to what the role sees
FRAME, DIALS, OWN = -2, -1, 0  # whose tuple: the frame's, the dials', that of role OWN + k


@dataclass(frozen=True)
class Layering:
    """What a config's active layers do to an env.

    Args:
        inner: The spec that the world itself declares; its rules know no other.
        rules: The hooks that the composed step calls, by name.
        arrays: Allocates for a number of envs.
        groups: The group of each agent, where the hierarchy layer forms groups.
    """

    inner: Spec
    rules: Mapping[str, Rule]
    arrays: Callable[[int], Added]
    groups: tuple[int, ...] = ()


SHOW_ROLE = '''
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
def see_{k}(s, p, r, own, e, i, a):
    """Write the world's own view where the agent will see it."""
    observe_{k}(s, p, e, a, r.obs[e, i])
    blank(r.obs[e, i], own.hidden, own.absent)


@rule
def show_{k}(s, f, p, r, dials, own, e, i):
    """Write what one agent of role {role!r} receives, through the layers."""
    a = r.meta[0] + i
    out = r.obs[e, i]
    if f.active[e, a] or f.ending[e, a] != 0:
        if own.rows.shape[0] == 0:
            see_{k}(s, p, r, own, e, i, a)
        if own.extra[CHANGED] != 0:
            perceive(f, dials, own, e, i, a, out)
            if dials.seen.shape[1] > 0:
                meet(s, p, dials, e, a)
            recollect(f, dials, own, e, i, a, out)
        inform_{k}(s, p, e, a, r.info[e, i])
        hide_info(r, r.info[e, i])
        blank(r.info[e, i], own.untold, r.info_absent)
    else:
        fill(out, r.absent)
        fill(r.info[e, i], r.info_absent)
    if f.acting[e, a]:
        fill(r.mask[e, i], r.open_mask)
        mask_{k}(s, p, e, a, r.mask[e, i])
        close_mask(r, r.mask[e, i])
        bar_mask(r, own, i, r.mask[e, i])
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

'''

ADVANCE = '''
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
def advance(s, f, p, {roles}, e):
    """Play one step of a running episode, with layers."""
    begin(f, e)
    wane(f, dials, e)
{keep}
{decode}
    gather(s, dials, e, dials.before)
    rank(f, dials, e)
    remember(s, e)
    transition(s, f, p, e)
    f.t[e] += 1
    if dials.column.shape[0] > 0:
        bend(s, f, p, dials, e)
    drift(f, dials, e)
{score}
    ending(s, f, p, e)
    reward(f, dials, e)
{total}
    settle(f, e)
    learn(f, dials, e)
'''

DRIVE = '''
@rule
def view(s, f, p, {roles}, e, a):
    """Write the world's own view of agent a."""
{view}


@rule
def pool_views(f, {roles}, e):
    """Write what groups know of their members."""
{pool_views}


@rule
def drive(s, f, p, {roles}, lo, hi):
    """Carry out the commands of envs lo..hi-1."""
    for index in range(lo, hi):
        while f.command[index] < DONE:
            e = here(index)
            act(s, f, p, {roles}, e)
            if dials.switch[APART] != 0:
                for i in range(f.active.shape[1]):
                    view(s, f, p, {roles}, e, here(i))
                pool_views(f, {roles}, e)
            for i in range(f.active.shape[1]):
                show(s, f, p, {roles}, e, here(i))
            leave(f, e)
        f.command[index] = PLAY
'''

CUDA = '''
def view_kernel(s, f, p, {roles}):
    """One thread per agent: write the world's own view."""
    i = cuda.grid(1)
    agents = f.active.shape[1]
    e = i // agents
    if dials.switch[APART] != 0 and e < f.command.shape[0] and f.command[e] < DONE:
        view(s, f, p, {roles}, e, i - e * agents)


def pool_kernel(f, {roles}):
    """One thread per env: write what groups know of their members."""
    e = cuda.grid(1)
    if dials.switch[APART] != 0 and e < f.command.shape[0] and f.command[e] < DONE:
        pool_views(f, {roles}, e)
'''


def field_access(fields: tuple[Field, ...]) -> dict[str, str]:
    """Write the bodies that read and write one number of a malleable field, by its index."""
    read, write = [], []
    for k, entry in enumerate(fields):
        if entry.malleable:
            at = _place(entry)
            read.append(f"    if k == {k}:\n        return s.{entry.name}[{at}]")
            write.append(f"    if k == {k}:\n        s.{entry.name}[{at}] = value")
    nothing = "    return"
    return {"read": "\n".join(read), "write": "\n".join(write) or nothing}


def _place(entry: Field) -> str:
    """Index a field of one env by a flat number i."""
    indices, rest = [], "i"
    for axis in range(len(entry.shape), 0, -1):
        size = f"s.{entry.name}.shape[{axis}]"
        indices.append(rest if axis == 1 else f"{rest} % {size}")
        rest = f"({rest} // {size})"
    return ", ".join(["e", *reversed(indices)])
