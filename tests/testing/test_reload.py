"""Loading what was saved changes nothing, with any layers on."""

import numpy as np
import pytest

from mesocosm.build import make
from mesocosm.testing.layered import draw_layers
from mesocosm.testing.play import wild_actions
from mesocosm.testing.reload import changed_by_load

CASES = [
    *(("commons/wardens", seed, 4) for seed in range(3)),
    *(("townlet/L8", seed, 4) for seed in range(3)),
    *(("townlet/L7", seed, 4) for seed in range(3, 5)),
    ("mettagrid/forage", 0, 2),
    ("mettagrid/clipped", 2, 2),
    ("island/skirmish", 1, 1),
]


@pytest.mark.parametrize(("preset", "seed", "states"), CASES)
def test_loading_a_layered_state_changes_nothing_now_or_later(preset, seed, states):
    rng = np.random.default_rng(seed)
    layers = draw_layers(preset, rng)
    assert layers
    mode = ("same_step", "next_step", "off")[seed % 3]
    options = {"num_envs": 2, "target": "python", "autoreset": mode}
    env = make(preset, layers, seed=seed, **options)
    twin = make(preset, layers, seed=seed + 9, first_env=3, **options)
    env.reset()
    for state in range(states):
        for _ in range(3):
            env.step(wild_actions(env, rng))
        assert changed_by_load(env, twin, seed=state) == []


SHOCKS = {
    "layers.uncertainty": {
        "intensity": 1.0,
        "shocks": {"ruin": {"column": "meters.energy", "hazard": 0.5, "size": -0.95}},
    }
}


def test_loading_after_shocks_keeps_goals_and_what_the_dying_saw():
    env = make("townlet/L7", SHOCKS, num_envs=4, target="python", seed=3)
    twin = make("townlet/L7", SHOCKS, num_envs=4, target="python", seed=4)
    env.reset()
    rng = np.random.default_rng(0)
    ended = 0
    for state in range(12):
        step = env.step(wild_actions(env, rng))
        ended += int(np.asarray(step.ended).sum())
        assert changed_by_load(env, twin, seed=state) == []
    assert ended > 0
