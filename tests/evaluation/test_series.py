"""Series of games: seeds, swapped sides, who wins and why."""

import pytest

from mesocosm.build import config_spec, make, open_run
from mesocosm.core.errors import ConfigError
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


def test_an_interrupted_series_keeps_what_was_played(tmp_path):
    asked = iter([False, True])
    series = play_series(
        commons(), ["noop", "noop"], SeriesSettings(count=5), out=tmp_path / "run",
        interrupted=lambda: next(asked),
    )  # fmt: skip
    assert (len(series.games), series.interrupted) == (1, True)
    assert open_run(tmp_path / "run").status == "interrupted"
    assert [standing.draws for standing in series.standings()] == [1, 1]


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
