from xml.etree import ElementTree

import pytest

from mesocosm.evaluation.tournament.pictures import Matrix, draw_matrix, draw_population

SVG = "{http://www.w3.org/2000/svg}"


def row(others, focal, other):
    made = {"focal": "kind", "other": "<mean>", "others": others, "agents": 2}
    for name, value in (("focal", focal), ("other", other), ("collective", 1.0)):
        made[f"{name}_return"] = value
        made[f"{name}_low"] = None if value is None else value - 0.5
        made[f"{name}_high"] = None if value is None else value + 0.5
    return made


def test_population_has_a_line_with_a_band_for_each():
    made = draw_population([row(0, 3.0, None), row(1, 2.0, 4.0), row(2, None, 0.5)], "who earns")
    root = ElementTree.fromstring(made)  # noqa: S314 (our own)
    classes = [path.get("class") for path in root.iter(f"{SVG}path")]
    assert classes == ["band focal", "line focal", "band other", "line other",
                       "band collective", "line collective"]  # fmt: skip
    assert len(list(root.iter(f"{SVG}circle"))) == 2 + 2 + 3
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"who earns", "kind", "<mean>", "all together"} <= set(words)


@pytest.mark.parametrize(("by_column", "darkest"), [(False, [3]), (True, [0, 3])])
def test_matrix_has_a_cell_for_every_value(by_column, darkest):
    values = [[1.0, 2.0, None], [0.25, 100.0, None]]
    made = draw_matrix(Matrix("a title", ["a", "b"], ["x", "y", "z"], values, by_column))
    root = ElementTree.fromstring(made)  # noqa: S314 (our own)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert words == ["a title", "x", "y", "z", "a", "1", "2", "-", "b", "0.25", "100", "-"]
    fills = [box.get("fill") for box in root.iter(f"{SVG}rect") if box.get("class") == "cell"]
    known = [fills[k] for k in (0, 1, 3, 4)]
    assert [k for k, fill in enumerate(known) if fill == "rgb(31,111,178)"] == darkest
