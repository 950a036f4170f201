"""Encoders: what turns one role's observations into rows of numbers that layers can read."""

import torch
from torch import Tensor, nn

from mesocosm.core.observation import Feature, Layout
from mesocosm.learning.networks.layers import Mlp, Rescale
from mesocosm.learning.networks.tokens import TokenEncoder
from mesocosm.learning.settings import NetworkSettings


class NumberEncoder(nn.Module):
    """Plain numbers, scaled by their declared ranges; it learns nothing."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.rescale = Rescale(torch.from_numpy(layout.low), torch.from_numpy(layout.high))
        self.size = layout.size

    def forward(self, obs: Tensor) -> Tensor:
        return self.rescale(obs)


def make_encoder(layout: Layout, settings: NetworkSettings) -> nn.Module:
    """Choose the encoder that a kind of observation needs; `size` numbers come out of it."""
    if layout.tokens is not None:
        return TokenEncoder(layout.tokens, settings)
    if any(is_table(feature) for feature in layout.features):
        return TableEncoder(layout, settings)
    return NumberEncoder(layout)


def is_table(feature: Feature) -> bool:
    """Whether a feature lists entities."""
    return feature.table and feature.size > 0


class TableEncoder(nn.Module):
    """Plain numbers beside tables of entities: each table's rows share an encoder and are pooled.

    Tables whose rows count the same entities (the same number of rows, one after the other in
    the layout) are read side by side.
    """

    absent: Tensor

    def __init__(self, layout: Layout, settings: NetworkSettings) -> None:
        super().__init__()
        self.rescale = Rescale(torch.from_numpy(layout.low), torch.from_numpy(layout.high))
        spans = {feature.name: layout.span(feature.name) for feature in layout.features}
        self._plain = [spans[f.name] for f in layout.features if not is_table(f) and f.size]
        self._tables = [
            (spans[f.name], f.shape[0], f.size // f.shape[0]) for f in layout.features if is_table(f)
        ]
        self.register_buffer("absent", torch.from_numpy(layout.absent).float(), persistent=False)
        width = settings.embedding
        self.rows = nn.ModuleList(
            Mlp(entries, (width, width), settings.activation) for _, _, entries in self._tables
        )
        self.pools = nn.ModuleList(make_pool(width, settings.pooling) for _ in self._tables)
        plain = sum(span.stop - span.start for span in self._plain)
        self.size = plain + width * len(self._tables)

    def forward(self, obs: Tensor) -> Tensor:
        numbers = self.rescale(obs)
        parts = [numbers[..., span] for span in self._plain]
        for (span, count, entries), rows, pool in zip(
            self._tables, self.rows, self.pools, strict=True
        ):
            shape = (*obs.shape[:-1], count, entries)
            present = (obs[..., span] != self.absent[span]).view(shape).any(-1)
            parts.append(pool(rows(numbers[..., span].reshape(shape)), present))
        return torch.cat(parts, -1)


def make_pool(width: int, kind: str) -> nn.Module:
    """Make what turns `[..., row, width]` and bool `[..., row]` into `[..., width]`."""
    return AttentionPool(width) if kind == "attention" else PlainPool(kind)


class PlainPool(nn.Module):
    """The mean or the maximum of the rows that are present; zeros if none is."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._mean = kind == "mean"

    def forward(self, rows: Tensor, present: Tensor) -> Tensor:
        there = present.unsqueeze(-1)
        if self._mean:
            return (rows * there).sum(-2) / there.sum(-2).clamp_min(1)
        least = rows.masked_fill(~there, -1e9).amax(-2)
        return torch.where(there.any(-2), least, 0.0)


class AttentionPool(nn.Module):
    """A mean of the rows that are present, weighted by what the network finds important."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weigh = nn.Linear(width, 1)

    def forward(self, rows: Tensor, present: Tensor) -> Tensor:
        scores = self.weigh(rows)[..., 0].masked_fill(~present, -1e9)
        weights = scores.softmax(-1) * present
        return (weights.unsqueeze(-1) * rows).sum(-2)
