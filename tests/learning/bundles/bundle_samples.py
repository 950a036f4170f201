"""Bundles for tests: networks of shipped presets with weights drawn from a seed."""

import torch

import mesocosm as meso
from mesocosm.learning.bundles.bundle import write_bundle
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.networks.network import Network
from mesocosm.learning.settings import LearningSettings, NetworkSettings

PRESETS = ("townlet/L3", "townlet/L7", "commons/wardens", "mettagrid/forage")


def sample_network(role, seed=0, **network):
    """Make a network whose every weight counts: the last layers begin with almost nothing."""
    settings = LearningSettings(network=NetworkSettings(**({"hidden": (16,)} | network)))
    made = Network(role, settings.network)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.3)
    return made, settings


def sample_bundle(path, preset="townlet/L3", role=None, seed=0, **network):
    """Write a bundle for a role of a preset; give the network."""
    config, roles = meso.load_config(preset), meso.config_spec(preset).roles
    chosen = roles[role or next(iter(roles))]
    made, settings = sample_network(chosen, seed, **network)
    training = Training(settings, 1000, seed, {"mean_return": 1.5}, f"mesocosm train {preset}")
    write_bundle(path, made, make_card(chosen, config, training))
    return made
