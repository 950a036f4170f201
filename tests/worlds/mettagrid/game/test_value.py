"""Game values that cannot be worked out are refused."""

import pytest
from games import game
from parts import stat

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.game.value import MOST_NESTED, Value

ORE = {"kind": "inventory", "resource": "ore"}


@pytest.mark.parametrize(
    ("value", "match"),
    [
        ({"kind": "sum"}, "value: of: a sum needs at least one part"),
        ({"kind": "ratio", "of": [ORE]}, "a ratio has 2 parts, got 1"),
        ({"kind": "sum", "of": [ORE], "weights": [1.0, 2.0]}, "weights: a sum of 1 parts"),
        ({"kind": "max", "of": [ORE], "log": True}, "log: only a sum has it"),
        ({"kind": "inventory", "resource": "or"}, r"value.resource: no resource named 'or'.*'ore'"),
        ({"kind": "min", "of": [{"kind": "inventory"}]}, "of.0.resource: no resource named ''"),
        (stat("action.moves.success"), "nothing writes .*Did you mean 'action.move.success'"),
    ],
)  # fmt: skip
def test_malformed_value_is_refused_with_its_path(value, match):
    with pytest.raises(ConfigError, match=match):
        game("@.", agent={"rewards": {"it": {"value": value}}})


def test_value_nested_deeper_than_the_limit_is_refused():
    value = Value(**ORE)
    for _ in range(MOST_NESTED):
        value = Value(kind="max", of=(value,))
    with pytest.raises(ValueError, match="at most 7 levels"):
        Value(kind="max", of=(value,))
