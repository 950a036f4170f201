"""The seven dimensions of complexity that modulate any world."""

from dataclasses import dataclass
from typing import Literal

Part = Literal["state", "observation", "action", "transition", "reward", "termination"]


@dataclass(frozen=True)
class Layer:
    """A cross-cutting dimension: what it controls and which parts of a step it may touch."""

    name: str
    touches: tuple[Part, ...]
    controls: str


LAYERS: tuple[Layer, ...] = (
    Layer("information", ("observation",), "what agents see: masks, noise, dropout, delay, scope"),
    Layer(
        "temporal",
        ("state", "observation", "action", "transition"),
        "history, action latency, delayed effects, reputation, trust",
    ),
    Layer("hierarchy", ("state", "observation"), "groups and what they share"),
    Layer(
        "interaction",
        ("transition", "reward"),
        "contention, externalities, reward mixing and timing",
    ),
    Layer(
        "power",
        ("observation", "action", "transition"),
        "permissions, priorities, effect multipliers, who may affect whom",
    ),
    Layer("incentives", ("action", "reward"), "costs and risks instead of bans"),
    Layer("uncertainty", ("state", "transition"), "shocks, drift, adaptation"),
)
