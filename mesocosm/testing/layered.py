"""Draw settings of the layers for any world, from what it declares."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mesocosm.build import config_spec, load_config
from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Role, Spec
from mesocosm.layers.draft import all_columns

Drawn = dict[str, Any]
WAYS: tuple[Drawn, ...] = ({"noise": 0.1}, {"dropout": 0.3}, {"delay": 2}, {"mask": True})


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


def draw_information(
    preset: str, rng: np.random.Generator, overrides: Mapping[str, Any] | None = None
) -> Drawn:
    """Draw blurs of observation and info and what a caste never sees, on top of some overrides."""
    spec = config_spec(load_config(preset, overrides))
    names = sorted({name for role in spec.roles.values() for name in _features(role)})
    blurs = [{"features": str(rng.choice(names)), **way} for way in WAYS]
    shut = {"hidden": [str(name) for name in rng.choice(names, min(2, len(names)), replace=False)]}
    assign = {"*": ["open", "shut"] if spec.num_agents > 1 else ["shut"]}
    castes = {"open": {}, "shut": shut} if spec.num_agents > 1 else {"shut": shut}
    return {
        "layers.information": {"intensity": 1.0, "blurs": blurs, "validity": True},
        "layers.power": {"intensity": 1.0, "castes": castes, "assign": assign},
    }


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
    """Name what a role's agents are shown and told, apart from what layers add to it."""
    layout = role.observation
    shown: list[str] = [kind.name for kind in layout.tokens.kinds] if layout.tokens else []
    layouts = (role.info,) if layout.tokens else (layout, role.info)
    shown += [entry.name for part in layouts for entry in part.features if entry.size]
    added = ("reputation", "trust", "group")
    return [
        name
        for name in shown
        if "@" not in name and name.partition(".")[0] not in (*added, "valid")
    ]


def _shared_tokens(spec: Spec) -> list[str]:
    """Name two kinds of tokens that groups may share, where there are any."""
    layouts = [role.observation for role in spec.roles.values()]
    kinds = [kind for layout in layouts if layout.tokens for kind in layout.tokens.kinds]
    return [kind.name for kind in kinds if kind.reads][:2]


def _columns(spec: Spec, *, per_agent: bool) -> list[str]:
    return [entry.name for entry in all_columns(spec) if entry.per_agent or not per_agent]


def _events(spec: Spec, *, directed: bool = False) -> list[str]:
    fits = [event for event in spec.events if event.actor == "agent"]
    return [event.name for event in fits if event.target == "agent" or not directed]


def _information(spec: Spec, rng: np.random.Generator) -> Drawn:
    names = [name for role in spec.roles.values() for name in _features(role)]
    drawn = [WAYS[int(rng.integers(len(WAYS)))] for _ in range(2)]
    blurs = [{"features": name, **way} for name, way in zip(_pick(rng, names), drawn, strict=False)]
    missing = any("noise" not in blur for blur in blurs)
    return {"blurs": blurs, "validity": missing and bool(rng.integers(2))}


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
        "share": dict.fromkeys(_shared_tokens(spec), "mean"),
        "pool": dict.fromkeys(pooled, 0.3),
        "store": {name: {"deposit": 0.5, "payout": 0.2} for name in pooled[:1]},
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
    names = [name for role in spec.roles.values() for name in _features(role)]
    hidden = _pick(rng, names)
    if spec.num_agents == 1:
        assign = dict.fromkeys(spec.roles, ("high",))
        return {"castes": {"high": {"effects": effects, "hidden": hidden}}, "assign": assign}
    priority = int(any(entry.ordered for entry in spec.conflicts))
    pair = ("high", "low")
    return {
        "castes": {
            "high": {"priority": priority, "effects": effects},
            "low": {"hidden": hidden},
        },
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
