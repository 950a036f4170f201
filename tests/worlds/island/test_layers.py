"""All seven layers act on island through what it declares."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.worlds.island.state import CAPTURE

from .test_fire import far_apart
from .war import SIDES, kinds, put, wait

LAYERS = {
    "information": {"blurs": [{"features": "groups", "dropout": 0.5, "delay": 2}]},
    "temporal": {"latency": 2, "trust": {"weights": {"shot": -1.0, "contact": 0.1}}},
    "hierarchy": {"groups": "size", "size": 2, "share": {"entities.0.fuel_norm": "mean"}},
    "interaction": {"mixing": "shared", "timing": "sparse", "period": 3},
    "power": {
        "castes": {"blind": {"effects": {"sensing": 0.2}}, "free": {"effects": {"speed": 1.5}}},
        "assign": {"legacy": ["blind"], "dynasty": ["free"]},
        "matrix": {"blind": {"free": []}},
    },
    "incentives": {"costs": {"action_type.move": 0.5}, "penalties": {"order_refused": 0.3}},
    "uncertainty": {
        "shocks": {"leak": {"column": "fuel.*", "hazard": 0.5, "size": -0.2}},
        "drift": {"radar_scale": {"amount": -0.5, "period": 5, "every": 1}},
    },
}


def told(name=None, intensity=1.0, steps=12):
    """Play random orders under a layer; give everything that was seen and earned."""
    overrides = {"core.shaping.capture": 12.0}
    if name is not None:
        overrides[f"layers.{name}"] = {"intensity": intensity, **LAYERS[name]}
    env = meso.make("island/skirmish", overrides, target="python", seed=3)
    env.reset()
    saved, settler = env.save(), 6
    saved["pos"][0, 0, settler], saved["landed"][0, 0, settler] = (0.0, 0.0), True
    saved["manoeuver"][0, 0, settler] = CAPTURE
    step = env.load(saved)
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(steps):
        rows += [np.array(step.obs[side])[0, 0, :707] for side in SIDES]
        rows += [np.asarray(step.reward[side])[0] for side in SIDES]
        drawn = {side: env.spec.roles[side].action.sample(rng, (1, 1)) for side in SIDES}
        step = env.step(drawn)
    return b"".join(row.tobytes() for row in rows)


@pytest.fixture(scope="module")
def plain():
    return told()


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_changes_the_war_at_full_intensity_and_nothing_at_zero(name, plain):
    assert told(name, intensity=0.0) == plain
    assert told(name) != plain or name == "hierarchy"  # which only adds what it shares


def test_a_coalition_is_paid_the_same():
    overrides = {"core.max_steps": 6}
    env = meso.make("island/coalition", overrides, target="python", seed=3)
    step = env.reset()
    assert step.obs["legacy"].shape[-1] > 3371
    rng = np.random.default_rng(1)
    for _ in range(5):
        step = env.step({s: env.spec.roles[s].action.sample(rng, (1, 1)) for s in SIDES})
        assert step.reward["legacy"][0, 0] == step.reward["dynasty"][0, 0]


@pytest.mark.parametrize("preset", ["electronic-fog", "coalition", "attrition"])
def test_archetypes_have_the_standard_war_under_them(preset):
    made, standard = meso.load_config(f"island/{preset}"), meso.load_config("island/standard")
    ours, theirs = made.core.model_dump(), standard.core.model_dump()
    del ours["shaping"], theirs["shaping"]
    assert ours == theirs
    assert made.layers != standard.layers


@pytest.mark.parametrize("threshold", [None, 0.5, -0.5])
def test_a_side_that_is_not_trusted_holds_its_fire_and_that_is_an_event(threshold):
    links = {} if threshold is None else {"fire": threshold}
    trust = {"weights": {"shot": -0.1}, "links": links}
    layers = {"layers.temporal": {"intensity": 1.0, "trust": trust}}
    env = meso.make("island/skirmish", layers, target="python", seed=3, autoreset="off")
    env.reset()
    far_apart(env)
    i, j = kinds(env, 0)["MRF"][0], kinds(env, 1)["MRF"][0]
    put(env, pos={(0, i): (0.0, 0.0), (1, j): (25.0, 0.0)}, usage=0, radar={(0, i): True},
        heading={(0, i): (1.0, 0.0), (1, j): (1.0, 0.0)})  # fmt: skip
    put(env, usage={(0, i): 2})
    wait(env, 2)
    barred = [event["actor"] for event in env.events() if event["kind"] == "barred_link"]
    assert (env.truth("fired")[0, 0, i] == 0) == (threshold == 0.5)
    assert set(barred) == ({0} if threshold == 0.5 else set())
    assert len(barred) <= 2 * env.config.core.substeps  # however many weapons are held
