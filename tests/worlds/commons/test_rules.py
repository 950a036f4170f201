"""The rules of commons, one by one, as plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mesocosm as meso
from mesocosm.worlds.commons.declare import AMOUNT, DEAL, EFFORT, GIVE, PUNISH, TARGET

from .lake import LEFT, RIGHT, beside, idle, kinds, lake, put


def test_full_effort_catches_skill_times_harvest_rate():
    env = lake()
    choice, level = idle(env)
    level[..., EFFORT] = 1.0
    env.step(meso.Action(choice, level))
    assert np.allclose(env.truth("catch"), env.truth("skill") * 3.0)


def test_later_harvesters_get_less_and_emit_conflicts_when_stock_runs_out():
    env = lake({"core.collapse_level": 0.0})
    put(env, stock=4.0, skill=1.0)
    choice, level = idle(env)
    level[..., EFFORT] = 1.0
    env.step(meso.Action(choice, level))
    assert env.truth("catch")[0].tolist() == [3.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    conflicts = [event for event in env.events() if event["kind"] == "conflict"]
    assert [event["actor"] for event in conflicts] == [1, 2, 3, 4, 5]
    assert conflicts[0]["value"] == 2.0


def test_stock_grows_logistically_when_nobody_fishes():
    env = lake()
    put(env, stock=50.0, growth=0.2)
    env.step(idle(env))
    assert env.truth("stock")[0] == 50.0 + 0.2 * 50.0 * 0.5


def test_drought_takes_its_share_at_its_step():
    env = lake()
    put(env, stock=100.0, drought_at=1)
    env.step(idle(env))
    assert kinds(env) == []
    env.step(idle(env))
    assert kinds(env) == ["drought"]
    assert env.truth("stock")[0] == pytest.approx(70.0)


def test_a_gift_moves_wealth_from_giver_to_neighbour():
    env = lake({"core.upkeep": 0.0})
    choice, level = idle(env)
    choice[0, 2, DEAL], choice[0, 2, TARGET], level[0, 2, AMOUNT] = GIVE, RIGHT, 0.5
    env.step(meso.Action(choice, level))
    neighbour = beside(env, 2, RIGHT)
    wealth = env.truth("wealth")[0]
    assert (wealth[2], wealth[neighbour]) == (7.0, 9.0)
    assert wealth.sum() == 6 * 8.0
    assert env.explain(env=0, agent=2)["deals"] == -1.0 / 50.0


def test_a_sanction_costs_both_and_is_remembered():
    env = lake({"core.upkeep": 0.0})
    choice, level = idle(env)
    choice[0, 1, DEAL], choice[0, 1, TARGET] = PUNISH, LEFT
    env.step(meso.Action(choice, level))
    target = beside(env, 1, LEFT)
    wealth = env.truth("wealth")[0]
    assert (wealth[1], wealth[target]) == (7.5, 6.5)
    assert env.truth("fined")[0, target] == 1
    assert kinds(env) == ["sanction"]


def test_harvester_without_upkeep_starves_and_leaves_its_neighbours_view():
    env = lake()
    put(env, wealth=[0.3, 8, 8, 8, 8, 8])
    step = env.step(idle(env))
    assert step.terminated[0].tolist() == [True] + [False] * 5
    assert env.spec.reason_name(step.reason[0, 0]) == "starved"
    other = beside(env, 0, RIGHT)
    seen = env.spec.roles["harvester"].observation.decode(step.obs[0, other])
    assert seen["near_alive"] == [0.0, 1.0]
    assert step.info["neighbours"][0, other] == 1.0


def test_stock_below_collapse_level_ends_the_episode_as_failure():
    env = lake(autoreset="off")
    put(env, stock=4.0)
    step = env.step(idle(env))
    assert step.episode_over[0]
    assert step.terminated.all()
    assert not step.truncated.any()
    assert env.spec.reason_name(step.episode_reason[0]) == "collapse"
    assert env.explain(env=0, agent=0)["collapse"] == -5.0


def test_last_step_truncates_the_episode():
    env = lake({"core.max_steps": 1}, autoreset="off")
    step = env.step(idle(env))
    assert step.truncated.all()
    assert not step.terminated.any()
    assert env.spec.reason_name(step.episode_reason[0]) == "timeout"


def test_a_warden_sees_everyone_and_fines_from_afar():
    env = lake(preset="commons/wardens", overrides={"core.upkeep": 0.0})
    mine, theirs = idle(env), idle(env, "warden")
    theirs.choice[0, 1, 0], theirs.level[0, 1, 0] = 3, 0.5
    step = env.step({"harvester": mine, "warden": theirs})
    assert env.truth("wealth")[0, 2] == 7.0
    decoded = env.spec.roles["warden"].observation.decode(step.obs["warden"][0, 0])
    assert len(decoded["catches"]) == 6
    assert decoded["standings"][2] == pytest.approx(0.1)
    assert step.reward["warden"][0, 0] == step.reward["warden"][0, 1]


def test_depletion_term_is_equal_for_all_harvesters():
    env = lake()
    choice, level = idle(env)
    level[0, 0, EFFORT] = 1.0
    env.step(meso.Action(choice, level))
    costs = {env.explain(env=0, agent=a)["depletion"] for a in range(6)}
    assert len(costs) == 1


@given(
    seed=st.integers(0, 2**32),
    effort=st.lists(st.floats(0, 1, width=32), min_size=6, max_size=6),
)
def test_stock_after_a_step_is_what_was_left_plus_growth(seed, effort):
    env = meso.make("commons", {"core.drought_prob": 0.0}, target="python")
    env.reset(seed=seed)
    before, growth = env.truth("stock")[0], env.truth("growth")[0]
    choice, level = idle(env)
    level[0, :, EFFORT] = effort
    env.step(meso.Action(choice, level))
    left = before - env.truth("catch")[0].sum()
    grown = min(left + growth * left * (1 - left / 100.0), 100.0)
    assert env.truth("stock")[0] == pytest.approx(grown)
