"""The information layer on dense rows, on tables of entities and on lists of tokens."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.testing import audit, check_world
from mesocosm.testing.play import wild_actions

EMPTY = 255


def blurred(preset, *blurs, intensity=1.0, **more):
    layers = {"layers.information": {"intensity": intensity, "blurs": list(blurs)}} | more
    plain, layered = (
        meso.make(preset, overrides, num_envs=16, seed=3) for overrides in ({}, layers)
    )
    steps = [env.reset() for env in (plain, layered)]
    for t in range(12):
        rows = [np.array(step.obs) for step in steps]
        yield t, *rows, layered
        actions = wild_actions(plain, np.random.default_rng(t), odd=0.0)
        steps = [env.step(actions) for env in (plain, layered)]


def tokens(row):
    return [tuple(token) for token in row.tolist() if token[0] != EMPTY]


def test_masked_tokens_are_gone_and_the_others_close_ranks():
    for _, plain, seen, _ in blurred("beacon/tokens", {"features": "glow", "mask": True}):
        for before, after in zip(plain.reshape(-1, 14, 3), seen.reshape(-1, 14, 3), strict=True):
            assert tokens(after) == [token for token in tokens(before) if token[1] != 1]
            assert (after[len(tokens(after)) :] == EMPTY).all()


def test_noise_changes_values_of_its_tokens_only_and_stays_in_range():
    changed = 0
    for _, plain, seen, _ in blurred("beacon/tokens", {"features": "glow", "noise": 0.2}):
        assert (plain[..., :2] == seen[..., :2]).all()
        glows = plain[..., 1] == 1
        assert (plain[..., 2] == seen[..., 2])[~glows].all()
        assert (seen[..., 2][glows] <= 100).all()
        changed += (plain[..., 2] != seen[..., 2])[glows].sum()
    assert changed > 500


def test_late_tokens_come_later():
    shown = []
    for t, plain, seen, _ in blurred("beacon/tokens", {"features": "hue", "delay": 2}):
        shown.append(plain)
        for row in np.ndindex(16, 2):
            now = [token for token in tokens(plain[row]) if token[1] != 2]
            then = [token for token in tokens(shown[t - 2][row]) if token[1] == 2] if t > 1 else []
            assert tokens(seen[row]) == now + then


def test_dropout_takes_tokens_by_chance():
    kept = total = 0
    for _, plain, seen, _ in blurred("beacon/tokens", {"features": "*", "dropout": 0.25}):
        kept += (seen[..., 0] != EMPTY).sum()
        total += (plain[..., 0] != EMPTY).sum()
    assert 0.70 < kept / total < 0.80


def test_layers_add_their_numbers_as_tokens_of_new_ids():
    settings = {"layers.temporal": {"intensity": 1.0, "trust": {"weights": {"fed": 1.0}}}}
    env = meso.make("beacon/tokens", settings, num_envs=2)
    kinds = {kind.name: kind.id for kind in env.spec.roles["keeper"].observation.tokens.kinds}
    step = env.reset()
    rows = np.array(step.obs)
    for j in range(2):
        at = rows[..., 1] == kinds[f"trust.{j}"]
        assert (at.sum(axis=-1) == 1).all()
        assert (rows[at][:, 0] == 254).all()
        assert (rows[at][:, 2] == 128).all()  # no trust yet: the middle of the range


def test_a_row_of_a_table_that_stands_for_nobody_stays_empty():
    for _, plain, seen, _ in blurred("beacon/table", {"features": "lights", "noise": 0.3}):
        before, after = (rows[..., :24].reshape(16, 2, 6, 4) for rows in (plain, seen))
        nobody = (before == 0).all(axis=-1)
        assert nobody.any()
        assert not nobody.all()
        assert (after[nobody] == 0).all()
        assert (after[~nobody] != before[~nobody]).any()
        assert (plain[..., 24] == seen[..., 24]).all()


def test_dropout_takes_whole_rows_of_a_table():
    for _, plain, seen, _ in blurred("beacon/table", {"features": "lights", "dropout": 0.5}):
        before, after = (rows[..., :24].reshape(16, 2, 6, 4) for rows in (plain, seen))
        gone = (after == 0).all(axis=-1)
        assert (after[~gone] == before[~gone]).all()
        assert gone.sum() > (before == 0).all(axis=-1).sum()


def test_a_column_of_a_table_can_be_masked():
    for _, plain, seen, _ in blurred("beacon/table", {"features": "lights.*.glow", "mask": True}):
        after = seen[..., :24].reshape(16, 2, 6, 4)
        assert (after[..., 2] == 0).all()
        assert (after[..., :2] == plain[..., :24].reshape(16, 2, 6, 4)[..., :2]).all()


def test_masked_numbers_have_the_declared_missing_value():
    blur = {"features": "s*", "mask": True}
    for _, plain, seen, env in blurred("commons", blur):
        layout = env.spec.roles["harvester"].observation
        for name in ("stock", "skill", "standing"):
            assert (seen[..., layout.span(name)] == layout.feature(name).absent).all()
        for name in ("wealth", "near_alive"):
            span = layout.span(name)
            assert (seen[..., span] == plain[..., span]).all()


@pytest.mark.parametrize("kind", ["tokens", "table"])
@pytest.mark.parametrize("name", ["blur", "history", "all"])
def test_other_kinds_of_observation_keep_the_contract_with_layers(kind, name):
    feature = "glow" if kind == "tokens" else "lights"
    blurs = [{"features": feature, "noise": 0.1, "dropout": 0.2, "delay": 2}]
    layers = {
        "blur": {"information": {"blurs": blurs}},
        "history": {"temporal": {"history": 3, "latency": 1}},
        "all": {
            "information": {"blurs": blurs},
            "temporal": {
                "reputation": {"weights": {"fed": 1.0}},
                "effects": {"glow": {"steps": 2}},
            },
            "hierarchy": {"groups": "size", "size": 2, "pool": {"oil": 0.5}},
            "interaction": {"contention": "lottery", "mixing": "shared"},
            "uncertainty": {"shocks": {"rain": {"column": "glow", "hazard": 0.1, "size": -0.5}}},
        },
    }[name]
    settings = {f"layers.{key}": {"intensity": 1.0, **value} for key, value in layers.items()}
    check_world("beacon", presets=[f"beacon/{kind}"], overrides=settings, steps=16)
    audit(f"beacon/{kind}", overrides=settings, states=4).require_clean()
