"""Validity says which numbers are real: a hidden value and a real zero differ."""

import numpy as np
import pytest
from test_information import castes, information, play

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.testing import audit
from mesocosm.testing.play import differing, outputs, wild_actions


def part(env, role, step, name):
    layout = env.spec.roles[role].observation
    return np.array(step.obs)[..., layout.span(name)]


def test_dropped_numbers_are_flagged_and_no_others():
    blur = information({"features": "near_catch", "dropout": 0.4}, validity=True)
    gone = 0
    for _, plain, step, env in play("commons", blur):
        flags = part(env, "harvester", step, "valid.near_catch")
        seen = part(env, "harvester", step, "near_catch")
        true = np.array(plain.obs)[..., env.inner.roles["harvester"].observation.span("near_catch")]
        assert set(np.unique(flags)) <= {0.0, 1.0}
        assert (seen[flags == 1] == true[flags == 1]).all()
        assert (seen[flags == 0] == 0).all()
        gone += (flags == 0).mean() / 12
    assert 0.3 < gone < 0.5


def test_masked_numbers_are_flagged_within_their_feature():
    blur = information({"features": "meters.money", "mask": True}, validity=True)
    for _, _, step, env in play("townlet/L7", blur, steps=3):
        feature = env.spec.roles["resident"].observation.feature("valid.meters")
        at = feature.labels.index("money")
        alive = np.array(step.acting)
        flags = part(env, "resident", step, "valid.meters")[alive]
        assert (flags[:, at] == 0).all()
        assert (np.delete(flags, at, axis=1) == 1).all()
        assert feature.reads == ()


def test_late_numbers_are_flagged_until_the_first_arrives():
    blur = information({"features": "stock", "delay": 3}, validity=True)
    for t, _, step, env in play("commons", blur, steps=6):
        assert (part(env, "harvester", step, "valid.stock") == (t >= 3)).all()


def test_noisy_numbers_count_as_shown_and_get_no_flag():
    blurs = ({"features": "stock", "noise": 0.1}, {"features": "skill", "mask": True})
    spec = meso.config_spec("commons", information(*blurs, validity=True))
    added = [f.name for f in spec.roles["harvester"].observation.features if "valid" in f.name]
    assert added == ["valid.skill"]


def test_info_is_flagged_in_its_own_layout():
    blur = information({"features": "neighbours", "dropout": 0.5}, validity=True)
    for _, plain, step, _ in play("commons", blur):
        flags, told = step.info["valid.neighbours"], step.info["neighbours"]
        assert set(np.unique(flags)) == {0.0, 1.0}
        assert (told[flags == 1] == plain.info["neighbours"][flags == 1]).all()
        assert (told[flags == 0] == 0).all()


def test_a_castes_hidden_features_are_flagged_for_its_members():
    layers = castes("wealth") | information({"features": "stock", "mask": True}, validity=True)
    for _, _, step, env in play("commons", layers, steps=2):
        flags = part(env, "harvester", step, "valid.wealth")[..., 0]
        assert (flags[:, 1::2] == 0).all()
        assert (flags[:, ::2] == 1).all()


def test_validity_of_the_newest_row_stands_behind_the_history():
    history = {"layers.temporal": {"intensity": 1.0, "history": 3}}
    blur = information({"features": "stock", "delay": 1}, validity=True)
    for t, _, step, env in play("commons", blur | history, steps=4):
        names = [f.name for f in env.spec.roles["harvester"].observation.features]
        assert names.count("valid.stock") == 1
        assert "valid.stock@1" not in names
        assert (part(env, "harvester", step, "valid.stock") == (t >= 1)).all()


def kinds(env):
    tokens = env.spec.roles["keeper"].observation.tokens
    return {kind.name: kind.id for kind in tokens.kinds}


def flags_of(row, kind):
    return row[(row[:, 0] != 255) & (row[:, 1] == kind)][:, 2].tolist()


