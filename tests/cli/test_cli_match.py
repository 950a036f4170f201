import json
import shutil
from contextlib import nullcontext

import pytest

from mesocosm.evaluation import series
from mesocosm.evaluation.game_store import GameStore

QUICK = "--target python --set core.max_steps=6"


def test_match_plays_a_series_from_both_sides_and_records_it(cli, tmp_path):
    out = tmp_path / "run"
    done = cli(f"match commons greedy noop --series 2 --swap --seed 1 --out {out} {QUICK}")
    assert done.status == 0, done.err
    assert "commons/default: 4 games, won by mean return" in done.out
    assert "A       greedy   4      4     0      0       0" in done.out
    assert "harvester[0,2,4]  2  0" in done.out
    assert "programs were closed in" not in done.out
    proven = cli(f"replay verify {out} --target python")
    assert proven.status == 0, proven.err
    assert "24 steps are bit for bit the same" in proven.out
    assert json.loads(cli(f"runs show {out} --json").out)["problems"] == []


def test_match_tells_why_programs_forfeited(cli, tmp_path):
    (tmp_path / "bot.py").write_text("raise OSError('nothing works')\n")
    done = cli(f"match island/skirmish {tmp_path}/bot.py:Bot rush --json {QUICK}")
    assert done.status == 0, done.err
    told = json.loads(done.out)
    (forfeit,) = told["forfeits"]
    assert (forfeit["player"], forfeit["games"]) == ("A", 1)
    assert forfeit["reason"].endswith("bot.py:Bot raised OSError: nothing works")
    assert told["games"][0]["winners"] == ["B"]
    assert told["games"][0]["containment"]


def test_match_refuses_what_cannot_play_before_anything_is_played(cli, tmp_path):
    for text, said in (
        ("match commons greedy", "a series needs 2 to 26 players, got 1"),
        ("match commons greedy greedi", "Did you mean 'greedy'"),
        ("match commons greedy ./no-such-bot", "is no program that can be run"),
        (f"match commons greedy {tmp_path}/none.py:Bot", "no such file"),
        ("match commons greedy noop --series 0", "--series"),
        ("match commons greedy noop --series 1000000000", "--series: must be at most 100,000"),
        ("match commons greedy noop --move-seconds 0", "limits.move_seconds"),
        ("match commons greedy noop --move-seconds inf", "must be above 0 and below 4.6e+18"),
        ("match commons greedy noop --readable /none", "--readable: /none: no such file"),
        ("match island noop noop noop", "3 players need 3 roles"),
    ):
        done = cli(f"{text} {QUICK}")
        assert done.status == 2, text
        assert said in done.err


def test_match_can_insist_on_closed_rooms(cli, monkeypatch):
    found = "mesocosm.evaluation.programs.containment.find_containment"
    monkeypatch.setattr(found, lambda: "process group")
    idle = "mesocosm.core.policy:NoopPolicy"
    done = cli(f"match commons {idle} noop --closed {QUICK}")
    assert done.status == 2
    assert "programs would not be closed in" in done.err
    assert cli(f"match commons noop noop --closed {QUICK}").status == 0


def test_match_goes_on_after_an_interruption(cli, tmp_path, monkeypatch):
    played = []
    monkeypatch.setattr(
        "mesocosm.cli.match.interrupts", lambda: nullcontext(lambda: len(played) == 1)
    )
    real = series.play_between
    monkeypatch.setattr(series, "play_between", lambda *g: played.append(1) or real(*g))
    out = tmp_path / "run"
    done = cli(f"match commons random noop --series 3 --out {out} {QUICK}")
    assert done.status == 130
    assert f"go on with: mesocosm match --resume {out}" in done.out
    assert cli(f"match commons --resume {out}").status == 2
    played.append(1)
    done = cli(f"match --resume {out} --target python --json")
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert (len(told["games"]), told["interrupted"]) == (3, False)
    assert cli(f"replay verify {out} --target python").status == 0
    again = cli(f"match --resume {out} --target python --json")
    assert (again.status, json.loads(again.out)) == (0, told)
    assert cli(f"match --resume {tmp_path}/none").err.strip().endswith("no series to go on with")


