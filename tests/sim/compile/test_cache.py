"""Compiled code survives processes, and importing costs and starts nothing."""

import json
import os
import subprocess
import sys

import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.sim.compile.cache import cache_directory, cache_root, code_name, rules_of
from mesocosm.sim.targets.launch import load_module
from mesocosm.worlds import registry

HEAVY = ("numba", "torch", "gymnasium", "pettingzoo", "pyarrow", "pydantic", "yaml")


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_importing_prints_nothing_and_loads_nothing_heavy():
    code = "import sys, json, mesocosm; print(json.dumps(sorted(sys.modules)))"
    done = run(code)
    assert done.stderr == ""
    loaded = set(json.loads(done.stdout))
    assert not loaded & set(HEAVY)


def test_worlds_configs_and_the_python_target_never_import_numba():
    code = (
        "import sys, mesocosm as meso;"
        "env = meso.make('commons', target='python'); env.reset();"
        "env.step(env.spec.roles['harvester'].action.noop((1, 6)));"
        "print('numba' in sys.modules)"
    )
    assert run(code).stdout.strip() == "False"


def test_the_second_process_does_not_compile_and_says_nothing(tmp_path):
    code = (
        "import mesocosm as meso; env = meso.make('beacon/tokens'); env.reset();"
        "stats = env.driver.drive.stats; print(sum(stats.cache_hits.values()))"
    )
    path = os.pathsep.join(sys.path)
    first = run(code, MESOCOSM_CACHE_DIR=str(tmp_path), PYTHONPATH=path)
    second = run(code, MESOCOSM_CACHE_DIR=str(tmp_path), PYTHONPATH=path)
    said = "mesocosm: compiling beacon for cpu (once; the result is cached) ...\n"
    assert first.stderr == said
    assert first.stdout.strip() == "0"
    assert second.stderr == ""
    assert second.stdout.strip() == "1"


def test_one_compilation_serves_every_config_of_a_world():
    small = meso.make("commons/default", {"core.num_agents": 2})
    large = meso.make("commons/wardens", {"core.num_agents": 20, "core.sight": 2}, num_envs=3)
    assert small.driver.drive is large.driver.drive
    assert len(small.driver.drive.signatures) == 1


def test_compiled_code_is_named_by_sources_text_target_and_environment(monkeypatch):
    rules = rules_of(registry.find("commons"))

    def name(text="text", options="options", target="cpu"):
        return code_name("commons", rules, text, options, target)

    first = name()
    assert first == name()
    assert first not in (name(text="other"), name(options="other"), name(target="cuda"))
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "7")
    assert first != name()


def test_a_cache_that_cannot_be_written_is_replaced_by_a_temporary_one(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(blocked / "below"))
    assert cache_directory("commons-0").is_dir()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_cache_that_others_can_write_is_refused_with_one_error(monkeypatch, tmp_path, mode):
    tmp_path.chmod(mode)
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path))
    with pytest.raises(ConfigError, match=f"{tmp_path} can be written by others .mode {mode:o}"):
        cache_root()


def test_a_cache_whose_parent_others_can_write_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path / "parent" / "cache"))
    assert cache_root().is_dir()
    (tmp_path / "parent").chmod(0o777)
    with pytest.raises(ConfigError, match="parent can be written by others"):
        cache_root()
    (tmp_path / "parent").chmod(0o1777)  # as /tmp: nobody can swap what is another's
    assert cache_root() == tmp_path / "parent" / "cache"


def test_a_cache_of_another_user_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("mesocosm.sim.compile.cache.os.geteuid", lambda: 12345)
    with pytest.raises(ConfigError, match=f"{tmp_path} belongs to another user"):
        cache_root()


def test_a_shared_cache_in_the_usual_place_gives_way_to_a_private_one(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.delenv("MESOCOSM_CACHE_DIR", raising=False)
    monkeypatch.delenv("MESOCOSM_QUIET", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shared = tmp_path / "mesocosm"
    assert cache_root() == shared
    shared.chmod(0o777)
    assert cache_root() == cache_root() != shared
    assert cache_root().stat().st_mode & 0o777 == 0o700
    said = f"mesocosm: {shared} can be written by others (mode 777); "
    assert capsys.readouterr().err == said + "compiled code is kept for this process only\n"


def test_compiled_code_that_others_could_have_written_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path))
    made = cache_directory("commons-0")
    assert made.stat().st_mode & 0o777 == 0o700
    index = made / "__pycache__" / "step.nbi"
    index.write_bytes(b"a pickle")
    index.chmod(0o666)
    with pytest.raises(ConfigError, match=r"step.nbi can be written by others .*; delete "):
        cache_directory("commons-0")


def test_code_that_cannot_be_kept_still_runs(tmp_path):
    code = """
import resource, signal
from mesocosm.sim.targets.launch import launch, load_module
from pathlib import Path
module = load_module(Path("{}") / "plus.py", "def plus(x):\\n    return x + 1\\n")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
print(launch(module.plus, "cpu", cache=True)(41))
"""
    done = run(code.format(tmp_path))
    assert done.stdout == "42\n"
    assert done.stderr == "mesocosm: compiled code is not kept: File too large\n"


def test_a_full_cache_is_one_clear_error(tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mesocosm.sim.targets.launch.tempfile.mkstemp", full)
    with pytest.raises(ConfigError, match="No space left on device; MESOCOSM_CACHE_DIR"):
        load_module(tmp_path / "plus.py", "x = 1\n")
