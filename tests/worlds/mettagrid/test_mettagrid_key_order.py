"""The order of keys decides what is told first; hashes, run folders and replays keep it."""

import json
from pathlib import Path

import numpy as np
import yaml

import mesocosm as meso
from mesocosm.config.identity import behaviour_hash, config_hash, dump, to_yaml
from mesocosm.worlds.mettagrid.upstream import import_config

RECORDING = Path(__file__).parent / "recordings" / "classic_basic.json"


def imported(*names):
    """Import a game whose agents begin with one of each resource, listed in this order."""
    program = json.loads(RECORDING.read_text())["config"]
    program["game"]["agent"]["inventory"]["initial"] = dict.fromkeys(names, 1)
    return meso.load_config(import_config(program))


def told(config):
    env = meso.make(config, target="python")
    return np.asarray(env.reset(seed=0).obs)


ONE = imported("energy", "ore", "heart")
OTHER = imported("heart", "energy", "ore")


def test_configs_that_differ_in_the_order_of_keys_alone_play_differently_and_say_so():
    assert (told(ONE) != told(OTHER)).any()
    assert config_hash(ONE) != config_hash(OTHER)
    assert behaviour_hash(ONE) != behaviour_hash(OTHER)


def test_a_config_that_is_written_and_read_keeps_the_order():
    for config in (ONE, OTHER):
        again = meso.load_config(yaml.safe_load(to_yaml(config)))
        assert config_hash(again) == config_hash(config)
        assert (told(again) == told(config)).all()


def test_a_recorded_run_is_played_again_with_the_keys_in_order(tmp_path):
    for k, config in enumerate((ONE, OTHER)):
        env = meso.make(config, target="python", autoreset="off")
        with meso.record(env, tmp_path / f"run{k}"):
            env.reset(seed=3)
            for action in (1, 4, 2, 3):
                env.step(np.full((1, 2, 1), action, np.int32))
        run = meso.open_run(tmp_path / f"run{k}")
        assert run.verify("python").holds
        kept = run.replay.config["core"]["agent"]["inventory"]["initial"]
        assert list(kept) == list(dump(config)["core"]["agent"]["inventory"]["initial"])
