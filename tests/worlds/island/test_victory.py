"""Capture, force ratio, settlers, time: every way to win, and what it pays."""

import numpy as np
import pytest

from mesocosm.worlds.island import state
from mesocosm.worlds.island.step.victory import force_ratio

from .war import kinds, order, play, put, reasons, row, wait, war

CAPTURE, MOVE = 5, 1


def land(env, *, legacy=0, dynasty=0):
    """Put settlers on the island and everybody else far away."""
    pos = env.truth("pos")[0].copy()
    pos[0, :, 0], pos[1, :, 0] = -190.0, 190.0
    task, landed = env.truth("manoeuver")[0].copy(), env.truth("landed")[0].copy()
    for side, count in enumerate((legacy, dynasty)):
        for i in kinds(env, side)["SET"][:count]:
            pos[side, i], task[side, i], landed[side, i] = (0.0, 0.0), state.CAPTURE, True
    put(env, pos=pos, manoeuver=task, landed=landed, radar=False, tier=0, usage=0)


def globals_of(env, step, side="legacy"):
    return env.spec.roles[side].observation.decode(step.obs[side][0, 0])


def test_a_settler_flies_to_the_island_lands_and_captures_it():
    env = war("skirmish", {"max_steps": 400})
    i = kinds(env)["SET"][0]
    put(env, pos={(0, i): (-20.0, 0.0)}, usage=0, radar=False, tier=0)
    seen = []
    order(env, action_type=CAPTURE, entity_id=i)
    for _ in range(40):
        step = wait(env)
        seen.append(globals_of(env, step)["capture_progress_norm"])
        if step.episode_over[0]:
            break
    assert reasons(env, step) == ["captured_island"]
    assert reasons(env, step, "dynasty") == ["lost_island"]
    assert max(seen) > 0.8
    assert seen[-1] == 0.0
    assert globals_of(env, step)["flag_faction"] == pytest.approx(0.33)
    assert (step.reward["legacy"][0, 0], step.reward["dynasty"][0, 0]) == (100.0, -100.0)


def test_capture_possible_is_off_while_anyone_captures():
    env = war()
    assert globals_of(env, wait(env))["capture_possible_flag"] == 1.0
    land(env, dynasty=1)
    step = wait(env)
    seen = globals_of(env, step)
    assert (seen["capture_possible_flag"], seen["enemy_capture_possible_flag"]) == (0.0, 0.0)
    assert seen["enemy_capture_progress_norm"] == pytest.approx(10.0 / 120.0)
    assert seen["flag_faction"] == 0.0


def test_settlers_who_arrive_together_contest_and_more_of_them_win():
    env = war()
    land(env, legacy=1, dynasty=1)
    wait(env)
    assert env.truth("capturing")[0] == 0
    assert env.truth("capture_progress")[0].tolist() == [0.0, 0.0]
    land(env, legacy=1, dynasty=2)
    wait(env)
    assert env.truth("capturing")[0] == 2


def test_first_settler_keeps_capturing_when_more_enemies_arrive_later():
    env = war()
    land(env, legacy=1)
    wait(env)
    land(env, legacy=1, dynasty=2)
    wait(env)
    assert env.truth("capturing")[0] == 1
    assert env.truth("capture_progress")[0].tolist() == [20.0, 0.0]


def test_progress_is_lost_when_the_last_settler_dies_or_leaves():
    for leave in (True, False):
        env = war()
        land(env, legacy=1)
        wait(env)
        i = kinds(env)["SET"][0]
        if leave:
            order(env, action_type=MOVE, entity_id=i, move_center_grid=5)
        else:
            put(env, hp={(0, i): 0}, landed={(0, i): False})
            wait(env)
        assert env.truth("capture_progress")[0, 0] == 0.0
        assert env.truth("capturing")[0] == 0


def test_in_hold_mode_the_flag_counts_when_time_runs_out():
    env = war("skirmish", {"capture_mode": "hold", "max_steps": 30})
    land(env, legacy=1)
    step = wait(env, 20)
    assert env.truth("flag_owner")[0] == 1
    assert not step.episode_over[0]
    step = wait(env, 10)
    assert reasons(env, step) == ["stronger_in_the_end"]


@pytest.mark.parametrize(
    ("mine", "theirs", "ratio"),
    [(1.0, 1.0, 1.0), (0.0, 0.0, 1.0), (0.6, 0.2, 3.0), (0.5, 0.0, 500)],
)
def test_the_force_ratio_at_equal_zero_and_between(mine, theirs, ratio):
    assert force_ratio(mine, theirs) == pytest.approx(ratio)


