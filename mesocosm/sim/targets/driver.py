"""Where a batch's arrays live and how its step runs: one driver per target."""

import contextlib
import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from mesocosm.core.errors import TargetError
from mesocosm.core.spec import Spec
from mesocosm.core.world import World
from mesocosm.sim import step
from mesocosm.sim.bound import bind
from mesocosm.sim.compile.code_cache import COMPILED, Origin
from mesocosm.sim.compile.diagnose import diagnosing
from mesocosm.sim.compile.fields import Block, host_block
from mesocosm.sim.compile.file_lock import one_at_a_time
from mesocosm.sim.compile.progress import Compilation
from mesocosm.sim.layering import Layering
from mesocosm.sim.targets.cells import wrap
from mesocosm.sim.targets.launch import launch, step_code, step_module

_compiled: dict[str, Any] = {}
_making = threading.Lock()


class Driver(Protocol):
    """Holds the arrays `(s, f, p, roles)` of a batch on its target and runs the step on them."""

    s: Any
    f: Any
    p: Any
    roles: tuple[Any, ...]

    def run(self) -> None:
        """Carry out the commands in `f.command`."""

    def enqueue_on(self, handle: int) -> None:
        """Put a step on a stream of the device; only a GPU has any."""

    def get(self, array: Any) -> np.ndarray:
        """Copy an array to the host."""

    def put(self, array: Any, values: np.ndarray) -> None:
        """Overwrite an array from the host or from the same device."""

    def view(self, array: Any, part: slice, shape: tuple[int, ...]) -> Any:
        """See a part of each agent's row `[env, agent, number]` under a shape of its own."""

    def share(self, array: Any, agents: slice | None = None) -> Any:
        """Hand out an array, or the columns of some agents; on the host, only to be read."""


class HostDriver:
    """NumPy arrays, driven by plain Python or by compiled code."""

    def __init__(self, arrays: tuple[Any, Any, Any, tuple[Any, ...]]) -> None:
        self.s, self.f, self.p, self.roles = arrays
        self._num_envs = self.f.command.shape[0]

    def enqueue_on(self, handle: int) -> None:
        raise TargetError("only the cuda target has streams")

    def get(self, array: np.ndarray) -> np.ndarray:
        return np.array(array)

    def put(self, array: np.ndarray, values: np.ndarray) -> None:
        array[...] = values

    def view(self, array: np.ndarray, part: slice, shape: tuple[int, ...]) -> np.ndarray:
        return _read_only(array[:, :, part].reshape(*array.shape[:2], *shape))

    def share(self, array: np.ndarray, agents: slice | None = None) -> np.ndarray:
        return _read_only(array.view() if agents is None else array[:, agents])


def _read_only(array: np.ndarray) -> np.ndarray:
    """Forbid writing into what is handed out: it would be lost with the next step."""
    array.flags.writeable = False
    return array


class PythonDriver(HostDriver):
    """The rules as they are written: the reference, and the place for a debugger."""

    def __init__(self, world: World, spec: Spec, arrays: Any, layering: Layering | None) -> None:
        super().__init__(arrays)
        hooks = None if layering is None else layering.hooks
        arguments = tuple(wrap(entry) for entry in (self.s, self.f, self.p, *self.roles))
        self._env = bind(world, spec, hooks, arguments)

    def run(self) -> None:
        step.drive(self._env, 0, self._num_envs)


class CpuDriver(HostDriver):
    """Compiled by Numba, serial per slice of envs; several threads take fixed slices."""

    def __init__(
        self, world: World, spec: Spec, arrays: Any, threads: int, layering: Layering | None
    ) -> None:
        super().__init__(arrays)
        self.drive = self._compile(world, spec, layering)
        edges = (
            np.linspace(0, self._num_envs, min(threads, self._num_envs) + 1).astype(int).tolist()
        )
        self._slices = list(itertools.pairwise(edges))
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0

    def _compile(self, world: World, spec: Spec, layering: Layering | None) -> Callable[..., Any]:
        block = host_block((self.s, self.f, self.p, *self.roles))
        self._words = np.array(block.words, np.int64)
        module, _ = step_module(world, spec, "cpu", kinds=block.digest, layering=layering)
        drive = _dispatcher(module, block)
        with diagnosing(world):
            self.origin = _get_ready(drive, (self._words, 0, 0), world.name, module)
        return drive

    def run(self) -> None:
        if len(self._slices) == 1:
            self.drive(self._words, 0, self._num_envs)
            return
        if self._pool is None or self._pool_owner != os.getpid():  # threads do not survive a fork
            self._pool, self._pool_owner = ThreadPoolExecutor(len(self._slices)), os.getpid()
        jobs = [self._pool.submit(self.drive, self._words, *part) for part in self._slices]
        for job in jobs:
            job.result()


def _dispatcher(module: ModuleType, block: Block) -> Any:
    """Give the compiled form of a composed step; its types are made by one thread at a time."""
    from mesocosm.sim.compile.reference import make_fetch

    key = str(module.__file__)
    with _making:
        if key not in _compiled:
            module.fetch = make_fetch(block.trees, "cpu")  # type: ignore[attr-defined]
            _compiled[key] = launch(module.drive_bound, "cpu", cache=True)
        return _compiled[key]


def _get_ready(drive: Any, arguments: tuple[Any, ...], name: str, module: ModuleType) -> Origin:
    """Load the code for these arguments, or compile it: in one process, while others wait."""
    signature = tuple(drive.typeof_pyval(value) for value in arguments)
    with contextlib.ExitStack() as held:
        if drive._cache.find(signature, drive.targetctx) is None:
            held.enter_context(one_at_a_time(Path(str(module.__file__)).parent, name))
        source = drive._cache.find(signature, drive.targetctx)
        if source is not None or signature in drive.overloads:
            drive(*arguments)
            return Origin(source or COMPILED)
        with Compilation(name, "cpu", module.drive) as compilation:
            drive(*arguments)
    return Origin(COMPILED, compilation.seconds)


def cpu_code_name(world: World, spec: Spec, arrays: Any, layering: Layering | None) -> str:
    """Name the code that a batch on the host would run on the CPU, without compiling it."""
    s, f, p, roles = arrays
    kinds = host_block((s, f, p, *roles)).digest
    return step_code(world, spec, "cpu", kinds=kinds, layering=layering)[1]


def make_driver(
    world: World, spec: Spec, arrays: Any, execution: Any, layering: Layering | None = None
) -> Driver:
    """Put a batch on its target."""
    if execution.target == "python":
        return PythonDriver(world, spec, arrays, layering)
    if execution.target == "cpu":
        return CpuDriver(world, spec, arrays, execution.threads, layering)
    from mesocosm.sim.targets.cuda import CudaDriver, SimulatorDriver, simulated

    return (SimulatorDriver if simulated() else CudaDriver)(world, spec, arrays, layering)
