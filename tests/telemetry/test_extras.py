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


def test_quiet_does_not_silence_that_tables_are_lost(tmp_path, base_install, capsys, monkeypatch):
    monkeypatch.setenv("MESOCOSM_QUIET", "1")
    env = meso.make("commons", num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5)
    assert "tables are not recorded" in capsys.readouterr().err


@pytest.fixture
def no_pyarrow(monkeypatch):
    for name in ("pyarrow", "pyarrow.parquet", "pyarrow.dataset"):
        monkeypatch.setitem(sys.modules, name, None)


def test_a_query_without_pyarrow_says_what_to_install(tmp_path, no_pyarrow, capsys):
    env = meso.make("commons", num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5)
    with pytest.raises(MissingExtra, match="Parquet tables need pyarrow: pip install"):
        meso.open_run(tmp_path / "run").query("SELECT 1")
    capsys.readouterr()
    assert status(["query", str(tmp_path / "run"), "SELECT 1"]) != 0
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["pyarrow", "duckdb"])
def test_a_run_with_tables_is_shown_with_what_is_missing(run, name, monkeypatch, capsys):
    for module in (name, f"{name}.parquet", f"{name}.dataset"):
        monkeypatch.setitem(sys.modules, module, None)
    assert status(["runs", "show", str(run.folder.path)]) == 0
    assert "tables are not shown in full: " in capsys.readouterr().out


def test_an_export_without_pyarrow_leaves_no_folder(run, no_pyarrow, tmp_path, capsys):
    out = tmp_path / "export"
    assert status(["runs", "export", str(run.folder.path), "--out", str(out)]) != 0
    assert "Parquet tables need pyarrow: pip install" in capsys.readouterr().err
    assert not out.exists()


def test_an_export_of_a_run_without_tables_says_why_there_are_none(tmp_path, capsys):
    off = {"instrumentation.artefacts.tables": False}
    env = meso.make("commons", off, num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5)
    out = tmp_path / "export"
    assert status(["runs", "export", str(tmp_path / "run"), "--out", str(out)]) != 0
    assert "instrumentation.artefacts.tables=true records tables" in capsys.readouterr().err
    assert not out.exists()


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
