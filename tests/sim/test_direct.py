"""Playing what lies in an env's action arrays."""

import numpy as np
import pytest

import mesocosm
from mesocosm.core.errors import MesocosmError
from mesocosm.sim.direct import DirectPlay


class _Watcher:
    num_steps = 0

    def after_step(self):
        self.num_steps += 1


def _pair(target="python"):
    made = [mesocosm.make("commons", num_envs=5, target=target) for _ in range(2)]
    steps = [env.reset(seed=4) for env in made]
    return *made, *steps


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_actions_in_the_arrays_are_played_as_given_ones(target):
    env, other, step, direct_step = _pair(target)
    direct = DirectPlay(other)
    choice, level = direct.actions("harvester")
    rng = np.random.default_rng(0)
    for _ in range(20):
        effort = rng.random(level.shape, np.float32)
        chosen = rng.integers(0, 2, choice.shape).astype(np.int32)
        env.step(mesocosm.Action(chosen, effort) if choice.shape[-1] else effort)
        choice[...], level[...] = chosen, effort
        direct.step()
        np.testing.assert_array_equal(step.obs, direct_step.obs)
        np.testing.assert_array_equal(step.reward, direct_step.reward)
    assert env.digest() == other.digest()


def test_env_must_be_reset_before_it_is_played():
    with pytest.raises(MesocosmError, match="reset"):
        DirectPlay(mesocosm.make("commons", target="python"))


def test_recorded_env_tells_its_watcher_and_cannot_be_queued():
    env, *_ = _pair()
    env.watcher = watcher = _Watcher()
    direct = DirectPlay(env)
    direct.step()
    assert watcher.num_steps == 1
    with pytest.raises(MesocosmError, match="recorded"):
        direct.enqueue(0)
