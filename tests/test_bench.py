import pytest

import mesocosm as meso
from mesocosm import bench


def test_measure_relates_what_is_written_to_a_copy():
    result = bench.measure("commons", 2, "python", bench.Effort(0.0, 1, 1 << 16))
    rate = result["agent_steps_per_cpu_second"] * result["bytes_per_agent_step"]
    assert result["agent_steps"] == result["steps"] * 2 * 6
    assert result["bandwidth_fraction"] == pytest.approx(rate / result["copy_bytes_per_second"])
    assert result["step_microseconds"] > 0


def test_bytes_are_those_of_observation_reward_flags_and_mask():
    spec = meso.config_spec(meso.load_config("commons"))
    assert bench.bytes_per_agent_step(spec) == 13 * 4 + 4 + 2 + 5


def test_agent_steps_count_living_agents_alone():
    workload = bench.Workload("commons/turns", 2, "python", steps=40, seconds=0.0)
    step, total = workload.env.reset(seed=0), 0
    for k in range(40):
        total += int((~(step.terminated | step.truncated)).sum())
        step = workload.env.step(workload.actions[k % bench.NUM_ACTIONS])
    assert not step.episode_over.any()
    assert workload.agent_steps == total < 40 * 2 * 6


def test_agents_of_an_env_that_just_began_again_all_count():
    env = meso.make("commons", {"core.initial_wealth": 0.8}, num_envs=2, target="python")
    idle = env.spec.roles["harvester"].action.noop((2, 6))
    step = env.reset()
    # everyone starves in the second step of each episode, and the env begins the next
    step = env.step(idle)
    assert bench._count_alive(step) == 12
    step = env.step(idle)
    assert step.episode_over.all()
    assert bench._count_alive(step) == 12


def test_every_lap_is_counted():
    workload = bench.Workload("commons", 1, "python", steps=3, seconds=0.0)
    assert (workload.steps, workload.laps, workload.agent_steps) == (3, 1, 18)
    workload.laps = 4
    assert workload._count() == 4 * 18
