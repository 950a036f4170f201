"""The commands about recorded runs, as a person types them."""

import json
import shutil

import pytest

SMALL = "--target python --num-envs 3 --set core.max_steps=8"


@pytest.fixture
def recorded(cli, tmp_path):
    """A folder `runs` with two runs of one config."""
    for name, seed in (("a", 4), ("b", 5)):
        done = cli(f"run commons --steps 20 --seed {seed} {SMALL} --out {tmp_path}/runs/{name}")
        assert done.status == 0, done.err
    return tmp_path / "runs"


def test_run_records_into_a_folder_and_says_where(cli, tmp_path):
    done = cli(f"run commons --steps 5 {SMALL} --out {tmp_path}/a")
    assert "recorded in" in done.out
    assert f"mesocosm runs show {tmp_path}/a" in done.out
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "config.yaml", "policies", "replay.meso", "run.json", "tables",
    ]  # fmt: skip
    again = cli(f"run commons --steps 5 {SMALL} --out {tmp_path}/a")
    assert again.status == 2
    assert "is not empty" in again.err


def test_runs_are_listed_shown_and_compared(cli, recorded):
    listed = cli(f"runs list {recorded}")
    assert "commons/default" in listed.out
    assert listed.out.count("finished") == 2
    shown = json.loads(cli(f"runs show {recorded}/a --json").out)
    assert shown["replay"]["steps"] == 20
    assert shown["tables"]["episode"] == 6
    assert shown["endings"][0]["episodes"] == 6
    assert "timeout" in cli(f"runs show {recorded}/a").out
    compared = cli(f"runs compare {recorded}/a {recorded}/b").out
    row = next(line for line in compared.splitlines() if line.startswith("seed"))
    assert row.split() == ["seed", "4", "5", "differs"]
    assert cli(f"runs compare {recorded}/a").status == 2


def test_an_unreadable_folder_does_not_spoil_the_list(cli, recorded):
    (recorded / "b" / "run.json").write_text("{")
    listed = cli(f"runs list {recorded}")
    assert listed.status == 0
    assert "unreadable" in listed.out
    assert "finished" in listed.out


def test_no_runs_says_how_to_make_one(cli, tmp_path):
    assert "mesocosm run PRESET --out RUN" in cli(f"runs list {tmp_path}").out


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_tables_are_exported(cli, recorded, form):
    done = cli(f"runs export {recorded}/a --format {form} --out {recorded}/x")
    assert done.status == 0, done.err
    assert f"episode.{form}: 6 rows" in done.out
    assert (recorded / "x" / f"event.{form}").is_file()
    assert "exists already" in cli(f"runs export {recorded}/a --out {recorded}/x").err


def test_an_unknown_format_is_refused(cli, recorded):
    done = cli(f"runs export {recorded}/a --format xml --out {recorded}/x")
    assert done.status == 2
    assert "must be one of csv, json, parquet, minari, got 'xml'" in done.err


def test_query_prints_rows(cli, recorded, capsys):
    from mesocosm.cli.app import status

    sql = "SELECT reason, count(*) AS n FROM episode GROUP BY reason"
    assert status(["query", f"{recorded}/a", sql]) == 0
    assert capsys.readouterr().out.split() == ["reason", "n", "timeout", "6"]
    assert status(["query", f"{recorded}/a", sql, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"reason": "timeout", "n": 6}]
    assert status(["query", f"{recorded}/a", "SELECT * FROM '/etc/passwd'"]) == 2
    assert "query: " in capsys.readouterr().err


def test_replay_shows_verifies_and_seeks(cli, recorded):
    shown = json.loads(cli(f"replay show {recorded}/a --json").out)
    assert (shown["steps"], shown["envs"], shown["whole"]) == (20, 3, True)
    assert "bytes per agent step" in cli(f"replay show {recorded}/a").out
    verified = cli(f"replay verify {recorded}/a --target python")
    assert verified.status == 0
    assert "verified: 20 steps are bit for bit the same" in verified.out
    assert "20/20 steps" in verified.err
    sought = cli(f"replay seek {recorded}/a --env 2 --step 11 --target python")
    assert "step 11, env 2, seed 4, episode 1, t 3" in sought.out
    data = json.loads(cli(f"replay seek {recorded}/a --env 2 --step 11 --target python --json").out)
    assert data["truth"]["clock"] == 3


