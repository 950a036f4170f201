"""The iteration orders of MettaGrid's hash maps."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83)
LARGEST = 97  # the number of buckets for more keys than that
BUCKETS = (13, 29, 59, 127, 257)  # of a map that grows
MASK_64 = 0xFFFF_FFFF_FFFF_FFFF
FACTOR = 0xC6A4_A793_5BD1_E995
SEED = 0xC70F_6907
Key = TypeVar("Key", int, str)


def dict_order(ids: Iterable[int]) -> list[int]:
    """Order integer keys as a map does that is sized for them at once."""
    return _sized_order(ids, int)


def text_order(texts: Iterable[str]) -> list[str]:
    """Order texts as a map does that is sized for them at once."""
    return _sized_order(texts, text_hash)


def hash_order(entries: list[tuple[int, int]]) -> tuple[list[int], int]:
    """Order keys as a map does that grows by insertions; return its number of buckets too."""
    made: list[int] = []
    buckets = 0
    for key, amount in entries:
        if buckets == 0 or len(made) + 1 > buckets:
            buckets = next(n for n in BUCKETS if n > buckets)
            made = _insert_all(made, buckets, int)
        _insert(made, key, buckets, int)
        if amount == 0:
            made.remove(key)
    return made, buckets


def _sized_order(keys: Iterable[Key], hashed: Callable[[Key], int]) -> list[Key]:
    distinct = list(dict.fromkeys(keys))
    buckets = next((prime for prime in PRIMES if prime >= len(distinct)), LARGEST)
    return _insert_all(distinct, buckets, hashed)


def _insert_all(keys: list[Key], buckets: int, hashed: Callable[[Key], int]) -> list[Key]:
    made: list[Key] = []
    for key in keys:
        _insert(made, key, buckets, hashed)
    return made


def _insert(keys: list[Key], key: Key, buckets: int, hashed: Callable[[Key], int]) -> None:
    """Insert a key before the first of its bucket, or in front of all."""
    bucket = hashed(key) % buckets
    same = [k for k, other in enumerate(keys) if hashed(other) % buckets == bucket]
    keys.insert(same[0] if same else 0, key)


def _mixed(x: int) -> int:
    return x ^ (x >> 47)


@lru_cache(maxsize=1024)
def text_hash(text: str) -> int:
    """Hash a text as MettaGrid's standard library does: MurmurHash64A of its bytes."""
    data = text.encode()
    whole = len(data) & ~7
    made = SEED ^ (len(data) * FACTOR & MASK_64)
    for at in range(0, whole, 8):
        word = int.from_bytes(data[at : at + 8], "little") * FACTOR & MASK_64
        made = (made ^ (_mixed(word) * FACTOR & MASK_64)) * FACTOR & MASK_64
    if len(data) > whole:
        made = (made ^ int.from_bytes(data[whole:], "little")) * FACTOR & MASK_64
    return _mixed(_mixed(made) * FACTOR & MASK_64)
