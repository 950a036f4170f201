"""The CUDA target: exact arithmetic, kernels captured once as a graph and replayed."""

import contextlib
import importlib.util
import os
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from mesocosm.core.errors import TargetError
from mesocosm.core.extra import install_command
from mesocosm.core.spec import Spec
from mesocosm.core.world import World
from mesocosm.sim.compile.cache import rules_of
from mesocosm.sim.compile.diagnose import diagnosing
from mesocosm.sim.compile.fields import Block, host_block
from mesocosm.sim.compile.fingerprint import reached_functions
from mesocosm.sim.compile.register import register
from mesocosm.sim.frame import DONE
from mesocosm.sim.layering import Layering
from mesocosm.sim.targets.cells import rebuild_tuple, wrap
from mesocosm.sim.targets.dlpack import DeviceArray
from mesocosm.sim.targets.driver import HostDriver
from mesocosm.sim.targets.launch import announce, step_module

THREADS = 128  # of a block; fewer where the batch would not reach all parts of the GPU
MANY_BLOCKS = 256
SMALL_WORLD, FEW_REGISTERS = 100, 64  # rules; registers of a thread
INT32_MAX = 2**31 - 1
_kernels: dict[tuple[str, str], Any] = {}


def simulated() -> bool:
    """Whether Numba's simulator stands in for a GPU."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def check_cuda() -> None:
    """Reject the target on a machine without numba-cuda or without a GPU."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise TargetError(f"target 'cuda' needs numba-cuda: {install_command('cuda')}")
    from numba import cuda

    if not cuda.is_available():
        raise TargetError("target 'cuda' needs an NVIDIA GPU and its driver; none was found")


@contextlib.contextmanager
def exact_arithmetic() -> Iterator[None]:
    """Compile for CUDA as rules need it: without fused multiply-adds, and each module once."""
    from mesocosm.sim.compile.numba_patches import applied, exact_kernels

    with applied([] if simulated() else exact_kernels()):
        yield


def jit(function: Callable[..., Any], *, cache: bool, registers: int | None = None) -> Any:
    """Make a kernel; link-time optimisation is off, since it would fuse again."""
    from numba import cuda

    if simulated():
        return cuda.jit(function)
    return cuda.jit(function, lto=False, cache=cache, max_registers=registers)


