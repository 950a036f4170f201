"""Fold a batch's arrays into few numbers where they live: digests, and sums per env.

Telemetry calls these beside the step, never inside it: what the step is compiled to does not
depend on whether anybody watches.
"""

import warnings
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from mesocosm.core.errors import SpecError
from mesocosm.sim import peek
from mesocosm.sim.compile.cache import cache_directory, code_name
from mesocosm.sim.compile.register import register
from mesocosm.sim.digest import GOLDEN, row_hashes, total
from mesocosm.sim.journal import gather_events
from mesocosm.sim.ledger import note_step, sum_step
from mesocosm.sim.rng import FIRST, i64, mix, u64
from mesocosm.sim.rule import rule
from mesocosm.sim.targets.launch import launch, load_module

NAME = "telemetry"  # of its compiled code
PLACE = int(GOLDEN)
ADDRESS, ROW_BYTES, COUNT, KIND = 0, 1, 2, 3
# more columns of the table on CUDA, where the env axis is innermost: bytes, and inner axes
ITEM_BYTES, ENV_BYTES, NUM_AXES, AXES = 4, 5, 6, 7
MAX_AXES = 5

TEXT = '''"""Fold state into digests and sums. Generated: do not edit."""

from mesocosm.sim.fold import bind_env, fold_field, fold_strided, sum_field, sum_strided
from mesocosm.sim.journal import gather_events
from mesocosm.sim.ledger import note_step, sum_step
'''
CPU = '''
def gather(*arrays):
    """Empty the event buffers."""
    gather_events(*arrays)


def note(*arrays):
    """Note who ended and who began anew."""
    note_step(*arrays)


def tally(*arrays):
    """Sum a step over each env's agents."""
    sum_step(*arrays)


def fold(table, index, bound, out):
    """Digest every field."""
    for e in range(index.shape[0]):
        bound[e] = bind_env(index[e])
    for k in range(table.shape[0]):
        total = 0
        for e in range(index.shape[0]):
            total += fold_field(table, k, e, bound[e])
        out[k] = total


def add(table, index, out):
    """Sum every field, per env."""
    for k in range(table.shape[0]):
        for e in range(index.shape[0]):
            out[k, e] = sum_field(table, k, e)
'''
CUDA = '''
from numba import cuda


def fold(table, index, out):
    """One thread per field and env: integer sums do not depend on their order."""
    i = cuda.grid(1)
    k = i // index.shape[0]
    if k < table.shape[0]:
        e = i - k * index.shape[0]
        cuda.atomic.add(out, k, fold_strided(table, k, e, bind_env(index[e])))


def add(table, index, out):
    """One thread per field and env."""
    i = cuda.grid(1)
    k = i // index.shape[0]
    if k < table.shape[0]:
        e = i - k * index.shape[0]
        out[k, e] = sum_strided(table, k, e)
'''


@rule
def spread(word: int, place: int) -> int:
    """Scramble one word; cheaper than `mix`, which follows once per row."""
    z = u64(u64(word ^ place) * u64(FIRST))
    return z ^ (z >> u64(32))


@rule
def bind_env(index: int) -> int:
    """Give the word that binds a hash to its env's global index."""
    return i64(mix(u64(u64(index) + u64(PLACE))))


@rule
def fold_field(table: np.ndarray, k: int, e: int, bound: int) -> int:
    """Hash the bytes that env e has of field k, bound to its env."""
    size = table[k, ROW_BYTES]
    address = table[k, ADDRESS] + e * size
    whole = size // 8
    folded = u64(0)
    place = u64(0)
    for i in range(whole):
        place = u64(place + u64(PLACE))
        folded = u64(folded + spread(peek.word_at(address + 8 * i), place))
    if size > 8 * whole:
        last = last_bytes(address, size, whole)
        folded = u64(folded + spread(last, u64(place + u64(PLACE))))
    return i64(mix(u64(mix(u64(folded + u64(size))) ^ u64(bound))))


@rule
def last_bytes(address: int, size: int, whole: int) -> int:
    """Give the bytes of a row that fill no word, as one."""
    if whole > 0:  # the end of the word that ends where the row does
        return u64(peek.word_at(address + size - 8) >> u64(8 * (8 - size + 8 * whole)))
    last = u64(0)
    for i in range(size):
        last = u64(last | u64(u64(peek.byte_at(address + i)) << u64(8 * i)))
    return last


@rule
def sum_field(table: np.ndarray, k: int, e: int) -> float:
    """Sum the numbers that env e has of field k, from first to last."""
    count = table[k, COUNT]
    kind = table[k, KIND]
    address = table[k, ADDRESS] + e * table[k, ROW_BYTES]
    total = 0.0
    if kind == 5:
        for i in range(count):
            total += peek.float64_at(address + 8 * i)
    elif kind == 4:
        for i in range(count):
            total += peek.float32_at(address + 4 * i) * 1.0
    elif kind == 3:
        for i in range(count):
            total += peek.int64_at(address + 8 * i) * 1.0
    else:
        total = sum_whole(address, count, kind) * 1.0
    return total


