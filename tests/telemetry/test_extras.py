"""What needs an extra says so where it is missing."""

import sys

import pytest
from recording import play

import mesocosm as meso
from mesocosm.core.errors import MissingExtra
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


def test_a_base_install_records_replays_without_tables(tmp_path, monkeypatch):
    for name in ("pyarrow", "pyarrow.parquet", "duckdb"):
        monkeypatch.setitem(sys.modules, name, None)
    off = {"instrumentation.artefacts.tables": False}
    env = meso.make("commons", off, num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5)
    assert meso.open_run(tmp_path / "run").verify("python").holds
