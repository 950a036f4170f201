import json
from pathlib import Path

import pytest

import mesocosm

ROGUES = Path(__file__).parents[1] / "evaluation" / "arena" / "rogue_policies.py"
QUICK = "--target python --set core.max_steps=12 --episodes 3"


def results(cli, text):
    done = cli(f"evaluate {text} {QUICK} --json")
    assert done.status == 0, done.err
    return json.loads(done.out)["results"]


def test_entrants_meet_the_same_episodes(cli):
    one, two, again = results(cli, "commons steady greedy again=steady")
    assert [row["entrant"] for row in (one, two, again)] == ["steady", "greedy", "again"]
    assert one["mean_return"] == again["mean_return"] > two["mean_return"]
    assert one["episodes"] == 3


def test_a_mix_is_evaluated_as_given(cli):
    rows = results(cli, "commons --policy noop --policy harvester[3]=greedy")
    assert {row["entrant"]: row["lives"] for row in rows} == {"noop": 15, "greedy": 3}
    assert {row["group"] for row in rows} == {"as given"}


def test_entrants_take_one_seat_beside_others(cli):
    rows = results(cli, "commons steady greedy --policy noop --seat harvester[0]")
    assert [(row["group"], row["entrant"]) for row in rows] == [
        ("steady", "steady"), ("steady", "other noop"), ("greedy", "greedy"),
        ("greedy", "other noop"),
    ]  # fmt: skip
    assert [row["lives"] for row in rows] == [3, 15, 3, 15]


def test_rotation_gives_every_place(cli):
    (mine, _) = results(cli, "commons greedy --policy noop --seat harvester[0] --rotate")
    assert mine["lives"] == 18


def test_several_presets_make_a_transfer_table(cli):
    rows = results(cli, "commons steady greedy --on commons/scarce")
    assert [(row["preset"], row["entrant"]) for row in rows] == [
        ("commons/default", "steady"), ("commons/default", "greedy"),
        ("commons/scarce", "steady"), ("commons/scarce", "greedy"),
    ]  # fmt: skip


def test_results_are_kept_in_a_run_that_query_reads(cli, tmp_path):
    run = tmp_path / "e"
    done = cli(f"evaluate commons steady greedy {QUICK} --out {run} --record")
    assert done.status == 0, done.err
    found = mesocosm.open_run(run)
    rows = found.query(
        "SELECT entrant, count(*) AS lives FROM episode_agents GROUP BY entrant ORDER BY entrant"
    ).to_pylist()
    assert rows == [{"entrant": "greedy", "lives": 18}, {"entrant": "steady", "lives": 18}]
    assert found.query("SELECT count(*) AS n FROM result").to_pylist() == [{"n": 2}]
    assert cli(f"runs show {run}").err == ""
    proof = cli(f"replay verify {run}/recordings/bout-000001 --target python")
    assert "verified: 9 steps are bit for bit the same" in proof.out


def test_an_interrupted_one_goes_on(cli, tmp_path, monkeypatch):
    from mesocosm.evaluation.arena.play_job import PlayJob

    whole = cli(f"evaluate commons steady greedy noop {QUICK} --out {tmp_path}/whole")
    play = PlayJob._play

    def stop(job, shard, on_step):
        if shard.bout == 1:
            raise KeyboardInterrupt
        return play(job, shard, on_step)

    monkeypatch.setattr(PlayJob, "_play", stop)
    broken = cli(f"evaluate commons steady greedy noop {QUICK} --out {tmp_path}/cut")
    assert broken.status == 130
    assert f"mesocosm evaluate --resume {tmp_path}/cut goes on" in broken.err
    assert mesocosm.open_run(tmp_path / "cut").status == "interrupted"
    monkeypatch.undo()
    monkeypatch.setenv("MESOCOSM_QUIET", "1")
    done = cli(f"evaluate --resume {tmp_path}/cut --target python")
    assert done.status == 0, done.err
    assert done.out.replace("/cut", "/whole") == whole.out
    for path in (tmp_path / "whole" / "tables").rglob("*.parquet"):
        assert path.read_bytes() == Path(str(path).replace("/whole/", "/cut/")).read_bytes()


BAD = {
    "evaluate": "evaluate: needs a preset or a config file",
    "evaluate commons": "evaluate: needs somebody who plays",
    "evaluate commons stedy": "no policy of commons named 'stedy'. Did you mean 'steady'?",
    "evaluate commons steady steady": "two are named 'steady'",
    "evaluate commons steady --episodes 0": "--episodes: must be at least 1, got 0",
    "evaluate commons steady --limit 0": "--limit: must be above 0",
    "evaluate commons steady --record": "--record: needs --out RUN",
    "evaluate commons steady --on townlet": "presets must be of one world, got commons, townlet",
    "evaluate commons steady --seat warden": "no role with agents named 'warden'",
    "evaluate commons steady --policy greedy": "--policy takes every seat",
    "evaluate commons --resume nothing": "only --target and --engine go",
    "evaluate --resume nothing": "nothing: no run folder",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_one_line(cli, line):
    done = cli(line)
    assert (done.status, done.out) == (2, "")
    assert BAD[line] in done.err
    assert done.err.count("\n") == 1


def test_another_run_cannot_be_gone_on_with(cli, recorded):
    done = cli(f"evaluate --resume {recorded}/a")
    assert done.status == 2
    assert "is no evaluate; `mesocosm evaluate ... --out RUN` makes one" in done.err


def test_a_changed_file_cannot_go_on(cli, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_bytes(ROGUES.read_bytes())
    assert cli(f"evaluate commons {mine}:Idle {QUICK} --out {tmp_path}/e").status == 0
    mine.write_text(mine.read_text() + "\nX = 1\n")
    done = cli(f"evaluate --resume {tmp_path}/e --target python")
    assert done.status == 2
    assert "mine.py:Idle is not the file that played" in done.err


def test_a_forfeit_is_told(cli):
    bad, good = results(cli, f"commons {ROGUES}:Crashes steady")
    assert "ZeroDivisionError: the sky fell" in bad["forfeits"]
    assert good["episodes"] == 3


def test_programs_that_are_slow_or_answer_nonsense_forfeit(cli):
    programs = f"program:{ROGUES}:IsSlow program:{ROGUES}:AnswersNonsense"
    slow, nonsense, idle = results(cli, f"commons {programs} program:{ROGUES}:Idle --limit 0.5")
    assert slow["forfeits"] == "rogue_policies.py:IsSlow: step 2: gave no answer within 0.5 s"
    assert nonsense["forfeits"].startswith("rogue_policies.py:AnswersNonsense: step 0: ")
    assert (idle["forfeits"], idle["episodes"]) == ("", 3)


def test_a_program_plays_as_the_same_code_in_process(cli):
    code = f"{ROGUES}:Idle"
    rows = results(cli, f"commons inside={code} outside=program:{code}")
    assert rows[0]["mean_return"] == rows[1]["mean_return"]


def test_episodes_with_programs_are_drawn_by_chance_unless_a_seed_is_said(cli):
    code = f"{ROGUES}:Idle"
    for more, secret in (("", True), ("--seed 5", False)):
        done = cli(f"evaluate commons program:{code} {QUICK} {more} --json")
        assert done.status == 0, done.err
        assert (json.loads(done.out)["seed"] > 2**40) == secret
