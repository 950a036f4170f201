"""List what a config section can be set to: every path, with its type and its limits."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

WORDS = {bool: "true or false", int: "int", float: "float", str: "text", NoneType: "null"}
SEVERAL = {tuple: ("list of", 0), dict: ("map to", 1)}  # words, and which argument they are about
LIST, MAP = "[]", ".*"  # what follows a setting's name where it holds several


def list_settings(model: Any, lead: str = "") -> Iterator[tuple[str, str, str]]:
    """Give path, type and meaning of every setting, those of nested sections too."""
    for name, field in model.model_fields.items():
        kind = describe_type(field.annotation, field.metadata)
        yield lead + name, kind, field.description or ""
        suffix, inner = _nested(field.annotation)
        if inner is not None:
            yield from list_settings(inner, f"{lead}{name}{suffix}.")


def describe_type(kind: Any, limits: Any = ()) -> str:
    """Write a type and its limits as people read them."""
    if kind in WORDS:
        return f"{WORDS[kind]} {_range(limits)}".rstrip()
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "section"
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return describe_type(inner[0], _limits(inner[1:]))
    if origin is Literal:
        return " | ".join(map(str, inner))
    if origin in SEVERAL:
        words, k = SEVERAL[origin]
        return f"{words} {describe_type(inner[k])}"
    if origin in (Union, UnionType):
        return " | ".join(map(describe_type, inner))
    raise TypeError(f"no words for the type {kind}")


def _limits(notes: tuple[Any, ...]) -> list[Any]:
    """Gather the limits among the notes on a type."""
    return [x for n in notes for x in (n.metadata if isinstance(n, FieldInfo) else [n])]


def _range(limits: Any) -> str:
    found = {key: getattr(x, key) for x in limits for key in ("ge", "gt", "le") if hasattr(x, key)}
    if "le" not in found:
        return ""
    low = f"{found['ge']:g}" if "ge" in found else f"above {found['gt']:g}"
    return f"{low}..{found['le']:g}"


def _nested(kind: Any) -> tuple[str, Any]:
    """Find the section that a setting holds, or holds several of."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "", kind
    suffix = {tuple: LIST, dict: MAP}.get(get_origin(kind), "")
    for inner in get_args(kind):
        further, found = _nested(inner)
        if found is not None:
            return suffix + further, found
    return "", None
