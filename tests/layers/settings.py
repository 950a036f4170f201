"""One strong setting of every layer for commons, as overrides by dotted path."""

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
        "reputation": {"weights": {"gift": 1.0, "sanction": -0.5, "conflict": -0.2}},
        "trust": {"weights": {"gift": 1.0, "sanction": -1.0}},
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


def overrides(settings: dict[str, dict[str, Any]], *names: str, intensity: float = 1.0):
    """Give the overrides that turn some layers on."""
    return {f"layers.{name}": {"intensity": intensity, **settings[name]} for name in names}
