import re
from xml.etree import ElementTree as ET

import pytest

from mesocosm.evaluation.report.document import Film, write_films, write_rows
from mesocosm.evaluation.report.forest import Entry, draw_boxes, draw_forest
from mesocosm.evaluation.report.heat import HIGH, LOW, Matrix, draw_heat, luminance
from mesocosm.evaluation.report.lines import Axis, Line, draw_lines
from mesocosm.evaluation.report.svg import clip, escape

EVIL = "</title><script>alert('x')</script>"


def places(drawn):
    root = ET.fromstring(drawn)  # noqa: S314 (our own)
    width = float(root.get("viewBox").split()[2])
    return root, width


def test_interval_lies_around_its_value():
    root, width = places(draw_forest("t", [Entry("a", 2.0, 1.0, 4.0), Entry("b", None)]))
    (dot,) = root.iter("circle")
    stem = next(e for e in root.iter("line") if e.get("class") == "stem c0")
    assert float(stem.get("x1")) < float(dot.get("cx")) < float(stem.get("x2")) < width
    words = [e.text for e in root.iter("text")]
    assert "2 (1 to 4)" in words
    assert "nothing is known" in words


def test_words_stay_inside_the_drawing_however_long_they_are():
    entries = [Entry("n" * 400, 0.123, 0.0123, 0.9), Entry("m", 1e-5, -12345.6, 99999.0)]
    root, width = places(draw_forest("t", entries))
    for found in root.iter("text"):
        if found.get("class") == "value":
            assert float(found.get("x")) + 7 * len(found.text) < width
        if found.get("class") == "label":
            assert float(found.get("x")) - 7 * len(found.text) > 0


def test_long_forests_say_how_many_are_left_out():
    drawn = draw_forest("t", [Entry(str(k), float(k)) for k in range(100)])
    assert "the first 40 of 100" in drawn


def test_box_has_the_median_and_quarters_of_the_values():
    drawn = draw_boxes("t", {"a": list(range(101)), "none": []}, "x")
    assert "median 50, half of all 25 to 75, nine tenths 5 to 95" in drawn
    assert "nothing to show" in draw_boxes("t", {"none": []}, "x")


def test_names_are_escaped_in_every_drawing():
    drawn = [
        draw_forest(EVIL, [Entry(EVIL, 1.0)]),
        draw_boxes(EVIL, {EVIL: [1.0, 2.0]}, EVIL),
        draw_heat(Matrix(EVIL, [EVIL], [EVIL], [[1.0]])),
        draw_lines(EVIL, Axis(EVIL, [(0.0, EVIL), (1.0, "")]), [Line(EVIL, "c0", [(0, 1, 0, 2)])]),
        write_rows([EVIL, EVIL], [[EVIL, EVIL]]),
        write_films(EVIL, [Film(b"GIF", EVIL, EVIL)], EVIL),
    ]
    for page in drawn:
        assert "<script" not in page
        ET.fromstring(f"<p>{page}</p>")  # noqa: S314 (our own)


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\u202e", "\u200b", "\ud800", "\x9b"])
def test_signs_that_nobody_sees_are_replaced(sign):
    assert escape(f"a{sign}b") == "a\N{REPLACEMENT CHARACTER}b"
    assert escape("Ünï\n") == "Ünï\n"


def test_clipped_names_keep_both_ends():
    assert clip("short") == "short"
    made = clip("runs/experiment-with-a-long-name/last.mesop", 20)
    assert len(made) == 20
    assert made.startswith("runs/")
    assert made.endswith("st.mesop")


def test_numbers_in_a_heat_map_can_be_read_on_every_colour():
    values = [[k / 20 for k in range(21)]]
    drawn = draw_heat(Matrix("t", ["a"], [str(k) for k in range(21)], values))
    classes = re.findall(r'class="(light|dark)"', drawn)
    assert len(classes) == 21
    for k, class_ in enumerate(classes):
        share = k / 20
        bright = luminance([round(a + (b - a) * share) for a, b in zip(LOW, HIGH, strict=True)])
        contrast = 1.05 / (bright + 0.05) if class_ == "light" else (bright + 0.05) / 0.05
        assert contrast >= 4.5


def test_columns_without_a_word_are_left_out():
    made = write_rows(["who", "note", "value"], [["a", "", 1.5], ["b", "", None]])
    assert "note" not in made
    assert "1.500" in made
    assert made.count("<td") == 2


def test_nothing_is_shown_where_there_are_no_films_and_no_words():
    assert write_films("Films", []) == ""
    assert "cannot be drawn" in write_films("Films", [], "No films: it cannot be drawn.")
