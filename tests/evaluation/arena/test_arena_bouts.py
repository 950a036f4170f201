import numpy as np
import pytest
from arena_samples import SHORT, make_arena, rogue

import mesocosm
from mesocosm.core.errors import RunError
from mesocosm.evaluation.arena.arena import open_again, open_new
from mesocosm.evaluation.arena.bout import from_data, to_data
from mesocosm.evaluation.arena.lineup import pair_lineups

MIX = (0, 1, 0, 1, 0, 1)


def same(one, two):
    return to_data(one) == to_data(two)


def test_every_bout_meets_the_same_episodes():
    arena = make_arena("commons", "steady", "greedy", "noop")
    first, _, again = arena.play((0,) * 6), arena.play(MIX), arena.play((0,) * 6)
    assert same(first._replace(number=0), again._replace(number=0))


def test_a_bout_does_not_depend_on_those_before_it():
    alone, after = (make_arena("commons", "random", "greedy") for _ in range(2))
    after.play((1,) * 6)
    assert same(alone.play(MIX), after.play(MIX)._replace(number=0))


def test_another_seed_gives_other_episodes():
    one, two = (make_arena("commons", "steady", seed=seed).play((0,) * 6) for seed in (0, 1))
    assert not np.array_equal(one.returns(), two.returns())


def test_returns_are_those_that_telemetry_records(tmp_path):
    arena = make_arena("commons", "steady", "random", recorded=True, episodes=4)
    made = make_arena(
        "commons", "steady", "random", recorded=True, episodes=4,
        open_folder=open_new(tmp_path / "e", arena.conditions, {"kind": "evaluate", "plan": {}}),
    )  # fmt: skip
    bout = made.play(MIX)
    made.close()
    recorded = mesocosm.open_run(tmp_path / "e" / "recordings" / "bout-000000")
    rows = recorded.table("episode").to_table().to_pylist()
    wanted = [row["returns"] for row in sorted(rows, key=lambda row: row["env"])]
    assert np.array_equal(bout.returns(), wanted)
    proof = recorded.verify("python")
    assert proof.holds
    assert proof.num_equal == bout.steps


def test_episodes_beyond_those_asked_for_are_left_out():
    cut = make_arena("commons", "steady", episodes=5, num_envs=3).play((0,) * 6)
    assert len(cut.endings) == cut.num_episodes == 5
    assert cut.lives["env"].max() == 4
    whole = make_arena("commons", "steady", episodes=6, num_envs=3).play((0,) * 6)
    assert np.array_equal(cut.returns(), whole.returns()[:5])


def test_two_strategies_share_a_role():
    arena = make_arena("commons", "noop", "greedy", changes={"core.max_steps": 6})
    bout = arena.play((0, 1, 0, 0, 0, 0))
    assert bout.agents_of(1).tolist() == [1]
    assert (bout.returns_of(1) > bout.returns_of(0)).all()


def test_privileged_entrant_gets_the_truth():
    assert make_arena("commons", "oracle", "steady").play(MIX).num_episodes == 3


def test_events_are_counted_by_who_did_them():
    arena = make_arena("commons", "greedy", changes={"core.initial_stock": 0.3} | SHORT)
    bout = arena.play((0,) * 6)
    kinds = [kind.name for kind in arena.spec().events]
    rows = arena.tables()["event_count"][1]
    assert bout.events[kinds.index("conflict"), :6].sum() > 0
    counted = {row["kind"]: row["count"] for row in rows if row["entrant"] == "greedy"}
    assert counted["conflict"] == bout.events[kinds.index("conflict"), :6].sum()


REASONS = {
    "Crashes": "step 3: {file}:Crashes: act raised ZeroDivisionError: the sky fell",
    "AnswersNonsense": "step 0: {file}:AnswersNonsense: act must give Action",
    "FailsToStart": "it was prepared: {file}:FailsToStart: reset raised ValueError: no thanks",
    "Exits": "step 0: {file}:Exits: act raised SystemExit: 3",
}


@pytest.mark.parametrize("name", REASONS)
def test_what_an_entrant_does_wrong_is_its_own_forfeit(name):
    arena = make_arena("commons", "steady", rogue(name))
    bout = arena.play(MIX)
    file = arena.entrants[1].text.rpartition(":")[0]
    assert list(bout.forfeits) == [1]
    assert bout.forfeits[1].startswith(REASONS[name].format(file=file))
    assert bout.num_episodes == 0
    assert arena.play((0,) * 6).forfeits == {}


def test_two_who_forfeit_in_the_same_step_are_both_told():
    arena = make_arena("commons", rogue("Exits"), rogue("AnswersNonsense"))
    assert sorted(arena.play(MIX).forfeits) == [0, 1]


@pytest.mark.parametrize("preset", ["commons/wardens", "townlet/L0"])
def test_pairs_play_every_world(preset):
    arena = make_arena(preset, "random", "noop")
    for lineup in pair_lineups(arena.spec(), 0, 1):
        assert arena.play(lineup).num_episodes == 3


def test_a_stored_bout_is_what_was_played():
    bout = make_arena("commons", "steady", "greedy").play(MIX)
    assert same(from_data(to_data(bout), ""), bout)


@pytest.mark.parametrize("change", [{"lineup": "x"}, {"lives": {}}, {"forfeits": 3}])
def test_a_damaged_bout_is_refused(change):
    bout = to_data(make_arena("commons", "steady").play((0,) * 6))
    with pytest.raises(RunError, match="holds no bout"):
        from_data(bout | change, "here")


def test_bouts_of_a_folder_are_not_played_again(tmp_path):
    about = {"kind": "evaluate", "plan": {}}
    texts, conditions = ("steady", "greedy"), make_arena("commons").conditions
    first = make_arena("commons", *texts, open_folder=open_new(tmp_path / "e", conditions, about))
    played = first.play(MIX)
    first.close("interrupted")
    steps = []
    again = make_arena(
        "commons", *texts, open_folder=open_again(tmp_path / "e", conditions),
        on_step=lambda: steps.append(1),
    )  # fmt: skip
    assert same(again.play(MIX), played)
    assert not steps
    with pytest.raises(RunError, match="bout 1 was of another lineup"):
        _with_another_lineup(again)
    again.close()


def _with_another_lineup(arena):
    arena.play((0,) * 6)
    arena.bouts.pop()
    arena.play((1,) * 6)