@rule
def sum_whole(address: int, count: int, kind: int) -> int:
    """Sum small whole numbers: no such sum is too large for a float to be exact."""
    total = 0
    if kind == 2:
        for i in range(count):
            total += peek.int32_at(address + 4 * i)
    elif kind == 1:
        for i in range(count):
            total += peek.int16_at(address + 2 * i)
    elif kind == 7:
        for i in range(count):
            total += peek.byte_at(address + i)
    else:
        for i in range(count):
            total += peek.int8_at(address + i)
    return total


@rule
def place_of(table: np.ndarray, k: int, e: int, i: int) -> int:
    """Find the i-th number that env e has of field k, where each axis has a stride of its own."""
    address = table[k, ADDRESS] + e * table[k, ENV_BYTES]
    rest = i
    for axis in range(table[k, NUM_AXES] - 1, -1, -1):
        length = table[k, AXES + 2 * axis]
        address += (rest % length) * table[k, AXES + 2 * axis + 1]
        rest = rest // length
    return address


@rule
def bits_at(address: int, size: int) -> int:
    """Read the bits of one number."""
    if size == 8:
        return u64(peek.word_at(address))
    bits = u64(0)
    for i in range(size):
        bits = u64(bits | u64(u64(peek.byte_at(address + i)) << u64(8 * i)))
    return bits


@rule
def fold_strided(table: np.ndarray, k: int, e: int, bound: int) -> int:
    """Hash what `fold_field` hashes, number by number."""
    size, item = table[k, ROW_BYTES], table[k, ITEM_BYTES]
    folded = u64(0)
    place = u64(0)
    word = u64(0)
    for i in range(table[k, COUNT]):
        at = (i * item) % 8
        word = u64(word | u64(bits_at(place_of(table, k, e, i), item) << u64(8 * at)))
        if at + item == 8 or i == table[k, COUNT] - 1:
            place = u64(place + u64(PLACE))
            folded = u64(folded + spread(word, place))
            word = u64(0)
    return i64(mix(u64(mix(u64(folded + u64(size))) ^ u64(bound))))


@rule
def sum_strided(table: np.ndarray, k: int, e: int) -> float:
    """Sum what `sum_field` sums, in the same order."""
    kind = table[k, KIND]
    total = 0.0
    whole = 0
    for i in range(table[k, COUNT]):
        address = place_of(table, k, e, i)
        if kind == 5:
            total += peek.float64_at(address)
        elif kind == 4:
            total += peek.float32_at(address) * 1.0
        elif kind == 3:
            total += peek.int64_at(address) * 1.0
        else:
            whole += sum_whole(address, 1, kind)
    return total + whole * 1.0


class Folder:
    """Digests and sums named arrays `[env, ...]`; the host does it in NumPy, with equal bits."""

    def __init__(self, arrays: Mapping[str, Any], index: Any) -> None:
        self.names = tuple(arrays)
        self._arrays, self._index = list(arrays.values()), index

    def digest(self) -> np.ndarray:  # uint64 [field]
        """Give one 64-bit number per array: the sum of its envs' hashes."""
        found = [total(row_hashes(array), self._index) for array in self._arrays]
        return np.array(found, np.uint64)

    def sums(self) -> np.ndarray:  # float64 [field, env]
        """Sum each array, per env."""
        rows = [np.asarray(a).reshape(len(self._index), -1) for a in self._arrays]
        return np.stack([_sum_in_order(row) for row in rows])


def _sum_in_order(rows: np.ndarray) -> np.ndarray:  # float64 [env]
    """Sum from first to last, as compiled code does."""
    zero = np.zeros((len(rows), 1))
    values = np.concatenate([zero, rows.astype(np.float64)], axis=1)
    last: np.ndarray = values.cumsum(axis=1)[:, -1]
    return last


def _table(arrays: list[Any], addresses: list[int]) -> np.ndarray:  # int64 [field, 4]
    rows = []
    for array, address in zip(arrays, addresses, strict=True):
        count = int(np.prod(array.shape[1:], dtype=np.int64))
        rows.append((address, count * array.dtype.itemsize, count, peek.KINDS[str(array.dtype)]))
    return np.array(rows, np.int64).reshape(-1, 4)


