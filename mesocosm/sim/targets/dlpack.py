"""Device arrays that torch, JAX and CuPy take without a copy."""

import atexit
import ctypes
import math
from typing import Any

import numpy as np

KIND_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
CUDA_DEVICE = 2
NAME = b"dltensor"


class _Device(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("index", ctypes.c_int32))


class _Kind(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("kind", _Kind),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = (
    ("tensor", _Tensor),
    ("context", ctypes.c_void_p),
    ("deleter", _Deleter),
)
_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
# A handle of our own: argument types set on the shared one would reach other packages.
_python = ctypes.PyDLL(None)
_alive: dict[int, tuple[Any, ...]] = {}


@_Deleter  # type: ignore[untyped-decorator]
def _delete(managed: Any) -> None:
    _alive.pop(ctypes.addressof(managed.contents), None)


@_Destructor  # type: ignore[untyped-decorator]
def _drop(capsule: int) -> None:
    """Free a capsule that nobody took."""
    valid = _python.PyCapsule_IsValid
    valid.argtypes, valid.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_int
    if valid(capsule, NAME):
        pointer = _python.PyCapsule_GetPointer
        pointer.argtypes, pointer.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_void_p
        _alive.pop(pointer(capsule, NAME), None)


@atexit.register
def _let_go() -> None:
    """Have nobody call back when the interpreter has gone: what is still held lives on."""
    for managed, *_ in _alive.values():
        managed.deleter = _Deleter()
        _python.Py_IncRef(ctypes.py_object(managed))


class DeviceArray:
    """A view of memory on the GPU: `torch.from_dlpack(x)`, `cupy.asarray(x)`, `np.asarray(x)`."""

    def __init__(self, owner: Any, offset: int, shape: tuple[int, ...], strides: Any) -> None:
        self._owner, self._offset = owner, offset
        self.shape, self.strides, self.dtype = tuple(shape), tuple(strides), np.dtype(owner.dtype)
        self._pointer = owner.__cuda_array_interface__["data"][0] + offset

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "data": (self._pointer if math.prod(self.shape) else 0, False),
            "version": 3,
            "stream": 1,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA_DEVICE, 0

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        """Hand out the memory; the env has waited for its own work already."""
        count = len(self.shape)
        shape = (ctypes.c_int64 * count)(*self.shape)
        strides = (ctypes.c_int64 * count)(*(s // self.dtype.itemsize for s in self.strides))
        kind = _Kind(KIND_CODES[self.dtype.kind], self.dtype.itemsize * 8, 1)
        device = _Device(CUDA_DEVICE, 0)
        sizes, steps = (ctypes.cast(x, ctypes.POINTER(ctypes.c_int64)) for x in (shape, strides))
        tensor = _Tensor(self._pointer, device, count, kind, sizes, steps, 0)
        managed = _Managed(tensor, None, _delete)
        address = ctypes.addressof(managed)
        _alive[address] = (managed, shape, strides, self._owner)
        make = _python.PyCapsule_New
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        make.restype = ctypes.py_object
        return make(address, NAME, ctypes.cast(_drop, ctypes.c_void_p))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Copy to the host."""
        host = self._owner.copy_to_host().ravel(order="K")  # as it lies in memory
        made = np.ndarray(self.shape, self.dtype, host, self._offset, self.strides).copy()
        return made if dtype is None else made.astype(dtype)

    def __getitem__(self, index: Any) -> Any:
        """Read from a host copy: convenient for looking, slow for training."""
        return np.asarray(self)[index]

    def __len__(self) -> int:
        return self.shape[0]
