"""The commands about recorded runs, as a person types them."""

import json

import pytest

SMALL = "--target python --num-envs 3 --set core.max_steps=8"


def test_run_records_into_a_folder_and_says_where(cli, tmp_path):
    done = cli(f"run commons --steps 5 {SMALL} --out {tmp_path}/a")
    assert "recorded in" in done.out
    assert f"mesocosm runs show {tmp_path}/a" in done.out
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "config.yaml", "files.json", "policies", "replay.meso", "run.json", "tables",
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


def test_compared_runs_name_their_policies(cli, recorded):
    done = cli(f"run commons --steps 20 --policy steady {SMALL} --out {recorded}/c")
    assert done.status == 0, done.err
    compared = cli(f"runs compare {recorded}/a {recorded}/c").out
    row = next(line for line in compared.splitlines() if line.startswith("harvester policy"))
    assert row.split() == ["harvester", "policy", "random", "steady", "differs"]


def test_a_list_marks_runs_of_changed_presets(cli, tmp_path):
    for name, line in {
        "plain": "commons/commune",
        "set": "commons/commune --set core.max_steps=8",
        "with": "commons/commune --archetype fog",
    }.items():
        done = cli(f"run {line} --steps 2 --target python --num-envs 1 --out {tmp_path}/{name}")
        assert done.status == 0, done.err
    rows = json.loads(cli(f"runs list {tmp_path} --json").out)
    assert [(row["preset"], row["changed"]) for row in rows] == [
        ("commons/commune", False), ("commons/commune", True), ("commons/commune", True),
    ]  # fmt: skip
    assert cli(f"runs list {tmp_path}").out.count("commons/commune*") == 2


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


def test_a_resumed_run_says_what_the_run_was_made_of(cli, tmp_path):
    folder, made = tmp_path / "run", "commons --archetype fog:0.5 --set core.max_steps=9"
    first = cli(f"run {made} --target python --num-envs 2 --steps 5 --out {folder}")
    again = cli(f"run --resume {folder} --target python --steps 8")
    said = [line for done in (first, again) for line in done.out.splitlines() if "made of" in line]
    assert len(said) == 2
    assert said[0] == said[1]
    assert "fog:0.5 with core.max_steps=9" in said[0]
