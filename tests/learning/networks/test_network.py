"""Networks from specs: every preset's roles, scales of values, shared encoders."""

import pytest
import torch

import mesocosm
from mesocosm.learning.networks.network import Network
from mesocosm.learning.settings import NetworkSettings

PRESETS = ["townlet/L3", "townlet/L8", "commons/wardens", "island/skirmish", "mettagrid/forage"]


def make(preset="townlet/L6", role=None, truth_size=0, **changes):
    spec = mesocosm.make(preset, num_envs=2, target="python").spec
    role = next(iter(spec.roles.values())) if role is None else spec.roles[role]
    torch.manual_seed(0)
    return role, Network(role, NetworkSettings(**changes), truth_size)


@pytest.mark.parametrize("memory", ["none", "gru", "lstm"])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_kind_of_role_gets_actions_and_values(preset, memory):
    env = mesocosm.make(preset, num_envs=2, target="python")
    step = env.reset(seed=1)
    for name, role in env.spec.roles.items():
        network = Network(role, NetworkSettings(memory=memory, hidden=(8,), memory_size=4))
        pick = (lambda x, name=name: x[name]) if len(env.spec.roles) > 1 else (lambda x: x)
        obs = torch.tensor(pick(step.obs)).flatten(0, 1).unsqueeze(0)
        mask = torch.tensor(pick(step.mask)).flatten(0, 1)
        rows = obs.shape[1]
        state, began = network.begin(rows), torch.ones(1, rows, dtype=bool)
        numbers, _ = network.act(obs, state.actor, began)
        values, _ = network.value(obs, state.critic, began)
        choice, levels = network.head.best(numbers[0], mask)
        assert numbers.shape == (1, rows, network.head.size)
        assert numbers.isfinite().all()
        assert values.shape == (1, rows)
        assert choice.shape == (rows, len(role.action.choices))
        assert levels.shape == (rows, len(role.action.levels))


def test_actions_are_almost_uniform_at_first():
    role, network = make()
    obs = torch.rand(1, 50, role.observation.size)
    numbers, _ = network.act(obs, network.begin(50).actor, torch.ones(1, 50, dtype=bool))
    assert numbers.abs().max() < 0.1


def test_rescaling_values_keeps_what_is_predicted():
    role, network = make(memory="gru")
    obs = torch.rand(3, 20, role.observation.size)
    arguments = (obs, network.begin(20).critic, torch.zeros(3, 20, dtype=bool))
    before = network.unscale(network.value(*arguments)[0])
    for mean, std in ((5.0, 3.0), (-400.0, 120.0), (0.01, 0.5)):
        network.rescale(torch.tensor(mean), torch.tensor(std))
        after = network.unscale(network.value(*arguments)[0])
        torch.testing.assert_close(after, before, rtol=1e-3, atol=1e-3)
    assert network.value_std == 0.5


@pytest.mark.parametrize("shared", [True, False])
def test_reading_for_learning_equals_acting_and_valuing(shared):
    role, network = make(shared=shared, memory="lstm")
    obs = torch.rand(4, 6, role.observation.size)
    began = torch.rand(4, 6) < 0.3
    state = network.begin(6)
    numbers, values = network(obs, state, began)
    torch.testing.assert_close(numbers, network.act(obs, state.actor, began)[0])
    torch.testing.assert_close(values, network.value(obs, state.critic, began)[0])


def test_one_encoder_serves_both_towers_if_shared():
    _, apart = make(shared=False)
    _, shared = make(shared=True)
    count = [sum(weight.numel() for weight in net.parameters()) for net in (apart, shared)]
    encoder = sum(weight.numel() for weight in apart.encoder.parameters())
    assert count[0] - count[1] == encoder > 0
