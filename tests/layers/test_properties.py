"""What must hold whatever the settings: conservation, arrival, bans, monotone dials."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies
from layer_settings import LAYERS, SETTINGS, overrides

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.testing.play import by_role, wild_actions


def returns(preset, layers, *, steps, seed=5, num_envs=8):
    """Play the same actions; give each agent's return over its whole life, in one episode."""
    env = meso.make(preset, layers, num_envs=num_envs, seed=seed, autoreset="off", target="cpu")
    env.reset()
    rng = np.random.default_rng(seed)
    total = np.zeros((num_envs, env.spec.num_agents))
    over = np.zeros(num_envs, bool)
    for _ in range(steps):
        step = env.step(wild_actions(env, rng, odd=0.0))
        total += env.copy(env.driver.f.terms).sum(axis=2) * ~over[:, None]
        over |= np.array(step.episode_over)
    return total, over


PERIODS = [("delayed", 1), *((how, n) for how in ("sparse", "delayed") for n in (3, 50, 1000))]


@pytest.mark.parametrize(("timing", "period"), PERIODS)
@pytest.mark.parametrize("preset", ["commons", "townlet/L7"])
def test_late_rewards_all_arrive_by_the_end_also_for_the_dead(timing, period, preset):
    short = {"core.max_steps": 60}
    late = {"layers.interaction": {"intensity": 1.0, "timing": timing, "period": period}}
    plain, over = returns(preset, short, steps=70)
    paid, over_too = returns(preset, short | late, steps=70)
    assert over.all()
    assert over_too.all()
    np.testing.assert_allclose(paid, plain, atol=1e-9)


def doubly_stochastic(rng, count):
    matrix = np.zeros((count, count))
    for weight in rng.dirichlet(np.ones(6)):
        matrix[np.arange(count), rng.permutation(count)] += weight
    return matrix


@given(seed=strategies.integers(0, 2**32 - 1), intensity=strategies.floats(0.05, 1.0))
@settings(max_examples=15, deadline=None)
def test_a_doubly_stochastic_mix_conserves_the_sum(seed, intensity):
    matrix = doubly_stochastic(np.random.default_rng(seed), 6)
    mix = {"intensity": intensity, "mixing": "matrix", "matrix": matrix.tolist()}
    rich = {"core.initial_wealth": 50.0}
    plain, mixed = (
        returns("commons", rich | layers, steps=5, seed=seed % 1000)[0]
        for layers in ({}, {"layers.interaction": mix})
    )
    np.testing.assert_allclose(mixed.sum(axis=1), plain.sum(axis=1), atol=1e-9)


@pytest.mark.parametrize("mixing", ["shared", "matrix"])
def test_the_dead_are_left_out_of_a_mix(mixing):
    matrix = (np.ones((6, 6)) / 6).tolist()
    mix = {"intensity": 1.0, "mixing": mixing} | ({"matrix": matrix} if mixing == "matrix" else {})
    poor = {"core.initial_wealth": 1.0, "core.upkeep": 0.9}
    env = meso.make("commons", poor | {"layers.interaction": mix}, num_envs=16, seed=1)
    env.reset()
    rng = np.random.default_rng(0)
    partly = 0
    for _ in range(30):
        active = env.save()["frame.active"]
        step = env.step(wild_actions(env, rng, odd=0.0))
        reward = np.array(step.reward)
        assert (reward[~active] == 0).all()
        for row, alive in zip(reward, active, strict=True):
            if alive.any():
                np.testing.assert_allclose(row[alive], row[alive][0], atol=1e-6)
        partly += (active.any(axis=1) & ~active.all(axis=1)).sum()
    assert partly > 0


@pytest.mark.parametrize("handling", ["noop", "clamp", "penalty"])
def test_no_encoding_of_an_action_gets_past_a_castes_permissions(handling):
    allowed = ["deal.none", "deal.give", "target.*"]
    power = {
        "intensity": 1.0,
        "castes": {"low": {"permissions": allowed}},
        "assign": {"harvester": ["low"]},
    }
    overrides = {"layers.power": power, "core.invalid": handling}
    env = meso.make("commons", overrides, num_envs=64, seed=0)
    part = env.spec.roles["harvester"].action.choices[0]
    banned = part.options.index("sanction")
    step, rng = env.reset(), np.random.default_rng(0)
    for _ in range(40):
        assert not np.array(step.mask)[..., banned].any()
        actions = wild_actions(env, rng, odd=0.3)
        actions.choice[::2, :, 0] = banned
        step = env.step(actions)
        assert (env.copy(env.driver.f.choice)[..., 0] != banned).all()
    assert env.violations.sum() > 0


