import json
import shutil
from contextlib import nullcontext

import pytest

from mesocosm.evaluation import series

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
        ("match commons greedy noop --move-seconds 0", "limits.move_seconds"),
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
    assert "there is no series to go on with" in cli(f"match --resume {out}").err


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