def test_a_replay_that_differs_fails_with_the_step_and_the_field(cli, recorded, monkeypatch):
    from mesocosm.sim.fold import Folder

    calls, real = [], Folder.digest

    def wrong(self):
        found = real(self)
        calls.append(found)
        if len(calls) == 6:
            found[2] += 1
        return found

    monkeypatch.setattr(Folder, "digest", wrong)
    done = cli(f"replay verify {recorded}/a --target python")
    assert done.status == 1
    assert "differs: the first difference is after step 4, in" in done.out


@pytest.fixture
def town(cli, tmp_path):
    """A run of a world that can be drawn."""
    done = cli(f"run townlet/L3 --steps 8 --target python --num-envs 2 --out {tmp_path}/town")
    assert done.status == 0, done.err
    return tmp_path / "town"


@pytest.mark.parametrize("name", ["film.gif", "film.json", "film.png"])
def test_replays_are_exported(cli, town, tmp_path, name):
    done = cli(f"replay export {town} --env 1 --steps 6 --out {tmp_path}/{name} --target python")
    assert done.status == 0, done.err
    if name == "film.json":
        moments = json.loads((tmp_path / name).read_text())
        assert [m["step"] for m in moments] == list(range(7))
        assert moments[0]["actions"] is not None
    elif name == "film.gif":
        assert (tmp_path / name).read_bytes()[:6] == b"GIF89a"
    else:
        assert (tmp_path / "film-000006.png").read_bytes()[:4] == b"\x89PNG"


def test_a_film_without_ffmpeg_says_what_to_install(cli, town, tmp_path, monkeypatch):
    import sys

    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    done = cli(f"replay export {town} --steps 2 --out {tmp_path}/x.mp4 --target python")
    assert done.status == 2
    assert "mesocosm[video]" in done.err


def test_a_world_without_a_scene_is_exported_as_data_only(cli, recorded):
    done = cli(f"replay export {recorded}/a --out {recorded}/x.gif --target python")
    assert done.status == 2
    assert "commons cannot be drawn: its WORLD has no scene; .json can be written" in done.err


def test_an_export_to_an_unknown_kind_of_file_is_refused(cli, recorded):
    done = cli(f"replay export {recorded}/a --out {recorded}/x.avi --target python")
    assert done.status == 2
    assert "must end in .mp4, .gif, .png, .json, got '.avi'" in done.err


def test_explain_tells_what_an_agent_saw_did_and_earned(cli, recorded):
    done = cli(f"explain {recorded}/a --env 1 --agent 3 --step 10 --target python")
    assert done.status == 0, done.err
    for words in ("Agent 3 (harvester) of env 1, step 10", "step 2 of episode 1", "It saw",
                  "stock", "It did", "effort", "It earned", "catch", "Around it"):  # fmt: skip
        assert words in done.out
    text = f"explain {recorded}/a --env 1 --agent 3 --step 10 --target python --json"
    data = json.loads(cli(text).out)
    assert sum(data["terms"].values()) == pytest.approx(data["reward"], abs=1e-6)
    for flags, words in (
        ("--step 20", "no step 20: must be between 0 and 19"),
        ("--step 3 --agent 6", "no agent 6: must be between 0 and 5"),
        ("--step 3 --env 3", "no env 3: must be between 0 and 2"),
    ):
        refused = cli(f"explain {recorded}/a {flags} --target python")
        assert refused.status == 2
        assert words in refused.err


def test_a_run_is_resumed_to_what_it_would_have_been(cli, recorded):
    whole = cli(f"run commons --steps 33 --seed 4 {SMALL} --out {recorded}/whole")
    assert whole.status == 0
    done = cli(f"run --resume {recorded}/a --steps 33 --target python")
    assert done.status == 0, done.err
    for name in ("replay.meso", "tables/episode/part-000000.parquet", "config.yaml"):
        assert (recorded / "a" / name).read_bytes() == (recorded / "whole" / name).read_bytes()
    assert json.loads((recorded / "a" / "run.json").read_text())["plan"]["steps"] == 33
    refused = cli(f"run --resume {recorded}/a --steps 10 --target python")
    assert "the run has 33 already, got 10" in refused.err
    assert "only --steps and --target go" in cli(f"run commons --resume {recorded}/a").err
    assert "needs a preset" in cli("run").err