def test_a_softened_ban_becomes_a_price():
    ban = {"agents.roles.harvester.permissions": ["deal.none", "deal.give", "target.*"]}
    soft = {"layers.incentives": {"intensity": 0.5, "soften": {"deal.sanction": 0.8}}}
    env = meso.make("commons", ban | soft, num_envs=4)
    step = env.reset()
    option = env.spec.roles["harvester"].action.choices[0].options.index("sanction")
    assert np.array(step.mask)[..., option].all()
    actions = env.spec.roles["harvester"].action.noop((4, 6))
    actions.choice[..., 0] = option
    env.step(actions)
    terms = [term.name for term in env.spec.roles["harvester"].terms]
    assert (env.copy(env.driver.f.terms)[..., terms.index("cost")] == -0.4).all()


BAD = {
    "layers.interaction.contention": (
        {"contention": "need"}, "contention by need must say of what"
    ),
    "layers.interaction.mixing": ({"mixing": "group"}, "layers.hierarchy forms none"),
    "layers.interaction.matrix": (
        {"mixing": "matrix", "matrix": [[1.0]]}, "must have 6 rows of 6 numbers"
    ),
    "layers.incentives.reputation": (
        {"reputation": {"deal.give": 1.0}}, "layers.temporal keeps no reputation"
    ),
    "layers.uncertainty.drift": ({"drift": {"growth": {"amount": 1.0}}}, "Did you mean"),
    "layers.power.assign": (
        {"castes": {"low": {}}, "assign": {"harvester": ["lo"]}}, "Did you mean 'low'"
    ),
    "layers.information.blurs.0": ({"blurs": [{"features": "stok"}]}, "Did you mean 'stock'"),
    "layers.hierarchy.groups": ({"share": {"wealth": "mean"}}, "without groups"),
    "layers.temporal.effects": ({"effects": {"welth": {"steps": 2}}}, "Did you mean 'wealth'"),
}  # fmt: skip


@pytest.mark.parametrize("path", BAD)
def test_a_setting_that_cannot_work_is_refused_with_the_reason(path):
    layer = ".".join(path.split(".")[:2])
    given_settings, reason = BAD[path]
    with pytest.raises(ConfigError, match=reason) as error:
        meso.load_config("commons", {layer: {"intensity": 1.0, **given_settings}})
    assert layer in str(error.value)


def metric(preset, name, intensity):
    """Measure what a layer does: a number that its dial must move one way."""
    layers = overrides(preset, name, intensity=intensity) if intensity else {}
    env, plain = (meso.make(preset, o, num_envs=64, seed=2) for o in (layers, {}))
    role = next(iter(plain.spec.roles))
    env.reset(), plain.reset()
    rng = np.random.default_rng(0)
    found = 0.0
    for _ in range(30):
        actions = wild_actions(plain, rng, odd=0.0)
        step, base = env.step(actions), plain.step(actions)
        seen = np.array(by_role(env, step.obs)[role])
        true = np.array(by_role(plain, base.obs)[role])
        if name == "information":
            layout = plain.spec.roles[role].observation
            found += (abs(seen - true) / (layout.high - layout.low)).mean()
        elif name == "temporal":
            found += seen.shape[-1] + env.driver.f.standing.size
        elif name == "hierarchy":
            column = "wealth" if preset.startswith("commons") else "meters"
            values = env.truth(column).reshape(64, env.spec.num_agents, -1)[:, :6, -1]
            found -= values.reshape(64, -1, 3)[:, :2].std(axis=2).mean()
        elif name == "power":
            found += abs(env.copy(env.driver.f.effect) - 1.0).sum()
        elif name == "uncertainty":
            found += abs(env.copy(env.driver.f.tunable) - env.driver.f.tunable_base).sum()
        else:
            terms = env.copy(env.driver.f.terms)
            own = len(env.inner.all_roles[0].terms)
            found += abs(terms[:, : env.inner.all_roles[0].num_agents, own:]).sum()
    return found


@pytest.mark.parametrize("preset", SETTINGS)
@pytest.mark.parametrize("name", LAYERS)
def test_more_intensity_is_more_of_the_same(preset, name):
    values = [metric(preset, name, intensity) for intensity in (0.0, 0.35, 0.7, 1.0)]
    assert values == sorted(values)
    assert values[0] < values[-1]
