from mesocosm.evaluation.arena.episodes import FIRST_SEED, Episodes, episode_seed
from mesocosm.learning.seeds import derive_seed
from mesocosm.sim.engine import MAX_SEED

KINDS = ("env", "network", "update", "league", "policy")


def test_episodes_are_none_of_those_that_training_plays():
    mine = {episode_seed(seed, batch) for seed in range(200) for batch in range(20)}
    theirs = {derive_seed(seed, kind, k) for seed in range(200) for kind in KINDS for k in range(9)}
    assert len(mine) == 4000
    assert not mine & theirs
    assert max(theirs) < FIRST_SEED <= min(mine)
    assert max(mine) <= MAX_SEED


def test_seeds_that_training_derives_are_below_those_of_episodes_whatever_they_are_for():
    assert FIRST_SEED == 256**7  # derive_seed takes seven bytes


def test_episodes_are_played_in_batches():
    many = Episodes(600)
    assert (many.batch_size, many.num_batches) == (256, 3)
    few = Episodes(10, num_envs=4)
    assert (few.batch_size, few.num_batches) == (4, 3)
    batches = [few.batch(k) for k in range(3)]
    assert [(x.first_env, x.num_envs) for x in batches] == [(0, 4), (4, 4), (8, 2)]
    assert {x.env_seed for x in batches} == {Episodes(99).env_seed}
    assert len({x.policy_seed for x in batches}) == 3
