"""What reputation and trust lead to: effects, links and the order of agents."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.testing import check_world
from mesocosm.testing.play import wild_actions

GIVE, SANCTION = 1, 2  # options of a harvester's deal
REPUTATION = {"weights": {"gift": 1.0, "sanction": -1.0}, "decay": 1.0}


def lake(temporal, **more):
    overrides = {"layers.temporal": {"intensity": 1.0, **temporal}, **more}
    env = meso.make("commons", overrides, target="python", seed=2, autoreset="off")
    env.reset()
    return env


def set_standing(env, **fields):
    """Write what is thought of agents, as a snapshot has it."""
    saved = env.save()
    for name, values in fields.items():
        saved[f"layer.{name}"][0] = values
    env.load(saved)


def play(env, deal, effort=0.0):
    """Let every harvester do the same to the one on its left."""
    action = env.spec.roles["harvester"].action.noop((1, 6))
    action.choice[..., 0] = deal
    action.level[..., 0] = effort
    action.level[..., 1] = 1.0
    env.step(action)
    return [event for event in env.events() if event["kind"] != "conflict"]


def test_a_reputation_scales_effects_beside_the_caste():
    power = {
        "intensity": 1.0,
        "castes": {"strong": {"effects": {"harvest": 2.0}}},
        "assign": {"harvester": ["strong"]},
    }
    env = lake(
        {"reputation": {**REPUTATION, "effects": {"harvest": 0.5}}}, **{"layers.power": power}
    )
    set_standing(env, repute=[0.0, 1.0, 3.0, -1.0, -3.0, 0.0])
    play(env, 0)
    squashed = np.array([0.0, 0.5, 0.75, -0.5, -0.75, 0.0])
    np.testing.assert_allclose(env.driver.f.effect[0, :, 0], 2.0 * (1.0 + 0.5 * squashed))


def test_an_effect_of_a_bad_name_is_never_negative():
    env = lake({"reputation": {**REPUTATION, "effects": {"*": 1000.0}}})
    set_standing(env, repute=[-1.0, 1e9, 0.0, 0.0, 0.0, 0.0])
    play(env, 0, effort=1.0)
    effect = env.driver.f.effect[0, :, 0]
    assert effect[0] == 0.0
    assert effect[1] == 1000.0
    assert env.truth("catch")[0, 0] == 0.0


def test_who_has_a_bad_name_may_not_use_a_link_and_that_is_an_event():
    env = lake({"reputation": {**REPUTATION, "links": {"sanction": -0.4}}})
    set_standing(env, repute=[-1.0, -0.5, 0.0, 1.0, 0.0, 0.0])
    events = play(env, SANCTION)
    barred = [event["actor"] for event in events if event["kind"] == "barred_link"]
    done = [event["actor"] for event in events if event["kind"] == "sanction"]
    assert barred == [0]
    assert sorted(done) == [1, 2, 3, 4, 5]
    assert "sanction" in next(e["text"] for e in events if e["kind"] == "barred_link")


def test_a_link_that_is_not_named_stays_free():
    env = lake({"reputation": {**REPUTATION, "links": {"sanction": 0.9}}})
    assert {event["kind"] for event in play(env, GIVE)} == {"gift"}
    assert {event["kind"] for event in play(env, SANCTION)} == {"barred_link"}


def test_a_link_by_trust_asks_the_one_that_is_affected():
    env = lake({"trust": {"weights": {"gift": 1.0}, "decay": 1.0, "links": {"gift": 0.5}}})
    trust = np.zeros((6, 6))
    trust[:, 2] = 1.0  # all trust agent 2
    trust[4, :] = 1.0  # agent 4 trusts all
    set_standing(env, trust=trust)
    events = play(env, GIVE)
    done = {(event["actor"], event["target"]) for event in events if event["kind"] == "gift"}
    barred = {(e["actor"], e["target"]) for e in events if e["kind"] == "barred_link"}
    assert len(done) == 2
    assert len(barred) == 4
    assert all(actor == 2 or target == 4 for actor, target in done)
    assert not any(actor == 2 or target == 4 for actor, target in barred)


@pytest.mark.parametrize(("intensity", "barred"), [(1.0, 3), (0.5, 1), (0.05, 0)])
def test_at_a_lower_intensity_fewer_are_barred(intensity, barred):
    env = lake({"intensity": intensity, "reputation": {**REPUTATION, "links": {"gift": 0.0}}})
    set_standing(env, repute=[-4.0, -0.5, -0.4, 0.0, 0.0, 0.0])
    events = play(env, GIVE)
    assert sum(event["kind"] == "barred_link" for event in events) == barred


def test_the_best_reputed_come_first_in_contention():
    env = lake(
        {"reputation": REPUTATION},
        **{"layers.interaction": {"intensity": 1.0, "contention": "reputation"}},
    )
    set_standing(env, repute=[0.0, -1.0, 2.0, 0.0, 3.0, -2.0])
    play(env, 0)
    assert env.driver.f.order[0].tolist() == [4, 2, 0, 3, 1, 5]


def test_whoever_has_the_better_name_is_served_when_stock_is_short():
    env = lake(
        {"reputation": REPUTATION},
        **{
            "layers.interaction": {"intensity": 1.0, "contention": "reputation"},
            "core.initial_stock": 0.1,
            "core.harvest_rate": 100.0,
        },
    )
    set_standing(env, repute=[0.0, 0.0, 0.0, 0.0, 0.0, 5.0])
    play(env, 0, effort=1.0)
    caught = env.truth("catch")[0]
    assert caught[5] > 0.0
    assert (caught[:5] == 0.0).all()


def test_castes_keep_an_agent_from_a_link_and_that_is_an_event():
    power = {
        "intensity": 1.0,
        "castes": {"low": {}, "high": {}},
        "assign": {"harvester": ["low", "high", "high", "high", "high", "high"]},
        "matrix": {"low": {"high": ["sanction"]}},
    }
    env = meso.make("commons", {"layers.power": power}, target="python", seed=2)
    env.reset()
    kinds = [(event["kind"], event["actor"]) for event in play(env, GIVE)]
    assert [actor for kind, actor in kinds if kind == "barred_link"] == [0]
    assert sorted(actor for kind, actor in kinds if kind == "gift") == [1, 2, 3, 4, 5]


FEUD = {
    "layers.temporal": {
        "intensity": 1.0,
        "latency": 1,
        "reputation": {
            "weights": {"gift": 1.0, "sanction": -1.0, "conflict": -0.1},
            "effects": {"harvest": 0.8},
            "links": {"*": -0.3},
        },
        "trust": {"weights": {"gift": 1.0, "sanction": -1.0}, "links": {"gift": -0.1}},
    },
    "layers.interaction": {
        "intensity": 0.9,
        "contention": "reputation",
        "mixing": "matrix",
        "matrix": [[1.0 if i == j else -0.3 for j in range(8)] for i in range(8)],
    },
    "layers.incentives": {
        "intensity": 1.0,
        "penalties": {"sanction": 0.2},
        "risk": {"deal.*": {"fail": 0.2, "caught": 0.2, "fine": 0.1}},
    },
}


RIVALRY = {"layers.interaction.mixing": "rivalry", "layers.interaction.matrix": []}


def feud(target, overrides):
    """Play a feud; give its digest and its events."""
    env = meso.make("commons/wardens", overrides, num_envs=3, target=target, seed=5)
    step, rng, events = env.reset(), np.random.default_rng(0), []
    for _ in range(30):
        step = env.step(wild_actions(env, rng, step, odd=0.1))
        events += env.events()
    return env.digest(), events


@pytest.mark.parametrize("more", [{}, RIVALRY], ids=["matrix", "rivalry"])
def test_what_hangs_on_standing_is_the_same_on_every_target(more):
    python, cpu = feud("python", FEUD | more), feud("cpu", FEUD | more)
    assert python == cpu
    kinds = {event["kind"] for event in python[1]}
    assert {"barred_link", "failed", "fined", "penalised"} <= kinds


def test_a_feud_keeps_the_contract():
    check_world("commons", presets=["commons/wardens"], overrides=FEUD, steps=24)
