"""Policies that play beside the controlled agent are told where episodes and lives begin."""

import numpy as np
from driving import Recorder, to_sample, wild

from mesocosm.adapters.boundary import open_env
from mesocosm.adapters.controlled_agent import ControlledAgent

LIVES = {"core.max_steps": 30, "core.respawn": True, "core.hazard": 4}


class Startled(Recorder):
    """Keeps what it was told."""

    def act(self, obs, mask, info, began):
        self.began = began.copy()
        return super().act(obs, mask, info, began)


def test_policies_are_told_of_births_and_of_resets_of_some_envs():
    env = open_env("probe", LIVES, contract=1, num_envs=2, target="python", autoreset="off")
    raw = env._engine
    role, rng = raw.spec.roles["walker"], np.random.default_rng(0)
    player = Startled()
    seat = ControlledAgent(env, 0, policies={"walker": player})
    seat.reset(seed=1)
    expected, births = np.ones((2, 4), bool), 0
    for _ in range(12):
        before = raw.copy(raw.driver.f.generation)
        seat.play(to_sample(role, wild(rng, role, (2,))))
        assert (player.began == expected).all()
        expected = raw.copy(raw.driver.f.generation) > before
        births += int(expected.sum())
    assert births > 4
    seat.reset(envs=np.array([False, True]))
    seat.play(to_sample(role, wild(rng, role, (2,))))
    assert player.began[1].all()
    assert (player.began[0] == expected[0]).all()
