"""What layers charge, fail, expire and bar is written down as events."""

import numpy as np

import mesocosm as meso
from mesocosm.testing.play import wild_actions

GIVE, SANCTION = 1, 2  # options of a harvester's deal


def lake(**layers):
    overrides = {f"layers.{name}": {"intensity": 1.0, **value} for name, value in layers.items()}
    env = meso.make("commons", overrides, target="python", seed=2, autoreset="off")
    env.reset()
    return env


def play(env, deal):
    action = env.spec.roles["harvester"].action.noop((1, 6))
    action.choice[..., 0] = deal
    action.level[..., 1] = 1.0
    env.step(action)
    return env.events()


def of_kind(events, kind):
    return [event for event in events if event["kind"] == kind]


def kinds_of(env):
    return {event.name for event in env.spec.events}


def test_a_fine_is_an_event_with_its_amount_and_sums_to_the_term():
    env = lake(incentives={"risk": {"deal.give": {"caught": 0.5, "fine": 0.3}}})
    total, texts = 0.0, []
    for _ in range(10):
        fined = of_kind(play(env, GIVE), "fined")
        texts += [event["text"] for event in fined]
        terms = [env.explain(env=0, agent=a)["risk"] for a in range(6)]
        charged = np.zeros(6)
        for event in fined:
            charged[event["actor"]] += event["value"]
        np.testing.assert_allclose(terms, -charged)
        total += charged.sum()
    assert total > 0.0
    assert all("fined 0.3 for deal.give" in text for text in texts)


def test_an_action_that_fails_by_risk_is_an_event_that_names_the_option():
    env = lake(incentives={"risk": {"deal.give": {"fail": 1.0}}})
    events = play(env, GIVE)
    assert [event["actor"] for event in of_kind(events, "failed")] == list(range(6))
    assert all("deal.give" in event["text"] for event in of_kind(events, "failed"))
    assert not of_kind(events, "gift")
    assert not of_kind(play(env, 0), "failed")


def test_penalties_are_events_when_they_fall_due():
    env = lake(incentives={"penalties": {"gift": 0.4}, "delay": 3})
    due = [of_kind(play(env, GIVE if t == 0 else 0), "penalised") for t in range(6)]
    assert [len(events) for events in due] == [0, 0, 0, 6, 0, 0]
    assert {event["value"] for event in due[3]} == {0.4}


def test_a_waiting_action_that_is_not_valid_any_more_is_an_event():
    layered = meso.make(
        "commons/wardens",
        {"layers.temporal": {"intensity": 1.0, "latency": 2}, "core.upkeep": 0.9},
        num_envs=4,
        target="python",
        seed=1,
    )
    step, rng = layered.reset(), np.random.default_rng(0)
    texts = []
    for _ in range(40):
        step = layered.step(wild_actions(layered, rng, step, odd=0.0))
        texts += [event["text"] for event in of_kind(layered.events(), "expired")]
    assert texts
    assert all("came too late" in text for text in texts)


def test_what_a_caste_may_not_do_is_an_event_that_names_the_option():
    env = lake(
        power={
            "castes": {"low": {"permissions": ["deal.none", "deal.give", "target.*"]}},
            "assign": {"harvester": ["low"]},
        }
    )
    events = of_kind(play(env, SANCTION), "barred")
    assert [event["actor"] for event in events] == list(range(6))
    assert all("deal.sanction" in event["text"] for event in events)
    assert not of_kind(play(env, GIVE), "barred")


def test_events_of_layers_are_declared_only_where_they_can_happen():
    plain = kinds_of(meso.make("commons", target="python"))
    assert not plain & {"fined", "failed", "penalised", "expired", "barred", "barred_link"}
    assert kinds_of(lake(temporal={"history": 2})) == plain
    assert kinds_of(lake(incentives={"costs": {"deal.give": 0.1}})) == plain
    assert kinds_of(lake(temporal={"latency": 2})) == plain | {"expired"}
    failing = lake(incentives={"risk": {"deal.give": {"fail": 0.5}}})
    assert kinds_of(failing) == plain | {"failed"}
    penal = lake(incentives={"penalties": {"gift": 0.5}})
    assert kinds_of(penal) == plain | {"penalised"}


def test_the_event_buffer_has_room_for_what_layers_add():
    plain = meso.make("commons", target="python").spec.max_events
    env = lake(incentives={"risk": {"deal.give": {"fail": 0.5, "caught": 0.5, "fine": 1.0}}})
    assert env.spec.max_events == plain + 2 * 6
    assert env.driver.f.event.shape[1] == plain + 2 * 6


def test_options_of_later_roles_are_named_too():
    env = meso.make(
        "commons/wardens",
        {"layers.incentives": {"intensity": 1.0, "risk": {"target.harvester*": {"fail": 1.0}}}},
        target="python",
        seed=2,
    )
    env.reset()
    actions = {
        name: role.action.noop((1, role.num_agents)) for name, role in env.spec.roles.items()
    }
    actions["warden"].choice[..., 0] = 3
    env.step(actions)
    texts = [event["text"] for event in of_kind(env.events(), "failed")]
    assert texts
    assert all(text.startswith("target.harvester2 of agent ") for text in texts)


def test_each_adaptation_keeps_its_own_memory():
    memory = {"growth_scale": 0.0, "harvest_rate": 0.9}
    adaptation = {
        name: {"goal": 0.2, "rate": 0.01, "memory": value} for name, value in memory.items()
    }
    env = lake(uncertainty={"adaptation": adaptation})
    expected = np.zeros(2)
    for t in range(8):
        play(env, GIVE if t % 2 else 0)
        mean = env.copy(env.driver.f.reward)[0].mean()
        for n, weight in enumerate(memory.values()):
            expected[n] = weight * expected[n] + (1.0 - weight) * mean
        np.testing.assert_allclose(env.save()["layer.fortune"][0], expected, rtol=1e-6)
    assert abs(expected[0] - expected[1]) > 1e-6