def interrupt_after(count, monkeypatch):
    """Let a series be interrupted after some of its games."""
    played, real = [], series.play_between
    stop = nullcontext(lambda: len(played) == count)
    monkeypatch.setattr("mesocosm.cli.match.interrupts", lambda: stop)
    monkeypatch.setattr(series, "play_between", lambda *g: played.append(1) or real(*g))


def test_match_whose_games_are_left_over_shows_what_was_recorded(cli, tmp_path, monkeypatch):
    out, again = tmp_path / "run", tmp_path / "again"
    done = cli(f"match commons random noop --seed 1 --out {out} {QUICK}")
    with monkeypatch.context() as patch:
        interrupt_after(0, patch)
        cli(f"match commons random noop --seed 1 --out {again} {QUICK}")
    games = tmp_path / "run.games"
    (tmp_path / "again.games").rename(games)  # as if killed before they were removed
    assert cli(f"match --resume {out} --target python").out == done.out
    assert not games.exists()


def test_match_refuses_to_go_on_with_a_program_that_changed(cli, tmp_path, monkeypatch):
    bot, out = tmp_path / "bot", tmp_path / "run"
    bot.write_text("#!/bin/sh\nexit 3\n")
    bot.chmod(0o755)
    with monkeypatch.context() as patch:
        interrupt_after(1, patch)
        assert cli(f"match commons {bot} noop --series 3 --out {out} {QUICK}").status == 130
    bot.write_text("#!/bin/sh\nexit 4\n")
    done = cli(f"match --resume {out} --target python")
    assert done.status == 2
    assert f"{bot}: {bot} is not the file that played: sha256 was" in done.err
    bot.write_text("#!/bin/sh\nexit 3\n")
    assert cli(f"match --resume {out} --target python").status == 0


def test_match_that_somebody_plays_is_refused_at_once(cli, tmp_path, monkeypatch):
    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        interrupt_after(1, patch)
        assert cli(f"match commons random noop --series 3 --out {out} {QUICK}").status == 130
    store = GameStore(out)
    store.take()
    done = cli(f"match --resume {out} --target python")
    assert done.status == 2
    assert f"{store.path}: is being written by process" in done.err
    store.close()
    assert cli(f"match --resume {out} --target python").status == 0


def test_match_says_in_one_line_that_it_cannot_write(cli, tmp_path):
    (tmp_path / "file").write_text("")
    for place in ("/proc/nothing", f"{tmp_path}/file/run"):
        done = cli(f"match commons noop noop --out {place} {QUICK}")
        assert done.status == 2
        assert "cannot be written" in done.err
        assert len(done.err.strip().splitlines()) == 1


def test_match_goes_on_although_its_clearing_up_was_killed(cli, tmp_path, monkeypatch):
    played, out = [], tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr("mesocosm.cli.match.interrupts", lambda: nullcontext(lambda: bool(played)))
        real = series.play_between
        patch.setattr(series, "play_between", lambda *g: played.append(1) or real(*g))
        assert cli(f"match commons random noop --series 3 --out {out} {QUICK}").status == 130
    assert cli(f"run commons --steps 5 --target python --out {tmp_path}/cut").status == 0
    about = json.loads((tmp_path / "cut" / "run.json").read_text())
    (tmp_path / "cut" / "run.json").write_text(json.dumps(about | {"status": "running"}))
    if out.exists():
        shutil.rmtree(out)
    (tmp_path / "cut").rename(out)  # as a writer leaves it that is killed
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", kill)
        with pytest.raises(SystemExit):
            cli(f"match --resume {out} --target python")
    done = cli(f"match --resume {out} --target python --json")
    assert done.status == 0, done.err
    assert len(json.loads(done.out)["games"]) == 3


def kill(folder, *args, **options):
    """End as a process does that is killed while it removes a folder."""
    (folder / "run.json").unlink()
    raise SystemExit(9)
