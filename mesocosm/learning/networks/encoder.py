"""Encoders: what turns one role's observations into rows of numbers that layers can read."""

import torch
from torch import Tensor, nn

from mesocosm.core.observation import Layout
from mesocosm.learning.networks.layers import Rescale
from mesocosm.learning.networks.tables import TableEncoder
from mesocosm.learning.networks.tokens import TokenEncoder
from mesocosm.learning.settings import NetworkSettings


class NumberEncoder(nn.Module):
    """Plain numbers, scaled by their declared ranges; it learns nothing."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.rescale = Rescale(torch.from_numpy(layout.low), torch.from_numpy(layout.high))
        self.size = layout.size
        self._axes = len(layout.shape)

    def forward(self, obs: Tensor) -> Tensor:
        return self.rescale(obs.flatten(-self._axes))


Encoder = NumberEncoder | TableEncoder | TokenEncoder


def make_encoder(layout: Layout, settings: NetworkSettings) -> Encoder:
    """Choose the encoder that a kind of observation needs; `size` numbers come out of it."""
    if layout.tokens is not None:
        return TokenEncoder(layout.tokens, settings)
    if any(feature.lists_entities for feature in layout.features):
        return TableEncoder(layout, settings)
    return NumberEncoder(layout)
