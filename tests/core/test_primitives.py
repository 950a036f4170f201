import dataclasses
import json

import pytest

from mesocosm.core.scene import Circle, Line, Rect, Scene, Text


def test_a_scene_is_plain_data_in_drawing_order():
    drawn = (
        Rect(0.0, 0.0, 2.0, 1.0, "#112233", "a box"),
        Circle(1.0, 0.5, 0.4, "#112233"),
        Line(0.0, 0.0, 2.0, 1.0, 0.1, "#112233"),
        Text(1.0, 0.5, 0.3, "#112233", "hello"),
    )
    plain = json.loads(json.dumps(Scene(2.0, 1.0, drawn, "two cells").plain()))
    assert (plain["width"], plain["height"], plain["caption"]) == (2.0, 1.0, "two cells")
    assert [p["kind"] for p in plain["primitives"]] == ["rect", "circle", "line", "text"]
    assert plain["primitives"][3]["label"] == "hello"


def test_what_is_drawn_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Circle(1.0, 0.5, 0.4, "#112233").x = 2.0
