"""One strong setting of every layer per preset, as overrides by dotted path."""

from typing import Any

LAYERS = (
    "information", "temporal", "hierarchy", "interaction", "power", "incentives", "uncertainty",
)  # fmt: skip

BLURS = [
    {"features": "near_*", "dropout": 0.4},
    {"features": "stock", "noise": 0.2, "delay": 3},
    {"features": "skill", "mask": True},
]
COMMONS: dict[str, dict[str, Any]] = {
    "information": {"blurs": BLURS},
    "temporal": {
        "history": 3,
        "latency": 2,
        "effects": {"wealth": {"steps": 3, "share": 0.5}},
        "reputation": {
            "weights": {"gift": 1.0, "sanction": -0.5, "conflict": -0.2},
            "effects": {"harvest": 0.5},
            "links": {"sanction": -0.3},
        },
        "trust": {"weights": {"gift": 1.0, "sanction": -1.0}, "links": {"gift": -0.2}},
    },
    "hierarchy": {
        "groups": "size",
        "size": 3,
        "share": {"wealth": "mean", "skill": "max"},
        "pool": {"wealth": 0.3},
    },
    "interaction": {
        "contention": "lottery",
        "externalities": {"wealth": {"share": -0.3}},
        "mixing": "shared",
        "timing": "delayed",
        "period": 4,
    },
    "power": {
        "castes": {
            "high": {"priority": 1, "effects": {"harvest": 2.0}},
            "low": {"permissions": ["deal.none", "deal.give", "target.*"], "hidden": ["stock"]},
        },
        "assign": {"harvester": ["high", "low", "low"]},
        "matrix": {"low": {"high": ["gift"]}},
    },
    "incentives": {
        "costs": {"deal.sanction": 0.3, "effort": 0.1},
        "penalties": {"conflict": 0.5},
        "delay": 2,
        "risk": {"deal.give": {"fail": 0.3, "caught": 0.2, "fine": 0.5}},
        "opportunity": 0.05,
    },
    "uncertainty": {
        "shocks": {"storm": {"column": "stock", "hazard": 0.1, "size": -0.3}},
        "drift": {"growth_scale": {"amount": 0.5, "period": 40, "shape": "wave"}},
        "adaptation": {"harvest_rate": {"goal": 0.2, "rate": -0.5}},
    },
}


TOWNLET: dict[str, dict[str, Any]] = {
    "information": {
        "blurs": [
            {"features": "window", "noise": 0.1},
            {"features": "others", "dropout": 0.3},
            {"features": "meters.m*", "mask": True},
            {"features": "time", "delay": 4},
        ]
    },
    "temporal": {
        "history": 2,
        "latency": 1,
        "effects": {"meters.money": {"steps": 3}},
        "reputation": {
            "weights": {"conflict": -1.0, "death": -1.0},
            "shown": "seen",
            "effects": {"gain": 0.5},
        },
        "trust": {"weights": {"wedding": 1.0}},
    },
    "hierarchy": {
        "groups": "size",
        "size": 4,
        "share": {"meters": "mean"},
        "pool": {"meters.money": 0.5},
    },
    "interaction": {
        "contention": "need",
        "need": "meters.energy",
        "externalities": {"meters.mood": {"share": 0.3, "to": "all"}},
        "mixing": "shared",
        "timing": "sparse",
        "period": 5,
    },
    "power": {
        "castes": {
            "noble": {"priority": 2, "effects": {"gain": 1.5}},
            "serf": {"permissions": ["act.UP", "act.DOWN", "act.WAIT"], "hidden": ["window"]},
        },
        "assign": {"resident": ["noble", "serf"]},
    },
    "incentives": {
        "costs": {"act.WAIT": 0.1},
        "penalties": {"conflict": 0.5, "death": 1.0},
        "delay": 3,
        "risk": {"act.INTERACT": {"fail": 0.2, "caught": 0.1, "fine": 0.3}},
        "opportunity": 0.1,
    },
    "uncertainty": {
        "shocks": {
            "flu": {"column": "meters.health", "hazard": 0.05, "size": -0.2, "who": "one"},
            "taxes": {"column": "meters.money", "hazard": 0.05, "size": -0.5},
        },
        "drift": {"difficulty": {"amount": 1.0, "period": 50}},
        "adaptation": {"move_cost": {"goal": 0.5, "rate": 1.0, "every": 5}},
    },
}
SETTINGS = {"commons/wardens": COMMONS, "townlet/L7": TOWNLET}


def overrides(preset: str, *names: str, intensity: float = 1.0) -> dict[str, Any]:
    """Give the overrides that turn some layers on."""
    settings = SETTINGS[preset]
    return {f"layers.{name}": {"intensity": intensity, **settings[name]} for name in names}
