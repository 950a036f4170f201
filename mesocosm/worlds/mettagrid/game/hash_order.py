"""The iteration orders of MettaGrid's hash maps."""

from collections.abc import Iterable

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83)
MASK_64 = 0xFFFF_FFFF_FFFF_FFFF
FACTOR = 0xC6A4_A793_5BD1_E995
SEED = 0xC70F_6907


def dict_order(ids: Iterable[int]) -> list[int]:
    """Order integer keys as a map does that is sized for them at once."""
    keys = list(dict.fromkeys(ids))
    buckets = next((prime for prime in PRIMES if prime >= len(keys)), 97)
    made: list[int] = []
    for key in keys:
        same = [k for k, other in enumerate(made) if other % buckets == key % buckets]
        made.insert(same[0] if same else 0, key)
    return made


def hash_order(entries: list[tuple[int, int]]) -> tuple[list[int], int]:
    """Order keys as a map does that grows by insertions; return its number of buckets too."""
    made: list[int] = []
    buckets = 0
    for key, amount in entries:
        if buckets == 0 or len(made) + 1 > buckets:
            buckets = next(n for n in (13, 29, 59, 127, 257) if n > buckets)
            made = _insert_all(made, buckets)
        made = _insert(made, key, buckets)
        if amount == 0:
            made.remove(key)
    return made, buckets


def _insert_all(keys: list[int], buckets: int) -> list[int]:
    made: list[int] = []
    for key in keys:
        made = _insert(made, key, buckets)
    return made


def _insert(keys: list[int], key: int, buckets: int) -> list[int]:
    same = [k for k, other in enumerate(keys) if other % buckets == key % buckets]
    at = same[0] if same else 0
    return [*keys[:at], key, *keys[at:]]


def _mixed(x: int) -> int:
    return x ^ (x >> 47)


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


def text_order(texts: Iterable[str]) -> list[str]:
    """Order texts as a map does that is sized for them at once."""
    keys = list(dict.fromkeys(texts))
    buckets = next((prime for prime in PRIMES if prime >= len(keys)), 97)
    made: list[str] = []
    spots: list[int] = []
    for key in keys:
        spot = text_hash(key) % buckets
        at = spots.index(spot) if spot in spots else 0
        made.insert(at, key)
        spots.insert(at, spot)
    return made
