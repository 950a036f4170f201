import numpy as np
import pytest

from mesocosm.evaluation.programs.fault import MOST_TEXT, clean_text
from mesocosm.evaluation.programs.message import decode, encode


def test_arrays_survive_the_wire():
    message = {"a": np.arange(6, dtype=np.int32).reshape(2, 3), "b": True, "c": np.float64(1.5)}
    again = decode(encode(message))
    assert again["a"].dtype == np.int32
    assert np.array_equal(again["a"], message["a"])
    assert (again["b"], again["c"]) == (True, 1.5)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"x": {"__array__": "", "dtype": "object", "shape": [0]}}', "dtype 'object'"),
        (b'{"x": {"__array__": 7, "dtype": "int32", "shape": [0]}}', "TypeError"),
        (b'{"x": {"__array__": "AAAA", "dtype": ["int32"], "shape": [1]}}', "dtype"),
        (b'{"x": {"__array__": "AAAAAA==", "dtype": "int32", "shape": "a"}}', "TypeError"),
        (b'{"x": {"__array__": "AAAAAA==", "dtype": "int32", "shape": [99]}}', "reshape"),
        (b"[1]", "must be an object, got list"),
        (b"[" * 100_000, "RecursionError"),
        (b'{"x": -Infinity}', "-Infinity is not JSON"),
        (b'{"x": 1e400}', "1e400 is no number that a float64 holds"),
        (b'{"x": [-1.5e999]}', "-1.5e999 is no number"),
        ('{"x": 1}'.encode("utf-16"), "'utf-8' codec can't decode"),
        (b'\xef\xbb\xbf{"x": 1}', "BOM"),
        (b'{"x": ' + b"9" * 5000 + b"}", "4300"),
        (b"{\xff", "decode"),
        (b"", "Expecting value"),
    ],
)
def test_what_is_no_message_is_a_value_error(line, said):
    with pytest.raises(ValueError, match=said):
        decode(line)


def test_what_a_program_says_is_shown_in_one_short_line_without_commands_to_a_terminal():
    assert clean_text("a\n\x1b[2Jb\u202e") == "a ?[2Jb?"
    assert len(clean_text("x" * 10_000)) == MOST_TEXT
    assert clean_text([["deep"]]) == "list"
