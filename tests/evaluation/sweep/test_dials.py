import pytest

from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.sweep.dials import make_grid, parse_dials


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("core.x=1,2,3", (1, 2, 3)),
        ("core.x=0.5", (0.5,)),
        ("core.x=true,false", (True, False)),
        ("core.name=a,b", ("a", "b")),
        ("core.x=[1,2],[3]", ([1, 2], [3])),
        ("core.x=0:1:5", (0.0, 0.25, 0.5, 0.75, 1.0)),
        ("core.x=1:5:3", (1, 3, 5)),
        ("core.x=5:1:3", (5, 3, 1)),
        ("core.x=0.0:4:3", (0.0, 2.0, 4.0)),
    ],
)
def test_values_are_listed_or_spread(text, values):
    (dial,) = parse_dials([text])
    assert dial.values == values
    assert [type(x) for x in dial.values] == [type(x) for x in values]


@pytest.mark.parametrize(
    "text",
    ["core.x", "core.x=", "=1,2", "core.x=1,1", "core.x=0:1:1", "core.x=0:inf:3", "core.x=a:b:3",
     "core.x=0:1:2000", "core.x=0:1:2.5", "core.x=1:1:2", "core.x=]"],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(text):
    with pytest.raises(ConfigError, match="--param"):
        parse_dials([text])


def test_two_dials_of_one_setting_are_refused():
    with pytest.raises(ConfigError, match=r"--param core\.x: is given twice"):
        parse_dials(["core.x=1", "core.x=2"])


def test_grid_has_every_combination_once_the_last_turning_fastest():
    grid = make_grid(parse_dials(["core.x=1,2", "learning.gamma=0.5,0.9"]))
    assert [point.number for point in grid] == [0, 1, 2, 3]
    assert [tuple(point.values.values()) for point in grid] == [
        (1, 0.5), (1, 0.9), (2, 0.5), (2, 0.9),
    ]  # fmt: skip
    assert grid[1].world_part() == {"core.x": 1}
    assert grid[1].learning_part() == {"learning.gamma": 0.9}
    assert grid[1].label == "core.x=1, learning.gamma=0.9"


def test_grid_that_is_too_large_is_refused():
    with pytest.raises(ConfigError, match="1,000,000 combinations"):
        make_grid(parse_dials(["a=1:1000:1000", "b=1:1000:1000"]))
