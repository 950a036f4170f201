"""Recorded wars: a change of behaviour must be meant, and raise the world's version."""

import hashlib

import pytest

from .war import play, war

GOLDEN = {
    "skirmish": "d49af63884d46368",
    "standard": "4e148eaf69cc5b57",
}


def fingerprint(env):
    """Name a state in a few letters."""
    made = hashlib.sha256()
    for entry in env.spec.truth:
        made.update(env.truth(entry.name).tobytes())
    return made.hexdigest()[:16]


@pytest.mark.parametrize("preset", GOLDEN)
def test_a_recorded_war_comes_to_the_same_state(preset):
    env = war(preset, target="cpu", num_envs=2)
    assert env.world.version == 1
    play(env, ("escort", "rush"), 120 if preset == "skirmish" else 40, seed=11)
    assert fingerprint(env) == GOLDEN[preset]
