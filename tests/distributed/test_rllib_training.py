"""Training by RLlib: what it refuses, what it learns from, and that it outlives its workers."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import mesocosm
from benchmarks.rllib_workers import check, command, has_played, kill_workers, wait_for
from mesocosm.cli.app import app
from mesocosm.core.errors import ConfigError
from mesocosm.distributed.rllib.batch import Rows, advantages
from mesocosm.distributed.rllib.config import check_settings, share_out
from mesocosm.learning.experience import Experience
from mesocosm.learning.experience import advantages as own_advantages
from mesocosm.learning.settings import LearningSettings, override

TRAIN = ["train", "commons", "--engine", "rllib", "--workers", "2", "--threads", "1"]
SMALL = ["learning.num_envs=16", "learning.horizon=16", "core.max_steps=20"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"learning.algorithm": "q"}, "it trains by PPO"),
        ({"learning.truth": ["stock"]}, "no truth"),
        ({"learning.exploration.first": 0.5}, "belongs to q-learning"),
        ({"learning.league.share": 0.5}, "no past selves"),
        ({"learning.network.memory": "gru"}, "no memory from step to step"),
        ({"learning.network.memory_size": 8}, "no memory from step to step"),
    ],
)
def test_settings_that_rllib_cannot_honour_are_refused_by_name(changes, why):
    settings = override(LearningSettings(), changes)
    name = next(iter(changes)).replace(".", r"\.")
    with pytest.raises(ConfigError, match=f"{name}: the engine 'rllib' cannot honour it: .*{why}"):
        check_settings(settings, changes)


def test_settings_of_an_older_run_are_refused_too():
    settings = override(LearningSettings(), {"learning.network.memory": "lstm"})
    with pytest.raises(ConfigError, match=r"learning\.network\.memory: .* cannot honour lstm"):
        check_settings(settings, ())


def test_envs_are_shared_out_evenly():
    settings = override(LearningSettings(), {"num_envs": 100})
    assert share_out(settings, 3).all_envs == 99
    with pytest.raises(ConfigError, match="at least one for each of the 200 workers, got 100"):
        share_out(settings, 200)
    with pytest.raises(ConfigError, match="--workers: must be between 1 and 4,096, got 5,000"):
        share_out(settings, 5000)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "2"], "--workers: is for --engine rllib"),
        (["--engine", "ray", "--seeds", "2", "--workers", "2"], "--workers: is for --engine rllib"),
        (["--engine", "rllib", "--seeds", "2"], "--seeds: the engine 'rllib' has no such option"),
        (["--engine", "rllib", "--from", "x.mesop"], "--from: the engine 'rllib' has no such"),
        (["--engine", "rllib", "--curriculum", "commons=1"], "--curriculum: the engine 'rllib'"),
    ],
)
def test_options_of_the_other_engine_are_refused(options, said):
    found = CliRunner().invoke(app, ["train", "commons", *options])
    assert found.exit_code != 0
    assert isinstance(found.exception, ConfigError)
    assert said in str(found.exception)


def test_advantages_equal_those_of_our_own_engine():
    role = mesocosm.config_spec("townlet/L1").roles["resident"]
    horizon, rows, rng = 12, 7, np.random.default_rng(0)
    experience = Experience(role, horizon, rows)
    experience.reward[:] = torch.from_numpy(rng.normal(size=(horizon, rows, 1)))
    experience.boundary[:] = torch.from_numpy(rng.random((horizon, rows, 1)) < 0.2)
    terminated = experience.boundary & (torch.rand(experience.boundary.shape) < 0.5)
    beyond = rng.normal(size=(horizon, rows)).astype(np.float32)
    cut = experience.boundary & ~terminated
    experience.bootstrap[:] = torch.where(cut, torch.from_numpy(beyond)[..., None], 0.0)
    values = torch.from_numpy(rng.normal(size=(horizon + 1, rows)).astype(np.float32))
    want = own_advantages(experience, values, 0.97, 0.9).numpy()
    parts, at = [], []
    for row in range(rows):
        ends = [*np.flatnonzero(experience.boundary[:, row, 0]).tolist()]
        ends += [] if ends and ends[-1] == horizon - 1 else [horizon - 1]
        first = 0
        for end in ends:
            whole = bool(experience.boundary[end, row, 0])
            after = beyond[end, row] if whole else float(values[horizon, row])
            parts.append((end + 1 - first, whole and bool(terminated[end, row, 0]), after))
            at += [(step, row) for step in range(first, end + 1)]
            first = end + 1
    index = tuple(np.array(at).T)
    made = Rows(
        columns={},
        reward=experience.reward[..., 0].numpy()[index],
        last={},
        lengths=np.array([part[0] for part in parts]),
        terminated=np.array([part[1] for part in parts]),
    )
    after = np.array([part[2] for part in parts])
    got = advantages(made, values[:-1].numpy()[index], after, 0.97, 0.9)
    np.testing.assert_allclose(got, want[index], rtol=1e-5, atol=1e-5)
    assert made.terminated.any()
    assert not made.terminated.all()


def train(out, *options, steps="20000", hash_seed="1"):
    """Run the command as people do; give what it printed."""
    sets = [word for entry in SMALL for word in ("--set", entry)]
    line = [sys.executable, "-m", "mesocosm.cli", *TRAIN, *sets]
    line += ["--steps", steps, "--out", str(out), "--json", *options]
    variables = os.environ | {"PYTHONHASHSEED": hash_seed}
    made = subprocess.run(line, capture_output=True, text=True, check=True, env=variables)
    return json.loads(made.stdout)


def curve(path):
    rows = mesocosm.open_run(path).table("learning").to_table().to_pylist()
    return [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in rows]


@pytest.mark.slow
def test_a_training_repeats_itself_and_its_policy_plays(tmp_path):
    train(tmp_path / "one", hash_seed="1")
    train(tmp_path / "two", hash_seed="77")
    assert curve(tmp_path / "one") == curve(tmp_path / "two")
    one, two = (tmp_path / x / "policies" / "last.mesop" for x in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    about = json.loads((tmp_path / "one" / "run.json").read_text())
    assert about["status"] == "finished"
    assert about["engine"]["PYTHONHASHSEED"] == {"workers": "0", "driver": "1"}
    assert about["workers_lost"] == []
    line = ["evaluate", "commons", str(one), "random", "--episodes", "4", "--json"]
    played = CliRunner().invoke(app, [*line, "--set", "core.max_steps=20"])
    assert played.exit_code == 0, played.output


@pytest.mark.slow
def test_a_training_that_was_interrupted_goes_on(tmp_path):
    out = tmp_path / "run"
    line = command(out, steps=500_000, workers=1, preset="commons")
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: has_played(out, 1), process, "the first checkpoint")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
    before = json.loads((out / "run.json").read_text())
    assert before["status"] == "interrupted"
    first = curve(out)
    line = [sys.executable, "-m", "mesocosm.cli", "train", "--resume", str(out), "--json"]
    made = subprocess.run(line, capture_output=True, text=True, check=True)
    whole = curve(out)
    assert whole[: len(first)] == first
    assert len(whole) > len(first) > 0
    assert [row["update"] for row in whole] == list(range(1, len(whole) + 1))
    assert json.loads(made.stdout)["agent_steps"] >= 500_000
    assert json.loads((out / "run.json").read_text())["status"] == "finished"


@pytest.mark.slow
def test_a_training_of_which_all_workers_are_killed_completes(tmp_path):
    found = kill_workers(tmp_path / "run", steps=600_000)
    check(found)
    assert found["summary"]["agent_steps"] >= 600_000
    assert len(found["workers_lost"]) == 2
