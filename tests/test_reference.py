"""The plain Python town of the benchmarks lives and sees as ours does."""

from pathlib import Path

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.bench import QUICK
from mesocosm.cli.shared.output import markdown

ROOT = Path(__file__).parent.parent


@pytest.fixture
def reference(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import reference

    return reference


def states(reference, seed, ticks):
    """Play both towns side by side."""
    env = meso.make(reference.config(), target="python", seed=seed, autoreset="off")
    env.reset()
    plain = reference.Town.copy(env.config.core, env.save())
    rng = np.random.default_rng(seed)
    for _ in range(ticks):
        drawn = rng.integers(0, 6, (1, reference.NUM_AGENTS, 1), dtype=np.int32)
        yield plain, plain.step(drawn[0, :, 0].tolist()), env.step(drawn)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_plain_town_sees_what_ours_sees(reference, seed):
    deaths = 0
    for plain, (seen, rewards), step in states(reference, seed, 125):
        assert (np.array(seen, np.float32) == step.obs[0]).all()
        assert (np.array(rewards, np.float32) == step.reward[0]).all()
        deaths = sum(not person.alive for person in plain.people)
    assert deaths > 0


def test_any_saved_town_can_be_taken_over(reference):
    env = meso.make(reference.config(), target="python", num_envs=2, seed=8)
    env.reset()
    for name in (4, 4, 5, 3, 4):
        step = env.step(np.full((2, reference.NUM_AGENTS, 1), name, np.int32))
    for e in range(2):
        seen = reference.Town.copy(env.config.core, env.save(), e).observe()
        assert (np.array(seen, np.float32) == step.obs[e]).all()


def test_the_plain_town_is_measured_beside_ours(reference):
    found = reference.measure(QUICK)
    assert found["agent_steps_per_cpu_second"] > 0
    assert found["ours_ratio"] == found["ours"] / found["agent_steps_per_cpu_second"]


def test_the_ratio_is_printed(reference):
    from benchmarks import table

    entry = {"preset": "townlet/L7", "num_agents": 16, "num_envs": 256}
    entry |= {"agent_steps_per_cpu_second": 2e4, "ours": 3e7, "ours_ratio": 1500.0}
    text = markdown(table._reference({"reference": entry}))
    assert "| townlet/L7 | 16 | 20k | 30M | 1,500 |" in text
    assert table._reference({}) == []