def test_tokens_get_one_flag_per_kind_that_may_be_withheld():
    blurs = ({"features": "glow", "dropout": 0.3}, {"features": "hue", "delay": 2})
    seen = set()
    for t, plain, step, env in play("beacon/tokens", information(*blurs, validity=True)):
        ids = kinds(env)
        assert "valid.oil" not in ids
        for row, true in zip(
            np.array(step.obs).reshape(-1, 14, 3),
            np.array(plain.obs).reshape(-1, 14, 3),
            strict=True,
        ):
            (glow,), (hue,) = (flags_of(row, ids[f"valid.{name}"]) for name in ("glow", "hue"))
            kept = len(flags_of(row, ids["glow"])) == len(flags_of(true, ids["glow"]))
            assert glow == kept
            assert hue == (t >= 2)
            seen.add(glow)
    assert seen == {0, 1}


def test_flags_of_tokens_have_room_when_the_row_is_full():
    blurs = [{"features": "hue", "mask": True}, {"features": "glow", "dropout": 0.01}]
    wide = {"core.sight": 16}  # 6 lights of 2 tokens, and the oil: 13 of 14
    for _, _, step, env in play("beacon/tokens", wide | information(*blurs, validity=True)):
        for row in np.array(step.obs).reshape(-1, 14, 3):
            assert flags_of(row, kinds(env)["valid.hue"]) == [0]
            assert len(flags_of(row, kinds(env)["valid.glow"])) == 1


@pytest.mark.parametrize("blurs", [(), ({"features": "stock", "noise": 0.1},)])
def test_validity_of_what_is_never_withheld_is_refused(blurs):
    with pytest.raises(ConfigError, match=r"information.validity: nothing is masked, dropped"):
        meso.load_config("commons", information(*blurs, validity=True))


@pytest.mark.parametrize("preset", ["commons", "beacon/tokens", "beacon/table"])
def test_flags_tell_nothing_that_they_do_not_declare(preset):
    names = {"commons": "near_catch", "beacon/tokens": "glow", "beacon/table": "lights"}
    blurs = [{"features": names[preset], "dropout": 0.3, "delay": 2}]
    blurs += [{"features": "o*" if "beacon" in preset else "neigh*", "dropout": 0.3, "delay": 1}]
    settings = information(*blurs, validity=True)
    audit(preset, overrides=settings, states=4, target="python").require_clean()


ALL = {
    "commons/wardens": ("near_*", "neigh*", "stock"),
    "beacon/tokens": ("glow", "oil", "hue"),
    "beacon/table": ("lights", "oil", "lights.*.hue"),
}


def everything(preset):
    """Give blurs of all kinds, of observation and info, flags, and a caste that sees less."""
    first, second, third = ALL[preset]
    blurs = (
        {"features": first, "dropout": 0.3, "delay": 2},
        {"features": second, "noise": 0.2, "delay": 1, "dropout": 0.2},
        {"features": third, "mask": True},
    )
    roles = {"commons/wardens": "harvester"}
    low = {"castes": {"low": {"hidden": [second]}, "high": {}}}
    power = {**low, "assign": {roles.get(preset, "keeper"): ["low", "high"]}}
    return information(*blurs, validity=True) | {"layers.power": {"intensity": 1.0, **power}}


@pytest.mark.parametrize("preset", ALL)
def test_all_channels_have_the_same_bits_on_every_target(preset):
    envs = [
        meso.make(preset, everything(preset), num_envs=3, seed=4, target=target)
        for target in ("python", "cpu")
    ]
    steps = [env.reset() for env in envs]
    for t in range(20):
        told = [outputs(env, step) for env, step in zip(envs, steps, strict=True)]
        assert differing(*told) == []
        actions = wild_actions(envs[0], np.random.default_rng(t), steps[0])
        steps = [env.step(actions) for env in envs]
    assert envs[0].digest() == envs[1].digest()


@pytest.mark.parametrize("preset", ALL)
def test_a_snapshot_holds_what_is_to_be_told_later(preset):
    first, second = (
        meso.make(preset, everything(preset), num_envs=3, seed=seed, target="python")
        for seed in (4, 5)
    )
    rng, step = np.random.default_rng(0), first.reset()
    for _ in range(5):
        step = first.step(wild_actions(first, rng, step))
    second.load(first.save())
    for _ in range(5):
        actions = wild_actions(first, rng, step)
        step, again = first.step(actions), second.step(actions)
        assert differing(outputs(first, step), outputs(second, again)) == []
