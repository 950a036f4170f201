"""A foreign program as a policy: for a batch, for some agents of a role, and after a forfeit."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mesocosm.build import make
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.core.policy import NoopPolicy, RandomPolicy, check_policy
from mesocosm.evaluation.programs import containment
from mesocosm.evaluation.programs.limits import Limits, bytes_text
from mesocosm.evaluation.programs.program_policy import ProgramPolicy
from mesocosm.learning.policies.slots import SlotsPolicy

RANDOM = "mesocosm.core.policy:RandomPolicy"
LIMITS = Limits(move_seconds=20.0)


def batch(num_envs):
    return make("commons", num_envs=num_envs, target="python", autoreset="off")


def ask(env, policy):
    step = env.reset(seed=1)
    return policy.act(step.obs, step.mask, step.info, Beginnings(env).follow(step))


def test_a_program_plays_a_whole_batch_as_it_would_here():
    env, here = batch(3), RandomPolicy()
    with ProgramPolicy(RANDOM, env.config, LIMITS) as policy:
        check_policy(policy).reset(env.spec.roles["harvester"], 3, 11)
        here.reset(env.spec.roles["harvester"], 3, 11)
        assert all(map(np.array_equal, ask(env, policy), ask(env, here)))
        assert (policy.forfeit, policy.moves, policy.started) == ("", 1, True)
        assert 0.0 < policy.slowest < 20.0


def test_a_program_that_plays_some_agents_is_shown_these_alone(tmp_path):
    (tmp_path / "counter.py").write_text(
        "from mesocosm.core.policy import NoopPolicy\n"
        "class Counter(NoopPolicy):\n"
        "    def act(self, obs, mask, info, began):\n"
        "        raise ValueError(f'{obs.shape[:2]} {mask.shape[:2]} {began.shape}')\n"
    )
    env = batch(2)
    with ProgramPolicy(f"{tmp_path}/counter.py:Counter", env.config, LIMITS) as policy:
        both = SlotsPolicy(NoopPolicy(), {1: policy, 4: policy})
        both.reset(env.spec.roles["harvester"], 2, 0)
        assert not ask(env, both).choice.any()
        assert policy.forfeit == "raised ValueError: (2, 2) (2, 2) (2, 2)"


def test_after_a_forfeit_the_agents_do_nothing_and_reset_starts_anew():
    env = batch(1)
    role = env.spec.roles["harvester"]
    with ProgramPolicy(f"{sys.executable} -c pass", env.config, LIMITS) as policy:
        for _ in range(2):
            policy.reset(role, 1, 0)
            assert policy.forfeit == "exited with status 0"
            assert not policy.started
            idle = role.action.noop((1, role.num_agents))
            assert all(map(np.array_equal, ask(env, policy), idle))


def test_files_in_memory_count_as_memory_in_a_closed_room(tmp_path):
    (tmp_path / "writer.py").write_text(
        "import time\n"
        "for path in ('/dev/shm/a', 'b'):\n    open(path, 'wb').write(bytes(60 << 20))\n"
        "time.sleep(60)\n"
    )
    env = batch(1)
    limits = Limits(memory_bytes=100 << 20)
    program = f"{sys.executable} -S {tmp_path}/writer.py"
    with ProgramPolicy(program, env.config, limits) as policy:
        policy.reset(env.spec.roles["harvester"], 1, 0)
        assert re.fullmatch(r"used 1\d\d\.?\d* MiB of memory, allowed are 100 MiB", policy.forfeit)


def test_slowest_excludes_the_start(tmp_path):
    (tmp_path / "late.py").write_text(
        "import time\nfrom mesocosm.core.policy import NoopPolicy\n"
        "class Late(NoopPolicy):\n"
        "    def reset(self, spec, num_envs, seed):\n"
        "        super().reset(spec, num_envs, seed)\n        time.sleep(1.5)\n"
    )
    env = batch(1)
    with ProgramPolicy(f"{tmp_path}/late.py:Late", env.config, LIMITS) as policy:
        policy.reset(env.spec.roles["harvester"], 1, 0)
        ask(env, policy)
        assert policy.forfeit == ""
        assert policy.slowest < 1.5


def test_a_program_sees_its_folder_and_the_system_but_no_hidden_folder(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "secret").write_text("7")
    (tmp_path / "beside.py").write_text("WORD = 'found'\n")
    (tmp_path / "looker.py").write_text(
        "import os, beside\nfrom mesocosm.core.policy import NoopPolicy\n"
        "HERE = os.path.dirname(__file__)\n"
        "class Looker(NoopPolicy):\n"
        "    def act(self, obs, mask, info, began):\n"
        "        raise ValueError(f'{beside.WORD} {os.listdir(HERE + \"/run\")} {os.getcwd()}')\n"
    )
    env, hidden = batch(1), tmp_path / "run"
    program = f"{tmp_path}/looker.py:Looker"
    with ProgramPolicy(program, env.config, LIMITS, hidden=[hidden]) as policy:
        policy.reset(env.spec.roles["harvester"], 1, 0)
        ask(env, policy)
        assert policy.forfeit == "raised ValueError: found [] /room"


def test_limits_are_checked_and_told_for_people():
    with pytest.raises(ConfigError, match=r"limits\.move_seconds: must be above 0 .* got 0"):
        Limits(move_seconds=0)
    assert bytes_text(1536 << 20) == "1.5 GiB"


def test_who_insists_on_namespaces_is_told_where_there_are_none(monkeypatch):
    monkeypatch.setattr(containment, "find_containment", lambda: "process group")
    with pytest.raises(MesocosmError, match="this system allows no user, pid and mount"):
        containment.require_containment("namespaces")
    assert containment.require_containment(None) == "process group"


KILLED = """
import os, signal, tempfile
from mesocosm.build import make
from mesocosm.evaluation.programs.program_policy import ProgramPolicy
env = make("commons", target="python", autoreset="off")
policy = ProgramPolicy("mesocosm.core.policy:NoopPolicy", env.config)
policy.reset(env.spec.roles["harvester"], 1, 0)
assert policy.started, policy.forfeit
print(policy._process._mark, policy._process._folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def is_marked(entry, mark):
    try:
        return mark.encode() in (entry / "environ").read_bytes()
    except OSError:
        return False


def test_a_match_that_is_killed_leaves_no_process_and_no_folder():
    done = subprocess.run(
        [sys.executable, "-c", KILLED], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    mark, folder = done.stdout.split()
    until = time.monotonic() + 20.0
    while Path(folder).exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not Path(folder).exists()
    assert not any(is_marked(entry, mark) for entry in Path("/proc").glob("[0-9]*"))
