"""Make MettaGrid's own config of a drawn game, and the dump that ours is to import."""

from functools import cache
from typing import Any

from tests.worlds.mettagrid.differential.names import Json


@cache
def classes() -> dict[tuple[str, str], Any]:
    """Return the wheel's classes of filters and queries by the word that tells them apart."""
    from mettagrid.config import filter as filters
    from mettagrid.config import query as queries

    found = {}
    for module, key in ((filters, "filter_type"), (queries, "query_type")):
        for kind in vars(module).values():
            if key in getattr(kind, "model_fields", {}):
                found[key, kind.model_fields[key].default] = kind
    return found


def value_class(part: Json) -> Any:
    """Return the wheel's class of a game value, or None for anything else."""
    from mettagrid.config import game_value as values

    keys = set(part)
    if "values" in keys:
        named = {"min": values.MinGameValue, "max": values.MaxGameValue}
        return named.get(part.get("type", ""), values.SumGameValue)
    kinds = (
        ({"numerator", "denominator"}, values.RatioGameValue), ({"value"}, values.ConstValue),
        ({"item", "query"}, values.QueryInventoryValue), ({"query"}, values.QueryCountValue),
        ({"item", "scope"}, values.InventoryValue), ({"name", "scope"}, values.StatValue),
        ({"name", "scope", "delta"}, values.StatValue),
    )  # fmt: skip
    return next((kind for wanted, kind in kinds if keys == wanted), None)


def build(part: Any, *, only_max: bool = False) -> Any:
    """Make values, filters and queries the wheel's objects, as people do who write games in Python.

    Read from JSON, a minimum becomes a maximum, and filters of queries inside sums are lost.
    """
    if isinstance(part, list):
        return [build(entry, only_max=only_max) for entry in part]
    if not isinstance(part, dict):
        return part
    made = {key: build(entry, only_max=only_max) for key, entry in part.items()}
    kind = value_class(part)
    if kind is not None:
        word = made.pop("type", "")
        return kind(**made) if word != "min" or not only_max else value_class(
            {"type": "max", "values": []})(**made)  # fmt: skip
    for key in ("filter_type", "query_type"):
        if (key, part.get(key)) in classes():
            return classes()[key, part[key]](**made)
    return made


def mark(model: Any, dump: Any) -> None:
    """Note in a dump, which does not tell them apart, what is a minimum and what a maximum."""
    from mettagrid.config.game_value import MaxGameValue, MinGameValue
    from pydantic import BaseModel

    if isinstance(model, MinGameValue | MaxGameValue):
        dump["type"] = "min" if isinstance(model, MinGameValue) else "max"
    if isinstance(model, BaseModel):
        for key in type(model).model_fields:
            if key in dump:
                mark(getattr(model, key), dump[key])
    elif isinstance(model, dict):
        for key, entry in model.items():
            if key in dump:
                mark(entry, dump[key])
    elif isinstance(model, list | tuple):
        for entry, part in zip(model, dump, strict=True):
            mark(entry, part)


def make_config(drawn: Json, *, only_max: bool = False) -> Any:
    """Return the wheel's validated config, handlers of moves included."""
    from mettagrid.config.handler_config import Handler
    from mettagrid.config.mettagrid_config import MettaGridConfig

    made = MettaGridConfig.model_validate(build(drawn, only_max=only_max))
    moves = made.game.actions.move
    moves.handlers = [Handler.model_validate(entry) for entry in moves.handlers]
    return made


def make_dump(made: Any, *, marked: bool = True) -> Json:
    """Return a config as JSON; without marks, minima read back as maxima."""
    dump: Json = made.model_dump(mode="json")
    if marked:
        mark(made, dump)
    return dump
