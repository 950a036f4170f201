"""Whose rewards one gets: rivalry, negative weights, and the bounds of both."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies

import mesocosm as meso
from mesocosm.layers.mixing import mix_rewards
from mesocosm.sim.targets.cells import wrap
from mesocosm.testing.play import wild_actions

AGENTS = 6  # of commons/default
WEIGHTS = strategies.floats(-3.0, 3.0)


def mixed_env(layers, preset="commons", **core):
    overrides = {"layers.interaction": {"intensity": 1.0, **layers}, **core}
    env = meso.make(preset, overrides, num_envs=2, target="python", seed=4)
    env.reset()
    return env


def mix(env, earned, active=None):
    """Mix what agents earned in env 0; give the rewards that come out."""
    f, layers = env.driver.f, env.driver.roles[len(env.spec.all_roles)]
    mixing = layers.interaction.mixing
    f.terms[:] = 0.0
    f.terms[0, :, 0] = earned
    f.active[0] = True if active is None else active
    mix_rewards(wrap(f), wrap(mixing), wrap(layers.hierarchy), 0)
    places = np.asarray(mixing.mixing_term)
    return np.array([f.terms[0, a, places[a]] for a in range(env.spec.num_agents)]) + earned


def bounds(env):
    (low, high), *_ = [
        (term.low, term.high) for term in env.spec.all_roles[0].terms if term.name == "mixing"
    ]
    return low, high


@pytest.mark.parametrize("preset", ["commons/wardens", "townlet/L7", "mettagrid/forage"])
def test_rivalry_of_all_against_all_is_zero_sum(preset):
    env = mixed_env({"mixing": "rivalry"}, preset)
    rng = np.random.default_rng(0)
    moved = 0.0
    for _ in range(10):
        active = env.save()["frame.active"]
        env.step(wild_actions(env, rng, odd=0.0))
        reward = env.copy(env.driver.f.terms).sum(axis=2)
        together = active.sum(axis=1) > 1
        np.testing.assert_allclose(reward.sum(axis=1)[together], 0.0, atol=1e-12)
        moved += abs(reward).sum()
    assert moved > 0.0


def test_a_rival_gets_its_own_reward_less_the_mean_of_the_others():
    env = mixed_env({"mixing": "rivalry", "rivalry": 2.0})
    got = mix(env, np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(got, [0.8, 0.1, -0.6, -0.6, -0.6, -0.6])


def test_rivalry_between_groups_leaves_out_ones_own_group():
    env = mixed_env(
        {"mixing": "rivalry"},
        **{"layers.hierarchy": {"intensity": 1.0, "groups": "size", "size": 3}},
    )
    got = mix(env, np.array([1.0, 0.5, 0.0, 0.3, 0.3, 0.0]))
    np.testing.assert_allclose(got, [0.8, 0.3, -0.2, -0.2, -0.2, -0.5])


def test_an_agent_without_rivals_keeps_its_own_reward():
    env = mixed_env({"mixing": "rivalry"})
    active = np.arange(AGENTS) == 2
    assert mix(env, np.where(active, 0.7, 0.0), active)[2] == pytest.approx(0.7)


def test_a_matrix_of_negative_weights_makes_two_sides_zero_sum():
    rows = [[1.0 if (i < 3) == (j < 3) else -1.0 for j in range(AGENTS)] for i in range(AGENTS)]
    env = mixed_env({"mixing": "matrix", "matrix": rows})
    got = mix(env, np.array([1.0, 0.5, 0.0, 0.2, 0.0, 0.1]))
    np.testing.assert_allclose(got, [0.2] * 3 + [-0.2] * 3)


def test_rows_are_normalised_over_those_that_take_part():
    rows = [[2.0, -1.0, -1.0, 0.0, 0.0, 0.0] if i == 0 else [1.0] * AGENTS for i in range(AGENTS)]
    env = mixed_env({"mixing": "matrix", "matrix": rows})
    active = np.array([True, True, False, True, True, True])
    earned = np.where(active, 0.6, 0.0)
    assert mix(env, earned, active)[0] == pytest.approx((2.0 * 0.6 - 0.6) / 3.0)


@given(
    how=strategies.sampled_from(["shared", "matrix", "rivalry"]),
    rows=strategies.lists(
        strategies.lists(WEIGHTS, min_size=AGENTS, max_size=AGENTS),
        min_size=AGENTS,
        max_size=AGENTS,
    ),
    intensity=strategies.floats(0.05, 1.0),
    rivalry=strategies.floats(0.1, 50.0),
    seed=strategies.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_what_mixing_adds_stays_in_its_declared_bounds(how, rows, intensity, rivalry, seed):
    rng = np.random.default_rng(seed)
    rows = [[*row[:-1], row[-1] or 1.0] for row in rows]
    more = {"matrix": {"matrix": rows}, "rivalry": {"rivalry": rivalry}}.get(how, {})
    env = mixed_env({"intensity": intensity, "mixing": how, **more})
    low, high = bounds(env)
    least, most = env.inner.all_roles[0].reward_bounds
    for _ in range(20):
        earned = rng.choice([least, most, rng.uniform(least, most)], AGENTS)
        active = rng.random(AGENTS) < 0.8
        earned = np.where(active, earned, 0.0)
        added = mix(env, earned, active) - earned
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        assert (added >= low - slack).all()
        assert (added <= high + slack).all()


FRIEND_AND_FOES = [[0.0] + [1.0] * (AGENTS - 1)] + [[-1.0] * AGENTS] * (AGENTS - 1)


@pytest.mark.parametrize(
    "layers",
    [
        {"mixing": "shared"},
        {"mixing": "rivalry", "rivalry": 3.0},
        {"mixing": "matrix", "matrix": FRIEND_AND_FOES},
    ],
    ids=str,
)
def test_the_bounds_of_mixing_are_nearly_reached(layers):
    env = mixed_env(layers)
    least, most = env.inner.all_roles[0].reward_bounds
    low, high = bounds(env)
    found = []
    for mine, theirs in ((least, most), (most, least), (least, least), (most, most)):
        earned = np.full(AGENTS, theirs)
        earned[0] = mine
        found += list(mix(env, earned) - earned)
    assert min(found) <= 0.8 * low
    assert max(found) >= 0.8 * high


def test_late_rewards_that_rivalry_made_greater_stay_in_their_bounds():
    env = mixed_env({"mixing": "rivalry", "rivalry": 40.0, "timing": "delayed", "period": 5})
    rng = np.random.default_rng(3)
    names = [term.name for term in env.spec.all_roles[0].terms]
    at = names.index("timing")
    term = env.spec.all_roles[0].terms[at]
    plain = max(abs(bound) for bound in env.inner.all_roles[0].reward_bounds)
    seen = 0.0
    for _ in range(60):
        env.step(wild_actions(env, rng, odd=0.0))
        value = env.copy(env.driver.f.terms)[..., at]
        assert (value >= term.low).all()
        assert (value <= term.high).all()
        seen = max(seen, abs(value).max())
    assert seen > plain
