"""The rules of commons, one by one, as plain Python; and what a long run must come to."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mesocosm as meso
from mesocosm.worlds.commons.declare import AMOUNT, DEAL, EFFORT, GIVE, PUNISH, TARGET

LEFT, RIGHT = 0, 1


def lake(overrides=None, preset="commons", **settings):
    calm = {"core.drought_prob": 0.0}
    env = meso.make(preset, calm | (overrides or {}), **({"target": "python"} | settings))
    env.reset(seed=4)
    return env


def idle(env, role="harvester"):
    return env.spec.roles[role].action.noop((env.num_envs, env.spec.roles[role].num_agents))


def put(env, **values):
    """Edit the state of the first env."""
    saved = env.save()
    for name, value in values.items():
        saved[name][0] = value
    return env.load(saved)


def kinds(env):
    return [event["kind"] for event in env.events()]


def beside(env, agent, slot):
    """Find who sits left (0) or right (1) of an agent."""
    seats = env.truth("seat")[0]
    away = -1 if slot == LEFT else 1
    return int(np.flatnonzero(seats == (seats[agent] + away) % len(seats))[0])


def test_full_effort_catches_skill_times_the_rate():
    env = lake()
    choice, level = idle(env)
    level[..., EFFORT] = 1.0
    env.step(meso.Action(choice, level))
    assert np.allclose(env.truth("catch"), env.truth("skill") * 3.0)


def test_who_comes_last_goes_short_and_the_conflict_is_recorded():
    env = lake({"core.collapse_level": 0.0})
    put(env, stock=4.0, skill=1.0)
    choice, level = idle(env)
    level[..., EFFORT] = 1.0
    env.step(meso.Action(choice, level))
    assert env.truth("catch")[0].tolist() == [3.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    conflicts = [event for event in env.events() if event["kind"] == "conflict"]
    assert [event["actor"] for event in conflicts] == [1, 2, 3, 4, 5]
    assert conflicts[0]["value"] == 2.0


def test_the_stock_grows_towards_capacity():
    env = lake()
    put(env, stock=50.0, growth=0.2)
    env.step(idle(env))
    assert env.truth("stock")[0] == 50.0 + 0.2 * 50.0 * 0.5


def test_a_drought_strikes_once_when_its_time_comes():
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


def test_sanctioning_is_masked_for_those_who_cannot_pay():
    env = lake()
    step = put(env, wealth=0.3)
    deal = env.spec.roles["harvester"].action.mask_parts(step.mask)["deal"]
    assert deal[0, 0].tolist() == [True, True, False]


def test_whoever_cannot_pay_for_the_day_starves_and_is_seen_no_more():
    env = lake()
    put(env, wealth=[0.3, 8, 8, 8, 8, 8])
    step = env.step(idle(env))
    assert step.terminated[0].tolist() == [True] + [False] * 5
    assert env.spec.reason_name(step.reason[0, 0]) == "starved"
    other = beside(env, 0, RIGHT)
    seen = env.spec.roles["harvester"].observation.decode(step.obs[0, other])
    assert seen["near_alive"] == [0.0, 1.0]
    assert step.info["neighbours"][0, other] == 1.0


def test_an_empty_lake_ends_the_season_for_all_as_a_failure():
    env = lake(autoreset="off")
    put(env, stock=4.0)
    step = env.step(idle(env))
    assert step.episode_over[0]
    assert step.terminated.all()
    assert not step.truncated.any()
    assert env.spec.reason_name(step.episode_reason[0]) == "collapse"
    assert env.explain(env=0, agent=0)["collapse"] == -5.0


def test_the_last_day_truncates():
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


def test_depletion_is_shared_by_all():
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
def test_no_fish_come_from_nowhere(seed, effort):
    env = meso.make("commons", {"core.drought_prob": 0.0}, target="python")
    env.reset(seed=seed)
    before, growth = env.truth("stock")[0], env.truth("growth")[0]
    choice, level = idle(env)
    level[0, :, EFFORT] = effort
    env.step(meso.Action(choice, level))
    left = before - env.truth("catch")[0].sum()
    grown = min(left + growth * left * (1 - left / 100.0), 100.0)
    assert env.truth("stock")[0] == pytest.approx(grown)


def test_restraint_keeps_the_lake_and_greed_empties_it():
    returns = {}
    for name in ("steady", "greedy"):
        env = meso.make("commons", num_envs=16, seed=1, autoreset="off")
        player, step = meso.policy("commons", name), env.reset()
        player.reset(env.spec.roles["harvester"], 16, 0)
        total = np.zeros(16)
        for _ in range(200):
            step = env.step(player.act(step.obs, step.mask, step.info))
            total += step.reward.sum(axis=1)
        returns[name] = total.mean()
        outcome = env.spec.reason_name(int(step.episode_reason[0]))
        assert outcome == ("timeout" if name == "steady" else "collapse")
    assert returns["steady"] > returns["greedy"]


# Changing one of these means raising the version of commons.
GOLDEN = {
    "commons/default": (1, "b089f87be46c497c"),
    "commons/scarce": (1, "44b2fa25e8a1ccff"),
    "commons/turns": (1, "d35ec0f81ad7a20c"),
    "commons/wardens": (1, "5d8314a503b167b7"),
}


@pytest.mark.parametrize("preset", GOLDEN)
def test_a_long_run_comes_to_the_recorded_state(preset):
    env = meso.make(preset, num_envs=4, seed=12)
    env.reset()
    rng = np.random.default_rng(99)
    lead = {name: (4, role.num_agents) for name, role in env.spec.roles.items()}
    for _ in range(100):
        drawn = {name: role.action.sample(rng, lead[name]) for name, role in env.spec.roles.items()}
        env.step(drawn if len(drawn) > 1 else drawn["harvester"])
    found = hashlib.sha256()
    for entry in env.spec.truth:
        found.update(entry.name.encode() + env.truth(entry.name).tobytes())
    assert (env.spec.version, found.hexdigest()[:16]) == GOLDEN[preset]
