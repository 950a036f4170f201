"""Training through one's own agent class: its view is what is seen, its reward what is paid."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mesocosm.adapters.gymnasium import GymEnv
from mesocosm.core.errors import ConfigError, UnknownName
from mesocosm.worlds.island.agent import CompetitionAgent

SHORT = {"core.max_steps": 6}


class Counting(CompetitionAgent):
    """Looks at three numbers, and is paid for units that live."""

    def get_observation(self):
        return [len(self.get_alive_entities()), self.info["step"], float(self.began)]

    def calculate_reward(self, reward):
        return reward + 0.5 * self.info["step"]


def make(**options):
    return GymEnv("island/skirmish", SHORT, target="python", agent=Counting, **options)


def test_a_learner_sees_and_earns_what_its_agent_class_says():
    env = make(role="dynasty", policies={"legacy": "rush"})
    plain = GymEnv("island/skirmish", SHORT, target="python", agent=1, policies={"legacy": "rush"})
    assert env.observation_space.shape == (3,)
    seen, info = env.reset(seed=4)
    plain.reset(seed=4)
    assert (seen.dtype, info["faction"]) == (np.float32, "DYNASTY")
    assert seen[1:].tolist() == [0.0, 1.0]
    over, steps = False, 0
    while not over:
        idle = np.zeros(16, np.int64)
        seen, reward, terminated, truncated, info = env.step(idle)
        _, world_reward, *_ = plain.step(idle)
        steps += 1
        assert seen.tolist() == [info["my_entities_count"], steps, 0.0]
        assert reward == world_reward + 0.5 * steps
        over = terminated or truncated
    assert steps == 6


def test_the_worlds_own_view_and_reward_are_the_default():
    own = GymEnv("island/skirmish", SHORT, target="python", agent=CompetitionAgent)
    plain = GymEnv("island/skirmish", SHORT, target="python", agent=0)
    assert np.array_equal(own.reset(seed=2)[0], plain.reset(seed=2)[0])
    idle = np.zeros(16, np.int64)
    (seen, paid, *_), (obs, reward, *_) = own.step(idle), plain.step(idle)
    assert np.array_equal(seen, obs)
    assert paid == reward


@pytest.mark.filterwarnings("ignore:.*Box observation space m.*")
def test_gymnasiums_own_checker_accepts_it():
    check_env(make(), skip_render_check=True)


def test_what_is_no_agent_is_refused():
    with pytest.raises(ConfigError, match="a class with reset, receive, get_observation"):
        GymEnv("commons", target="python", agent=dict)
    with pytest.raises(UnknownName, match="Did you mean 'dynasty'"):
        make(role="dynast")
    with pytest.raises(ConfigError, match="role: goes with an agent class only"):
        GymEnv("island/skirmish", target="python", agent=1, role="dynasty")
