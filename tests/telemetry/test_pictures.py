"""Scenes as pictures: what is drawn where, in which colours, and how large words are."""

import pytest
from PIL import Image

from mesocosm.core.errors import ConfigError
from mesocosm.core.palette import resolve_colour
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
)
from mesocosm.telemetry.pictures import drawing, pen
from mesocosm.telemetry.pictures.drawing import MARGIN, ZOOM, draw, draw_film, wrap
from mesocosm.telemetry.pictures.files import save_gif, save_png, save_webp
from mesocosm.telemetry.pictures.pen import LEAST_TEXT

CELL = 96


def shades(image):
    return {f"#{r:02x}{g:02x}{b:02x}" for _, (r, g, b) in image.getcolors(1 << 20)}


def at(image, x, y):
    """Read the colour at a place in cells of a picture with the largest cells."""
    r, g, b = image.getpixel((round(MARGIN + x * CELL), round(MARGIN + y * CELL)))
    return f"#{r:02x}{g:02x}{b:02x}"


def picture(*drawn, theme="light", **options):
    return draw(Scene(4.0, 4.0, drawn, **options), theme=theme)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_shapes_are_drawn_where_they_are_in_the_colours_of_the_theme(theme):
    made = picture(
        Rect(0.0, 0.0, 1.0, 1.0, "wall"),
        Circle(2.5, 0.5, 0.8, "team0"),
        Cells(0.0, 2.0, 2, 1, ".0", ("water",)),
        Glyph("dot", 3.5, 3.5, 1.0, "bad"),
        Line(2.0, 2.5, 4.0, 2.5, 0.2, "team1"),
        Polyline((0.1, 3.1, 0.9, 3.1, 0.9, 3.9, 0.1, 3.9), 0.1, "good", closed=True),
        theme=theme,
    )
    places = {
        (0.5, 0.5): "wall", (2.5, 0.5): "team0", (1.5, 2.5): "water", (0.5, 2.5): "paper",
        (3.5, 3.5): "bad", (3.0, 2.5): "team1", (0.5, 3.5): "good", (3.5, 1.5): "paper",
    }  # fmt: skip
    for place, name in places.items():
        assert at(made, *place) == resolve_colour(name, theme), name


def test_a_later_shape_covers_an_earlier_one_and_opacity_mixes():
    made = picture(Rect(0, 0, 4, 4, "#000000"), Rect(0, 0, 2, 2, "#ffffff", opacity=0.5))
    assert at(made, 1.0, 1.0) in ("#7f7f7f", "#808080")
    assert at(made, 3.0, 3.0) == "#000000"


def test_bars_fill_by_their_shares_lying_or_upright():
    lying = picture(Bars(0.0, 0.0, 4.0, 1.0, (0.5,), ("team0",)))
    assert at(lying, 1.0, 0.5) == resolve_colour("team0")
    assert at(lying, 3.0, 0.5) == resolve_colour("plate")
    upright = picture(Bars(0.0, 0.0, 1.0, 4.0, (0.25,), ("team0",), upright=True))
    assert at(upright, 0.5, 3.5) == resolve_colour("team0")
    assert at(upright, 0.5, 1.0) == resolve_colour("plate")
    unknown = picture(Bars(0.0, 0.0, 4.0, 1.0, (-1.0,), ("team0",)))
    assert resolve_colour("team0") not in shades(unknown)
    tiny = picture(Bars(0.0, 0.0, 4.0, 0.01, (0.5,), ("team0",)))
    assert shades(tiny) == {resolve_colour("paper")}


def test_a_slice_of_a_ring_points_where_it_is_turned():
    made = picture(Ring(2.0, 2.0, 3.0, "team0", 0.1, 1.0, 1.0, turn=0.0, sweep=90.0))
    assert at(made, 3.0, 2.0) == resolve_colour("team0")  # to the right
    assert at(made, 1.0, 2.0) == resolve_colour("paper")
    turned = picture(Ring(2.0, 2.0, 3.0, "team0", 0.1, 1.0, 1.0, turn=90.0, sweep=90.0))
    assert at(turned, 2.0, 3.0) == resolve_colour("team0")  # clockwise: down


