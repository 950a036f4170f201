"""The order in which the program's maps keyed by text hand out what was put in."""

from collections.abc import Iterable

from mesocosm.worlds.mettagrid.program import PRIMES

WORD = 0xFFFF_FFFF_FFFF_FFFF
FACTOR = 0xC6A4_A793_5BD1_E995
SEED = 0xC70F_6907


def _mixed(x: int) -> int:
    return x ^ (x >> 47)


def text_hash(text: str) -> int:
    """Hash a text as the program's standard library does: MurmurHash64A of its bytes."""
    data = text.encode()
    whole = len(data) & ~7
    made = SEED ^ (len(data) * FACTOR & WORD)
    for at in range(0, whole, 8):
        word = int.from_bytes(data[at : at + 8], "little") * FACTOR & WORD
        made = (made ^ (_mixed(word) * FACTOR & WORD)) * FACTOR & WORD
    if len(data) > whole:
        made = (made ^ int.from_bytes(data[whole:], "little")) * FACTOR & WORD
    return _mixed(_mixed(made) * FACTOR & WORD)


def text_order(texts: Iterable[str]) -> list[str]:
    """Order texts as such a map, sized for them at once, hands them out."""
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
