"""Every layer, alone and with the others: same bits, same seeds, no leaks."""

import itertools
from copy import deepcopy

import numpy as np
import pytest
from layer_settings import LAYERS, SETTINGS, overrides

import mesocosm as meso
from mesocosm.testing import audit, check_world
from mesocosm.testing.play import outputs, wild_actions

PRESETS = tuple(SETTINGS)
PAIRS = [*itertools.combinations(LAYERS, 2)]


def play(preset, names, *, steps=40, intensity=1.0, num_envs=3, seed=3, odd=0.05, **how):
    """Play a preset with some layers on; give the env and everything that agents received."""
    env = meso.make(
        preset, overrides(preset, *names, intensity=intensity), num_envs=num_envs, seed=seed, **how
    )
    rng = np.random.default_rng(seed)
    step = env.reset()
    told = [outputs(env, step)]
    for _ in range(steps):
        step = env.step(wild_actions(env, rng, step, odd=odd))
        told.append(outputs(env, step))
    return env, told


def same(one, other):
    return all(
        a[name].tobytes() == b[name].tobytes()
        for a, b in zip(one, other, strict=True)
        for name in a
    )


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_changes_play_and_does_so_again(preset, name):
    plain = play(preset, ())
    first, again = play(preset, (name,)), play(preset, (name,))
    assert first[0].digest() == again[0].digest()
    assert same(first[1], again[1])
    keys = set(plain[1][0]) & set(first[1][0])
    assert any(
        a[key].shape != b[key].shape or (a[key] != b[key]).any()
        for a, b in zip(plain[1], first[1], strict=True)
        for key in keys
    )


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("names", [*((name,) for name in LAYERS), LAYERS], ids=str)
def test_a_layer_gives_the_same_bits_on_every_target(preset, names):
    cpu, python = (play(preset, names, steps=25, target=t) for t in ("cpu", "python"))
    assert cpu[0].digest() == python[0].digest()
    assert same(cpu[1], python[1])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("names", [*PAIRS, LAYERS], ids=str)
def test_every_pair_of_layers_composes(preset, names):
    env, told = play(preset, names, intensity=0.7)
    for role in env.spec.roles.values():
        rows = np.stack([entry[f"obs.{role.name}"] for entry in told])
        flat = rows.reshape(-1, role.observation.size)
        assert (flat >= role.observation.low - 1e-6).all()
        assert (flat <= role.observation.high + 1e-6).all()
        rewards = np.stack([entry[f"reward.{role.name}"] for entry in told])
        low, high = role.reward_bounds
        assert (rewards >= low - 1e-4).all()
        assert (rewards <= high + 1e-4).all()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("names", [*((name,) for name in LAYERS), LAYERS], ids=str)
def test_a_layer_passes_the_conformance_suite(preset, names):
    check_world(
        preset.partition("/")[0],
        presets=[preset],
        overrides=overrides(preset, *names, intensity=0.8),
    )


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("names", [*((name,) for name in LAYERS), LAYERS], ids=str)
def test_a_layer_leaks_nothing(preset, names):
    report = audit(preset, overrides=overrides(preset, *names), states=6).require_clean()
    assert report.num_checks > 1000


@pytest.mark.parametrize("preset", PRESETS)
def test_a_batch_with_layers_equals_its_envs_one_by_one(preset):
    def alone(first):
        env = meso.make(preset, overrides(preset, *LAYERS), first_env=first, seed=5)
        return run(env, slice(first, first + 1))

    def run(env, part):
        step, rows = env.reset(), []
        for t in range(30):
            acts = {
                name: role.action.sample(np.random.default_rng((t, 7)), (4, role.num_agents))
                for name, role in env.spec.roles.items()
            }
            acts = {name: cut(act, part) for name, act in acts.items()}
            step = env.step(acts if len(acts) > 1 else next(iter(acts.values())))
            rows.append({k: v for k, v in outputs(env, step).items() if k.startswith("obs")})
        return rows

    def cut(act, part):
        return type(act)(*(x[part] for x in act)) if isinstance(act, tuple) else act[part]

    env = meso.make(preset, overrides(preset, *LAYERS), num_envs=4, seed=5)
    whole = run(env, slice(0, 4))
    for first in range(4):
        for together, single in zip(whole, alone(first), strict=True):
            for key, rows in single.items():
                assert together[key][first : first + 1].tobytes() == rows.tobytes()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_snapshot_holds_all_that_layers_remember(preset):
    env, _ = play(preset, LAYERS)
    saved = env.save()
    rng = np.random.default_rng(1)
    step = env.load(saved)
    acts = [wild_actions(env, rng, step) for _ in range(10)]

    def go_on(of):
        step = of.load(saved)
        return [outputs(of, step)] + [outputs(of, of.step(act)) for act in acts]

    other = meso.make(preset, overrides(preset, *LAYERS), num_envs=3, seed=99)
    assert same(go_on(env), go_on(other))


@pytest.mark.parametrize("preset", ["commons/commune", "mettagrid/guild", "townlet/gossip"])
def test_layers_allocate_the_same_arrays_again(preset):
    env = meso.make(preset, num_envs=17, target="python")  # measured with one env and two first
    env.reset(seed=1)
    again = deepcopy(env)
    assert again.digest() == env.digest()
