"""Say where a rule used an index outside its array: its file, its line and what it asked for.

Plain Python knows the line. Code compiled with bounds checks (NUMBA_BOUNDSCHECK=1) only knows that
it happened; so the same step is played again from a copy made before it, as plain Python.
"""

import os
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.errors import BoundsError
from mesocosm.core.spec import Spec
from mesocosm.core.world import World
from mesocosm.sim.compile.diagnose import ENGINE
from mesocosm.sim.layering import Layering
from mesocosm.sim.rule import RULES
from mesocosm.sim.targets.cells import rebuild_tuple
from mesocosm.sim.targets.driver import Driver, PythonDriver

UNKNOWN = "a rule uses an index outside its array; plain Python finds none in the same step"


def are_checked(target: str) -> bool:
    """Whether compiled code checks its indices."""
    return target == "cpu" and os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")


def copy_arrays(value: Any) -> Any:
    """Copy every array inside a (nested) tuple."""
    if isinstance(value, tuple):
        return rebuild_tuple(value, [copy_arrays(entry) for entry in value])
    return value.copy() if isinstance(value, np.ndarray) else value


def restore_arrays(into: Any, kept: Any) -> None:
    """Write a copy back."""
    if isinstance(into, tuple):
        for entry, values in zip(into, kept, strict=True):
            restore_arrays(entry, values)
    elif isinstance(into, np.ndarray) and into.flags.writeable:
        into[...] = kept


def run_explained(
    world: World, spec: Spec, driver: Driver, target: str, layering: Layering | None
) -> Callable[[], None]:
    """Give what runs a driver, and says which rule used an index outside its array.

    Where compiled code finds one, the env is as it was before.
    """

    def run_plain() -> None:
        try:
            driver.run()
        except IndexError as error:
            raise explain(world, error) from error

    def run_checked() -> None:
        arrays = (driver.s, driver.f, driver.roles)
        kept = copy_arrays(arrays)
        try:
            driver.run()
        except IndexError as error:
            restore_arrays(arrays, kept)
            raise play_again(*kept) from error

    def play_again(s: Any, f: Any, roles: Any) -> BoundsError:
        try:
            PythonDriver(world, spec, (s, f, driver.p, roles), layering).run()
        except IndexError as error:
            return explain(world, error)
        return BoundsError(f"{world.name}: {UNKNOWN}")

    if target == "python":
        return run_plain
    return run_checked if are_checked(target) else driver.run


def explain(world: World, error: IndexError) -> BoundsError:
    """Name the innermost rule of a traceback, its file and line, and what was asked for."""
    own = {Path(r.__code__.co_filename) for r in RULES if not r.__module__.startswith(ENGINE)}
    stack = traceback.extract_tb(error.__traceback__)
    rules = {Path(rule.__code__.co_filename) for rule in RULES}
    found = [entry for entry in stack if Path(entry.filename) in own]
    found = found or [entry for entry in stack if Path(entry.filename) in rules]
    if not found:
        return BoundsError(f"{world.name}: {error}")
    last = found[-1]
    where = f"{last.name} ({last.filename}:{last.lineno})"
    return BoundsError(f"{world.name}: {where}: {last.line}: {error}")
