"""Target groups: the numbers under which clusters of tracks are known."""

import numpy as np

from mesocosm.worlds.island import state
from mesocosm.worlds.island.step import groups

from .war import put, rules, war


def group_ids(env, spots):
    """Put tracks of aircraft where they are wanted, and give their group numbers."""
    tier, looks = np.zeros((2, 12), int), np.zeros((2, 12), int)
    spot = np.zeros((2, 12, 2))
    for j, at in enumerate(spots):
        tier[0, j] = 1 if at is not None else 0
        spot[0, j] = (at or 0.0, 0.0)
    member = env.truth("member")[0]
    put(env, tier=tier, looks=looks, spot=spot, held=tier > 0, member=member)
    s, _, p = rules(env)
    groups.form_groups(s, p, 0)
    return env.state("member")[0, 0, : len(spots)].tolist()


def test_groups_keep_their_numbers_when_they_merge_and_split():
    env = war()
    put(env, member=-1, tier=0, group_state=0, group=0.0)
    assert group_ids(env, [0.0, 10.0, 100.0]) == [0, 0, 1]
    assert group_ids(env, [0.0, 90.0, 100.0]) == [0, 1, 1]  # ties go to the lower number
    assert group_ids(env, [75.0, 90.0, 100.0]) == [1, 1, 1]  # the larger keeps its number
    assert env.state("group_state")[0, 0, 0] == state.TOMBSTONE
    assert group_ids(env, [0.0, 90.0, 100.0]) == [2, 1, 1]  # 0 must rest first
    for _ in range(19):
        group_ids(env, [0.0, 90.0, 100.0])
    assert group_ids(env, [-100.0, 90.0, 0.0]) in ([2, 1, 0], [0, 1, 2])


def test_more_clusters_than_numbers_are_hidden_the_farthest_first():
    env = war()
    put(env, member=-1, tier=0, group_state=0, group=0.0)
    ids = group_ids(env, [-190.0, -150.0, -110.0, -70.0, 50.0, 90.0, 130.0, 170.0])
    assert ids[0] == -1
    assert ids[7] == -1
    assert sorted(ids[1:7]) == [0, 1, 2, 3, 4, 5]
    assert env.state("hidden_groups")[0, 0] == 2
