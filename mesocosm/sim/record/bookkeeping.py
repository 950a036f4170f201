"""Compile what is noted beside the step: one generated module serves every world."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from mesocosm.sim.compile.cache import cache_directory, code_name
from mesocosm.sim.compile.register import register
from mesocosm.sim.record.event_log import drain_event_buffers
from mesocosm.sim.record.ledger import note_episode_endings, sum_over_agents
from mesocosm.sim.targets.launch import launch, load_module

NAME = "telemetry"  # of its compiled code
BOOKKEEPERS: dict[str, Callable[..., None]] = {
    "drain_events": drain_event_buffers,
    "note_endings": note_episode_endings,
    "sum_agents": sum_over_agents,
}
TEXT = '''"""Digests, sums, events and endings. Generated: do not edit."""

from mesocosm.sim.record.digest_rules import (
    bind_env, hash_field, hash_strided, sum_field, sum_strided
)
from mesocosm.sim.record.event_log import drain_event_buffers
from mesocosm.sim.record.ledger import note_episode_endings, sum_over_agents
'''
CPU = '''
def drain_events(*arrays):
    """Empty the event buffers."""
    drain_event_buffers(*arrays)


def note_endings(*arrays):
    """Note which episodes ended and began."""
    note_episode_endings(*arrays)


def sum_agents(*arrays):
    """Sum a step over each env's agents."""
    sum_over_agents(*arrays)


def digest_fields(table, index, bound, out):
    """Digest every field."""
    for e in range(index.shape[0]):
        bound[e] = bind_env(index[e])
    for k in range(table.shape[0]):
        total = 0
        for e in range(index.shape[0]):
            total += hash_field(table, k, e, bound[e])
        out[k] = total


def sum_fields(table, index, out):
    """Sum every field, per env."""
    for k in range(table.shape[0]):
        for e in range(index.shape[0]):
            out[k, e] = sum_field(table, k, e)
'''
CUDA = '''
from numba import cuda


def digest_fields(table, index, out):
    """One thread per field and env: integer sums do not depend on their order."""
    i = cuda.grid(1)
    k = i // index.shape[0]
    if k < table.shape[0]:
        e = i - k * index.shape[0]
        cuda.atomic.add(out, k, hash_strided(table, k, e, bind_env(index[e])))


def sum_fields(table, index, out):
    """One thread per field and env."""
    i = cuda.grid(1)
    k = i // index.shape[0]
    if k < table.shape[0]:
        e = i - k * index.shape[0]
        out[k, e] = sum_strided(table, k, e)
'''

_functions: dict[tuple[str, str], Any] = {}


class _CompiledOnce:
    """A function that is compiled at its first call and then called without a detour."""

    def __init__(self, compiled: Any) -> None:
        self._compiled, self.function = compiled, self._first

    def _first(self, *arguments: Any) -> None:
        self._compiled(*arguments)
        self.function = self._compiled

    def __call__(self, *arguments: Any) -> None:
        self.function(*arguments)


def compiled_function(module: ModuleType, name: str) -> Any:
    """Give a function of the generated module, compiled for the CPU."""
    key = (str(module.__file__), name)
    if key not in _functions:
        _functions[key] = _CompiledOnce(launch(getattr(module, name), "cpu", cache=True))
    return _functions[key]


def compiled_kernel(module: ModuleType, name: str) -> Any:
    """Give a function of the generated module, compiled as a CUDA kernel."""
    from mesocosm.sim.targets.cuda import jit

    key = (str(module.__file__), name)
    if key not in _functions:
        _functions[key] = jit(getattr(module, name), cache=True)
    return _functions[key]


def generated_module(target: str) -> ModuleType:
    """Load what serves every world: tables of addresses have one type."""
    text = TEXT + (CUDA if target == "cuda" else CPU)
    directory = cache_directory(code_name(NAME, (), text, "record", target))
    register(target)
    return load_module(directory / "record.py", text)


def make_bookkeeper(name: str, target: str) -> Any:
    """Make one of `BOOKKEEPERS`, which work on the host: as it is, or compiled."""
    if target == "python":
        return launch(BOOKKEEPERS[name], "python")
    return compiled_function(generated_module("cpu"), name)
