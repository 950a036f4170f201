"""JSON from strangers: an object without repeated keys, NaN or depth."""

import json
from typing import Any, NoReturn

from mesocosm.core.errors import BundleError, cut_text, short

MAX_DEPTH = 32


def parse_object(raw: bytes, where: str) -> dict[str, Any]:
    """Read a JSON object; whatever is wrong with it is one error."""
    try:
        data = json.loads(raw.decode(), object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except RecursionError:
        raise BundleError(f"{where}: is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise BundleError(f"{where}: not valid JSON: {cut_text(str(error))}") from None
    if not isinstance(data, dict):
        raise BundleError(f"{where}: must hold an object, got {short(data)}")
    _check_depth(data, where)
    return data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise ValueError(f"{short(name)} is there twice")
        made[name] = value
    return made


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _check_depth(data: Any, where: str) -> None:
    level = [data]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise BundleError(f"{where}: is nested deeper than {MAX_DEPTH} levels")
