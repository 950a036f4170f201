"""Observations with tables of entities: rows share an encoder and are pooled."""

import torch
from torch import Tensor, nn

from mesocosm.core.observation import Feature, Layout
from mesocosm.learning.networks.layers import Mlp, Rescale
from mesocosm.learning.settings import NetworkSettings

HEADS = 4  # of attention: ways of finding rows important
NOWHERE = -1e9  # the score of a row that stands for nobody


def group_tables(layout: Layout) -> list[list[Feature]]:
    """Put tables together whose rows are about the same entities.

    They have as many rows, and what one depends on is all among what the other depends on.
    """
    groups: list[list[Feature]] = []
    for feature in layout.features:
        if not feature.lists_entities:
            continue
        mates = [group for group in groups if _same_entities(group[0], feature)]
        if mates:
            mates[0].append(feature)
        else:
            groups.append([feature])
    return groups


def _same_entities(first: Feature, second: Feature) -> bool:
    mine, other = set(first.reads), set(second.reads)
    return (
        first.shape[0] == second.shape[0]
        and bool(mine & other)
        and (mine <= other or other <= mine)
    )


class TableEncoder(nn.Module):
    """Plain numbers beside tables of entities.

    The rows of a table share an encoder and are pooled; beside that stands the share of rows
    that anybody is in. Tables about the same entities are read side by side.
    """

    absent: Tensor

    def __init__(self, layout: Layout, settings: NetworkSettings) -> None:
        super().__init__()
        self.rescale = Rescale(torch.from_numpy(layout.low), torch.from_numpy(layout.high))
        self._axes = len(layout.shape)
        absent = torch.from_numpy(layout.absent).float()
        self.register_buffer("absent", absent, persistent=False)
        plain = [f for f in layout.features if not f.lists_entities and f.size]
        self._plain = [layout.span(feature.name) for feature in plain]
        groups = group_tables(layout)
        self._groups = [
            [(layout.span(f.name), (f.shape[0], f.size // f.shape[0])) for f in group]
            for group in groups
        ]
        self.tables = nn.ModuleList(
            Table(group[0].shape[0], sum(f.size for f in group) // group[0].shape[0], settings)
            for group in groups
        )
        self.size = sum(f.size for f in plain) + (settings.embedding + 1) * len(groups)

    def forward(self, obs: Tensor) -> Tensor:
        flat = obs.flatten(-self._axes)
        numbers, there = self.rescale(flat), flat != self.absent
        parts = [numbers[..., span] for span in self._plain]
        for group, table in zip(self._groups, self.tables, strict=True):
            rows = torch.cat([_rows(numbers[..., span], to) for span, to in group], -1)
            seen = torch.cat([_rows(there[..., span], to) for span, to in group], -1)
            parts.append(table(rows, seen.any(-1)))
        return torch.cat(parts, -1)


def _rows(flat: Tensor, shape: tuple[int, int]) -> Tensor:
    return flat.reshape(*flat.shape[:-1], *shape)


class Table(nn.Module):
    """Turns rows `[..., row, entry]`, and who is there, into `[..., number]`."""

    def __init__(self, count: int, entries: int, settings: NetworkSettings) -> None:
        super().__init__()
        width = settings.embedding
        self.encode = Mlp(entries, (width, width), settings.activation)
        self.number = nn.Parameter(torch.zeros(count, width))  # a row's place may have a meaning
        self.pool = make_pool(width, settings.pooling)

    def forward(self, rows: Tensor, present: Tensor) -> Tensor:
        pooled = self.pool(self.encode(rows) + self.number, present)
        share = present.to(rows.dtype).mean(-1, keepdim=True)
        return torch.cat((pooled, share), -1)


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
        most = rows.masked_fill(~there, NOWHERE).amax(-2)
        return torch.where(there.any(-2), most, 0.0)


class AttentionPool(nn.Module):
    """Means of the rows that are present, weighted by what the network finds important.

    Each of a few heads has weights of its own, for its part of the numbers.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self._heads = HEADS if width % HEADS == 0 else 1
        self.weigh = nn.Linear(width, self._heads)

    def forward(self, rows: Tensor, present: Tensor) -> Tensor:
        there = present.unsqueeze(-1)
        weights = self.weigh(rows).masked_fill(~there, NOWHERE).softmax(-2) * there
        parts = rows.reshape(*rows.shape[:-1], self._heads, -1)
        return (weights.unsqueeze(-1) * parts).sum(-3).flatten(-2)
