"""A rule's index outside its array is reported with the rule, its file, its line and the index."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mesocosm.build import make
from mesocosm.core.action import Action
from mesocosm.core.errors import BoundsError, MesocosmError
from mesocosm.sim.targets.bounds import are_checked
from mesocosm.worlds.commons import rules

ROOT = Path(__file__).parents[3]
COMPILED = """
import numpy as np
from tests_sim_bounds import planted, give
env = planted("cpu")
before = env.digest()
try:
    give(env)
except IndexError as error:
    print(f"{type(error).__name__}: {error}")
    print(env.digest() == before)
"""


def planted(target):
    """Make a lake where someone's neighbour is agent 99."""
    env = make("commons", num_envs=2, target=target, seed=3)
    env.reset()
    env.set_state("at_seat", np.full((2, 6), 99, np.int16))
    return env


def give(env):
    choice = np.zeros((2, 6, 2), np.int32)
    choice[0, 4, 0] = 1
    return env.step(Action(choice, np.ones((2, 6, 2), np.float32)))


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return next(first + k for k, line in enumerate(lines) if text in line)


def expected():
    line = line_of(rules.deal, "not f.active[e, other]")
    return f"commons: deal ({rules.__file__}:{line}): "


def test_plain_python_names_the_rule_the_file_and_the_line():
    with pytest.raises(BoundsError) as caught:
        give(planted("python"))
    assert str(caught.value).startswith(expected())
    assert str(caught.value).endswith("index 99 is out of bounds for axis 1 with size 6")
    assert isinstance(caught.value, MesocosmError)
    assert isinstance(caught.value.__cause__, IndexError)


def test_compiled_code_that_checks_says_the_same_and_changes_nothing(tmp_path):
    (tmp_path / "tests_sim_bounds.py").write_text(Path(__file__).read_text())
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    env = os.environ | {"NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": paths, "MESOCOSM_QUIET": "1"}
    command = [sys.executable, "-c", COMPILED]
    made = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    said, same = made.stdout.strip().splitlines()
    assert said.startswith(f"BoundsError: {expected()}")
    assert said.endswith("index 99 is out of bounds for axis 1 with size 6")
    assert same == "True"


@pytest.mark.parametrize(
    ("target", "setting", "checked"),
    [("cpu", "1", True), ("cpu", "0", False), ("cpu", "", False), ("python", "1", False)],
)
def test_only_compiled_code_under_the_switch_is_checked(monkeypatch, target, setting, checked):
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", setting)
    assert are_checked(target) is checked
