"""Verdicts on recorded runs, as a person asks for them."""

import json

import pytest

SMALL = "--target python --set core.max_steps=8 --steps 17"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    from mesocosm.cli.app import status

    folder = tmp_path_factory.mktemp("played")
    runs = {"steady": "steady", "greedy": "greedy", "other": "steady"}
    for name, policy in runs.items():
        seed = 5 if name == "other" else 4
        line = f"run commons {SMALL} --num-envs 20 --policy {policy} --seed {seed}"
        assert status([*line.split(), "--out", str(folder / name)]) == 0
    return folder


def compared(cli, line):
    done = cli(f"runs compare {line} --json")
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_worse_policy_gets_a_verdict_with_an_interval(cli, played):
    data = compared(cli, f"{played}/steady {played}/greedy")
    assert data["correction"] == "Holm"
    found = {entry["metric"]: entry["found"] for entry in data["comparisons"]}
    assert found["return"]["verdict"] == "worse"
    assert found["return"]["paired"]
    assert found["return"]["difference"]["high"] < 0
    assert found["return"]["episodes"] == [40, 40]
    assert found["return"]["corrected"] >= found["return"]["p"]


def test_verdicts_are_written_for_people(cli, played):
    said = cli(f"runs compare {played}/steady {played}/greedy").out
    row = next(line for line in said.splitlines() if line.startswith("harvester  return"))
    assert " worse " in row
    assert " to " in row
    assert "corrected for 2 comparisons (Holm)" in said
    assert "as both have one seed" in said
    assert "interquartile mean" in said


def test_same_policy_on_other_seeds_is_not_distinguishable_and_says_what_it_takes(cli, played):
    line = f"{played}/steady {played}/other"
    found = compared(cli, line)["comparisons"][0]["found"]
    assert (found["verdict"], found["paired"]) == ("not distinguishable", False)
    assert found["needed"] > 40
    assert f"{found['needed']:,} to see" in cli(f"runs compare {line}").out
    finer = compared(cli, f"{line} --margin 0.01")["comparisons"][0]["found"]
    assert finer["needed"] > 10 * found["needed"]


def test_runs_of_one_name_are_training_seeds(cli, played):
    line = f"a={played}/steady a={played}/other b={played}/greedy b={played}/greedy"
    data = compared(cli, line)
    assert data["baseline"] == "a"
    assert [entry["side"] for entry in data["comparisons"]] == ["b", "b"]
    assert data["comparisons"][0]["found"]["episodes"] == [2, 2]
    assert "b: one value for each run, as for training seeds" in data["notes"]


def test_run_beside_itself_is_equal_in_every_pair(cli, played):
    data = compared(cli, f"{played}/steady {played}/steady")
    assert "no interval: every pair is equal" in data["notes"]


def test_runs_without_finished_episodes_get_no_verdict_and_say_why(cli, tmp_path, played):
    line = "run commons --target python --steps 3 --num-envs 2"
    assert cli(f"{line} --out {tmp_path}/short").status == 0
    data = compared(cli, f"{played}/steady {tmp_path}/short")
    assert data["comparisons"] == []
    assert data["notes"][0].startswith(f"no verdict: {tmp_path}/short: ")


def test_evaluation_of_several_is_not_taken_for_one_side(cli, tmp_path, played):
    line = "evaluate commons steady greedy --episodes 2 --target python --set core.max_steps=8"
    assert cli(f"{line} --out {tmp_path}/both").status == 0
    (note,) = compared(cli, f"{played}/steady {tmp_path}/both")["notes"]
    assert note.startswith(f"no verdict: {tmp_path}/both: holds 2 entrants")


def test_evaluations_of_one_policy_each_are_compared_pair_by_pair(cli, tmp_path):
    for name in ("steady", "greedy"):
        line = f"evaluate commons {name} --episodes 12 --target python --set core.max_steps=8"
        assert cli(f"{line} --out {tmp_path}/{name}").status == 0
    found = compared(cli, f"{tmp_path}/steady {tmp_path}/greedy")["comparisons"][0]["found"]
    assert (found["verdict"], found["paired"], found["episodes"]) == ("worse", True, [12, 12])


def test_long_episodes_are_not_underrated(cli, tmp_path, played):
    line = "run commons --target python --steps 30 --num-envs 4 --policy random --seed 4"
    assert cli(f"{line} --set core.max_steps=12 --out {tmp_path}/a").status == 0
    data = compared(cli, f"{tmp_path}/a {played}/steady")
    mine = next(entry for entry in data["reached"] if entry["side"] == f"{tmp_path}/a")
    assert mine["episodes"] % 4 == 0  # equally many of every env


def test_margin_of_nothing_is_refused(cli, played):
    done = cli(f"runs compare {played}/steady {played}/greedy --margin 0")
    assert done.status == 2
    assert "margin must be above 0, got 0.0" in done.err