def test_a_trail_by_itself_leaves_nothing():
    assert shades(picture(Trail(1.0, 1.0, 0.5, "bad", "agent 0"))) == {resolve_colour("paper")}


@pytest.mark.parametrize("cells", [4.0, 60.0, 4000.0])
def test_no_text_is_lower_than_ten_pixels(monkeypatch, cells):
    heights, real = [], pen.font_of

    def noted(height):
        heights.append(height)
        return real(height)

    monkeypatch.setattr(pen, "font_of", noted)
    drawn = [Text(2.0, 2.0, size, "ink", "words", room=room) for size in (0.001, 0.1, 1.0)
             for room in (0.0, 0.01, 1.0)]  # fmt: skip
    draw(Scene(cells, cells, tuple(drawn), "a caption", legend=(Legend("dot", "ink", "a dot"),)))
    assert heights
    drawn_heights = [height for height in heights if height not in (12, 14)]  # to place the legend
    assert min(drawn_heights) >= LEAST_TEXT * ZOOM


def test_words_are_set_smaller_then_cut_then_left_out():
    font = pen.font_of(20)
    assert pen.cut("short", font, 500.0) == "short"
    assert pen.cut("a very long name", font, 80.0).endswith("…")
    assert font.getlength(pen.cut("a very long name", font, 80.0)) <= 80.0
    assert pen.cut("a very long name", font, 12.0) == ""


def test_the_legend_and_the_caption_stand_below_the_map():
    bare = draw(Scene(4.0, 4.0, ()))
    legend = (Legend("person", "team1", "someone"), Legend("", "team2", "a colour"))
    full = draw(Scene(4.0, 4.0, (), "a caption", legend=legend))
    assert full.height > bare.height + 30
    below = full.crop((0, bare.height - MARGIN, full.width, full.height))
    assert {resolve_colour("team1"), resolve_colour("team2")} <= shades(below)
    without = draw(Scene(4.0, 4.0, (), "a caption", legend=legend), legend=False)
    assert bare.height < without.height < full.height
    assert len(wrap("many words " * 40, 14, 300)) > 5


def test_only_the_part_in_focus_is_shown():
    far = Rect(10.0, 10.0, 1.0, 1.0, "bad")
    whole = draw(Scene(100.0, 100.0, (far,)))
    near = draw(Scene(100.0, 100.0, (far,), focus=Box(9.0, 9.0, 4.0, 4.0)))
    assert at(near, 1.5, 1.5) == resolve_colour("bad")
    assert near.width < whole.width


def test_all_frames_of_a_film_have_one_size_and_one_part_of_the_world():
    scenes = [
        Scene(50.0, 50.0, (Trail(x, 2.0, 0.4, "bad", "agent 0"),), "w " * (30 * k),
              focus=Box(x - 1, 1.0, 3.0, 3.0))
        for k, x in enumerate((2.0, 3.0, 4.0))
    ]  # fmt: skip
    images = draw_film(scenes, 600)
    assert len({image.size for image in images}) == 1
    assert resolve_colour("paper") in shades(images[0])
    assert len(shades(images[2])) > len(shades(images[0]))  # the path of the last steps


def test_pictures_are_written_in_every_format(tmp_path):
    scene = Scene(4.0, 4.0, (Glyph("person", 2.0, 2.0, 2.0, "team0"),), "someone")
    images = [draw(scene, 200) for _ in range(3)]
    images[1] = images[1].rotate(90)
    save_gif(images, tmp_path / "a.gif", 10.0)
    save_webp(images, tmp_path / "a.webp", 10.0)
    size = save_png(scene, tmp_path / "a.png")
    for name, frames in (("a.gif", 3), ("a.webp", 3), ("a.png", 1)):
        with Image.open(tmp_path / name) as made:
            assert getattr(made, "n_frames", 1) >= min(frames, 2)
            assert made.size == (size if name == "a.png" else images[0].size)
    with pytest.raises(ConfigError, match="cannot be written"):
        save_png(scene, tmp_path / "no" / "a.png")


def test_an_unknown_glyph_is_an_error():
    with pytest.raises(KeyError, match="unheard"):
        picture(Glyph("unheard", 1.0, 1.0, 1.0, "ink"))
    assert drawing.require_pillow() is None
