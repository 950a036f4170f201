"""What a long run of commons must come to."""

import hashlib

import numpy as np
import pytest

import mesocosm as meso

# Changing one of these means raising the version of commons.
GOLDEN = {
    "commons/default": (1, "b089f87be46c497c"),
    "commons/estate": (1, "5b6c010ffe287108"),
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
