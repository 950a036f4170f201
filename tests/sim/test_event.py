"""Only what agents do, to agents, moves reputation and trust; nothing indexes outside."""

import numpy as np
import pytest

from mesocosm.build import load_config, make
from mesocosm.core.errors import ConfigError
from mesocosm.sim.event import emit
from mesocosm.sim.targets.cells import wrap

TRUST = {
    "layers.temporal": {
        "intensity": 1.0,
        "reputation": {"weights": {"gift": 1.0}},
        "trust": {"weights": {"gift": 1.0}},
    }
}
GIFT = 1


def standing(kind, actor, target):
    """Emit one event; give what is thought of whom, and who trusts whom."""
    env = make("commons", TRUST, num_envs=1, target="python")
    env.reset()
    emit(wrap(env.driver.f), 0, kind, actor, target, 1.0)
    return env.truth("layer.repute")[0], env.truth("layer.trust")[0]


def test_a_gift_moves_the_givers_name_and_the_receivers_trust():
    repute, trust = standing(GIFT, 2, 4)
    assert repute.tolist() == [0, 0, 1, 0, 0, 0]
    assert np.argwhere(trust).tolist() == [[4, 2]]


@pytest.mark.parametrize(("actor", "target"), [(-1, 4), (6, 4), (99, 99), (-7, -7)])
def test_an_actor_that_is_no_agent_moves_nothing(actor, target):
    repute, trust = standing(GIFT, actor, target)
    assert not repute.any()
    assert not trust.any()


@pytest.mark.parametrize("target", [-1, 6, 1000])
def test_a_target_that_is_no_agent_moves_no_trust(target):
    repute, trust = standing(GIFT, 2, target)
    assert repute[2] == 1
    assert not trust.any()


@pytest.mark.parametrize("kind", [-1, 99])
def test_a_kind_that_does_not_exist_moves_nothing(kind):
    repute, trust = standing(kind, 2, 4)
    assert not repute.any()
    assert not trust.any()


@pytest.mark.parametrize(
    ("preset", "path", "weights", "what"),
    [
        (
            "commons/default",
            "reputation",
            {"drought": 1.0},
            "'drought' is nothing that an agent does",
        ),
        (
            "commons/default",
            "trust",
            {"death": 1.0},
            "'death' is nothing that an agent does to an agent",
        ),
        (
            "mettagrid/forage",
            "trust",
            {"use": 1.0},
            "'use' is nothing that an agent does to an agent",
        ),
        ("townlet/L7", "trust", {"death": 1.0}, "does to an agent. Available: birth, inheritance"),
    ],
)
def test_weights_on_events_that_are_not_between_agents_are_refused(preset, path, weights, what):
    settings = {"layers.temporal": {"intensity": 1.0, path: {"weights": weights}}}
    with pytest.raises(ConfigError) as caught:
        load_config(preset, settings)
    assert f"{preset}: layers.temporal.{path}.weights: " in str(caught.value)
    assert what in str(caught.value)


def test_a_glob_passes_over_events_that_do_not_fit():
    settings = {"layers.temporal": {"intensity": 1.0, "trust": {"weights": {"*": 1.0}}}}
    env = make("commons", settings, target="python")
    weighty = np.flatnonzero(env.driver.f.event_weight[:, 1])
    assert [env.spec.events[kind].name for kind in weighty] == ["gift", "sanction"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("layers.temporal.reputation.weights", {"gift": 1e300}),
        ("layers.incentives.costs", {"deal.give": -1e300}),
        ("layers.power.castes", {"high": {"effects": {"harvest": 1e300}}}),
    ],
)
def test_weights_that_would_grow_without_bound_are_refused(key, value):
    with pytest.raises(ConfigError, match="must be"):
        load_config("commons", {key: value})
