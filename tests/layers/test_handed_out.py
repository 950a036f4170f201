"""What an env hands out is never read back: overwriting it changes nothing that follows."""

import numpy as np
import pytest
from layer_settings import LAYERS, SETTINGS, overrides

import mesocosm as meso
from mesocosm.testing.case import Case
from mesocosm.testing.layered import draw_layers
from mesocosm.testing.scribble import (
    handed_out_arrays,
    handed_out_is_not_read_back,
    scribble,
)

SLOW = "mettagrid/arena100"  # a hundred agents with layers, in plain Python
HISTORY = {"layers.temporal": {"intensity": 1.0, "history": 3, "latency": 1}}
COMPILED = {
    "commons": "commons/wardens",
    "island": "island/skirmish",
    "mettagrid": "mettagrid/assembly",
    "townlet": "townlet/L7",
}
SHIPPED = [name for name in meso.presets() if name.partition("/")[0] in COMPILED]


def play(preset, settings, target="python"):
    small = target == "python" and preset.startswith(("island/", "mettagrid/"))
    steps, envs = (4, 1) if small else (7, 2)
    ends = {"core.max_steps": 2 if small else 4}
    case = Case(preset, ends | settings, num_envs=envs, steps=steps, target=target)
    handed_out_is_not_read_back(case)


def with_history(preset):
    """Turn drawn layers on, and history with them."""
    drawn = draw_layers(preset, np.random.default_rng(3))
    temporal = {"intensity": 1.0, **drawn.pop("layers.temporal", {})}
    return {**drawn, "layers.temporal": {**temporal, "history": 3, "latency": 1}}


@pytest.mark.parametrize("preset", SHIPPED)
def test_overwriting_every_step_of_a_preset_changes_nothing(preset):
    play(preset, {})


@pytest.mark.parametrize(
    "preset",
    [pytest.param(p, marks=pytest.mark.slow) if p == SLOW else p for p in SHIPPED],
)
def test_overwriting_every_step_changes_nothing_with_history_and_other_layers(preset):
    play(preset, with_history(preset))


@pytest.mark.parametrize("preset", SETTINGS)
def test_overwriting_every_step_changes_nothing_with_all_layers_on(preset):
    play(preset, overrides(preset, *LAYERS))


@pytest.mark.parametrize("preset", COMPILED.values())
@pytest.mark.parametrize("settings", [{}, HISTORY], ids=["plain", "layered"])
def test_overwriting_every_step_of_compiled_code_changes_nothing(preset, settings):
    play(preset, settings, target="cpu")


def test_every_world_is_overwritten_compiled():
    assert {name.partition("/")[0] for name in SHIPPED} == set(COMPILED)
    assert len(SHIPPED) == 42


def test_scribbling_spares_no_entry_of_a_step():
    env = meso.make("commons/wardens", num_envs=2, target="python")
    step = env.reset()
    before = [(name, array.copy()) for name, array in handed_out_arrays(step) if array.size]
    scribble(step)
    arrays = [array for _, array in handed_out_arrays(step) if array.size]
    same = [
        name
        for (name, old), new in zip(before, arrays, strict=True)
        if old.tobytes() == new.tobytes()
    ]
    assert same == []


@pytest.mark.parametrize("preset", ["commons/default", "commons/wardens"])
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_arrays_of_a_step_are_read_only_on_the_host(preset, target):
    step = meso.make(preset, target=target).reset()
    for name, array in handed_out_arrays(step):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
        assert not array.flags.writeable, name
