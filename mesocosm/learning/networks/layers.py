"""Plain layers, initialised as policy gradients like them."""

import math
from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from mesocosm.learning.networks.fused import relu_layers

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": partial(nn.ReLU, inplace=True),
    "tanh": nn.Tanh,
    "silu": nn.SiLU,
}


def linear(inputs: int, outputs: int, gain: float = math.sqrt(2.0)) -> nn.Linear:
    """Make a linear layer with orthogonal weights and no bias at first."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Mlp(nn.Sequential):
    """Linear layers with an activation after each; `size` numbers come out."""

    def __init__(self, inputs: int, hidden: Sequence[int], activation: str) -> None:
        made: list[nn.Module] = []
        size = inputs
        for width in hidden:
            made += [linear(size, width), ACTIVATIONS[activation]()]
            size = width
        super().__init__(*made)
        self.size = size
        self._relu = activation == "relu" and len(made) > 0

    def forward(self, rows: Tensor) -> Tensor:
        """Apply the layers; where gradients are asked of ReLUs, by hand."""
        if self._relu and torch.is_grad_enabled():
            return relu_layers(rows, list(self.parameters()))
        made: Tensor = super().forward(rows)  # type: ignore[no-untyped-call]
        return made


class Rescale(nn.Module):
    """Maps numbers from their declared ranges to -1..1; what can have one value only, to 0."""

    scale: Tensor
    shift: Tensor

    def __init__(self, low: Tensor, high: Tensor) -> None:
        super().__init__()
        low, half = low.double(), (high.double() - low.double()) / 2
        scale = torch.where(half > 0, 1.0 / half, 0.0)
        self.register_buffer("scale", scale.float(), persistent=False)
        self.register_buffer("shift", (-(low + half) * scale).float(), persistent=False)

    def forward(self, numbers: Tensor) -> Tensor:
        return torch.addcmul(self.shift, numbers, self.scale)