def _strided_table(arrays: list[Any], addresses: list[int]) -> np.ndarray:  # int64 [field, 17]
    """Add to the table where the numbers of an env are."""
    table = np.zeros((len(arrays), AXES + 2 * MAX_AXES), np.int64)
    table[:, :AXES][:, :4] = _table(arrays, addresses)
    for row, array in zip(table, arrays, strict=True):
        inner = list(zip(array.shape[1:], array.strides[1:], strict=True))
        if len(inner) > MAX_AXES:
            raise SpecError(f"a field has at most {1 + MAX_AXES} axes, got {len(array.shape)}")
        row[ITEM_BYTES:AXES] = array.dtype.itemsize, array.strides[0], len(inner)
        row[AXES : AXES + 2 * len(inner)] = [number for pair in inner for number in pair]
    return table


class CpuFolder(Folder):
    """Compiled: one call, whatever the number of fields."""

    def __init__(self, arrays: Mapping[str, Any], index: Any, module: ModuleType) -> None:
        super().__init__(arrays, index)
        self._table = _table(self._arrays, [array.ctypes.data for array in self._arrays])
        self._fold, self._add = (_compiled(module, name) for name in ("fold", "add"))
        self._digests = np.zeros(len(self.names), np.int64)
        self._bound = np.zeros(len(index), np.int64)

    def digest(self) -> np.ndarray:
        self._fold(self._table, self._index, self._bound, self._digests)
        return self._digests.view(np.uint64).copy()

    def sums(self) -> np.ndarray:
        out = np.zeros((len(self.names), len(self._index)))
        self._add(self._table, self._index, out)
        return out


class CudaFolder(Folder):
    """On the GPU: only the results travel."""

    def __init__(self, arrays: Mapping[str, Any], index: Any, module: ModuleType) -> None:
        from numba import cuda

        super().__init__(arrays, index)
        key = "__cuda_array_interface__"
        self._table = cuda.to_device(
            _strided_table(self._arrays, [getattr(array, key)["data"][0] for array in self._arrays])
        )
        self._fold, self._add = (_kernel(module, name) for name in ("fold", "add"))
        self._zeros = np.zeros(len(self.names), np.int64)
        self._digests = cuda.to_device(self._zeros)
        self._sums = cuda.to_device(np.zeros((len(self.names), index.shape[0])))

    def _run(self, kernel: Any, out: Any) -> np.ndarray:
        from mesocosm.sim.targets.cuda import THREADS, exact_arithmetic

        blocks = -(-len(self.names) * self._index.shape[0] // THREADS)
        with exact_arithmetic(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small batch is a choice, not a mistake
            kernel[blocks, THREADS](self._table, self._index, out)
        made: np.ndarray = out.copy_to_host()
        return made

    def digest(self) -> np.ndarray:
        self._digests.copy_to_device(self._zeros)
        return self._run(self._fold, self._digests).view(np.uint64)

    def sums(self) -> np.ndarray:
        return self._run(self._add, self._sums)


_functions: dict[tuple[str, str], Any] = {}


class _Lean:
    """A function that is compiled, at its first call, as lean as the step is."""

    def __init__(self, compiled: Any) -> None:
        self._compiled, self.function = compiled, self._first

    def _first(self, *arguments: Any) -> None:
        self._compiled(*arguments)
        self.function = self._compiled

    def __call__(self, *arguments: Any) -> None:
        self.function(*arguments)


def _compiled(module: ModuleType, name: str) -> Any:
    key = (str(module.__file__), name)
    if key not in _functions:
        _functions[key] = _Lean(launch(getattr(module, name), "cpu", cache=True))
    return _functions[key]


def _kernel(module: ModuleType, name: str) -> Any:
    from mesocosm.sim.targets.cuda import jit

    key = (str(module.__file__), name)
    if key not in _functions:
        _functions[key] = jit(getattr(module, name), cache=True)
    return _functions[key]


def _module(target: str) -> ModuleType:
    """Load what serves every world: tables of addresses have one type."""
    text = TEXT + (CUDA if target == "cuda" else CPU)
    directory = cache_directory(code_name(NAME, (), text, "fold", target))
    register(target)
    return load_module(directory / "fold.py", text)


def make_folder(arrays: Mapping[str, Any], index: Any, target: str) -> Folder:
    """Make the folder for arrays where they live: on the host, or on a GPU."""
    if target == "python" or (isinstance(index, np.ndarray) and target == "cuda"):
        return Folder(arrays, index)  # the simulator's arrays are the host's
    made = CudaFolder if target == "cuda" else CpuFolder
    return made(arrays, index, _module(target))


def make_bookkeeper(name: str, target: str) -> Any:
    """Make what keeps books on the host (gather, note or tally): plain, or compiled."""
    if target == "python":
        plain: dict[str, Any] = {"gather": gather_events, "note": note_step, "tally": sum_step}
        return launch(plain[name], "python")
    return _compiled(_module("cpu"), name)
