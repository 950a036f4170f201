import json
from itertools import pairwise

import pytest

from mesocosm.core.errors import SpecError, UnknownName
from mesocosm.core.follow import Camera, Follower
from mesocosm.core.glyph import GLYPHS, load_glyphs, outlines, plain_glyphs
from mesocosm.core.palette import THEMES, resolve_colour, share_colour
from mesocosm.core.scene import (
    Bars,
    Box,
    Cells,
    Circle,
    Glyph,
    Legend,
    Line,
    Polyline,
    Rect,
    Ring,
    Scene,
    Text,
    Trail,
    cell_codes,
    entries,
    union,
)

DRAWN = (
    Rect(0.0, 0.0, 2.0, 1.0, "paper", label="a box"),
    Circle(1.0, 0.5, 0.4, "#112233"),
    Ring(1.0, 0.5, 0.4, "ink", sweep=90.0),
    Line(0.0, 0.0, 2.0, 1.0, 0.1, "#112233"),
    Polyline((0.0, 0.0, 1.0, 1 / 3), 0.1, "ink", fade=True),
    Glyph("person", 1.0, 0.5, 0.4, "team0", key="agent 3"),
    Text(1.0, 0.5, 0.3, "#112233", "hello"),
    Bars(0.0, 0.0, 1.0, 0.5, (0.5, 1 / 3), ("good", "bad")),
    Cells(0.0, 0.0, 2, 1, "0.", ("wall",), source=("obs:3-4", "mask:1")),
)


def test_a_scene_is_plain_data_in_drawing_order():
    plain = json.loads(json.dumps(Scene(2.0, 1.0, DRAWN, "two cells").plain()))
    assert (plain["size"], plain["caption"]) == ([2.0, 1.0], "two cells")
    kinds = [item[0] for item in plain["items"]]
    assert kinds == [
        "rect", "circle", "ring", "line", "polyline", "glyph", "text", "bars", "cells"
    ]  # fmt: skip


def test_an_item_is_its_kind_and_its_fields_without_defaults_at_the_end():
    items = Scene(2.0, 1.0, DRAWN).plain()["items"]
    assert items[0] == ["rect", 0.0, 0.0, 2.0, 1.0, "paper", 1.0, 0.0, "a box"]
    assert items[1] == ["circle", 1.0, 0.5, 0.4, "#112233"]
    assert items[4] == ["polyline", [0.0, 0.0, 1.0, 0.333], 0.1, "ink", 1.0, True]
    assert items[7][5:] == [[0.5, 0.333], ("good", "bad")]
    assert items[8][-1] == ("obs:3-4", "mask:1")


def test_a_scene_shows_its_focus_or_everything():
    assert Scene(2.0, 1.0, ()).plain()["box"] == [0.0, 0.0, 2.0, 1.0]
    assert Scene(2.0, 1.0, (), focus=Box(0.5, 0.0, 1.0, 1.0)).plain()["box"] == [0.5, 0.0, 1.0, 1.0]
    made = Scene(2.0, 1.0, (), legend=(Legend("person", "good", "someone"),)).plain()
    assert made["legend"] == [["person", "good", "someone"]]


def test_what_is_drawn_cannot_be_changed():
    with pytest.raises(AttributeError):
        Circle(1.0, 0.5, 0.4, "#112233").x = 2.0


def test_entries_and_cells_are_written_as_text():
    assert entries("obs", 3) == "obs:3"
    assert entries("obs", 3, 4) == "obs:3-6"
    assert entries("info", "age") == "info:age"
    assert cell_codes([0, -1, 11]) == "0.b"
    assert union([Box(0, 0, 1, 1), Box(2, 1, 1, 3)]) == Box(0, 0, 3, 4)


def test_every_glyph_lies_inside_its_box_and_is_json():
    assert json.loads(json.dumps(plain_glyphs(GLYPHS)))["person"]
    for name, parts in GLYPHS.items():
        for part in parts:
            for outline in outlines(part.path):
                assert all(0 <= value <= 24 for point in outline for value in point), name


def test_a_circle_in_a_glyph_is_written_as_curves(tmp_path):
    (tmp_path / "g.json").write_text('{"o": [["main", "O 12 12 6"]]}')
    (part,) = load_glyphs(tmp_path / "g.json")["o"]
    assert part.path.startswith("M 12 6 L")
    assert set(part.path.split()) & {"M", "L", "C", "Z"} == {"M", "L", "C", "Z"}
    for x, y in outlines(part.path)[0]:
        assert (x - 12) ** 2 + (y - 12) ** 2 == pytest.approx(36, rel=1e-2)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ('["pink", "Z"]', "glyph o: no paint 'pink'"),
        ('["main", "X 1 2"]', "glyph o: no path command 'X'"),
        ('["main", "M 1"]', "glyph o: M needs 2 numbers"),
    ],
)
def test_a_glyph_that_cannot_be_read_says_why(tmp_path, part, words):
    (tmp_path / "g.json").write_text(f'{{"o": [{part}]}}')
    with pytest.raises(SpecError, match=words):
        load_glyphs(tmp_path / "g.json")


def test_both_themes_name_the_same_colours():
    assert set(THEMES["light"]) == set(THEMES["dark"])
    assert resolve_colour("#123456") == "#123456"
    assert resolve_colour("paper") != resolve_colour("paper", "dark")
    with pytest.raises(UnknownName, match="no colour named 'papr'"):
        resolve_colour("papr")


def test_shares_are_coloured_from_bad_to_good():
    assert share_colour(-1.0) == "ramp0"
    assert share_colour(2.0) == "ramp10"
    assert len({share_colour(value / 10) for value in range(11)}) == 11


def trail(x, key="agent 0"):
    return Scene(9.0, 9.0, (Trail(x, 0.5, 0.1, "ink", key, steps=3, reach=2.0),))


def test_a_follower_draws_the_path_of_the_last_steps():
    follower = Follower()
    assert follower.follow(trail(0.0)).primitives == ()
    for x in (1.0, 2.0, 3.0):
        made = follower.follow(trail(x))
    (path,) = made.primitives
    assert path.points == (0.0, 0.5, 1.0, 0.5, 2.0, 0.5, 3.0, 0.5)
    assert path.key == "agent 0"
    (path,) = follower.follow(trail(4.0)).primitives
    assert path.points[0] == 1.0  # the oldest is forgotten


def test_what_jumps_is_gone_or_begins_anew_leaves_no_path():
    follower = Follower()
    follower.follow(trail(0.0))
    assert follower.follow(trail(5.0)).primitives == ()
    assert len(follower.follow(trail(6.0)).primitives) == 1
    follower.follow(trail(6.0, key="agent 1"))
    assert follower.follow(trail(6.5)).primitives == ()
    follower.reset()
    assert follower.follow(trail(7.0)).primitives == ()


def test_a_camera_rests_on_what_rests_and_never_jumps():
    camera = Camera()
    small, large = Box(4.0, 4.0, 2.0, 2.0), Box(0.0, 0.0, 10.0, 10.0)
    assert [camera.follow(small) for _ in range(5)] == [small] * 5
    seen = [camera.follow(large) for _ in range(60)]
    widths = [box.width for box in (small, *seen)]
    assert max(b - a for a, b in pairwise(widths)) <= 0.2 * 8 + 1e-9
    assert seen[-1] == large


def test_a_camera_stays_wide_for_a_while():
    camera = Camera()
    large, small = Box(0.0, 0.0, 10.0, 10.0), Box(4.0, 4.0, 2.0, 2.0)
    camera.follow(large)
    assert camera.follow(small) == large
    for _ in range(200):
        last = camera.follow(small)
    assert last == small
