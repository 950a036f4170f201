"""Random numbers of training: each use has a seed of its own, so nothing needs to be resumed."""

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def derive_seed(*parts: int | str) -> int:
    """Make a seed from what it is for."""
    text = "/".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:7])


def seeded(device: str, *parts: int | str) -> "torch.Generator":
    """Make a generator for one use."""
    import torch

    return torch.Generator(device=device).manual_seed(derive_seed(*parts))
