"""Recorded wars: a change of behaviour must be meant, and raise the world's version."""

import hashlib
import json

import pytest
from war import play, war

GOLDEN = {
    "skirmish": "6b1d88bd2c090254",
    "standard": "dc9e1532a602f169",
}


def fingerprint(env):
    """Name a state in a few letters."""
    return hashlib.sha256(json.dumps(env.digest(), sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize("preset", GOLDEN)
def test_a_recorded_war_comes_to_the_same_state(preset):
    env = war(preset, target="cpu", num_envs=2)
    assert env.world.version == 1
    play(env, ("escort", "rush"), 120, seed=11)
    assert fingerprint(env) == GOLDEN[preset]
