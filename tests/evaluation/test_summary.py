import math

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.evaluation.score import play_episodes
from mesocosm.evaluation.statistics.describe import estimate_mean
from mesocosm.evaluation.summary import summarise


@pytest.fixture(scope="module")
def scores():
    env = meso.make("commons", {"core.max_steps": 5}, num_envs=31, target="python", autoreset="off")
    return play_episodes(env, {"harvester": meso.policy("commons", "random")}, seed=3)


def test_intervals_are_those_of_the_statistics_over_episodes(scores):
    found, mine = summarise(scores, "harvester"), scores.of_role("harvester")
    assert found.lives == 31 * scores.spec.roles["harvester"].num_agents
    assert found.total_return == estimate_mean(mine.total_return, mine.env, kind="number")
    assert found.total_return.has_interval
    assert found.success == estimate_mean(mine.outcome == 1, mine.env, kind="share")


def test_length_that_never_varies_has_no_interval(scores):
    found = summarise(scores, "harvester").length
    assert found.value == 5.0
    assert math.isnan(found.low)
    assert found.why == "all episodes are equal"


def test_no_lives_give_no_mean(scores):
    kept = {name: getattr(scores, name)[:0] for name in scores._fields[3:]}
    found = summarise(scores._replace(**kept), "harvester")
    assert found.lives == 0
    assert math.isnan(found.total_return.value)
    assert np.isnan(found.success.low)
