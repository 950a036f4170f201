"""Write data as JSON that every browser reads: numbers that JSON cannot say become null."""

import json
import math
from typing import Any

import numpy as np


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


_ENCODER = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain
)


def encode(data: Any) -> bytes:
    """Give data as JSON."""
    try:
        text = _ENCODER.encode(data)
    except ValueError:
        text = _ENCODER.encode(finite(data))
    return text.encode("utf-8", "replace")


def finite(value: Any) -> Any:
    """Copy data with null in the place of NaN and infinity."""
    if isinstance(value, dict):
        return {str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return finite(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
