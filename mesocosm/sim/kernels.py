"""The CUDA kernels of a step: one thread per env, or per agent where agents do not interact.

Like `mesocosm.sim.step`, this is written out for one world by `mesocosm.sim.compile.specialise`,
which reads it as source: it is never imported, since only a machine with a GPU has what it needs.
"""

from numba import cuda

from mesocosm.sim.bound import BoundBatch
from mesocosm.sim.frame import DONE, PLAY
from mesocosm.sim.stages import leave
from mesocosm.sim.step import act, share_all_views, show, write_world_view


def act_kernel(batch: BoundBatch, again: bool) -> None:
    """One thread per env: carry out its command, or begin anew what the last round ended."""
    e = cuda.grid(1)
    if e < batch.f.command.shape[0]:
        if again and batch.f.command[e] < DONE:
            leave(batch.f, e)
        if batch.f.command[e] < DONE:
            act(batch, e)


def show_kernel(batch: BoundBatch) -> None:
    """One thread per agent, neighbours of one env apart: write what it receives."""
    i = cuda.grid(1)
    a = i // batch.f.command.shape[0]
    e = i - a * batch.f.command.shape[0]
    if a < batch.f.active.shape[1] and batch.f.command[e] < DONE:
        show(batch, e, a)


def finish_kernel(batch: BoundBatch) -> None:
    """One thread per env: close what ended, and make it ready for the next step."""
    e = cuda.grid(1)
    if e < batch.f.command.shape[0]:
        if batch.f.command[e] < DONE:
            leave(batch.f, e)
        batch.f.command[e] = PLAY


def view_kernel(batch: BoundBatch) -> None:
    """One thread per agent: write the world's own view, where layers keep it apart."""
    if batch.hooks is not None:
        i = cuda.grid(1)
        a = i // batch.f.command.shape[0]
        e = i - a * batch.f.command.shape[0]
        kept = batch.layers.handles.keeps_views
        if kept and a < batch.f.active.shape[1] and batch.f.command[e] < DONE:
            write_world_view(batch, e, a)


def share_kernel(batch: BoundBatch) -> None:
    """One thread per env: let layers make of all views what agents know of each other's."""
    if batch.hooks is not None:
        e = cuda.grid(1)
        kept = batch.layers.handles.keeps_views
        if kept and e < batch.f.command.shape[0] and batch.f.command[e] < DONE:
            share_all_views(batch, e)