def test_equal_forces_are_a_third_of_the_ratio_that_wins():
    assert globals_of(env := war(), wait(env))["force_ratio_norm"] == pytest.approx(1 / 3)


def test_three_times_the_strength_wins():
    env = war()
    hp = env.truth("hp")[0].copy()
    hp[1, : len(kinds(env, 1)["MRF"]) + 7] = 0
    put(env, hp=hp)
    step = wait(env)
    assert reasons(env, step) == ["outmatched_enemy"]
    assert reasons(env, step, "dynasty") == ["outmatched"]


def test_losing_all_settlers_loses_only_where_that_is_the_rule():
    for rule, ended in ((False, False), (True, True)):
        env = war("skirmish", {"kill_settlers": rule})
        put(env, settlers={(1,): 0}, hp={(1, i): 0 for i in kinds(env, 1)["SET"]})
        step = wait(env)
        assert bool(step.episode_over[0]) == ended
    assert reasons(env, step) == ["killed_settlers"]


def test_both_winning_in_one_step_is_a_draw():
    env = war("skirmish", {"kill_settlers": True})
    dead = {(side, i): 0 for side in range(2) for i in kinds(env, side)["SET"]}
    put(env, settlers=0, hp=dead)
    step = wait(env)
    assert reasons(env, step) == ["draw"]
    assert (step.reward["legacy"][0, 0], step.reward["dynasty"][0, 0]) == (0.0, 0.0)


def test_the_end_of_time_truncates_or_counts_strength():
    env = war("skirmish", {"max_steps": 3})
    step = wait(env, 3)
    assert reasons(env, step) == ["time_limit"]
    assert step.truncated["legacy"][0, 0]
    assert not step.terminated["legacy"][0, 0]
    env = war("skirmish", {"max_steps": 3, "timeout_rule": "force_ratio"})
    put(env, hp={(0, kinds(env)["MRF"][0]): 0})
    step = wait(env, 3)
    assert reasons(env, step, "dynasty") == ["stronger_in_the_end"]


def test_shaping_terms_are_weighted_and_off_by_default():
    given = {"shaping.losses": 2.0, "shaping.kills": 3.0, "shaping.capture": 5.0}
    env = war("skirmish", given)
    lost = kinds(env)["MRF"][0]
    land(env, dynasty=1)
    put(env, hp={(0, lost): 0})
    wait(env)
    share = 175.0 / env.host_params.total[0]
    mine, theirs = env.explain(env=0, agent=0), env.explain(env=0, agent=1)
    assert mine["losses"] == pytest.approx(-2.0 * share)
    assert theirs["kills"] == pytest.approx(3.0 * share)
    assert (mine["capture"], theirs["capture"]) == pytest.approx((-5.0 / 12, 5.0 / 12))
    env = war()
    land(env, dynasty=1)
    wait(env)
    assert set(env.explain(env=0, agent=0).values()) == {0.0}


def test_doing_nothing_is_the_same_every_time_and_ends_with_time():
    ends = []
    for _ in range(2):
        env = war("skirmish", {"max_steps": 20})
        step = play(env, ("noop", "noop"), 20, seed=5)
        ends.append(env.digest())
    assert ends[0] == ends[1]
    assert reasons(env, step) == ["time_limit"]
    other = war("skirmish", {"max_steps": 20})
    play(other, ("noop", "noop"), 20, seed=6)
    assert other.digest() != ends[0]


def test_bots_reach_every_way_to_win():
    found = set()
    pairs = [("rush", "noop"), ("engage_all", "turtle"), ("noop", "noop"), ("turtle", "engage_all")]
    for names in pairs:
        env = war("skirmish", {"kill_settlers": names[0] == "turtle"}, target="cpu", num_envs=24)
        done = np.empty(24, object)

        def note(step, env=env, done=done):
            for e in np.flatnonzero(np.asarray(step.ended["legacy"])[:, 0]):
                done[e] = env.spec.reason_name(int(step.reason["legacy"][e, 0]))

        play(env, names, 150, seed=2, visit=note)
        found |= set(done.tolist())
    assert {"captured_island", "outmatched_enemy", "time_limit"} <= found
    assert found & {"killed_settlers", "lost_settlers"}


def test_the_side_that_captures_is_shown_as_mine_on_request():
    env = war("skirmish", {"ego_flag": True, "capture_mode": "hold"})
    put(env, flag_owner=2)
    step = wait(env)
    assert globals_of(env, step, "dynasty")["flag_faction"] == pytest.approx(0.33)
    assert globals_of(env, step, "legacy")["flag_faction"] == pytest.approx(0.66)
    assert row(env, step, 0, 0)["health_ok"] == 1.0
