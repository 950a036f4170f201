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


def build(part: Any) -> Any:
    """Make values, filters and queries the wheel's objects, as people do who write games in Python.

    Read from JSON, minima and maxima become sums, and filters of queries inside sums are lost.
    """
    if isinstance(part, list):
        return [build(entry) for entry in part]
    if not isinstance(part, dict):
        return part
    made = {key: build(entry) for key, entry in part.items()}
    kind = value_class(part)
    if kind is not None:
        made.pop("type", "")
        return kind(**made)
    for key in ("filter_type", "query_type"):
        if (key, part.get(key)) in classes():
            return classes()[key, part[key]](**made)
    return made


def make_config(drawn: Json) -> Any:
    """Return the wheel's validated config of a drawn game, all of it objects."""
    return with_move_handlers(build(drawn))


def read_config(dump: Json) -> Any:
    """Return the config that the wheel reads back from its own JSON."""
    return with_move_handlers(dump)


def with_move_handlers(data: Json) -> Any:
    """Return a validated config, with handlers of moves, which the wheel leaves as they are."""
    from mettagrid.config.handler_config import Handler
    from mettagrid.config.mettagrid_config import MettaGridConfig

    made = MettaGridConfig.model_validate(data)
    moves = made.game.actions.move
    moves.handlers = [Handler.model_validate(entry) for entry in moves.handlers]
    return made
