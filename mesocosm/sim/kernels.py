"""The CUDA kernels of a step: one thread per env, or per agent where agents do not interact.

Like `mesocosm.sim.step`, this is written out for one world by `mesocosm.sim.compile.specialise`,
which reads it as source: it is never imported, since only a machine with a GPU has what it needs.
"""

from numba import cuda

from mesocosm.sim.bound import BoundEnv
from mesocosm.sim.frame import DONE, PLAY
from mesocosm.sim.stages import leave
from mesocosm.sim.step import act, keep_view, share_all_views, show


def act_kernel(env: BoundEnv, again: bool) -> None:
    """One thread per env: carry out its command, or begin anew what the last round ended."""
    e = cuda.grid(1)
    if e < env.f.command.shape[0]:
        if again and env.f.command[e] < DONE:
            leave(env.f, e)
        if env.f.command[e] < DONE:
            act(env, e)


def show_kernel(env: BoundEnv) -> None:
    """One thread per agent, neighbours of one env apart: write what it receives."""
    i = cuda.grid(1)
    a = i // env.f.command.shape[0]
    e = i - a * env.f.command.shape[0]
    if a < env.f.active.shape[1] and env.f.command[e] < DONE:
        show(env, e, a)


def finish_kernel(env: BoundEnv) -> None:
    """One thread per env: close what ended, and make it ready for the next step."""
    e = cuda.grid(1)
    if e < env.f.command.shape[0]:
        if env.f.command[e] < DONE:
            leave(env.f, e)
        env.f.command[e] = PLAY


def view_kernel(env: BoundEnv) -> None:
    """One thread per agent: write the world's own view, where layers keep it apart."""
    if env.hooks is not None:
        i = cuda.grid(1)
        a = i // env.f.command.shape[0]
        e = i - a * env.f.command.shape[0]
        kept = env.dials.handles.keeps_views
        if kept and a < env.f.active.shape[1] and env.f.command[e] < DONE:
            keep_view(env, e, a)


def share_kernel(env: BoundEnv) -> None:
    """One thread per env: let layers make of all views what agents know of each other's."""
    if env.hooks is not None:
        e = cuda.grid(1)
        kept = env.dials.handles.keeps_views
        if kept and e < env.f.command.shape[0] and env.f.command[e] < DONE:
            share_all_views(env, e)
