"""The order of keys decides what is observed first; hashes, run folders and replays keep it."""

import numpy as np
import yaml
from games import play
from recordings.replay import recorded_config

import mesocosm as meso
from mesocosm.config.identity import behaviour_hash, config_hash, dump, to_yaml
from mesocosm.worlds.mettagrid.upstream import import_config


def imported(*names):
    """Import a game whose agents begin with one of each resource, listed in this order."""
    config = recorded_config("classic_basic")
    config["game"]["agent"]["inventory"]["initial"] = dict.fromkeys(names, 1)
    return meso.load_config(import_config(config))


def first_view(config):
    env = meso.make(config, target="python")
    return np.asarray(env.reset(seed=0).obs)


ONE = imported("energy", "ore", "heart")
OTHER = imported("heart", "energy", "ore")


def test_configs_with_another_order_of_keys_play_and_hash_differently():
    assert (first_view(ONE) != first_view(OTHER)).any()
    assert config_hash(ONE) != config_hash(OTHER)
    assert behaviour_hash(ONE) != behaviour_hash(OTHER)


def test_config_written_and_read_keeps_the_order_of_keys():
    for config in (ONE, OTHER):
        again = meso.load_config(yaml.safe_load(to_yaml(config)))
        assert config_hash(again) == config_hash(config)
        assert (first_view(again) == first_view(config)).all()


def test_recorded_run_replays_with_the_order_of_keys(tmp_path):
    for k, config in enumerate((ONE, OTHER)):
        env = meso.make(config, target="python", autoreset="off")
        with meso.record(env, tmp_path / f"run{k}"):
            env.reset(seed=3)
            for action in (1, 4, 2, 3):
                play(env, action, action)
        run = meso.open_run(tmp_path / f"run{k}")
        assert run.verify("python").holds
        kept = run.replay.config["core"]["agent"]["inventory"]["initial"]
        assert list(kept) == list(dump(config)["core"]["agent"]["inventory"]["initial"])
