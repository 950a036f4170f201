import numpy as np
import pytest
from arena_samples import make_arena, rogue

from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.arena.arena import open_again, open_new
from mesocosm.evaluation.tournament.population import play_population
from mesocosm.evaluation.tournament.results import write_markdown, write_results
from mesocosm.evaluation.tournament.standings import make_tables
from mesocosm.evaluation.tournament.tournament import Tournament


def play(*texts, form="round-robin", preset="commons", **more):
    tournament = Tournament(make_arena(preset, *texts, **more), form)
    tournament.play()
    return tournament


def rows(tournament, name):
    return make_tables(tournament)[name][1]


def test_round_robin_plays_all_pairs_with_seats_swapped():
    tournament = play("steady", "greedy", "noop")
    assert tournament.num_bouts == len(tournament.arena.bouts) == 9
    assert [(p.first, p.second, len(p.bouts)) for p in tournament.pairings] == [
        (0, 0, 1), (0, 1, 2), (0, 2, 2), (1, 1, 1), (1, 2, 2), (2, 2, 1),
    ]  # fmt: skip


def test_swiss_plays_as_many_rounds_as_it_says():
    tournament = play("steady", "greedy", "noop", "random", "oracle", form="swiss")
    assert tournament.num_rounds == 4
    assert len(tournament.pairings) == 8
    assert len(tournament.byes) == 4
    assert len({(p.first, p.second) for p in tournament.pairings}) == 8
    assert {p.round for p in tournament.pairings} == {0, 1, 2, 3}


def play_swiss(folder, stop_after=None):
    """Play a Swiss tournament into a folder, perhaps only for some steps."""
    texts = ("steady", "greedy", "noop", "random", "oracle")
    conditions, steps = make_arena("commons").conditions, []

    def count():
        steps.append(1)
        if len(steps) == stop_after:
            raise KeyboardInterrupt

    about = {"kind": "tournament", "plan": {}}
    there = (folder / "run.json").exists()
    opened = open_again(folder, conditions) if there else open_new(folder, conditions, about)
    arena = make_arena("commons", *texts, open_folder=opened, on_step=count)
    cup = Tournament(arena, "swiss")
    try:
        cup.play()
    except KeyboardInterrupt:
        arena.close("interrupted")
        return None
    write_results(arena.folder, "a cup", make_tables(cup))
    arena.close()
    return {path.name: path.read_bytes() for path in folder.glob("results.*")}


def test_a_swiss_tournament_goes_on_with_the_same_pairs(tmp_path):
    whole = play_swiss(tmp_path / "whole")
    assert play_swiss(tmp_path / "cut", stop_after=40) is None
    assert play_swiss(tmp_path / "cut", stop_after=70) is None
    assert play_swiss(tmp_path / "cut") == whole


def test_standings_put_who_won_more_first():
    found = rows(play("noop", "greedy", "steady", episodes=4), "standing")
    assert found[0]["entrant"] == "greedy"
    assert found[0]["won"] == 1.0
    assert [row["place"] for row in found] == [1, 2, 3]
    assert sum(row["games"] for row in found) == 2 * 3 * 2 * 4


def test_crossplay_is_what_bouts_came_to():
    tournament = play("noop", "greedy")
    found = {(r["entrant"], r["beside"]): r["mean_return"] for r in rows(tournament, "crossplay")}
    met = tournament.pairings[1].bouts
    wanted = np.mean([bout.returns_of(1) for bout in met])
    assert found["greedy", "noop"] == pytest.approx(float(wanted))
    alone = tournament.pairings[0].bouts[0].returns()
    assert found["noop", "noop"] == pytest.approx(float(alone.mean()))
    assert len(found) == 4


def test_forfeits_leave_the_rest_unharmed():
    sound = ("steady", "greedy", "random")
    with_rogues = play(*sound, rogue("Crashes"), rogue("AnswersNonsense"))
    alone = {(r["entrant"], r["beside"]): r for r in rows(play(*sound), "crossplay")}
    found = {(r["entrant"], r["beside"]): r for r in rows(with_rogues, "crossplay")}
    assert {key: found[key] for key in alone} == alone
    standings = {row["entrant"]: row for row in rows(with_rogues, "standing")}
    assert (
        standings["Crashes"]["forfeits"] == 7
    )  # of nine bouts; in two the other one forfeits before it
    assert "the sky fell" in standings["Crashes"]["reason"]
    assert standings["AnswersNonsense"]["forfeits"] == 9
    assert standings["AnswersNonsense"]["won"] == 0.0
    assert all(standings[name]["forfeits"] == 0 for name in sound)


def test_seats_are_compared_in_the_same_episodes():
    found = rows(play("steady", "greedy", episodes=6), "seat")
    assert [row["seat"] for row in found] == [f"harvester[{k}]" for k in range(6)]
    assert sum(row["advantage"] for row in found) == pytest.approx(0.0, abs=1e-9)
    assert {row["episodes"] for row in found} == {6}
    assert rows(play("steady", "greedy", episodes=4), "seat") == []  # too few to say anything


def test_markdown_has_every_table():
    text = write_markdown("a title", make_tables(play("steady", "greedy")))
    assert text.startswith("# a title\n\n## standing\n\n| place | entrant |")
    assert "Mean return of the row beside the column:\n\n|  | steady | greedy |" in text


def test_one_entrant_is_no_tournament():
    with pytest.raises(ConfigError, match="needs at least two entrants, got 1"):
        Tournament(make_arena("commons", "steady"), "swiss")


@pytest.mark.parametrize("rounds", [0, 2])
def test_rounds_that_nobody_could_play_are_refused(rounds):
    with pytest.raises(ConfigError, match="--rounds: must be between 1 and 1"):
        Tournament(make_arena("commons", "steady", "greedy"), "swiss", rounds=rounds)


def test_population_goes_from_none_to_all():
    arena = make_arena("commons", "steady", "greedy", episodes=2, changes={"core.max_steps": 25})
    found = play_population(arena)
    assert [row["others"] for row in found] == list(range(7))
    assert [row["share"] for row in found] == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, None]
    assert found[0]["other_return"] is None
    assert found[6]["focal_return"] is None
    assert found[0]["focal_return"] == found[0]["collective_return"]
    assert found[0]["focal_return"] > found[5]["focal_return"]
    assert found[0]["length"] > found[6]["length"]
    assert [row["episodes"] for row in found] == [2, 12, 12, 12, 12, 12, 2]


def test_population_is_of_two():
    with pytest.raises(ConfigError, match="needs two entrants, the focal one first, got 3"):
        play_population(make_arena("commons", "steady", "greedy", "noop"))
