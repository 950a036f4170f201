"""The engine keeps the contract's promises about lifecycle, turns, lives and batches."""

import os

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError, MesocosmError, TargetError, UnknownName
from mesocosm.sim.batch import arrays
from mesocosm.testing.play import outputs, wild_actions


def walkers(preset="probe/line", **settings):
    overrides = settings.pop("overrides", {})
    return meso.make(preset, overrides, target="python", **settings)


def still(env):
    return np.zeros((env.num_envs, env.spec.num_agents, 1), np.int32)


def test_stepping_before_a_reset_is_refused():
    env = walkers()
    with pytest.raises(MesocosmError, match=r"call reset\(\)"):
        env.step(still(env))
    with pytest.raises(MesocosmError, match=r"call reset\(\)"):
        env.save()


def test_reset_with_a_seed_equals_a_new_env_with_that_seed():
    old, new = walkers(seed=3), walkers(seed=9)
    old.reset()
    old.step(still(old))
    assert old.digest() != new.digest()
    old.reset(seed=9)
    new.reset()
    assert old.digest() == new.digest()


def test_reset_without_a_seed_goes_to_the_next_episode_of_each_env():
    env = walkers(num_envs=2)
    env.reset(seed=0)
    first = env.truth("pos")
    env.reset()
    assert env.episode.tolist() == [1, 1]
    assert (env.truth("pos") != first).any()


def test_chosen_envs_restart_alone():
    env = walkers(num_envs=3)
    env.reset()
    env.step(still(env))
    before = env.truth("pos")
    env.reset(envs=np.array([False, True, False]))
    assert env.episode.tolist() == [0, 1, 0]
    assert (env.truth("pos")[[0, 2]] == before[[0, 2]]).all()
    assert env.save()["frame.t"].tolist() == [1, 0, 1]


def test_the_first_env_index_shards_a_batch():
    whole, part = walkers(num_envs=4), walkers(num_envs=2, first_env=2)
    whole.reset()
    part.reset()
    assert (whole.truth("pos")[2:] == part.truth("pos")).all()


def test_same_step_shows_the_new_episode_and_keeps_the_last_observation():
    env = walkers(overrides={"core.max_steps": 3, "core.hazard": 1000})
    off = walkers(overrides={"core.max_steps": 3, "core.hazard": 1000}, autoreset="off")
    env.reset()
    off.reset()
    for _ in range(3):
        step, last = env.step(still(env)), off.step(still(off))
    assert step.episode_over[0]
    assert step.truncated.all()
    assert not step.terminated.any()
    assert (step.final_obs == last.obs).all()
    assert (step.final_obs == last.final_obs).all()
    assert env.spec.reason_name(step.episode_reason[0]) == "end"
    assert env.episode[0] == 1
    step = env.step(still(env))
    assert not step.episode_over[0]
    assert not step.truncated.any()


def test_next_step_ignores_the_actions_of_the_call_that_resets():
    env = walkers(overrides={"core.max_steps": 2, "core.hazard": 1000}, autoreset="next_step")
    env.reset()
    env.step(still(env))
    assert env.step(still(env)).episode_over[0]
    left = still(env) + 1
    step = env.step(left)
    assert not step.episode_over[0]
    assert (step.reward == 0).all()
    fresh = walkers(overrides={"core.max_steps": 2, "core.hazard": 1000})
    fresh.reset()
    fresh.reset()
    assert fresh.digest() == env.digest()


def test_autoreset_off_stays_finished_without_reward():
    env = walkers(overrides={"core.max_steps": 2, "core.hazard": 1000}, autoreset="off")
    env.reset()
    env.step(still(env))
    env.step(still(env))
    digest = env.digest()
    step = env.step(still(env))
    assert step.episode_over[0]
    assert not step.ended.any()
    assert (step.reward == 0).all()
    after = env.digest()
    assert {key for key in after if after[key] != digest[key]} == {"frame.ending"}
    env.step(still(env))
    assert env.digest() == after


def test_a_life_ends_the_slot_is_absent_and_generation_rises_at_birth():
    env = walkers("probe/reborn", overrides={"core.hazard": 4})
    step = env.reset()
    assert step.terminated[0].tolist() == [True, False, False, False]
    seen = [step.generation[0].copy()]
    for _ in range(12):
        step = env.step(still(env))
        seen.append(step.generation[0].copy())
        gone = step.terminated[0] & ~step.ended[0]
        assert (step.obs[0][gone] == 0).all()
        assert (step.reward[0][gone] == 0).all()
        assert not step.acting[0][step.terminated[0]].any()
    generations = np.array(seen)
    assert (np.diff(generations, axis=0) >= 0).all()
    assert generations.max() >= 1
    assert any(event["kind"] == "birth" for event in env.events())


def test_a_life_that_ends_keeps_its_last_observation():
    env = walkers("probe/reborn", overrides={"core.hazard": 4})
    env.reset()
    step = env.step(still(env))
    assert step.ended[0, 3]  # walker 3 was born at age 3
    assert (step.final_obs[0, 3] == step.obs[0, 3]).all()
    assert step.final_obs[0, 3].any()
    assert env.spec.reason_name(step.reason[0, 3]) == "old_age"


def test_an_episode_without_active_agents_ends():
    env = walkers(overrides={"core.hazard": 1, "core.max_steps": 100})
    env.reset()
    step = env.step(still(env))
    assert step.episode_over[0]
    assert env.spec.reason_name(step.episode_reason[0]) == "no_agents"


