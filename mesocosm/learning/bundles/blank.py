"""Networks without weights, made from a card that anyone may have written."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import init
from torch.overrides import TorchFunctionMode

from mesocosm.core.errors import MesocosmError
from mesocosm.core.spec import Role
from mesocosm.learning.bundles.card import Card
from mesocosm.learning.networks.network import Network

DRAWS = (Tensor.normal_, Tensor.uniform_, init.normal_, init.uniform_, init.kaiming_uniform_)
RANDOM = (torch.rand, torch.randn)
MAKERS = (torch.empty, torch.zeros, torch.ones, torch.full, *RANDOM)
NUMBER = 4  # bytes


class TooLargeError(MesocosmError):
    """A network takes more memory than it may."""


class _Blank(TorchFunctionMode):
    """Draws no first weights, and refuses more memory for them than was allowed."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._left = most

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        if func in DRAWS:
            return args[0] if args else options["tensor"]
        if func is torch.linalg.qr:  # whoever asks wants first weights that are orthogonal
            return args[0], args[0][: args[0].shape[1]]
        if func in MAKERS:
            size = options.get("size", args)  # as one argument or as several
            size = size[0] if size and not isinstance(size[0], int) else size
            self._left -= NUMBER * math.prod(size)
            if self._left < 0:
                raise TooLargeError("the network takes more memory than its weights")
            func = torch.zeros if func in RANDOM else func
        return func(*args, **options)


def make_blank_network(card: Card, role: Role, most: int) -> Network:
    """Make the network of a card; its weights are whatever was in memory.

    No random number is drawn.

    Args:
        role: The card's own, or one of equal sizes.
        most: Bytes that its weights may take.
    """
    with _Blank(most):
        return Network(role, card.network, card.truth_size)
