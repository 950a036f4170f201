"""Digest a batch's arrays where they live: one hash per field, or sums per field and env.

Telemetry calls this beside the step, never inside it: what the step is compiled to does not
depend on whether anybody watches.
"""

import warnings
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from mesocosm.core.errors import SpecError
from mesocosm.sim.compile.memory import KINDS
from mesocosm.sim.record.bookkeeping import compiled_function, compiled_kernel, generated_module
from mesocosm.sim.record.digest import row_hashes, total
from mesocosm.sim.record.digest_rules import AXES, ITEM_BYTES, MAX_AXES, NUM_COLUMNS


class Digester:
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


def _contiguous_table(arrays: list[Any], addresses: list[int]) -> np.ndarray:  # int64 [field, 4]
    rows = []
    for array, address in zip(arrays, addresses, strict=True):
        count = int(np.prod(array.shape[1:], dtype=np.int64))
        rows.append((address, count * array.dtype.itemsize, count, KINDS[str(array.dtype)]))
    return np.array(rows, np.int64).reshape(-1, NUM_COLUMNS)


def _strided_table(arrays: list[Any], addresses: list[int]) -> np.ndarray:  # int64 [field, 17]
    """Add to the table where the numbers of an env are."""
    table = np.zeros((len(arrays), AXES + 2 * MAX_AXES), np.int64)
    table[:, :NUM_COLUMNS] = _contiguous_table(arrays, addresses)
    for row, array in zip(table, arrays, strict=True):
        inner = list(zip(array.shape[1:], array.strides[1:], strict=True))
        if len(inner) > MAX_AXES:
            raise SpecError(f"a field has at most {1 + MAX_AXES} axes, got {len(array.shape)}")
        row[ITEM_BYTES:AXES] = array.dtype.itemsize, array.strides[0], len(inner)
        row[AXES : AXES + 2 * len(inner)] = [number for pair in inner for number in pair]
    return table


class CpuDigester(Digester):
    """Compiled: one call, whatever the number of fields."""

    def __init__(self, arrays: Mapping[str, Any], index: Any, module: ModuleType) -> None:
        super().__init__(arrays, index)
        self._table = _contiguous_table(self._arrays, [array.ctypes.data for array in self._arrays])
        self._digest, self._sum = (
            compiled_function(module, name) for name in ("digest_fields", "sum_fields")
        )
        self._digests = np.zeros(len(self.names), np.int64)
        self._bound = np.zeros(len(index), np.int64)

    def digest(self) -> np.ndarray:
        self._digest(self._table, self._index, self._bound, self._digests)
        return self._digests.view(np.uint64).copy()

    def sums(self) -> np.ndarray:
        out = np.zeros((len(self.names), len(self._index)))
        self._sum(self._table, self._index, out)
        return out


class CudaDigester(Digester):
    """On the GPU: only the results travel."""

    def __init__(self, arrays: Mapping[str, Any], index: Any, module: ModuleType) -> None:
        from numba import cuda

        super().__init__(arrays, index)
        key = "__cuda_array_interface__"
        self._table = cuda.to_device(
            _strided_table(self._arrays, [getattr(array, key)["data"][0] for array in self._arrays])
        )
        self._digest, self._sum = (
            compiled_kernel(module, name) for name in ("digest_fields", "sum_fields")
        )
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
        return self._run(self._digest, self._digests).view(np.uint64)

    def sums(self) -> np.ndarray:
        return self._run(self._sum, self._sums)


def make_digester(arrays: Mapping[str, Any], index: Any, target: str) -> Digester:
    """Make the digester of arrays where they live: on the host, or on a GPU."""
    if target == "python" or (isinstance(index, np.ndarray) and target == "cuda"):
        return Digester(arrays, index)  # the simulator's arrays are the host's
    made = CudaDigester if target == "cuda" else CpuDigester
    return made(arrays, index, generated_module(target))
