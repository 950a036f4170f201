"""Compiled code that comes with the package, for the least CPU that it is used on.

It lies beside the package's sources and is as trusted as they are. Its folders are named as those
of the user's cache: by all sources, versions and settings. So whatever differs, it is not found.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any

from mesocosm.sim.compile.fingerprint import PACKAGE

FOLDER = PACKAGE / "compiled"
BASELINE = "x86-64-v3"  # Intel since 2013, AMD since 2017
NEEDED = (
    "avx", "avx2", "bmi", "bmi2", "cmov", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx",
    "movbe", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave",
)  # fmt: skip
FEATURES = ",".join(f"+{name}" for name in NEEDED)
# code that is to be shipped is compiled under these
SURROUNDINGS = {"NUMBA_CPU_NAME": BASELINE, "NUMBA_CPU_FEATURES": FEATURES}


@cache
def lacking() -> tuple[str, ...]:
    """List what the CPU here lacks of the baseline."""
    from llvmlite import binding

    features = binding.get_host_cpu_features()
    return tuple(name for name in NEEDED if not features.get(name, False))


def shipped_folder(name: str) -> Path | None:
    """Find code by its name, if the package has it and this CPU runs it."""
    folder = FOLDER / name
    chosen = any(variable in os.environ for variable in SURROUNDINGS)  # a person wants another CPU
    return folder if not chosen and folder.is_dir() and not lacking() else None


def open_index(kept: Any) -> Any:
    """Give the index of shipped code where Numba's own cache has `kept`; None if there is none."""
    from numba.core.caching import IndexDataCacheFile

    folder = shipped_folder(Path(kept.cache_path).parent.name)
    if folder is None:
        return None
    own = kept._cache_file
    return IndexDataCacheFile(
        cache_path=str(folder),
        filename_base=kept._impl.filename_base,
        source_stamp=own._source_stamp,
    )


def index_key(key: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Turn the key of code for this CPU into that for the baseline."""
    signature, (triple, _, _), code = key
    return signature, (triple, BASELINE, FEATURES), code
