"""The table of trainings through adapters says what its runs say."""

import json
from importlib import import_module

import pytest

from benchmarks import adapter_training as training


def fake_run(seed, first, last, name="SB3 PPO"):
    probes = [{"agent_steps": 0, "returns": first}, {"agent_steps": 1000, "returns": last}]
    return {"name": name, "preset": "townlet/L1", "seed": seed, "cpu_seconds": 1, "probes": probes}


def test_every_training_can_be_imported():
    for place in training.TRAININGS.values():
        module, _, function = place.partition(":")
        assert callable(getattr(import_module(module), function))


def test_an_interval_is_that_of_students_t():
    low, high = training.interval([1.0, 2.0, 3.0])
    assert (low, high) == pytest.approx((2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5))


def test_a_gain_is_the_mean_over_seeds_of_last_minus_first():
    row = training.summarise([fake_run(1, [1.0, 3.0], [11.0]), fake_run(2, [2.0], [13.0])])
    assert (row["first"], row["last"], row["seeds"]) == ("2.0", "12.0", 2)
    assert row["gain (95 %)"].startswith("10.0 (")
    assert row["least gain of a seed"] == "9.0"


def test_a_new_run_replaces_rows_of_its_training_and_keeps_others(tmp_path):
    other = fake_run(1, [0.0], [1.0], "JAX by DLPack")
    training.keep([fake_run(1, [0.0], [5.0]), fake_run(2, [0.0], [5.0]), other], tmp_path)
    text = training.keep([fake_run(3, [0.0], [7.0]), fake_run(4, [0.0], [8.0])], tmp_path)
    kept = json.loads((tmp_path / "training.json").read_text())
    assert [(r["name"], r["seed"]) for r in kept] == [
        ("SB3 PPO", 3),
        ("SB3 PPO", 4),
        ("JAX by DLPack", 1),
    ]
    assert (tmp_path / "training.md").read_text() == text


def test_a_training_plays_evaluations_of_equal_episodes(monkeypatch):
    seen = []

    def train(preset, seed, num_steps, probe):
        probe(0, lambda obs, mask: mask.argmax(axis=1))
        probe(num_steps, lambda obs, mask: seen.append(obs.shape) or mask.argmax(axis=1))

    real = training.mesocosm.make
    monkeypatch.setattr(
        training.mesocosm,
        "make",
        lambda *a, **k: real(*a, {"core.max_steps": 4}, **k, target="python"),
    )
    monkeypatch.setattr(training, "NUM_EPISODES", 3)
    monkeypatch.setattr(import_module("benchmarks.trainings.sb3"), "train_ppo", train)
    run = training.run("SB3 PPO", "townlet/L1", 1, 10)
    first, last = (probe["returns"] for probe in run["probes"])
    assert first == last
    assert len(first) == 3
    assert seen == [(3, 49)] * 4


def test_an_unknown_training_is_refused(capsys):
    with pytest.raises(SystemExit):
        training.main(["SB4"])
    assert "no training named ['SB4']" in capsys.readouterr().err
