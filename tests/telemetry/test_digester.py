"""Digests and sums are the same numbers wherever they are computed."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.sim.record.digest import digest
from mesocosm.sim.record.digester import Digester
from mesocosm.testing.play import wild_actions


def played(preset, target):
    env = meso.make(preset, num_envs=3, target=target, first_env=4)
    env.reset(seed=2)
    for k in range(12):
        env.step(wild_actions(env, np.random.default_rng(k)))
    return env


@pytest.mark.parametrize("preset", ["commons/wardens", "townlet/L8", "probe/line"])
def test_compiled_digests_and_sums_equal_those_of_the_host(preset):
    env = played(preset, "cpu")
    arrays = {name: env.array(name) for name in env.truth_names}
    index = env.copy(env.driver.f.env_id)
    assert env.digest() == digest(arrays, index)
    compiled, plain = env.make_digester(arrays).sums(), Digester(arrays, index).sums()
    assert compiled.tobytes() == plain.tobytes()
    assert env.digest() == played(preset, "python").digest()


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_digest_changes_with_any_byte_and_with_whose_it_is(target):
    env = played("commons", target)
    before = env.digest()
    state = env.state("wealth")
    state[1, 2] = np.nextafter(state[1, 2], np.inf)
    env.set_state("wealth", state)
    after = env.digest()
    assert [name for name in before if before[name] != after[name]] == ["wealth"]
    env.set_state("wealth", env.state("wealth")[::-1])
    assert env.digest()["wealth"] != after["wealth"]


def test_the_parts_of_a_batch_sum_to_the_whole():
    whole = meso.make("commons", num_envs=4)
    parts = [meso.make("commons", num_envs=2, first_env=first) for first in (0, 2)]
    for env in (whole, *parts):
        env.reset(seed=1)
    for name, value in whole.digest().items():
        assert sum(part.digest()[name] for part in parts) % 2**64 == value
