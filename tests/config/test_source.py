"""Files, overrides and assignments: only plain data gets in, and errors say what is wrong."""

import datetime
import fractions
import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesocosm.config.source import (
    MAX_BYTES,
    MAX_DEPTH,
    SUFFIXES,
    apply_overrides,
    parse_assignments,
    parse_yaml,
    read_file,
    to_plain_data,
)
from mesocosm.core.errors import ConfigError, MesocosmError


def kind(value):
    """Name a parameter that would make too long a test name."""
    return type(value).__name__


def refuse(path, content, *expected):
    """Write a file and check that reading it gives one error with all of these texts."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError) as caught:
        read_file(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    for part in expected:
        assert part in text
    return text


def assert_loads_or_refuses(path):
    """Check that a file gives a mapping or one error of ours that names it."""
    try:
        made = read_file(path)
    except MesocosmError as error:
        made, message = None, str(error)
    assert isinstance(made, dict) if made is not None else str(path) in message


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".yaml", "core:\n  x: 1\n  y: [a, 2.5, true]\n"),
        (".yml", "{core: {x: 1, y: [a, 2.5, true]}}"),
        (".toml", "[core]\nx = 1\ny = ['a', 2.5, true]\n"),
        (".json", '{"core": {"x": 1, "y": ["a", 2.5, true]}}'),
    ],
)
def test_every_format_gives_the_same_data(tmp_path, suffix, text):
    path = tmp_path / f"c{suffix}"
    path.write_text(text)
    assert read_file(path) == {"core": {"x": 1, "y": ["a", 2.5, True]}}


def test_a_byte_order_mark_does_not_matter(tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(b"\xef\xbb\xbf{}")
    assert read_file(path) == {}


def test_yaml_words_mean_what_yaml_1_2_says():
    text = "[1e3, 1:30, 010, no, on, 2024-01-01, ~, null, -.5e-3, 1., 1_000, 0x10, =, <<]"
    assert parse_yaml(text) == [
        1000.0, "1:30", "010", "no", "on", "2024-01-01", None, None, -0.0005, 1.0, "1_000", "0x10",
        "=", "<<",
    ]  # fmt: skip


def test_an_empty_yaml_value_is_null():
    assert parse_yaml("a:") == {"a": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x 1\nb: *x\n", "line 2: aliases are not allowed; write the value out"),
        ("a: 1\nb: 2\na: 3\n", "line 1: key 'a' stands 2 times"),
        ("a:\n  b: 1\n  b: 1\n", "line 2: key 'b' stands 2 times"),
        ("1: x\n", "line 1: a key must be text, got 1"),
        ("ok: 1\nnull: x\n", "line 2: a key must be text, got None"),
        ("? [a]\n: x\n", "line 1: a key must be text, got ['a']"),
        ("? {a: b}\n: x\n", "line 1: a key must be text, got {'a': 'b'}"),
        ("a: !!python/object:os.system x\n", "line 1: tags are not allowed, got 'tag:yaml.org"),
        ("a: !!python/object/apply:os.system ['x']\n", "tags are not allowed"),
        ("a: !!timestamp x\n", "tags are not allowed"),
        ("a: !!int ''\n", "tags are not allowed"),
        ("a: !mine x\n", "line 1: tags are not allowed, got '!mine'"),
        ("a: 1\n---\nb: 2\n", "expected a single document"),
        ("a: [1\n", "expected ',' or ']'"),
        ("a: \t1\n\tb", "cannot start any token"),
        ("a: \x07\n", "special characters are not allowed"),
        ("a: " + "[" * 20000, "line 1: must be nested at most 64 deep"),
        ("a: " + "9" * 5000, "4300"),
    ],
    ids=kind,
)
def test_yaml_beyond_plain_data_is_refused(tmp_path, text, expected):
    refuse(tmp_path / "c.yaml", text, "not valid yaml: ", expected)


def test_a_billion_laughs_are_refused(tmp_path):
    lines = ["a0: &a0 [x]"] + [f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 40)]
    refuse(tmp_path / "c.yaml", "\n".join(lines), "line 2: aliases are not allowed")


def test_many_keys_are_read_in_linear_time(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({str(k): 0 for k in range(50_000)}))
    assert len(read_file(path)) == 50_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "a": 2}', "key 'a' stands 2 times"),
        ('{"a": }', "Expecting value"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "4300"),
        ("", "Expecting value"),
    ],
    ids=kind,
)
def test_bad_json_is_refused(tmp_path, text, expected):
    refuse(tmp_path / "c.json", text, "not valid json: ", expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\na = 2", "Cannot overwrite a value"),
        ("a = ", "Invalid value"),
        ("a = " + "[" * 20_000, "nested too deeply"),
    ],
    ids=kind,
)
def test_bad_toml_is_refused(tmp_path, text, expected):
    refuse(tmp_path / "c.toml", text, "not valid toml: ", expected)


@pytest.mark.parametrize(
    ("text", "got"), [("", "None"), ("3", "3"), ("[1, 2]", "[1, 2]"), ("text", "'text'")]
)
def test_a_file_that_is_no_mapping_is_refused(tmp_path, text, got):
    refuse(tmp_path / "c.yaml", text, f"must hold the five sections, got {got}")


def test_a_file_of_another_kind_is_refused(tmp_path):
    text = refuse(tmp_path / "c.txt", "x")
    assert text.endswith("must end in .yaml, .yml, .toml, .json, got '.txt'")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"no\.yaml: cannot be read: No such file or directory"):
        read_file(tmp_path / "no.yaml")


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "d.yaml").mkdir()
    with pytest.raises(ConfigError, match=r"d\.yaml: cannot be read: Is a directory"):
        read_file(tmp_path / "d.yaml")


def test_a_path_with_a_null_byte_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="must not hold a NUL character"):
        read_file(tmp_path / "a\0.yaml")


def test_text_that_is_not_utf8_is_refused(tmp_path):
    refuse(tmp_path / "c.yaml", b"a: \xff\xfe", "must be UTF-8 text, got invalid start byte")


def test_a_huge_file_is_refused(tmp_path):
    text = refuse(tmp_path / "c.yaml", b"#" * (MAX_BYTES + 1))
    assert text.endswith(f"must be at most {MAX_BYTES} bytes, got more")


@settings(max_examples=150, deadline=None)
@given(raw=st.binary(max_size=200), suffix=st.sampled_from(SUFFIXES))
def test_random_bytes_load_or_give_our_error(tmp_path_factory, raw, suffix):
    path = tmp_path_factory.getbasetemp() / f"random{suffix}"
    path.write_bytes(raw)
    assert_loads_or_refuses(path)


@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet="ab:{}[]&*!|>-?,'\"#%@ \n\t01.eE~<=", max_size=60))
def test_random_yaml_loads_or_gives_our_error(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "random.yaml"
    path.write_text(text)
    assert_loads_or_refuses(path)


def test_an_override_sets_one_value_in_a_copy():
    data = {"core": {"x": 1, "y": 2}}
    assert apply_overrides(data, {"core.x": 5, "new.z": 1}) == {
        "core": {"x": 5, "y": 2},
        "new": {"z": 1},
    }
    assert data == {"core": {"x": 1, "y": 2}}


def test_an_override_shares_nothing_with_its_value():
    value = {"a": [1]}
    made = apply_overrides({}, {"core": value})
    value["a"].append(2)
    assert made == {"core": {"a": [1]}}


@pytest.mark.parametrize("path", ["", ".", "core.", ".x", "core..x", "core.\n", 3, None])
def test_an_override_with_a_bad_path_is_refused(path):
    with pytest.raises(ConfigError) as caught:
        apply_overrides({}, {path: 1})
    assert str(caught.value) == f"override {path!r}: must be a dotted path such as core.max_steps"


def test_an_override_below_a_value_is_refused():
    with pytest.raises(ConfigError) as caught:
        apply_overrides({"core": {"x": 1}}, {"core.x.y": 1})
    assert str(caught.value) == "override 'core.x.y': 'x' is a value, not a section, got 1"


@pytest.mark.parametrize("overrides", [["core.x=1"], "core.x=1", 3])
def test_overrides_that_are_no_mapping_are_refused(overrides):
    with pytest.raises(ConfigError, match=r"overrides: must map paths to values.* got "):
        apply_overrides({}, overrides)


def test_equal_numbers_become_equal_data():
    data = {"a": -0.0, "b": np.int64(3), "c": np.float32(0.5), "d": fractions.Fraction(1, 4)}
    made = to_plain_data(data, "config")
    assert json.dumps(made) == '{"a": 0.0, "b": 3, "c": 0.5, "d": 0.25}'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime.date(2024, 1, 1), "core.x: must be text, a number, true or false, a list or a"),
        (b"x", "core.x: must be text, a number, true or false, a list or a section, got b'x'"),
        (float("nan"), "core.x: must be a finite number, got nan"),
        (float("-inf"), "core.x: must be a finite number, got -inf"),
        (10**5000, "core.x: must be a finite number, got something of type int"),
        ("\ud800", "core.x: must be Unicode text, got '\\ud800'"),
        ({1: 2}, "core.x: a key must be printable text, got 1"),
        ({"a\nb": 2}, "core.x: a key must be printable text, got 'a\\nb'"),
        ({"\ud800": 2}, "core.x: a key must be printable text, got '\\ud800'"),
        ([0, [1, {2}]], "core.x.1.1: must be text, a number, true or false, a list or a section"),
        (object, "core.x: must be text, a number, true or false, a list or a section, got <class"),
    ],
    ids=kind,
)
def test_what_is_no_plain_value_is_refused(value, expected):
    with pytest.raises(ConfigError) as caught:
        to_plain_data({"core": {"x": value}}, "town.yaml")
    assert str(caught.value).startswith(f"town.yaml: {expected}")


def test_a_date_in_toml_is_refused_with_its_place(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text("[core]\nmax_steps = 2024-01-01\n")
    with pytest.raises(ConfigError, match=r"core\.max_steps: must be text, a number"):
        to_plain_data(read_file(path), str(path))


def test_data_that_holds_itself_is_refused():
    loop: dict = {}
    loop["a"] = loop
    with pytest.raises(ConfigError, match=f"must be nested at most {MAX_DEPTH} deep"):
        to_plain_data(loop, "config")


def test_assignments_become_typed_overrides():
    texts = ["core.x=1", "core.y = 1e3", "core.z=[a, b]", "core.t=a=b", "core.n="]
    assert parse_assignments(texts) == {
        "core.x": 1,
        "core.y": 1000.0,
        "core.z": ["a", "b"],
        "core.t": "a=b",
        "core.n": None,
    }


@pytest.mark.parametrize("text", ["core.x", "=3", " =3", ""])
def test_an_assignment_of_another_form_is_refused(text):
    with pytest.raises(ConfigError) as caught:
        parse_assignments([text])
    assert str(caught.value) == f"--set {text!r}: must look like core.max_steps=100"


@pytest.mark.parametrize(
    "value", ["[1", "!!python/none x", "*a", "[" * 20_000, "9" * 5000], ids=kind
)
def test_an_assignment_of_bad_yaml_is_refused(value):
    with pytest.raises(ConfigError, match=r"^--set 'core\.x="):
        parse_assignments([f"core.x={value}"])


DEEP = "a." * 20_000 + "a"
SLOW = {
    "dotted.toml": (f"{DEEP} = 1", "line 1: a key must have at most 64 parts"),
    "table.toml": (f"x = 1\n[{DEEP}]", "line 2: a key must have at most 64 parts"),
    "quoted.toml": (DEEP.replace("a", "'a'") + " = 1", "at most 64 parts"),
    "spaced.toml": (DEEP.replace(".", " . ") + " = 1", "at most 64 parts"),
    "flow.yaml": ("core: [" + "1," * 400_000 + "1]", "must hold at most 50,000 values"),
    "block.yaml": ("core:\n" + "- 1\n" * 200_000, "must hold at most 50,000 values"),
    "maps.yaml": ("core: [" + "{}," * 260_000 + "1]", "must hold at most 50,000 values"),
    "nested.yaml": ("[" * 800_000, "nested"),
    "braces.yaml": ("{" * 800_000, "nested"),
    "dashes.yaml": ("- " * 400_000, "nested"),
    "nested.json": ("[" * 800_000, "nested too deeply"),
    "inline.toml": ("a = " + "{a=" * 200_000, "nested too deeply"),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_file_that_would_take_minutes_is_refused_in_seconds(name, tmp_path):
    text, words = SLOW[name]
    (tmp_path / name).write_text(text)
    before = time.process_time()
    with pytest.raises(ConfigError, match=words):
        read_file(tmp_path / name)
    assert time.process_time() - before < 20  # idle machines need three


@pytest.mark.parametrize("name", ["one.toml", "one.yaml", "one.json"])
def test_a_long_text_with_many_dots_is_read_at_once(name, tmp_path):
    start, end = {"toml": ('a = "', '"'), "yaml": ("a: ", ""), "json": ('{"a": "', '"}')}[name[4:]]
    (tmp_path / name).write_text(start + "b. c." * 120_000 + end)
    before = time.process_time()
    assert len(read_file(tmp_path / name)["a"]) == 600_000
    assert time.process_time() - before < 20
