"""Both sides have the same chances, and the level of engagement matters the same to both."""

import numpy as np

from mesocosm.worlds.island import policies

from .war import play, war

SEEDS = 128


def wins(names, preset="skirmish", envs=SEEDS, seed=0):
    """Play many wars at once; count each side's victories, and give what strength is left."""
    env = war(preset, target="cpu", num_envs=envs)
    found = np.zeros(2, int)

    def visit(step):
        for side, name in enumerate(("legacy", "dynasty")):
            ended = np.asarray(step.ended[name])[:, 0]
            found[side] += int((np.asarray(step.outcome[name])[ended, 0] == 1).sum())

    play(env, names, env.config.core.max_steps, seed=seed, visit=visit)
    return found, env.truth("strength")


def test_mirrored_play_is_fair_within_a_binomial_interval():
    won, strength = wins(("rush", "rush"))
    total = won.sum()
    assert total > SEEDS // 2
    assert abs(won[0] - total / 2) <= 1.96 * np.sqrt(total / 4) + 0.5
    edge = strength[:, 0] - strength[:, 1]
    assert abs(edge.mean()) <= 3.0 * edge.std() / np.sqrt(SEEDS)


def test_bold_sides_do_better_than_cautious_ones_and_sides_are_interchangeable():
    policies.POLICIES["bold"] = lambda: policies.EngageAll(level=3)
    policies.POLICIES["shy"] = lambda: policies.EngageAll(level=0)
    try:
        _, one = wins(("bold", "shy"), "standard", 96)
        _, other = wins(("shy", "bold"), "standard", 96)
    finally:
        del policies.POLICIES["bold"], policies.POLICIES["shy"]
    gain, mirrored = one[:, 0] - one[:, 1], other[:, 1] - other[:, 0]
    both = np.concatenate([gain, mirrored])
    error = both.std() / np.sqrt(len(both))
    assert both.mean() > 3.0 * error
    assert abs(gain.mean() - mirrored.mean()) < 3.0 * 2.0 * error


def test_a_side_finds_its_home_anew_in_every_war():
    env = war("skirmish", num_envs=2)
    player, step = policies.Turtle(), env.reset(seed=0)
    player.reset(env.spec.roles["legacy"], 2, 0)
    part = (step.obs["legacy"], step.mask["legacy"], step.info["legacy"])
    player.act(*part, np.ones((2, 1), bool))
    home = player._home.copy()
    assert (home != 0.0).all()
    player._home[:], player._asked[:] = 0.0, 5.0
    player.act(*part, np.array([[True], [False]]))
    assert (player._home == [home[0], [0.0, 0.0]]).all()
    assert (player._asked[1] > 0.0).all()
    assert player._asked[0].max() < 5.0
