"""Fingerprints of state that do not depend on target, batch order or thread."""

from collections.abc import Mapping

import numpy as np

GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
FIRST = np.uint64(0xBF58_476D_1CE4_E5B9)
SECOND = np.uint64(0x94D0_49BB_1331_11EB)
HALF = np.uint64(32)


def _mix(z: np.ndarray) -> np.ndarray:
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


def row_hashes(array: np.ndarray) -> np.ndarray:  # uint64 [env]
    """Hash the bytes of each env's part of an array."""
    count = array.shape[0]
    flat = np.ascontiguousarray(array).reshape(count, -1)
    raw = flat.view(np.uint8).reshape(count, -1)
    padded = np.zeros((count, -(-raw.shape[1] // 8) * 8), np.uint8)
    padded[:, : raw.shape[1]] = raw
    words = padded.view("<u8")
    place = np.arange(1, words.shape[1] + 1, dtype=np.uint64) * GOLDEN
    spread = (words ^ place) * FIRST  # one-to-one: no single change can go unseen
    folded = (spread ^ (spread >> HALF)).sum(axis=1, dtype=np.uint64)
    return _mix(folded + np.uint64(raw.shape[1]))


def total(hashes: np.ndarray, index: np.ndarray) -> int:
    """Sum the hashes of envs, each bound to its env's global index."""
    bound = _mix(index.astype(np.uint64) + GOLDEN)
    return int(_mix(hashes ^ bound).sum(dtype=np.uint64))


def digest(arrays: Mapping[str, np.ndarray], index: np.ndarray) -> dict[str, int]:
    """Give one 64-bit number per array."""
    return {name: total(row_hashes(array), index) for name, array in arrays.items()}
