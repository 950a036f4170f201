"""Make MettaGrid's own config of a drawn game, and the dump that ours is to import."""

from typing import Any

from tests.worlds.mettagrid.differential.names import Json


def build(part: Any) -> Any:
    """Turn what is marked as a minimum or maximum into the wheel's class of it."""
    from mettagrid.config.game_value import MaxGameValue, MinGameValue

    if isinstance(part, dict):
        if part.get("type") in ("min", "max"):
            kind = MinGameValue if part["type"] == "min" else MaxGameValue
            return kind(values=[build(entry) for entry in part["values"]])
        return {key: build(entry) for key, entry in part.items()}
    if isinstance(part, list):
        return [build(entry) for entry in part]
    return part


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


def make_config(drawn: Json) -> Any:
    """Return the wheel's validated config, handlers of moves included."""
    from mettagrid.config.handler_config import Handler
    from mettagrid.config.mettagrid_config import MettaGridConfig

    made = MettaGridConfig.model_validate(build(drawn))
    moves = made.game.actions.move
    moves.handlers = [Handler.model_validate(entry) for entry in moves.handlers]
    return made


def make_dump(made: Any, *, marked: bool = True) -> Json:
    """Return a config as JSON; without marks, minima read back as maxima."""
    dump: Json = made.model_dump(mode="json")
    if marked:
        mark(made, dump)
    return dump
