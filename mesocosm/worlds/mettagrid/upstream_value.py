"""Read the program's game values, as far as they are weighted sums of one's own inventory."""

from typing import Any

from mesocosm.worlds.mettagrid.upstream_part import Part


def value_section(part: Part) -> dict[str, Any]:
    """Turn a game value into a bounded, weighted sum."""
    made: dict[str, Any] = {"weights": {}, "constant": 0.0, "low": None, "high": None}
    _add(part, 1.0, made)
    return made


def _add(part: Part, weight: float, made: dict[str, Any]) -> None:
    if part.take("item") is not None:
        if part.take("scope", "agent") != "agent":
            raise part.fail("scope", "only values of the agent are supported")
        item = part.take("item")
        made["weights"][item] = made["weights"].get(item, 0.0) + weight
    elif part.take("value") is not None:
        made["constant"] += weight * float(part.take("value"))
    elif "weights" in part._data or "log" in part._data:
        _sum(part, weight, made)
    elif part.take("values") is not None:
        raise part.fail("values", "minimum and maximum are not supported")
    else:
        raise part.fail("", "this kind of value is not supported")
    part.skip("type", "value_type")
    part.finish()


def _sum(part: Part, weight: float, made: dict[str, Any]) -> None:
    if part.take("log", False):
        raise part.fail("log", "logarithms are not supported")
    values = list(part.items("values"))
    weights = part.take("weights") or [1.0] * len(values)
    for value, factor in zip(values, weights, strict=True):
        _add(value, weight * float(factor), made)
