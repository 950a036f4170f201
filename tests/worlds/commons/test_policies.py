"""How the scripted players of commons fare."""

import numpy as np

import mesocosm as meso


def test_steady_players_keep_the_stock_and_earn_more_than_greedy_ones():
    returns = {}
    for name in ("steady", "greedy"):
        env = meso.make("commons", num_envs=16, seed=1, autoreset="off")
        player, step = meso.policy("commons", name), env.reset()
        player.reset(env.spec.roles["harvester"], 16, 0)
        total, beginnings = np.zeros(16), meso.Beginnings(env)
        for _ in range(200):
            step = env.step(player.act(step.obs, step.mask, step.info, beginnings.follow(step)))
            total += step.reward.sum(axis=1)
        returns[name] = total.mean()
        outcome = env.spec.reason_name(int(step.episode_reason[0]))
        assert outcome == ("timeout" if name == "steady" else "collapse")
    assert returns["steady"] > returns["greedy"]
