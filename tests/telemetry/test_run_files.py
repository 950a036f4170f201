"""A run's own list covers every file: what is missing or changed is named."""

import json
import os

import numpy as np
import pytest
from recording import SHORT, all_on, play

import mesocosm as meso
from mesocosm.cli.app import status
from mesocosm.cli.shared.exit_status import FAILED
from mesocosm.core.errors import RunError
from mesocosm.telemetry.files import write_text
from mesocosm.telemetry.manifest import read_manifest

PARTS = {"instrumentation.part_steps": 16}


@pytest.fixture
def parted(tmp_path):
    """A closed run of 40 steps whose tables have three parts."""
    env = meso.make("commons/wardens", all_on() | SHORT | PARTS, num_envs=3, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 40)
    return meso.open_run(tmp_path / "run")


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def append(path):
    path.write_bytes(path.read_bytes() + b"x")


def flip(path):
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


PART = "tables/step/part-000001.parquet"
DAMAGES = {
    "deleted part": (PART, lambda p: p.unlink(), "is missing"),
    "deleted last part": ("tables/agent/part-000002.parquet", lambda p: p.unlink(), "is missing"),
    "emptied part": (PART, lambda p: p.write_bytes(b""), "has 0 bytes where"),
    "changed part": (PART, flip, "its content is not what was written"),
    "deleted config": ("config.yaml", lambda p: p.unlink(), "is missing"),
    "truncated config": ("config.yaml", lambda p: p.write_bytes(p.read_bytes()[:50]), "50 bytes"),
    "edited config": (
        "config.yaml",
        lambda p: edit(p, "num_agents: ", "num_agents: 1"),
        "bytes where",
    ),
    "edited number in config": (
        "config.yaml",
        lambda p: edit(p, "max_steps: 9", "max_steps: 8"),
        "its content is not what was written",
    ),
    "longer replay": ("replay.meso", append, "bytes where"),
    "changed replay": ("replay.meso", flip, "its content is not what was written"),
    "edited run.json": (
        "run.json",
        lambda p: edit(p, '"num_agents": 8', '"num_agents": 9'),
        "was changed after it was written",
    ),
    "edited list": (
        "files.json",
        lambda p: edit(p, '"steps": 40', '"steps": 41'),
        "was changed after the run was closed",
    ),
    "deleted list": ("files.json", lambda p: p.unlink(), "cannot be read: No such file"),
    "damaged list": ("files.json", lambda p: p.write_text("{"), "damaged: not valid JSON"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_wrong_with_a_file_is_named(parted, damage, capsys):
    name, change, words = DAMAGES[damage]
    folder = parted.folder.path
    assert parted.check_files().problems == ()
    change(folder / name)
    run = meso.open_run(folder)
    assert any(name in p and words in p for p in run.check_files().problems)
    assert status(["runs", "show", str(folder)]) == 0
    said = capsys.readouterr()
    assert words in said.out
    assert f"warning: {folder}: " in said.err
    assert words in said.err
    assert status(["replay", "verify", str(folder), "--target", "python"]) != 0
    said = capsys.readouterr()
    assert name in said.out + said.err


def test_a_whole_run_verifies_and_says_how_many_files_it_covered(parted, capsys):
    folder = parted.folder.path
    assert status(["replay", "verify", str(folder), "--target", "python"]) == 0
    said = capsys.readouterr().out
    assert "17 files are what was written" in said  # config, replay, five tables of three parts
    assert "40 steps are bit for bit the same" in said
    files = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert files == {*parted.files.files, "run.json", "files.json"}


def test_a_part_that_nobody_listed_is_named(parted, capsys):
    folder = parted.folder.path
    (folder / "tables/step/part-000007.parquet").write_bytes((folder / PART).read_bytes())
    (problem,) = parted.check_files().problems
    assert problem == "tables/step/part-000007.parquet: is on no list of the run"
    assert status(["replay", "verify", str(folder), "--target", "python"]) == FAILED


def test_files_beside_the_run_are_named_and_no_problem(parted, capsys):
    folder = parted.folder.path
    for name in ("notes.txt", "policies/p.bin"):
        (folder / name).write_text("mine")
    assert parted.check_files().problems == ()
    said = "notes.txt, policies/p.bin: on no list of the run, and not read"
    assert parted.check_files().notes == (said,)
    assert status(["replay", "verify", str(folder), "--target", "python"]) == 0
    assert f"{folder}: note: {said}" in capsys.readouterr().out
    assert status(["runs", "show", str(folder)]) == 0
    assert said in " ".join(capsys.readouterr().out.split())


def test_many_files_beside_the_run_are_counted(parted):
    for k in range(15):
        (parted.folder.path / f"n{k:02}").write_text("")
    (note,) = parted.check_files().notes
    assert "n08, n09 and 5 more: on no list of the run" in note


@pytest.mark.parametrize("name", ["tables/x.parquet", "tables/step/.hidden", "tables/own/x.csv"])
def test_a_file_among_the_tables_that_nobody_listed_is_a_problem(parted, name):
    (parted.folder.path / name).parent.mkdir(exist_ok=True)
    (parted.folder.path / name).write_text("mine")
    assert parted.check_files().problems == (f"{name}: is on no list of the run",)


@pytest.mark.parametrize("name", ["run.json", "files.json", "config.yaml", PART, "tables", "new"])
@pytest.mark.parametrize("where", ["inside", "outside"])
def test_a_link_in_a_run_is_a_problem(parted, name, where, tmp_path, capsys):
    folder = parted.folder.path
    there = tmp_path / "moved" if where == "outside" else folder / "policies" / "moved"
    if name == "new":
        there.write_text("mine")
    else:
        (folder / name).rename(there)
    (folder / name).symlink_to(there)
    said = f"{name}: is a link, not what was written"
    assert said in meso.open_run(folder).check_files().problems
    assert status(["runs", "show", str(folder)]) == 0
    assert f"{folder}: {said}" in capsys.readouterr().err
    assert status(["replay", "verify", str(folder), "--target", "python"]) != 0
    assert said in capsys.readouterr().out


def test_a_table_with_a_missing_part_is_refused_not_read_shorter(parted):
    (parted.folder.path / PART).unlink()
    with pytest.raises(RunError, match=r"part-000001.parquet: damaged: is missing"):
        parted.table("step")


def test_a_resumed_run_is_listed_as_an_uninterrupted_one(parted, tmp_path):
    env = parted.make("python")
    with meso.record(env, parted.folder.path, resume=True) as recorder:
        assert recorder.catch_up() == 40
        play(env, 60, first=40)
    settings = all_on() | SHORT | PARTS
    whole = meso.make("commons/wardens", settings, num_envs=3, target="python")
    with meso.record(whole, tmp_path / "whole"):
        play(whole, 60)
    assert meso.open_run(parted.folder.path).check_files().problems == ()
    ours, theirs = (p / "files.json" for p in (parted.folder.path, tmp_path / "whole"))
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("at", [0, 1, 15, 16, 31, 33, 39, 40, 41, 47, 48, 59])
def test_a_resumed_run_that_is_cut_off_keeps_what_it_lists(parted, at, tmp_path):
    env = parted.make("python")
    meso.record(env, parted.folder.path, resume=True)
    play(env, at)
    found = meso.open_run(parted.folder.path).check_files()
    assert found.problems == ()
    env.watcher.fail(RuntimeError("as if killed"))
    run = meso.open_run(parted.folder.path)
    assert run.check_files().problems == ()
    assert run.num_steps == (40 if at < 48 else at - at % 16)
    assert run.verify("python").num_steps == run.num_steps
    assert step_rows(run) == run.num_steps


def step_rows(run):
    return len(np.unique(run.table("step").to_table(["step"]).column("step").to_numpy()))


def test_a_resume_that_plays_nothing_new_leaves_the_run_as_it_was(parted):
    before = {p: p.read_bytes() for p in parted.folder.path.rglob("*") if p.is_file()}
    env = parted.make("python")
    with meso.record(env, parted.folder.path, resume=True):
        play(env, 10)
    after = {p: p.read_bytes() for p in parted.folder.path.rglob("*") if p.is_file()}
    del before[parted.folder.run], after[parted.folder.run]
    assert after == before
    run = meso.open_run(parted.folder.path)
    assert (run.status, run.num_steps, run.check_files().problems) == ("finished", 40, ())


def test_a_resumed_run_writes_a_part_again_that_was_lost(parted):
    (parted.folder.path / PART).unlink()
    env = parted.make("python")
    with meso.record(env, parted.folder.path, resume=True) as recorder:
        recorder.catch_up()
    run = meso.open_run(parted.folder.path)
    assert run.check_files().problems == ()
    assert step_rows(run) == 40


def test_a_run_with_a_damaged_config_is_not_resumed(parted):
    edit(parted.folder.config, "num_agents: ", "num_agents: 1")
    with pytest.raises(RunError, match=r"config.yaml: damaged: has"):
        meso.record(parted.make("python"), parted.folder.path, resume=True)
    assert meso.open_run(parted.folder.path).status == "finished"


@pytest.mark.parametrize("status", ["interrupted", "failed"])
def test_an_error_in_a_recorder_says_how_it_ended(status, tmp_path, monkeypatch):
    env = meso.make("commons", SHORT | PARTS, num_envs=2, target="python")
    recorder = meso.record(env, tmp_path / "run")
    play(env, 20)
    error = KeyboardInterrupt() if status == "interrupted" else ValueError("broken")

    def fail():
        raise error

    monkeypatch.setattr(recorder._reader, "settle", fail)
    with pytest.raises(type(error)):
        play(env, 21, first=20)
    run = meso.open_run(tmp_path / "run")
    assert (run.status, run.about["status"], run.about["steps"]) == (status, status, 16)
    assert run.check_files().problems == ()
    assert run.verify("python").num_steps == 16


def test_dropped_events_are_counted_and_shown(tmp_path, capsys):
    few = {"instrumentation.max_events": 1} | PARTS
    env = meso.make("commons/wardens", few, num_envs=4, target="python")
    with meso.record(env, tmp_path / "run"):
        for k in range(2):
            play(env, 20 * (k + 1), first=20 * k or True)
            env.events()
    run = meso.open_run(tmp_path / "run")
    recorded = run.table("event").count_rows()
    full = meso.make("commons/wardens", num_envs=4, target="python")
    full.reset(seed=0)
    happened = 0
    for k in range(40):
        play(full, k + 1, first=k) if k else play(full, 1)
        happened += len(full.events())
    assert run.about["dropped_events"] == happened - recorded > 0
    assert status(["runs", "show", str(tmp_path / "run"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dropped_events"] == happened - recorded


def test_a_caller_who_reads_no_events_makes_the_recording_lose_none(tmp_path):
    env = meso.make("commons/wardens", num_envs=4, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 100)
    assert env.dropped_events > 0
    assert meso.open_run(tmp_path / "run").about["dropped_events"] == 0


HOSTILE_LISTS = {
    "../out": "lists '../out'",
    "/etc/passwd": "lists '/etc/passwd'",
    "a//b": "lists 'a//b'",
    ".hidden": "lists '.hidden'",
}


@pytest.mark.parametrize("name", HOSTILE_LISTS)
def test_a_list_that_names_other_places_is_refused(parted, name):
    path = parted.folder.path / "files.json"
    data = json.loads(path.read_text())
    data["files"][name] = data["files"]["config.yaml"]
    path.write_text(json.dumps(data))
    with pytest.raises(RunError, match="damaged: it lists"):
        read_manifest(parted.folder.path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("steps", -1), ("steps", True), ("steps", 1 << 80), ("dropped_events", "x"), ("closed", 1),
     ("files", []), ("schema", 7), ("files", {"a": {"bytes": -1, "sha256": "0" * 64}}),
     ("files", {"a": {"bytes": 1, "sha256": "x"}}), ("files", {"a": 5})],
)  # fmt: skip
def test_a_list_of_another_shape_is_refused(parted, key, value):
    path = parted.folder.path / "files.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    with pytest.raises(RunError, match=r"files.json: (damaged|schema)"):
        read_manifest(parted.folder.path)


def test_files_have_the_rights_that_a_person_gives_to_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "a.html", "hello")
    finally:
        os.umask(before)
    assert (tmp_path / "a.html").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
