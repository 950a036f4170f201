"""Beginning from a bundle: weights are taken over by the names of what is seen."""

from dataclasses import replace

import pytest
import torch

from mesocosm.core.errors import ConfigError
from mesocosm.learning.networks.network import Network
from mesocosm.learning.settings import NetworkSettings
from mesocosm.learning.warm_start import read_starts, warm_start
from tests.learning.small import small_trainer


class Source:
    """Stands for a bundle."""

    path = "a.mesop"

    def __init__(self, role, network):
        self.role, self._network = role, network
        self.card = type("Card", (), {"network": network.settings})

    def make_network(self):
        return self._network


def other_ids(role):
    """Give the same role with its features' ids in another order."""
    tokens = role.observation.tokens
    ids = [kind.id for kind in tokens.kinds]
    kinds = tuple(k._replace(id=i) for k, i in zip(tokens.kinds, ids[3:] + ids[:3], strict=True))
    layout = replace(role.observation, tokens=replace(tokens, kinds=kinds))
    return replace(role, observation=layout)


def test_tokens_with_other_ids_are_taken_over_whole():
    trainer = small_trainer("mettagrid/forage", num_envs=1, horizon=2)
    (learner,) = trainer.learners.values()
    torch.manual_seed(5)
    source = Network(other_ids(learner.role), learner.settings.network)
    assert warm_start(learner, Source(other_ids(learner.role), source)) == []
    for name, value in source.state_dict().items():
        assert torch.equal(learner.network.state_dict()[name], value), name


def test_tokens_that_a_policy_never_saw_begin_with_no_influence():
    trainer = small_trainer("mettagrid/forage", num_envs=1, horizon=2)
    (learner,) = trainer.learners.values()
    layout = learner.role.observation
    fewer = replace(layout, tokens=replace(layout.tokens, kinds=layout.tokens.kinds[:-1]))
    role = replace(learner.role, observation=fewer)
    source = Network(role, learner.settings.network)
    (note,) = warm_start(learner, Source(role, source))
    new = learner.network.encoder.names.index(layout.tokens.kinds[-1].name)
    assert "1 tokens are new to the policy" in note
    assert (learner.network.encoder.what[new] == 0.0).all()


def test_network_that_learns_in_q_learning_begins_from_the_bundle_too():
    trainer = small_trainer("townlet/L0", algorithm="q")
    learner = trainer.learners["resident"]
    torch.manual_seed(5)
    source = Network(learner.role, NetworkSettings(hidden=(16,)))
    warm_start(learner, Source(learner.role, source))
    for module in (learner.network, learner.student):
        for name, value in source.state_dict().items():
            assert torch.equal(module.state_dict()[name], value), name


def test_two_policies_for_one_role_are_refused(monkeypatch):
    named = lambda path: type("Bundle", (), {"path": path})  # noqa: E731
    monkeypatch.setattr("mesocosm.learning.warm_start.read_bundle", named)
    with pytest.raises(ConfigError, match=r"--from: two policies for fox: a\.mesop, b\.mesop"):
        read_starts(["fox=a.mesop", "hen=c.mesop", "fox=b.mesop"], ["fox", "hen"])
