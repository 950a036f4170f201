"""Series of games: seeds, swapped sides, who wins and why."""

import pytest

from mesocosm.build import config_spec, make, open_run
from mesocosm.core.errors import ConfigError, RunError
from mesocosm.core.policy import NoopPolicy
from mesocosm.evaluation.match_result import MatchResult
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.series import SeriesSettings, judge, plan_rounds, play_series


def commons(steps=12):
    return make("commons", {"core.max_steps": steps}, target="python", autoreset="off")


def test_rounds_exchange_the_sides_on_the_same_seeds():
    rounds = plan_rounds(["left", "right"], count=2, swap=True, seed=3)
    assert [list(game.players.values()) for game in rounds] == [["A", "B"], ["B", "A"]] * 2
    assert rounds[0].seed == rounds[1].seed != rounds[2].seed == rounds[3].seed
    assert rounds == plan_rounds(["left", "right"], count=2, swap=True, seed=3)
    three = plan_rounds(["a", "b", "c"], count=1, swap=True)
    assert ["".join(game.players.values()) for game in three] == ["ABC", "CAB", "BCA"]
    assert len({game.seed for game in plan_rounds(["a", "b"], count=9, swap=False)}) == 9


def test_a_series_counts_wins_by_return_where_no_ending_names_a_winner(tmp_path):
    settings = SeriesSettings(count=2, swap=True, seed=1)
    series = play_series(commons(), ["greedy", NoopPolicy()], settings, out=tmp_path / "run")
    first, second = series.standings()
    assert (series.judged_by, len(series.games)) == ("returns", 4)
    assert (first.wins, first.losses, second.wins, second.losses) == (4, 0, 0, 4)
    assert first.wins_by_seat == {"harvester[0,2,4]": 2, "harvester[1,3,5]": 2}
    assert first.mean_return > second.mean_return
    run = open_run(tmp_path / "run")
    assert run.verify("python").num_equal == 48
    noted = run.about["match"]
    assert [game["players"]["harvester[0,2,4]"] for game in noted["games"]] == ["A", "B"] * 2
    assert noted["programs"] == {"A": "greedy", "B": "NoopPolicy"}
    assert run.check_files().problems == ()
    told = run.query("SELECT player, sum(won) AS wins FROM game GROUP BY player ORDER BY player")
    assert told.to_pylist() == [{"player": "A", "wins": 4}, {"player": "B", "wins": 0}]


def test_forfeits_are_losses_with_reasons_and_the_series_goes_on(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from mesocosm.core.policy import NoopPolicy\nclass Bot(NoopPolicy):\n    moves = 0\n"
        "    def act(self, obs, mask, info, began):\n        self.moves += 1\n"
        "        if self.moves == 4:\n            raise ValueError('no')\n"
        "        return super().act(obs, mask, info, began)\n"
    )
    settings = SeriesSettings(swap=True, limits=Limits(move_seconds=20.0))
    games = []
    series = play_series(
        commons(), [f"{bot}:Bot", "steady"], settings, out=tmp_path / "run", advance=games.append
    )
    first, second = series.standings()
    assert games == series.games
    assert (first.forfeits, first.losses, second.wins, second.draws) == (2, 2, 2, 0)
    assert series.reasons() == [("A", f"{bot}:Bot raised ValueError: no", 2)]
    assert first.mean_return is None
    assert open_run(tmp_path / "run").verify("python").holds


def test_an_interrupted_series_goes_on_to_what_it_would_have_been(tmp_path):
    settings = SeriesSettings(count=3, swap=True, seed=2, program_seed=4)
    players = ["random", "greedy"]
    whole = play_series(commons(), players, settings, out=tmp_path / "whole")
    asked = iter([False, False, True])
    part = play_series(
        commons(), players, settings, out=tmp_path / "run", interrupted=lambda: next(asked)
    )
    assert (len(part.games), part.interrupted) == (2, True)
    assert not (tmp_path / "run").exists()
    with pytest.raises(RunError, match=r"holds a series that is not over.*--resume .*run\)"):
        play_series(commons(), players, settings, out=tmp_path / "run")
    again = play_series(commons(), players, settings, out=tmp_path / "run", resume=True)
    assert [game.result.seed for game in again.games] == [game.result.seed for game in whole.games]
    assert again.standings() == whole.standings()
    replays = [(tmp_path / name / "replay.meso").read_bytes() for name in ("run", "whole")]
    assert replays[0] == replays[1]
    assert not (tmp_path / "run.games").exists()


def test_a_stored_game_that_was_changed_is_refused(tmp_path):
    asked = iter([False, True])
    settings = SeriesSettings(count=2, seed=1)
    out = tmp_path / "run"
    play_series(commons(), ["random"] * 2, settings, out=out, interrupted=lambda: next(asked))
    file = tmp_path / "run.games" / "game-000000.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0], lines[2], lines[1], *lines[3:]]))
    with pytest.raises(RunError, match="game 0: played again, it came to another state"):
        play_series(commons(), ["random"] * 2, settings, out=out, resume=True)
    file.write_bytes(b"".join(lines[:-1]))
    with pytest.raises(RunError, match="damaged: it is cut short"):
        play_series(commons(), ["random"] * 2, settings, out=tmp_path / "run", resume=True)


def test_rules_decide_where_some_ending_names_a_winner():
    spec = config_spec("island/skirmish")
    outcome = {"legacy": "timeout", "dynasty": "timeout"}
    result = MatchResult(outcome=outcome, mean_return={"legacy": 5.0, "dynasty": 1.0})
    assert judge(result, spec) == []
    result.winner = "dynasty"
    assert judge(result, spec) == ["dynasty"]
    result.forfeits = {"dynasty": "step 0: late"}
    assert judge(result, spec) == ["legacy"]


def test_a_series_needs_at_least_two_players():
    with pytest.raises(ConfigError, match="a series needs 2 to 26 players, got 1"):
        play_series(commons(), ["noop"], SeriesSettings())
