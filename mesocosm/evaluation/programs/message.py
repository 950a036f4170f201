"""Messages between a match and its players: one line of JSON each, arrays as bytes in base64."""

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

ARRAY = "__array__"
DTYPES = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")


def encode(message: Mapping[str, Any]) -> bytes:
    """Write a message as one line."""
    return json.dumps(message, default=_plain, separators=(",", ":")).encode() + b"\n"


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    array = np.ascontiguousarray(value)
    if array.dtype.name not in DTYPES:
        raise TypeError(f"cannot send {type(value).__name__}")
    data = base64.b64encode(array.tobytes()).decode()
    return {ARRAY: data, "dtype": array.dtype.name, "shape": list(array.shape)}


def decode(line: bytes) -> dict[str, Any]:
    """Read a message; raise ValueError for anything that is none."""
    try:
        message = json.loads(
            line.decode(), object_hook=_array, parse_constant=_refuse, parse_float=_float
        )
    except ValueError:
        raise
    except Exception as error:  # nested too deep, shapes of texts, ...: anyone may have sent it
        raise ValueError(f"{type(error).__name__}: {error}") from None
    if not isinstance(message, dict):
        raise ValueError(f"a message must be an object, got {type(message).__name__}")
    return message


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _float(text: str) -> float:
    """Read a number; one that no float64 can hold is none."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is no number that a float64 holds")
    return value


def _array(value: dict[str, Any]) -> Any:
    if ARRAY not in value:
        return value
    if value.get("dtype") not in DTYPES:
        raise ValueError(f"an array cannot have dtype {value.get('dtype')!r}")
    data = base64.b64decode(value[ARRAY], validate=True)
    return np.frombuffer(data, value["dtype"]).reshape(value["shape"]).copy()
