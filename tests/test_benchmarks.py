import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mesocosm.build import config_spec, load_config
from mesocosm.cli.shared.output import markdown

ROOT = Path(__file__).parent.parent


def run(*arguments, **surroundings):
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | surroundings,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import peers, speed, table

    return {"peers": peers, "speed": speed, "table": table}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "result.json"
    done = run("benchmarks.run", "commons/default", "--quick", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "commons/default" in done.stdout
    return json.loads(out.read_text())


def test_batches_are_measured_over_the_same_steps(quick):
    (entry,) = quick["presets"]
    assert len(entry["batches"]) == 2
    assert entry["cost_ratio"] > 0
    for batch in entry["batches"]:
        assert batch["steps"] % entry["steps_per_lap"] == 0
        assert batch["agent_steps"] <= batch["steps"] * batch["num_envs"] * entry["num_agents"]
        rate = batch["agent_steps_per_cpu_second"] * batch["bytes_per_agent_step"]
        assert batch["bandwidth_fraction"] == pytest.approx(rate / quick["copy_bytes_per_second"])


def test_a_call_and_memory_have_positive_numbers(quick):
    (entry,) = quick["presets"]
    assert entry["call"]["step_microseconds"] > 0
    assert entry["call"]["empty_microseconds"] > 0
    assert entry["memory"]["bytes_per_env"] == sum(entry["memory"]["parts"].values())
    assert entry["memory"]["peak_bytes"] > 1 << 20


def test_importing_pulls_in_nothing_heavy(quick):
    assert quick["start"]["imports"]["heavy_packages"] == []
    assert quick["start"]["imports"]["seconds"] > 0
    assert quick["start"]["making"]["warm_seconds"] > 0


def test_every_peer_is_measured_or_says_why_not(quick):
    for peer in quick["peers"]:
        measured = peer["status"] == "measured"
        assert measured or peer["status"] == "not installed"
        assert not measured or peer["agent_steps_per_cpu_second"] > 0


def test_a_peer_that_fails_says_why_in_one_line(benchmarks, tmp_path, monkeypatch):
    (tmp_path / "mpe2.py").write_text("raise RuntimeError('no display')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = benchmarks["peers"].measure("mpe2", benchmarks["speed"].QUICK.effort)
    assert found["status"] == "failed: RuntimeError: no display"


def test_memory_is_counted_array_by_array(benchmarks):
    spec = config_spec(load_config("commons/default"))
    parts = benchmarks["speed"].memory("commons/default")["parts"]
    assert parts["events"] == spec.max_events * 6 * np.dtype(np.float64).itemsize
    held = [np.zeros(entry.shape, entry.dtype).nbytes for entry in spec.fields]
    before = [np.zeros(e.shape, e.dtype).nbytes for e in spec.fields if e.previous]
    assert parts["state"] == sum(held) + sum(before)


def test_results_of_a_gpu_become_a_table(benchmarks):
    speed = {"preset": "commons/default", "num_envs": 1024, "us_per_step": 41.5}
    speed |= {"agent_steps_per_s": 1.5e8, "bytes_out_per_agent_step": 63.0}
    result = {
        "device": "Some GPU",
        "compile": [{"preset": "commons/default", "seconds": 12.34, "warm_seconds": 1.5}],
        "equality": [{"preset": "a/b", "outputs_compared": 1000, "num_different": 0}],
        "speed": [{"copy_bytes_per_s": 4e12}, speed | {"fraction_of_copy_rate_for_outputs": 0.002}],
    }
    text = markdown(benchmarks["table"].gpu_sections(result))
    assert "1,000 outputs of cpu and cuda compared over 1 presets" in text
    assert "| commons/default | 12.3 s | 1.5 s |" in text
    assert "| commons/default | 1,024 | 41.5 µs | 150M | 63 B | 0.20% |" in text


def test_the_tables_in_the_readme_are_those_of_the_results():
    done = run("benchmarks.table", "--check")
    assert done.returncode == 0, done.stdout


def test_adapters_are_measured_beside_the_raw_env(tmp_path):
    out = tmp_path / "adapters.json"
    names = ("gymnasium rows", "pettingzoo parallel")
    done = run("benchmarks.adapters", "--quick", "--only", *names, "--out", out)
    assert done.returncode == 0, done.stderr
    rows = {row["adapter"]: row for row in json.loads(out.read_text())["rows"]}
    assert list(rows) == ["raw", "one env", *names]
    assert rows["raw"]["ratio"] == 1.0
    assert all(len(row["rounds_ns"]) == 2 for row in rows.values())
    assert all(name in done.stdout for name in names)
