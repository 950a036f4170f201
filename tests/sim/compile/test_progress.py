"""A person who waits for the compiler is told how far it is."""

import os
import subprocess
import sys

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.sim.compile import progress
from mesocosm.sim.compile.progress import Compilation, rule_compiled
from mesocosm.sim.rule import RULES

# Ray, where another test imports it, adds a library with which Numba writes to terminals
PATH = os.pathsep.join(path for path in sys.path if "thirdparty_files" not in path)
ON_TERMINAL = """
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
while True:
    try:
        text = os.read(terminal, 4096)
    except OSError:
        text = b""
    if not text:
        break
    os.write(1, text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
MAKE = "import mesocosm as meso; meso.make('beacon/tokens')"  # the smallest world


def small():
    return 1


def large():
    return small() + small() * small() - small() * small() * small() - small()


def entry():
    return large() + small()


@pytest.fixture
def clock(monkeypatch):
    """Mark the functions above as rules, and let time pass by hand."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "RULES", [*RULES, small, large, entry])
    monkeypatch.setenv("MESOCOSM_QUIET", "1")
    return now


def test_progress_counts_each_rule_once_and_then_links(clock):
    with Compilation("zoo", "cpu", entry) as made:
        assert made.standing() == "0/3 rules"
        for function in (small, small, np.sum):
            rule_compiled(function)
        assert (made.done, made.total) == (1, 3)
        rule_compiled(large)
        assert not made.linking
        rule_compiled(entry)
        assert made.linking
        assert made.standing().startswith("3/3 rules, linking, ")
    rule_compiled(small)  # nobody is told any more
    assert made.done == 3


def test_progress_guesses_the_time_left_from_the_size_of_what_is_done(clock):
    with Compilation("zoo", "cpu", entry) as made:
        rule_compiled(small)
        rule_compiled(large)
        clock[0] += 6.0
        share = made.fraction
        assert made.seconds_left(clock[0]) == pytest.approx(6.0 / share - 6.0)
        rule_compiled(entry)
        clock[0] += 1.0
        assert made.seconds_left(clock[0]) == pytest.approx(6.0 / (1 - progress.LINKING_SHARE) - 7)
        clock[0] += 60.0
        assert made.standing() == "3/3 rules, linking, about 1 s left"
    assert made.seconds == pytest.approx(67.0)


def run(*arguments, **environment):
    env = {**os.environ, "PYTHONPATH": PATH, "TERM": "xterm", "COLUMNS": "100", **environment}
    env.pop("MESOCOSM_QUIET", None)
    code = [sys.executable, "-c", *arguments]
    done = subprocess.run(code, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_terminal_shows_a_bar_while_compiling_and_nothing_when_code_was_kept(tmp_path):
    make = MAKE.replace("beacon/tokens", "probe")  # takes long enough to draw every stage
    shown = run(ON_TERMINAL, make, MESOCOSM_CACHE_DIR=str(tmp_path)).stdout
    assert "compiling probe for cpu" in shown
    assert " rules, about " in shown
    assert ", linking, about " in shown
    assert "mesocosm: compiled probe for cpu in " in shown
    assert run(ON_TERMINAL, make, MESOCOSM_CACHE_DIR=str(tmp_path)).stdout == ""


INTERRUPTED = """
import sys
import numpy as np
import mesocosm as meso
from mesocosm.sim.compile import numba_patches
from mesocosm.sim.compile import register

real, count = register.rule_compiled, [0]
def interrupt(function):
    count[0] += 1
    if count[0] == 40:
        raise KeyboardInterrupt
    real(function)

register.rule_compiled = interrupt
try:
    meso.make("beacon/tokens")
except KeyboardInterrupt:
    print("interrupted")
env, plain = (meso.make("beacon/tokens", num_envs=2, target=t) for t in ("cpu", "python"))
assert env.driver.origin.source == "compiled"
print(np.array_equal(env.reset().obs, plain.reset().obs))
"""


def test_process_interrupted_while_compiling_leaves_nothing_and_can_go_on(tmp_path):
    done = run(INTERRUPTED, MESOCOSM_CACHE_DIR=str(tmp_path))
    assert done.stdout == "interrupted\nTrue\n"


KILLED = """
import os, signal
from mesocosm.sim.compile import code_cache
real = code_cache.CodeCache.save_overload
def save(self, signature, result):
    file = self._kept._cache_file
    file._save_data = lambda name, data: os.kill(os.getpid(), signal.SIGKILL)
    real(self, signature, result)
code_cache.CodeCache.save_overload = save
import mesocosm as meso
meso.make("beacon/tokens")
"""


def test_code_of_a_process_killed_while_it_wrote_is_not_used(tmp_path):
    env = {**os.environ, "PYTHONPATH": PATH, "MESOCOSM_CACHE_DIR": str(tmp_path)}
    assert subprocess.run([sys.executable, "-c", KILLED], env=env, check=False).returncode == -9
    index = list(tmp_path.glob("*/__pycache__/*.nbi"))
    assert len(index) == 1  # it promises code that was never written
    code = f"{MAKE.replace('meso.make', 'made = meso.make')}; print(made.driver.origin.source)"
    assert run(code, MESOCOSM_CACHE_DIR=str(tmp_path)).stdout == "compiled\n"
    assert run(code, MESOCOSM_CACHE_DIR=str(tmp_path)).stdout == "kept\n"


def test_making_from_code_that_was_kept_imports_no_rich(tmp_path):
    meso.make("beacon/tokens")
    code = f"{MAKE}; import sys; print('rich' in sys.modules)"
    assert run(code).stdout == "False\n"