def launch_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run a rule that returns nothing as a single CUDA thread on host arrays."""
    kernel = jit(function, cache=False)

    def run(*arguments: Any) -> None:
        with exact_arithmetic():
            kernel[1, 1](*arguments)

    return run


def _upload(value: Any, entry: Any) -> Any:
    """Copy to the GPU; what has an env axis gets it as the innermost one."""
    from numba import cuda

    if isinstance(value, np.ndarray):
        return cuda.to_device(np.asfortranarray(value) if entry.batched else value)
    if isinstance(value, tuple):
        made = [_upload(part, below) for part, (_, below) in zip(value, entry.entries, strict=True)]
        return rebuild_tuple(value, made)
    return value


def _address(array: Any) -> int:
    pointer: int = array.__cuda_array_interface__["data"][0]
    return pointer


def load_kernels(world: World, spec: Spec, block: Block, layering: Layering | None) -> ModuleType:
    """Load a world's kernels for arguments that are laid out like a block's."""
    module, warm = step_module(world, spec, "cuda", kinds=block.digest, layering=layering)
    if module.fetch is None:
        from mesocosm.sim.compile.reference import make_fetch

        module.fetch = make_fetch(block.trees, "cuda")  # type: ignore[attr-defined]
        rules = reached_functions(rules_of(world))
        module.num_rules = sum(1 for _ in rules)  # type: ignore[attr-defined]
        register("cuda")
    if not warm:
        announce(world, "cuda")
    return module


class CudaDriver:
    """Arrays on the GPU; a step is one replay of a captured graph."""

    def __init__(
        self, world: World, spec: Spec, arrays: Any, layering: Layering | None = None
    ) -> None:
        from numba import cuda

        self._cuda = cuda
        s, f, p, roles = arrays
        envs, agents = f.active.shape
        given = (s, f, p, *roles)
        pairs = zip(given, host_block(given).trees, strict=True)
        uploaded = tuple(_upload(value, tree) for value, tree in pairs)
        self.s, self.f, self.p, *more = uploaded
        self.roles = tuple(more)
        block = Block(uploaded, _address, narrow=True)
        module = load_kernels(world, spec, block, layering)
        self._words = tuple(block.words)
        self._stream = cuda.stream()
        self._launches = _launches(module, self._words, envs, agents)
        self._copies: dict[str, Any] | None = None
        commands = np.full(envs, DONE, np.int8)
        self.put(self.f.command, commands)
        with diagnosing(world), exact_arithmetic(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small batch is a choice, not a mistake
            self._enqueue()
        self._stream.synchronize()
        self._graph = self._capture()

    def _enqueue(self) -> None:
        self.enqueue(self._stream)

    def enqueue(self, stream: Any) -> None:
        """Put the kernels of a step on a stream, which may be capturing them."""
        for kernel, blocks, threads, arguments in self._launches:
            kernel[blocks, threads, stream](*arguments)

    def enqueue_on(self, handle: int) -> None:
        """Put the kernels of a step on a stream of somebody else's."""
        self.enqueue(self._cuda.external_stream(handle))

    def _capture(self) -> Any:
        from cuda.bindings import driver as api

        self._api, self._handle = api, int(self._stream.handle)
        mode = api.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        _ok(api.cuStreamBeginCapture(self._handle, mode))
        self._enqueue()
        graph = _ok(api.cuStreamEndCapture(self._handle))
        return _ok(api.cuGraphInstantiate(graph, 0))

    def run(self) -> None:
        _ok(self._api.cuGraphLaunch(self._graph, self._handle))
        _ok(self._api.cuStreamSynchronize(self._handle))

    def get(self, array: Any) -> np.ndarray:
        return np.ascontiguousarray(array.copy_to_host())

    def put(self, array: Any, values: Any) -> None:
        if not hasattr(values, "__cuda_array_interface__"):
            array.copy_to_device(np.ascontiguousarray(values, dtype=array.dtype))
            return
        source = self._cuda.as_cuda_array(values)
        if self._copies is None:
            self._copies = _copy_kernels()
        blocks = -(-source.shape[0] // THREADS)
        self._copies[array.dtype.kind][blocks, THREADS](source, array)
        self._cuda.default_stream().synchronize()

    def view(self, array: Any, part: slice, shape: tuple[int, ...]) -> DeviceArray:
        start = part.start or 0
        *lead, inner_stride = array.strides
        inner = [inner_stride * int(np.prod(shape[k + 1 :], dtype=int)) for k in range(len(shape))]
        return DeviceArray(array, start * inner_stride, (*array.shape[:2], *shape), (*lead, *inner))

    def share(self, array: Any, agents: slice | None = None) -> DeviceArray:
        shape = list(array.shape)
        offset = 0
        if agents is not None:
            shape[1] = agents.stop - agents.start
            offset = agents.start * array.strides[1]
        return DeviceArray(array, offset, tuple(shape), array.strides)


class SimulatorDriver(HostDriver):
    """The same kernels under Numba's simulator, which proves launch geometry only."""

    def __init__(
        self, world: World, spec: Spec, arrays: Any, layering: Layering | None = None
    ) -> None:
        super().__init__(arrays)
        self._module, _ = step_module(world, spec, "cuda", layering=layering)
        self._arguments = tuple(wrap(entry) for entry in (self.s, self.f, self.p, *self.roles))
        self._launches = _launches(self._module, None, *self.f.active.shape)

    def run(self) -> None:
        vars(self._module)["fetch"] = lambda words: self._arguments
        for kernel, blocks, threads, arguments in self._launches:
            kernel[blocks, threads](*arguments)


def _launches(module: ModuleType, words: Any, envs: int, agents: int) -> list[Any]:
    """List the kernels of a step: play and show, then begin ended episodes anew and show those.

    Each is (kernel, blocks, threads of a block, arguments).
    """

    def launch(name: str, *more: Any) -> tuple[Any, int, int, tuple[Any, ...]]:
        count = envs * (agents if name in ("show_kernel", "view_kernel") else 1)
        size = threads_for(count)
        return _kernel(module, name), -(-count // size), size, (words, *more)

    shown = [launch("show_kernel")]
    if hasattr(module, "view_kernel"):  # layers see all views of an env before they show any
        shown = [launch("view_kernel"), launch("share_kernel"), *shown]
    first, again = launch("act_kernel", False), launch("act_kernel", True)
    return [first, *shown, again, *shown, launch("finish_kernel")]


def threads_for(count: int) -> int:
    """Choose the size of blocks: as large as still leaves enough of them."""
    return next((size for size in (THREADS, 64) if count >= size * MANY_BLOCKS), 32)


def _kernel(module: ModuleType, name: str) -> Any:
    """Make a kernel, once; that of a small world gets few registers.

    Its threads then hide each other's waiting, half again as fast; a large world would spill.
    """
    key = (str(module.__file__), name)
    if key not in _kernels:
        few = vars(module).get("num_rules", SMALL_WORLD) < SMALL_WORLD
        registers = FEW_REGISTERS if few else None
        _kernels[key] = jit(getattr(module, name), cache=True, registers=registers)
    return _kernels[key]


def _copy_kernels() -> dict[str, Any]:
    """Make the kernels that take actions over: integers saturate, floats stay what they are."""
    from numba import cuda

    def whole(source: Any, target: Any) -> None:
        e = cuda.grid(1)
        if e < source.shape[0]:
            for a in range(source.shape[1]):
                for k in range(source.shape[2]):
                    target[e, a, k] = min(max(source[e, a, k], -INT32_MAX), INT32_MAX)

    def real(source: Any, target: Any) -> None:
        e = cuda.grid(1)
        if e < source.shape[0]:
            for a in range(source.shape[1]):
                for k in range(source.shape[2]):
                    target[e, a, k] = source[e, a, k]

    return {"i": cuda.jit(whole, lto=False), "f": cuda.jit(real, lto=False)}


def _ok(answer: Any) -> Any:
    """Give the result of a driver call, or say that the driver refused."""
    code, *results = answer if isinstance(answer, tuple) else (answer,)
    if int(code) != 0:
        raise TargetError(f"the CUDA driver answered {code}")
    return results[0] if results else None
