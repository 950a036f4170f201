"""The plain Python that we measure against plays the same war, number for number."""

import numpy as np

from benchmarks.plain import PlainWar, lists

from .war import SIDES, play, war


def test_plain_python_on_lists_plays_the_same_war():
    env = war("skirmish", {"max_steps": 100})
    play(env, ("rush", "random_valid"), 25, seed=4)
    plain = PlainWar(env)
    rng = np.random.default_rng(0)
    for _ in range(20):
        actions = {side: role.action.sample(rng, (1, 1)) for side, role in env.spec.roles.items()}
        step = env.step(actions)
        seen = plain.step([actions[side][0, 0].tolist() for side in SIDES])
        for k, side in enumerate(SIDES):
            now = np.array(seen[k]["observe"], np.float32)
            assert now.tobytes() == np.asarray(step.obs[side])[0, 0].tobytes()
        if step.episode_over[0]:
            break
    state = lists(env.host_state())
    for entry in env.spec.truth:
        assert getattr(plain.s, entry.name) == getattr(state, entry.name), entry.name
