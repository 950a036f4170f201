import pytest

import mesocosm as meso
from mesocosm import bench


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(bench, "ENOUGH_SECONDS", 0.0)
    monkeypatch.setattr(bench, "COPY_BYTES", 1 << 16)


@pytest.mark.usefixtures("quick")
def test_measure_relates_what_is_written_to_a_copy():
    result = bench.measure("commons", 2, "python")
    rate = result["agent_steps_per_cpu_second"] * result["bytes_per_agent_step"]
    assert result["agent_steps"] == result["steps"] * 2 * 6
    assert result["bandwidth_fraction"] == pytest.approx(rate / result["copy_bytes_per_second"])
    assert result["step_microseconds"] > 0


def test_bytes_are_those_of_observation_reward_and_mask():
    spec = meso.config_spec(meso.load_config("commons"))
    assert bench.bytes_per_agent_step(spec) == 13 * 4 + 4 + 5


def test_agent_steps_count_living_agents_alone():
    env = meso.make("commons", {"core.initial_wealth": 0.8}, num_envs=2, target="python")
    idle = env.spec.roles["harvester"].action.noop((2, 6))
    # everyone starves in the second step of each episode, and the env begins the next
    assert bench._count(env, [idle] * bench.NUM_ACTIONS, 5) == 5 * 2 * 6
