"""What needs an extra says so where it is missing."""

import sys

import pytest
from recording import play

import mesocosm as meso
import mesocosm.cli.run as run_command
from mesocosm.cli.app import status
from mesocosm.core.errors import MissingExtra
from mesocosm.telemetry import recorder
from mesocosm.telemetry.minari import export_minari

TENSORBOARD = {"instrumentation.artefacts.tensorboard": True}


def test_tensorboard_is_refused_by_name_before_a_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    env = meso.make("commons", TENSORBOARD, target="python")
    with pytest.raises(MissingExtra, match=r"pip install .*\[tensorboard\]"):
        meso.record(env, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    play(env, 3)


def test_minari_is_refused_by_name_before_anything_is_played(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[minari\]"):
        export_minari(run, tmp_path / "dataset")
    assert not (tmp_path / "dataset").exists()


@pytest.fixture
def base_install(monkeypatch):
    for name in ("pyarrow", "pyarrow.parquet", "duckdb"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(recorder, "_said", set())


def test_a_base_install_records_a_replay_and_says_what_it_leaves_out(
    tmp_path, base_install, capsys
):
    env = meso.make("commons", num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "tables are not recorded: Parquet needs pyarrow: pip install" in said
    run = meso.open_run(tmp_path / "run")
    assert run.verify("python").num_steps == run.num_steps == 5
    assert sorted(run.files.files) == ["config.yaml", "replay.meso"]
    assert run.check_files().problems == ()
    assert "pyarrow" in run.about["tables_missing"]


def test_tables_that_are_switched_off_need_no_word(tmp_path, base_install, capsys):
    off = {"instrumentation.artefacts.tables": False}
    env = meso.make("commons", off, num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5)
    assert capsys.readouterr().err == ""
    assert "tables_missing" not in meso.open_run(tmp_path / "run").about


def test_a_base_install_is_told_before_anything_compiles(
    tmp_path, base_install, capsys, monkeypatch
):
    made = run_command.make

    def make(*given, **more):
        assert "tables are not recorded" in capsys.readouterr().err
        return made(*given, **more)

    monkeypatch.setattr(run_command, "make", make)
    folder = str(tmp_path / "run")
    play_it = ["run", "commons", "--steps", "5", "--num-envs", "2", "--target", "python"]
    assert status([*play_it, "--out", folder]) == 0
    assert "tables are not recorded" not in capsys.readouterr().err
    assert status(["runs", "show", folder]) == 0
    assert "tables are not recorded" in capsys.readouterr().out
    assert status(["replay", "verify", folder, "--target", "python"]) == 0


def test_a_run_without_tables_gets_them_when_it_goes_on_with_pyarrow(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow.parquet", None)
        env = meso.make("commons", num_envs=2, target="python")
        with meso.record(env, tmp_path / "run"):
            play(env, 5)
    again = meso.make("commons", num_envs=2, target="python")
    with meso.record(again, tmp_path / "run", resume=True) as recording:
        recording.catch_up()
    run = meso.open_run(tmp_path / "run")
    assert run.tables == ["episode", "episode_agents", "event"]
    assert "tables_missing" not in run.about
    assert run.check_files().problems == ()


def test_a_run_with_tables_is_not_resumed_without_pyarrow(run, base_install):
    env = run.make("python")
    with pytest.raises(MissingExtra, match="Parquet tables need pyarrow: pip install"):
        meso.record(env, run.folder.path, resume=True)
    assert env.watcher is None
    again = meso.open_run(run.folder.path)
    assert again.status == "finished"
    assert again.check_files().problems == ()
