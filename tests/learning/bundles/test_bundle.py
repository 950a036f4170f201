"""Bundles are written whole, always the same way, and read back exactly."""

import json
import zipfile

import numpy as np
import pytest
import safetensors.torch
import torch
from bundle_samples import PRESETS, sample_bundle, sample_network

import mesocosm as meso
from mesocosm.core.errors import BundleError
from mesocosm.learning.bundles.bundle import named_weights, read_bundle, write_bundle
from mesocosm.learning.bundles.card import Card, Training, make_card
from mesocosm.learning.settings import LearningSettings


@pytest.mark.parametrize("preset", [*PRESETS, "island"])
def test_bundle_gives_back_network_and_role(preset, tmp_path):
    network = sample_bundle(tmp_path / "a.mesop", preset, memory="gru")
    bundle = read_bundle(tmp_path / "a.mesop")
    role = next(iter(meso.config_spec(preset).roles.values()))
    assert bundle.role.name == role.name
    assert bundle.role.observation.names() == role.observation.names()
    assert bundle.role.observation.shape == role.observation.shape
    assert bundle.role.observation.dtype == role.observation.dtype
    assert [part.options for part in bundle.role.action.choices] == [
        part.options for part in role.action.choices
    ]
    again = bundle.make_network().state_dict()
    assert again.keys() == network.state_dict().keys()
    assert all(torch.equal(value, again[name]) for name, value in network.state_dict().items())


def test_bundle_keeps_with_what_parts_count_and_one_without_it_still_plays(tmp_path):
    network = sample_bundle(tmp_path / "new.mesop", "commons/wardens")
    bundle = read_bundle(tmp_path / "new.mesop")
    role = meso.config_spec("commons/wardens").roles["harvester"]
    assert [dict(part.used_with) for part in bundle.role.action.parts] == [
        dict(part.used_with) for part in role.action.parts
    ]
    assert bundle.role.action.conditions == role.action.conditions
    data = json.loads(bundle.card.dump())
    for part in (*data["action"]["choices"], *data["action"]["levels"]):
        del part["used_with"]  # as bundles were before
    card = Card.model_validate_json(json.dumps(data))
    write_bundle(tmp_path / "old.mesop", network, card)
    old = read_bundle(tmp_path / "old.mesop")
    assert not any(old.role.action.conditions)
    idle = {}
    for name in ("new", "old"):
        policy, env = (
            meso.policy(tmp_path / f"{name}.mesop"),
            meso.make("commons", num_envs=50, target="python"),
        )
        step = env.reset(seed=1)
        policy.reset(env.spec.roles["harvester"], 50, 1)
        began = np.ones((50, 6), bool)
        choice, level = policy.act(step.obs, step.mask, step.info, began)
        used = role.action.used(choice)
        idle[name] = (choice[~used[..., 1], 1] == 0).all(), (level[~used[..., 3], 1] == 0.0).all()
        assert 0 < used[..., 1].sum() < used[..., 1].size
    assert idle == {"new": (True, True), "old": (False, False)}


def test_card_takes_actions_of_hundreds_of_parts():
    role = meso.config_spec("mettagrid/talk").roles["cog"]
    card = make_card(role, meso.load_config("mettagrid/talk"), Training(LearningSettings()))
    again = Card.model_validate_json(card.dump()).make_role()
    assert len(again.action.choices) == 561
    assert again.action.conditions == role.action.conditions


def test_bundle_of_a_shared_encoder_holds_it_once(tmp_path):
    network = sample_bundle(tmp_path / "a.mesop", "mettagrid/forage", shared=True)
    bundle = read_bundle(tmp_path / "a.mesop")
    assert not any(name.startswith("critic_encoder") for name in bundle.weights)
    again = bundle.make_network().state_dict()
    assert all(torch.equal(value, again[name]) for name, value in network.state_dict().items())


def test_equal_content_gives_equal_bytes(tmp_path):
    for name in ("a", "b"):
        sample_bundle(tmp_path / f"{name}.mesop")
    first, second = (tmp_path / "a.mesop").read_bytes(), (tmp_path / "b.mesop").read_bytes()
    assert first == second
    assert read_bundle(tmp_path / "a.mesop").sha256 == read_bundle(tmp_path / "b.mesop").sha256


def test_card_says_what_the_policy_is_and_how_it_was_made(tmp_path):
    sample_bundle(tmp_path / "a.mesop", "townlet/L3")
    with zipfile.ZipFile(tmp_path / "a.mesop") as archive:
        card = json.loads(archive.read("card.json"))
        weights = safetensors.torch.load(archive.read("weights.safetensors"))
    assert (card["schema"], card["world"], card["preset"], card["role"]) == (
        1, "townlet", "townlet/L3", "resident",
    )  # fmt: skip
    assert card["action"]["choices"][0]["options"][-1] == "WAIT"
    assert card["observation"]["features"][0]["name"] == "grid"
    assert card["learning"]["gamma"] == 0.9995
    assert card["command"] == "mesocosm train townlet/L3"
    assert card["metrics"] == {"mean_return": 1.5}
    assert card["agent_steps"] == 1000
    mine = read_bundle(tmp_path / "a.mesop").weights
    assert mine.keys() == weights.keys()
    assert all(torch.equal(value, mine[name]) for name, value in weights.items())


def test_reading_a_bundle_draws_no_random_number(tmp_path):
    sample_bundle(tmp_path / "a.mesop", "commons/wardens")
    before = torch.get_rng_state()
    read_bundle(tmp_path / "a.mesop").make_network()
    assert torch.equal(before, torch.get_rng_state())


def test_failed_write_leaves_what_was_there(tmp_path):
    sample_bundle(tmp_path / "a.mesop")
    before = (tmp_path / "a.mesop").read_bytes()
    role = meso.config_spec("townlet/L3").roles["resident"]
    network, settings = sample_network(role)
    card = make_card(role, meso.load_config("townlet/L3"), Training(settings))
    with torch.no_grad():
        named_weights(network)["actor.last.bias"][2] = float("nan")
    with pytest.raises(BundleError, match=r"actor\.last\.bias: holds NaN"):
        write_bundle(tmp_path / "a.mesop", network, card)
    assert (tmp_path / "a.mesop").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.mesop"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.zip", "must end in .mesop"), ("missing/a.mesop", "cannot be written: No such file")],
)
def test_bundle_that_cannot_be_written_is_one_error(name, message, tmp_path):
    with pytest.raises(BundleError, match=message):
        sample_bundle(tmp_path / name)
