"""Rules that hash and sum what an env has of a field, by the addresses in a table.

A row of the table describes one field; every env has a row of the field's numbers.
"""

import numpy as np

from mesocosm.sim.compile.memory import (
    FLOAT32,
    FLOAT64,
    INT16,
    INT32,
    INT64,
    UINT8,
    byte_at,
    float32_at,
    float64_at,
    int8_at,
    int16_at,
    int32_at,
    int64_at,
    word_at,
)
from mesocosm.sim.record.digest import GOLDEN
from mesocosm.sim.rng import FIRST, i64, mix, u64
from mesocosm.sim.rule import rule

WORD_SALT = int(GOLDEN)  # added once more for each word of a row
WORD_BYTES, BYTE_BITS = 8, 8
# columns of the table
ADDRESS, ROW_BYTES, COUNT, KIND = 0, 1, 2, 3
NUM_COLUMNS = 4
# more columns on CUDA, where the env axis is innermost: bytes, and (length, bytes) of inner axes
ITEM_BYTES, ENV_BYTES, NUM_AXES, AXES = 4, 5, 6, 7
MAX_AXES = 5


@rule
def scramble_word(word: int, place: int) -> int:
    """Scramble one word; cheaper than `mix`, which follows once per row."""
    z = u64(u64(word ^ place) * u64(FIRST))
    return z ^ (z >> u64(32))


@rule
def bind_env(index: int) -> int:
    """Give the word that binds a hash to its env's global index."""
    return i64(mix(u64(u64(index) + u64(WORD_SALT))))


@rule
def hash_field(table: np.ndarray, k: int, e: int, bound: int) -> int:
    """Hash the bytes that env e has of field k, bound to its env."""
    size = table[k, ROW_BYTES]
    address = table[k, ADDRESS] + e * size
    whole = size // WORD_BYTES
    total = u64(0)
    place = u64(0)
    for i in range(whole):
        place = u64(place + u64(WORD_SALT))
        total = u64(total + scramble_word(word_at(address + WORD_BYTES * i), place))
    if size > WORD_BYTES * whole:
        last = tail_bytes(address, size, whole)
        total = u64(total + scramble_word(last, u64(place + u64(WORD_SALT))))
    return i64(mix(u64(mix(u64(total + u64(size))) ^ u64(bound))))


@rule
def tail_bytes(address: int, size: int, whole: int) -> int:
    """Give the bytes of a row that fill no word, as one."""
    if whole > 0:  # the end of the word that ends where the row does
        missing = WORD_BYTES - size + WORD_BYTES * whole
        return u64(word_at(address + size - WORD_BYTES) >> u64(BYTE_BITS * missing))
    last = u64(0)
    for i in range(size):
        last = u64(last | u64(u64(byte_at(address + i)) << u64(BYTE_BITS * i)))
    return last


@rule
def sum_field(table: np.ndarray, k: int, e: int) -> float:
    """Sum the numbers that env e has of field k, from first to last."""
    count = table[k, COUNT]
    kind = table[k, KIND]
    address = table[k, ADDRESS] + e * table[k, ROW_BYTES]
    total = 0.0
    if kind == FLOAT64:
        for i in range(count):
            total += float64_at(address + 8 * i)
    elif kind == FLOAT32:
        for i in range(count):
            total += float32_at(address + 4 * i) * 1.0
    elif kind == INT64:
        for i in range(count):
            total += int64_at(address + 8 * i) * 1.0
    else:
        total = sum_whole(address, count, kind) * 1.0
    return total


@rule
def sum_whole(address: int, count: int, kind: int) -> int:
    """Sum small whole numbers: no such sum is too large for a float to be exact."""
    total = 0
    if kind == INT32:
        for i in range(count):
            total += int32_at(address + 4 * i)
    elif kind == INT16:
        for i in range(count):
            total += int16_at(address + 2 * i)
    elif kind == UINT8:
        for i in range(count):
            total += byte_at(address + i)
    else:
        for i in range(count):
            total += int8_at(address + i)
    return total


@rule
def address_of(table: np.ndarray, k: int, e: int, i: int) -> int:
    """Find the i-th number that env e has of field k, where each axis has a stride of its own."""
    address = table[k, ADDRESS] + e * table[k, ENV_BYTES]
    rest = i
    for axis in range(table[k, NUM_AXES] - 1, -1, -1):
        length = table[k, AXES + 2 * axis]
        address += (rest % length) * table[k, AXES + 2 * axis + 1]
        rest = rest // length
    return address


@rule
def bits_at(address: int, size: int) -> int:
    """Read the bits of one number."""
    if size == WORD_BYTES:
        return u64(word_at(address))
    bits = u64(0)
    for i in range(size):
        bits = u64(bits | u64(u64(byte_at(address + i)) << u64(BYTE_BITS * i)))
    return bits


@rule
def hash_strided(table: np.ndarray, k: int, e: int, bound: int) -> int:
    """Hash what `hash_field` hashes, number by number."""
    size, item = table[k, ROW_BYTES], table[k, ITEM_BYTES]
    total = u64(0)
    place = u64(0)
    word = u64(0)
    for i in range(table[k, COUNT]):
        at = (i * item) % WORD_BYTES
        word = u64(word | u64(bits_at(address_of(table, k, e, i), item) << u64(BYTE_BITS * at)))
        if at + item == WORD_BYTES or i == table[k, COUNT] - 1:
            place = u64(place + u64(WORD_SALT))
            total = u64(total + scramble_word(word, place))
            word = u64(0)
    return i64(mix(u64(mix(u64(total + u64(size))) ^ u64(bound))))


@rule
def sum_strided(table: np.ndarray, k: int, e: int) -> float:
    """Sum what `sum_field` sums, in the same order."""
    kind = table[k, KIND]
    total = 0.0
    whole = 0
    for i in range(table[k, COUNT]):
        address = address_of(table, k, e, i)
        if kind == FLOAT64:
            total += float64_at(address)
        elif kind == FLOAT32:
            total += float32_at(address) * 1.0
        elif kind == INT64:
            total += int64_at(address) * 1.0
        else:
            whole += sum_whole(address, 1, kind)
    return total + whole * 1.0
