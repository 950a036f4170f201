"""Whole words stored into rows of bytes: compiled code writes what plain Python does."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

from mesocosm.sim.bits import store_word
from mesocosm.sim.compile.fields import host_block
from mesocosm.sim.rule import rule
from mesocosm.sim.targets.launch import launch

WORDS = (0x0102030405060708, 0x7FFFFFFFFFFFFFFF, 255 << 40, 0)
SIZES = (3, 6, 0, 8)
ROOM = sum(SIZES) + 8


class Only(NamedTuple):
    """Rows of bytes, and words to write into them."""

    out: Annotated[np.ndarray, "uint8 [env, byte]"]
    word: Annotated[np.ndarray, "int64 [env, word]"]
    size: Annotated[np.ndarray, "int64 [env, word]"]


class Nothing(NamedTuple):
    """An argument without use."""

    t: Annotated[np.ndarray, "int64 [env]"]


@rule
def write_all(s, e):
    """Write words one behind the other, then fill the rest."""
    at = 0
    row = s.out[e]
    for k in range(s.word.shape[1]):
        store_word(row, at, s.word[e, k], s.size[e, k])
        at += s.size[e, k]
    for i in range(at, row.shape[0]):
        row[i] = 9


def rows():
    return Only(
        np.full((2, ROOM), 77, np.uint8),
        np.array([WORDS, WORDS[::-1]], np.int64),
        np.array([SIZES, SIZES], np.int64),
    )


@pytest.fixture(scope="module")
def drive():
    from mesocosm.sim.compile.reference import make_fetch

    block = host_block((rows(), Nothing(np.zeros(2, np.int64)), Nothing(np.zeros(2, np.int64))))
    launch(write_all, "cpu")  # tells Numba about the rules
    namespace = {"fetch": make_fetch(block.trees, "cpu"), "write_all": write_all}
    exec("def drive(words, e):\n    s, f, p = fetch(words)\n    write_all(s, e)\n", namespace)  # noqa: S102
    return launch(namespace["drive"], "cpu")


def expected(words):
    data = b"".join(
        word.to_bytes(8, "little")[:size] for word, size in zip(words, SIZES, strict=True)
    )
    return list(data.ljust(ROOM, b"\x09"))


def test_python_writes_the_lowest_bytes_of_each_word():
    given = rows()
    for e in range(2):
        launch(write_all, "python")(given, e)
    assert given.out.tolist() == [expected(WORDS), expected(WORDS[::-1])]


def test_compiled_code_leaves_the_same_bytes(drive):
    given = rows()
    nothing = Nothing(np.zeros(2, np.int64))
    words = np.array(host_block((given, nothing, nothing)).words)
    for e in range(2):
        drive(words, e)
    assert given.out.tolist() == [expected(WORDS), expected(WORDS[::-1])]


def test_compiled_for_arrays_it_writes_byte_by_byte():
    out = np.full(8, 77, np.uint8)

    @rule
    def write(row):
        store_word(row, 2, 0x030201, 3)

    launch(write, "cpu")(out)
    assert out.tolist() == [77, 77, 1, 2, 3, 77, 77, 77]
