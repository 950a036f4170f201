"""The key of compiled code changes with all that changes code, and with nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest

from mesocosm.sim.compile import fingerprint
from mesocosm.sim.compile.fields import host_block
from mesocosm.sim.compile.fingerprint import describe_code, shared_sources

ROOT = Path(__file__).parents[3]
BEFORE = """
import enum, math
from typing import NamedTuple
import numpy as np
from zoo.deep import tables
from zoo.deep.tables import helper
import zoo.deep.tables

class Pair(NamedTuple):
    first: int
    second: int

class Kind(enum.IntEnum):
    WALL = 1
    DOOR = 2

SIZE = 3
NESTED = (1, (2, Pair(3, 4)))
NAMED = {"far": (5, 6)}
CELLS = np.arange(2000)
ONE = np.int64(7)
root = math.floor

def closing(scale):
    def inner(x):
        return x * scale
    return inner

scaled = closing(8)

def step(s, e, low=9, *, high=10):
    \"\"\"Say nothing.\"\"\"
    # nor here
    pair = Pair(SIZE, NESTED[0])
    s[e] = pair.first + CELLS[e] + ONE + NAMED["far"][0] + scaled(11) + root(1.5)
    s[e] += tables.WEIGHT + helper() + zoo.deep.tables.DEPTH + Kind.DOOR
"""
TABLES = """
WEIGHT = 12
DEPTH = 13

def helper():
    return inner_helper() + 14

def inner_helper():
    return 15
"""
CHANGES = {
    "a number in a rule": ("scaled(11)", "scaled(12)"),
    "an operation": ("pair.first + CELLS", "pair.first - CELLS"),
    "a global": ("SIZE = 3", "SIZE = 4"),
    "a number in a nested tuple": ("(2, Pair(3, 4))", "(2, Pair(3, 5))"),
    "a number in a dict": ("(5, 6)", "(5, 7)"),
    "one cell of a large array": ("np.arange(2000)", "np.arange(2000) + (np.arange(2000) == 1000)"),
    "the type of an array": ("np.arange(2000)", "np.arange(2000, dtype=np.int32)"),
    "a numpy scalar": ("np.int64(7)", "np.int64(8)"),
    "what a closure holds": ("closing(8)", "closing(9)"),
    "a default argument": ("low=9", "low=10"),
    "a keyword's default": ("high=10", "high=11"),
    "a name of an argument": ("low=9", "lower=9"),
    "a library function": ("root = math.floor", "root = math.ceil"),
    "the fields of a tuple": ("second: int", "third: int"),
    "a member of an enumeration": ("DOOR = 2", "DOOR = 3"),
    "a module's constant": ("WEIGHT = 12", "WEIGHT = 13"),
    "a constant of a module named in full": ("DEPTH = 13", "DEPTH = 14"),
    "a helper in a sub-folder": ("inner_helper() + 14", "inner_helper() + 15"),
    "a helper of a helper": ("return 15", "return 16"),
}
NO_CHANGES = {
    "a comment": ("# nor here", "# nor there"),
    "a docstring": ("Say nothing.", "Say something else."),
    "an empty line": ("SIZE = 3", "\n\nSIZE = 3"),
    "a constant that no rule reads": ("SIZE = 3", "SIZE = 3\nUNREAD = 4"),
}
DESCRIBE = """
import sys
sys.path.insert(0, sys.argv[1])
from mesocosm.sim.compile.fingerprint import fingerprint
from zoo.rules import step
print(fingerprint([step], "text", "options", "cpu"))
"""


def describe(folder, change=("", "")):
    """Write the package into a folder, import it from there, and describe its rule."""
    package = folder / "zoo"
    (package / "deep").mkdir(parents=True)
    for path, text in (("rules.py", BEFORE), ("deep/tables.py", TABLES)):
        (package / path).write_text(text.replace(*change))
    sys.path.insert(0, str(folder))
    try:
        from zoo.rules import step

        return list(describe_code([step]))
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "zoo"]:
            del sys.modules[name]


@pytest.mark.parametrize("change", CHANGES)
def test_key_changes_with(change, tmp_path):
    assert CHANGES[change][0] in BEFORE + TABLES
    assert describe(tmp_path / "a") != describe(tmp_path / "b", CHANGES[change])


@pytest.mark.parametrize("change", NO_CHANGES)
def test_key_does_not_change_with(change, tmp_path):
    assert NO_CHANGES[change][0] in BEFORE + TABLES
    assert describe(tmp_path / "a") == describe(tmp_path / "elsewhere", NO_CHANGES[change])


def test_key_is_equal_in_another_folder_at_another_time_with_another_hash_seed(tmp_path):
    found = set()
    for k, folder in enumerate((tmp_path / "a", tmp_path / "b")):
        describe(folder)
        (folder / "mesocosm").mkdir()
        checkout = folder / "mesocosm"
        shutil.copytree(ROOT / "mesocosm", checkout, dirs_exist_ok=True)
        os.utime(checkout / "sim" / "rng.py", (k, k))
        env = os.environ | {"PYTHONHASHSEED": str(k + 1), "PYTHONPATH": str(folder)}
        code = [sys.executable, "-c", DESCRIBE, str(folder)]
        done = subprocess.run(
            code, env=env, cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    assert len(found) == 1


def test_shared_sources_include_sub_folders_and_names(tmp_path):
    (tmp_path / "sim" / "deep").mkdir(parents=True)
    (tmp_path / "sim" / "deep" / "maths.py").write_text("x = 1\n")
    assert shared_sources(tmp_path) == ("sim/deep/maths.py\nx = 1\n",)


def test_key_changes_with_versions_of_what_compiles(monkeypatch):
    def key():
        return fingerprint.fingerprint([], "text", "options", "cpu")

    before, real = key(), fingerprint.version
    for package, matters in (("numba", True), ("llvmlite", True), ("numpy", True), ("rich", False)):
        other = lambda name, own=package: "0.0.1" if name == own else real(name)  # noqa: E731
        monkeypatch.setattr(fingerprint, "version", other)
        assert (key() != before) is matters
    monkeypatch.setattr(fingerprint, "version", real)
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert key() != before
    monkeypatch.delenv("NUMBA_OPT")
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")  # in the index of the directory itself
    assert key() == before


class Narrow(NamedTuple):
    row: Annotated[np.ndarray, "int16 [env, 2]"]


class Wide(NamedTuple):
    row: Annotated[np.ndarray, "int16 [env, thing]"]


def test_layout_changes_with_declared_axes_and_types():
    def digest(made):
        return host_block((made, made, made)).digest

    narrow = digest(Narrow(np.zeros((4, 2), np.int16)))
    assert narrow == digest(Narrow(np.zeros((9, 2), np.int16)))
    assert narrow != digest(Wide(np.zeros((4, 2), np.int16)))
    assert narrow != digest(Narrow(np.zeros((4, 2), np.int32)))
