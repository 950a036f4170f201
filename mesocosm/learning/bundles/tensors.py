"""Weights in the safetensors format: float32 arrays behind a JSON header, read by hand.

Reading it here, and not by a library, lets every defect be one error, and equal weights be equal
bytes whatever wrote them.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from mesocosm.core.errors import BundleError, short
from mesocosm.learning.bundles.strict_json import parse_object

Shapes = Mapping[str, tuple[int, ...]]
LENGTH = 8  # bytes that tell how long the header is
MAX_HEADER = 1 << 20
DTYPE, NUMBER = "F32", 4  # the one element type, and its bytes
ENTRY = {"dtype", "shape", "data_offsets"}


def dump_tensors(tensors: Mapping[str, Tensor]) -> bytes:
    """Write float32 tensors, in the order of their names."""
    header: dict[str, Any] = {}
    parts: list[bytes] = []
    at = 0
    for name in sorted(tensors):
        array = tensors[name].detach().to("cpu", torch.float32).contiguous().numpy()
        parts.append(array.astype("<f4").tobytes())
        end = at + len(parts[-1])
        header[name] = {"dtype": DTYPE, "shape": list(array.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % LENGTH)
    return len(text).to_bytes(LENGTH, "little") + text + b"".join(parts)


def load_tensors(data: bytes, shapes: Shapes, where: str) -> dict[str, Tensor]:
    """Read exactly the float32 tensors of these shapes; all must be finite.

    What the header claims is compared with `shapes` before any memory is taken.
    """
    header, body = _split(data, where)
    _check_names(set(header), set(shapes), where)
    spans = {
        name: _check_entry(header[name], shape, f"{where}: {name}")
        for name, shape in shapes.items()
    }
    at = 0
    for name, (start, end) in sorted(spans.items(), key=lambda item: item[1]):
        if start != at:
            raise BundleError(f"{where}: {name}: must begin at byte {at:,}, got {start:,}")
        at = end
    if at != len(body):
        raise BundleError(f"{where}: must hold {at:,} bytes of numbers, got {len(body):,}")
    made = {}
    for name, (start, end) in spans.items():
        numbers = torch.empty(0)
        if end > start:
            numbers = torch.frombuffer(bytearray(body[start:end]), dtype=torch.float32)
        made[name] = numbers.reshape(shapes[name])
        if not bool(made[name].isfinite().all()):
            raise BundleError(f"{where}: {name}: holds NaN or infinity")
    return made


def _split(data: bytes, where: str) -> tuple[dict[str, Any], memoryview]:
    """Read the header, and give what follows it."""
    length = int.from_bytes(data[:LENGTH], "little")
    most = min(MAX_HEADER, len(data) - LENGTH)
    if not 0 < length <= most:
        raise BundleError(f"{where}: header: must be 1 to {most:,} bytes long, got {length:,}")
    header = parse_object(data[LENGTH : LENGTH + length], f"{where}: header")
    header.pop("__metadata__", None)  # text for people
    return header, memoryview(data)[LENGTH + length :]


def _check_names(got: set[str], wanted: set[str], where: str) -> None:
    missing, extra = sorted(wanted - got), sorted(got - wanted)
    if missing:
        raise BundleError(f"{where}: lacks {short(missing[0])}, which the card's network has")
    if extra:
        raise BundleError(f"{where}: has {short(extra[0])}, which the card's network has not")


def _check_entry(entry: Any, shape: tuple[int, ...], where: str) -> tuple[int, int]:
    """Give the bytes that a tensor takes, if it is of the right type and shape."""
    if not isinstance(entry, dict) or set(entry) != ENTRY:
        raise BundleError(f"{where}: must have {', '.join(sorted(ENTRY))}, got {short(entry)}")
    if entry["dtype"] != DTYPE:
        raise BundleError(f"{where}: dtype: must be {DTYPE}, got {short(entry['dtype'])}")
    if entry["shape"] != list(shape):
        got = short(entry["shape"])
        raise BundleError(f"{where}: shape: the card's network has {list(shape)}, got {got}")
    span, size = entry["data_offsets"], NUMBER * math.prod(shape)
    whole = isinstance(span, list) and len(span) == 2 and all(type(n) is int for n in span)
    if not whole or span[0] < 0 or span[1] - span[0] != size:
        raise BundleError(f"{where}: data_offsets: must span {size:,} bytes, got {short(span)}")
    return span[0], span[1]
