"""Find compiled code before compiling: what the package brought, then what was kept; and keep it.

Numba asks this in place of its own cache. What the package brought was compiled for a CPU of which
every later one can run the code, so it is found under that CPU's name, whatever runs here.
"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.sim.compile.cache import is_kept
from mesocosm.sim.compile.shipped import index_key, open_index, shipped_folder

SHIPPED, KEPT = "shipped", "kept"
COMPILED = "compiled"


class Origin(NamedTuple):
    """Where code came from (shipped, kept or compiled), and how long compiling took."""

    source: str
    seconds: float = 0.0


def find_code(name: str) -> str | None:
    """Say where code of a name is, as far as can be said without loading Numba."""
    if shipped_folder(name) is not None:
        return SHIPPED
    return KEPT if is_kept(name) else None


class CodeCache:
    """The compiled forms of one function."""

    def __init__(self, kept: Any) -> None:
        self._kept, self._shipped = kept, open_index(kept)

    @property
    def cache_path(self) -> str:
        """The folder of what is kept (Numba shows it)."""
        return str(self._kept.cache_path)

    def find(self, signature: Any, context: Any) -> str | None:
        """Say where code for a signature is, without loading it."""
        context.refresh()
        key = self._kept._index_key(signature, context.codegen())
        if self._shipped is not None and _holds(self._shipped, index_key(key)):
            return SHIPPED
        return KEPT if _holds(self._kept._cache_file, key) else None

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load code for a signature; None if there is none."""
        if self.find(signature, context) == SHIPPED:
            key = self._kept._index_key(signature, context.codegen())
            data = self._shipped.load(index_key(key))
            return self._kept._impl.rebuild(context, data)
        return self._kept.load_overload(signature, context)

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep code if possible: a full disk costs the next process time, not this one."""
        try:
            self._kept.save_overload(signature, result)
        except OSError as error:
            said = error.strerror or error
            print(f"mesocosm: compiled code is not kept: {said}", file=sys.stderr, flush=True)

    def flush(self) -> None:
        """Forget what was kept."""
        self._kept.flush()


def _holds(index: Any, key: Any) -> bool:
    """Whether an index has a key, and the file that it promises is there."""
    name = index._load_index().get(key)
    return name is not None and Path(index._data_path(name)).is_file()