def test_fixed_turns_go_round_the_living():
    env = meso.make("commons/turns", target="python")
    step, order = env.reset(), []
    noop = env.spec.roles["harvester"].action.noop((1, 6))
    for _ in range(7):
        assert step.acting.sum() == 1
        order.append(int(step.acting[0].argmax()))
        step = env.step(noop)
    assert order == [0, 1, 2, 3, 4, 5, 0]


def test_only_the_one_whose_turn_it_is_changes_the_world():
    env = meso.make("commons/turns", target="python")
    env.reset()
    choice, level = env.spec.roles["harvester"].action.noop((1, 6))
    level[...] = 1.0
    env.step(meso.Action(choice, level))
    assert (env.truth("catch")[0] > 0).tolist() == [True] + [False] * 5
    assert env.violations.sum() == 0


def test_state_driven_turns_follow_the_rule():
    env = meso.make("commons/scarce", target="python")
    step = env.reset()
    choice, level = env.spec.roles["harvester"].action.noop((1, 6))
    level[..., 0] = 1.0
    for _ in range(12):
        least = env.truth("hauled")[0].argmin()
        assert step.acting[0].argmax() == least
        step = env.step(meso.Action(choice, level))


def test_explain_gives_terms_that_sum_to_the_reward():
    env = meso.make("commons", target="python", num_envs=2)
    env.reset()
    rng = np.random.default_rng(0)
    step = env.step(wild_actions(env, rng))
    terms = env.explain(env=1, agent=2)
    assert list(terms) == ["catch", "deals", "depletion", "collapse"]
    assert np.float32(sum(terms.values())) == step.reward[1, 2]


def test_explain_names_what_does_not_exist():
    env = meso.make("commons", target="python")
    env.reset()
    with pytest.raises(UnknownName, match="no env 5"):
        env.explain(env=5, agent=0)
    with pytest.raises(UnknownName, match="agent"):
        env.explain(env=0, agent=99)
    with pytest.raises(UnknownName, match="Did you mean 'wealth'"):
        env.truth("welth")


def test_events_are_drained_in_order_and_overflow_is_counted():
    env = meso.make("commons", {"instrumentation.max_events": 3}, target="python", num_envs=2)
    env.reset()
    choice, level = env.spec.roles["harvester"].action.noop((2, 6))
    choice[..., 0], level[...] = 1, 1.0
    env.step(meso.Action(choice, level))
    env.step(meso.Action(choice, level))
    events = env.events()
    keys = [(event["episode"], event["t"], event["env"]) for event in events]
    assert keys == sorted(keys)
    assert len(events) == 6
    assert env.dropped_events > 0
    assert events[0]["text"].startswith("agent 0 gave 2.00 to agent")
    assert env.events() == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_envs": 0}, "num_envs: must be between 1"),
        ({"num_envs": 1.5}, "num_envs: must be an integer"),
        ({"seed": -1}, "seed: must be between 0"),
        ({"seed": True}, "seed: must be an integer"),
        ({"autoreset": "sometimes"}, "autoreset: must be one of same_step, next_step, off"),
        ({"threads": 0}, "threads: must be between 1"),
    ],
)
def test_bad_execution_settings_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        meso.make("commons", **({"target": "python"} | settings))


def test_an_unknown_target_is_refused_with_a_hint():
    with pytest.raises(TargetError, match="Did you mean 'cuda'"):
        meso.make("commons", target="cudda")


def test_a_batch_goes_on_in_a_forked_child_with_threads():
    env = meso.make("commons", num_envs=8, threads=2)
    env.reset()
    noop = env.spec.roles["harvester"].action.noop((8, 6))
    env.step(noop)
    child = os.fork()
    if child == 0:
        env.step(noop)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_step_arrays_are_the_same_objects_every_time():
    env = walkers()
    first = env.reset()
    second = env.step(still(env))
    assert all(one is other for one, other in zip(first, second, strict=True))
    assert set(outputs(env, second)) == set(outputs(env, first))


def test_a_mask_that_is_only_advice_lets_the_action_reach_the_world():
    env = walkers(overrides={"core.invalid": "noop", "core.advice": True, "core.length": 3})
    env.reset()
    saved = env.save()
    saved["pos"][...] = 0
    step = env.load(saved)
    assert not step.mask[0, 0, 1]  # nothing is left of the first cell
    env.step(still(env) + 1)
    assert env.violations.sum() == 0
    strict = walkers(overrides={"core.invalid": "noop", "core.length": 3})
    strict.load({**saved, "_meta": strict_meta(strict)})
    strict.step(still(strict) + 1)
    assert strict.violations.sum() == 4


def strict_meta(env):
    env.reset()
    return env.save()["_meta"]


@pytest.mark.parametrize("preset", ["townlet/L7", "island/theatre"])
def test_more_envs_than_memory_holds_are_refused_before_they_are_allocated(preset):
    with pytest.raises(ConfigError, match=r"num_envs: 2147483647 envs of .* at most [\d,]+ fit"):
        meso.make(preset, num_envs=2**31 - 1, target="python")


def test_the_memory_that_a_refusal_names_is_what_the_arrays_take(monkeypatch):
    monkeypatch.setattr(arrays, "_free_memory", lambda: 10**6)
    with pytest.raises(ConfigError) as caught:
        meso.make("commons", num_envs=10**6, target="python")
    fit = int(str(caught.value).split("at most ")[1].split(" fit")[0].replace(",", ""))
    env = meso.make("commons", num_envs=fit, target="python")
    taken = arrays._count_bytes((env.driver.s, env.driver.f, env.driver.roles))
    assert 0.97 * 10**6 < taken <= 10**6
