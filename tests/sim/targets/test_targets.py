"""Every preset gives equal bits as Python and compiled; also run with bounds checks on."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.testing.case import Case
from mesocosm.testing.play import outputs, wild_actions
from mesocosm.testing.purity import targets_agree

SHORT = {"commons": {"core.max_steps": 20, "core.upkeep": 0.9}, "probe": {"core.max_steps": 12}}


@pytest.mark.bounds
@pytest.mark.parametrize("preset", meso.presets())
def test_every_target_gives_the_same_bits(preset):
    targets_agree(Case(preset, SHORT.get(preset.partition("/")[0], {}), steps=60))


@pytest.mark.parametrize("mode", ["same_step", "next_step", "off"])
@pytest.mark.parametrize("invalid", ["noop", "clamp", "penalty"])
def test_targets_agree_on_every_handling_and_autoreset(mode, invalid):
    overrides = {"core.invalid": invalid, "core.max_steps": 9, "core.upkeep": 1.5}
    envs = [
        meso.make("commons/wardens", overrides, num_envs=3, target=target, seed=1, autoreset=mode)
        for target in ("python", "cpu")
    ]
    for env in envs:
        env.reset()
    rng = np.random.default_rng(4)
    for _ in range(40):
        actions = wild_actions(envs[0], rng, odd=0.2)
        first, second = (outputs(env, env.step(actions)) for env in envs)
        assert all(first[key].tobytes() == second[key].tobytes() for key in first)
        assert envs[0].digest() == envs[1].digest()
        assert envs[0].events() == envs[1].events()


def test_a_snapshot_from_one_target_continues_on_another():
    plain = meso.make("commons", num_envs=2, target="python", seed=3)
    fast = meso.make("commons", num_envs=2, target="cpu", seed=8)
    plain.reset()
    rng = np.random.default_rng(0)
    for _ in range(10):
        plain.step(wild_actions(plain, rng))
    fast.load(plain.save())
    for _ in range(10):
        actions = wild_actions(plain, rng)
        plain.step(actions)
        fast.step(actions)
    assert plain.digest() == fast.digest()
