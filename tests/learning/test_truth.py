"""What the critic may know: truth fields reach values, and never actions."""

import numpy as np
import pytest
import torch

import mesocosm
from mesocosm.core.errors import ConfigError
from mesocosm.learning.truth import TruthReader
from tests.learning.small import small_trainer

FIELDS = ["meters", "position", "hour", "affordance_position"]


def reader(preset, names, num_envs=3):
    env = mesocosm.make(preset, num_envs=num_envs, target="python")
    env.reset(seed=2)
    role = next(iter(env.spec.roles.values()))
    return env, role, TruthReader(env, role, tuple(names))


def test_fields_of_agents_give_ones_own_entries_and_the_mean_of_all():
    env, _, made = reader("townlet/L6", ["meters"])
    told, meters = made.read(), env.truth("meters")
    assert made.size == 16
    assert told.shape == (3, 8, 16)
    np.testing.assert_allclose(told[..., :8], meters * 2.0 - 1.0, rtol=1e-5)
    mean = np.broadcast_to((meters * 2.0 - 1.0).mean(1, keepdims=True), (3, 8, 8))
    np.testing.assert_allclose(told[..., 8:], mean, rtol=1e-5)


def test_other_fields_are_the_same_for_everyone_and_scaled_by_their_ranges():
    env, _, made = reader("townlet/L6", ["hour", "affordance_position"])
    told = made.read()
    assert made.size == 1 + 15 * 2
    np.testing.assert_allclose(told[:, 0, 0], env.truth("hour") / 11.5 - 1.0, rtol=1e-5)
    places = env.truth("affordance_position").reshape(3, -1)
    np.testing.assert_allclose(told[:, 4, 1:], (places + 1.0) / 4.0 - 1.0, atol=1e-6)
    assert torch.equal(told[:, 0], told[:, 7])


def test_the_truth_is_read_anew_at_every_step():
    env, role, made = reader("townlet/L6", ["meters"])
    before = made.read()
    env.step(role.action.noop((3, 8)))
    assert not torch.equal(made.read(), before)


def test_every_truth_field_of_every_kind_of_world_can_be_read():
    for preset in ("townlet/L8", "commons/wardens", "island/skirmish", "mettagrid/talk"):
        env = mesocosm.make(preset, num_envs=2, target="python")
        env.reset(seed=1)
        for role in env.spec.roles.values():
            for name in env.spec.saved:
                told = TruthReader(env, role, (name,)).read()
                assert told.shape[:2] == (2, role.num_agents)
                assert bool((told.abs() <= 1.0).all()), name


def test_unknown_field_is_refused_with_a_hint():
    with pytest.raises(ConfigError, match=r"learning.truth: no truth field named 'metres'.*meters"):
        small_trainer("townlet/L0", truth=["metres"])


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("memory", ["none", "gru"])
def test_truth_and_critic_change_values_but_never_the_actors_numbers(shared, memory):
    trainer = small_trainer(
        "townlet/L6", truth=FIELDS, network__shared=shared, network__memory=memory
    )
    trainer.advance()
    learner = trainer.learners["resident"]
    network, experience = learner.network, learner.experience
    obs, began, truth = (experience.flat(name)[:-1] for name in ("obs", "began", "truth"))
    state = network.begin(obs.shape[1])
    with torch.no_grad():
        numbers, values = network(obs, state, began, truth)
        same, other = network(obs, state, began, truth + 0.5)
        assert torch.equal(same, numbers)
        assert not torch.allclose(other, values)
        for weight in network.critic.parameters():
            weight.normal_()
        assert torch.equal(network(obs, state, began, truth)[0], numbers)
    network.zero_grad()
    network(obs, state, began, truth.requires_grad_())[0].sum().backward()
    assert truth.grad is None
    assert all(weight.grad is None for weight in network.critic.parameters())


def test_actions_are_the_same_whatever_the_truth_says():
    played = []
    for lie in (False, True):
        trainer = small_trainer("townlet/L6", truth=FIELDS)
        learner = trainer.learners["resident"]
        read = learner.truth.read
        if lie:
            learner.truth.read = lambda read=read: read() * -0.3
        trainer.advance()
        played.append(learner.experience.choice.clone())
    assert torch.equal(*played)
