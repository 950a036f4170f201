"""What the adapters are tested on: every preset, every role, and a test world."""

from importlib.util import find_spec

import pytest
from driving import SHORT

import mesocosm
from mesocosm.worlds import registry

# BenchMARL has an environment of its own, in which `make test` runs its tests
collect_ignore = [] if find_spec("benchmarl") else ["test_benchmarl.py"]
PRESETS = mesocosm.presets()
TWELVE_STEPS = {"core.max_steps": 12}
SEATS = [
    (preset, role.first)
    for preset in PRESETS
    for role in mesocosm.config_spec(mesocosm.load_config(preset)).roles.values()
]
SEATS += [("mayfly", agent) for agent in (0, 2, 3)]


@pytest.fixture
def mayfly(monkeypatch):
    """Register the test world; give what builds its configs."""
    import mayfly as module

    known = registry._folders()
    monkeypatch.setattr(registry, "_folders", lambda: {**known, "mayfly": "mayfly"})
    return module.config


def arguments(request, name):
    """Say how to make an adapter, with episodes that end soon."""
    if name == "mayfly":
        return {"source": request.getfixturevalue("mayfly")(), "target": "python"}
    return {"source": name, "overrides": SHORT.get(name.partition("/")[0], TWELVE_STEPS)}


@pytest.fixture(params=[*PRESETS, "mayfly"])
def case(request):
    """Give the arguments of an adapter for all agents."""
    return arguments(request, request.param)


@pytest.fixture(params=SEATS, ids=str)
def seat(request):
    """Give the arguments of an adapter for one agent."""
    name, agent = request.param
    return arguments(request, name) | {"agent": agent}
