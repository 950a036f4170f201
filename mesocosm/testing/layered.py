"""Draw settings of the layers for any world, from what it declares."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mesocosm.build import config_spec, load_config
from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Role, Spec
from mesocosm.layers.draft import all_columns

Drawn = dict[str, Any]


def draw_layers(preset: str, rng: np.random.Generator) -> Drawn:
    """Draw overrides that turn a random part of the layers on, on top of a preset's own.

    What a world cannot be given is left out.
    """
    spec = config_spec(load_config(preset))
    names = [name for name in DRAWS if rng.random() < 0.6]
    drawn: Drawn = {}
    for name in names:
        settings = {"intensity": float(rng.choice([0.5, 1.0])), **DRAWS[name](spec, rng)}
        if _fits(preset, drawn | {f"layers.{name}": settings}):
            drawn[f"layers.{name}"] = settings
    return drawn


def _fits(preset: str, overrides: Drawn) -> bool:
    try:
        load_config(preset, overrides)
    except ConfigError:
        return False
    return True


def _pick(rng: np.random.Generator, names: list[str], most: int = 2) -> list[str]:
    if not names:
        return []
    count = min(int(rng.integers(1, most + 1)), len(names))
    return [str(name) for name in rng.choice(sorted(set(names)), count, replace=False)]


def _features(role: Role) -> list[str]:
    layout = role.observation
    if layout.tokens is not None:
        return [kind.name for kind in layout.tokens.kinds]
    return [entry.name for entry in layout.features if entry.size and "@" not in entry.name]


def _columns(spec: Spec, *, per_agent: bool) -> list[str]:
    return [entry.name for entry in all_columns(spec) if entry.per_agent or not per_agent]


def _events(spec: Spec, *, directed: bool = False) -> list[str]:
    fits = [event for event in spec.events if event.actor == "agent"]
    return [event.name for event in fits if event.target == "agent" or not directed]


def _information(spec: Spec, rng: np.random.Generator) -> Drawn:
    names = [name for role in spec.roles.values() for name in _features(role)]
    ways = ({"noise": 0.1}, {"dropout": 0.3}, {"delay": 2}, {"mask": True})
    return {
        "blurs": [
            {"features": name, **ways[int(rng.integers(len(ways)))]} for name in _pick(rng, names)
        ]
    }


def _temporal(spec: Spec, rng: np.random.Generator) -> Drawn:
    late = _pick(rng, _columns(spec, per_agent=False))
    shown = str(rng.choice(["own", "seen", "all"]))
    weights = dict.fromkeys(_pick(rng, _events(spec)), -0.5)
    trusted = dict.fromkeys(_pick(rng, _events(spec, directed=True)), 1.0)
    slopes = {entry.name: 0.8 for entry in spec.effects}
    several = spec.num_agents > 1
    bars = {link.name: -0.2 for link in spec.links if several}
    trust = {"weights": trusted, "links": bars} if trusted and several else {}
    return {
        "history": int(rng.integers(1, 4)),
        "latency": int(rng.integers(0, 3)),
        "effects": {name: {"steps": 2, "share": 0.5} for name in late},
        "reputation": {"weights": weights, "shown": shown, "effects": slopes, "links": bars},
        "trust": trust,
    }


def _hierarchy(spec: Spec, rng: np.random.Generator) -> Drawn:
    pooled = _pick(rng, _columns(spec, per_agent=True))
    return {
        "groups": str(rng.choice(["role", "size"])),
        "size": 2,
        "pool": dict.fromkeys(pooled, 0.3),
    }


def _interaction(spec: Spec, rng: np.random.Generator) -> Drawn:
    columns = _columns(spec, per_agent=True)
    several = spec.num_agents > 1
    ordered = several and any(entry.ordered for entry in spec.conflicts)
    rules = ["id", "rotation", "lottery"] if ordered else ["id"]
    mixings = ["individual", "shared", "rivalry"] if several else ["individual"]
    spilt = _pick(rng, columns) if several else []
    timing = str(rng.choice(["step", "sparse", "delayed"]))
    return {
        "contention": str(rng.choice(rules)),
        "externalities": {name: {"share": 0.2, "to": "all"} for name in spilt},
        "mixing": str(rng.choice(mixings)),
        "timing": timing,
        "period": 1 if timing == "step" else 3,
    }


def _power(spec: Spec, rng: np.random.Generator) -> Drawn:
    effects = {entry.name: 1.5 for entry in spec.effects}
    if spec.num_agents == 1:
        assign = dict.fromkeys(spec.roles, ("high",))
        return {"castes": {"high": {"effects": effects}}, "assign": assign}
    priority = int(any(entry.ordered for entry in spec.conflicts))
    pair = ("high", "low")
    return {
        "castes": {"high": {"priority": priority, "effects": effects}, "low": {}},
        "assign": {
            name: pair if role.num_agents > 1 else pair[number % 2 :][:1]
            for number, (name, role) in enumerate(spec.roles.items())
        },
        "matrix": {"low": {"high": ()}} if spec.links else {},
    }


def _incentives(spec: Spec, rng: np.random.Generator) -> Drawn:
    parts = [part for role in spec.roles.values() for part in role.action.choices]
    options = [f"{part.name}.{option}" for part in parts for option in part.options[:6]]
    return {
        "costs": dict.fromkeys(_pick(rng, options), 0.1),
        "penalties": dict.fromkeys(_pick(rng, _events(spec)), 0.5),
        "delay": int(rng.integers(0, 3)),
        "risk": {name: {"fail": 0.2, "caught": 0.2, "fine": 0.3} for name in _pick(rng, options)},
        "opportunity": 0.05,
    }


def _uncertainty(spec: Spec, rng: np.random.Generator) -> Drawn:
    columns = _pick(rng, _columns(spec, per_agent=False))
    personal = _columns(spec, per_agent=True)
    tunables = [entry.name for entry in spec.tunables]
    amount = {entry.name: 0.5 if entry.value < entry.high else -0.5 for entry in spec.tunables}
    shocks = {
        f"shock{k}": {
            "column": name,
            "hazard": 0.3,
            "size": -0.6,
            "who": "one" if name in personal else "all",
        }
        for k, name in enumerate(columns)
    }
    first = {name: {"amount": amount[name], "period": 10, "every": 2} for name in tunables[:1]}
    other = {name: {"goal": 0.1, "rate": 0.5, "every": 2} for name in tunables[1:2]}
    return {"shocks": shocks, "drift": first, "adaptation": other}


DRAWS: dict[str, Callable[[Spec, np.random.Generator], Drawn]] = {
    "information": _information,
    "temporal": _temporal,
    "hierarchy": _hierarchy,
    "interaction": _interaction,
    "power": _power,
    "incentives": _incentives,
    "uncertainty": _uncertainty,
}
