import numpy as np
import pytest
from arena_samples import make_arena, rogue

from mesocosm.build import config_spec
from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.arena.groups import Group, count_bouts, plan_groups, play_groups
from mesocosm.evaluation.arena.summary import result_rows

SPEC = config_spec("commons/wardens")


def test_entrants_take_every_seat_in_turn():
    groups = plan_groups(SPEC, ["a", "b"], {})
    assert groups == [Group("a", ((0,) * 8,)), Group("b", ((1,) * 8,))]


def test_entrants_take_the_seats_that_others_leave():
    others = dict.fromkeys(range(6), 2)
    assert [g.lineups[0] for g in plan_groups(SPEC, ["a", "b"], others)] == [
        (2, 2, 2, 2, 2, 2, 0, 0),
        (2, 2, 2, 2, 2, 2, 1, 1),
    ]


def test_entrants_take_the_seats_that_they_are_given():
    others = dict.fromkeys(range(8), 1)
    (group,) = plan_groups(SPEC, ["a"], others, seats=["harvester[2]"], rotated=True)
    assert [lineup.index(0) for lineup in group.lineups] == [2, 3, 4, 5, 0, 1]
    assert count_bouts({0: [group]}) == 6


def test_others_alone_play_as_given():
    (group,) = plan_groups(SPEC, [], {a: a % 2 for a in range(8)})
    assert group.lineups == ((0, 1, 0, 1, 0, 1, 0, 1),)


def test_a_seat_that_nobody_has_is_refused():
    with pytest.raises(ConfigError, match="nobody plays agent 0; --policy harvester=NAME does"):
        plan_groups(SPEC, ["a"], {}, seats=["warden"])


def test_no_free_seat_is_refused():
    with pytest.raises(ConfigError, match="takes every seat"):
        plan_groups(SPEC, ["a"], dict.fromkeys(range(8), 1))


def test_sample_averages_over_places_episode_by_episode():
    arena = make_arena("commons", "greedy", "other=noop", episodes=4)
    groups = plan_groups(arena.spec(), ["greedy"], dict.fromkeys(range(1, 6), 1), rotated=True)
    mine, _ = play_groups(arena, {0: groups})
    wanted = np.mean([bout.returns_of(0) for bout in arena.bouts], axis=0)
    assert len(arena.bouts) == 6
    assert np.allclose(mine.returns, wanted)
    row = result_rows(arena, [mine])[0]
    assert row["mean_return"] == pytest.approx(float(wanted.mean()))
    assert (row["entrant"], row["role"], row["episodes"], row["lives"]) == (
        "greedy", "harvester", 4, 24,
    )  # fmt: skip


def test_a_forfeit_is_told_and_gives_no_numbers():
    arena = make_arena("commons", rogue("Crashes"), "steady")
    samples = play_groups(arena, {0: plan_groups(arena.spec(), arena.names, {})})
    bad, good = result_rows(arena, samples)
    assert (bad["episodes"], bad["mean_return"]) == (0, None)
    assert "the sky fell" in bad["forfeits"]
    assert (good["episodes"], good["forfeits"]) == (3, "")
