"""Files that are no bundles, or pretend to be: each is one error that says what is wrong."""

import io
import json
import os
import random
import re
import struct
import zipfile

import pytest
from bundle_samples import sample_bundle

from mesocosm.core.errors import BundleError, MesocosmError
from mesocosm.learning.bundles.archive import pack, sha256
from mesocosm.learning.bundles.bundle import read_bundle, read_from

CARD, WEIGHTS = "card.json", "weights.safetensors"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("bundles") / "a.mesop"
    sample_bundle(path)
    return path.read_bytes()


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(entries, method=zipfile.ZIP_STORED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return made.getvalue()


def with_card(data, change):
    """Change the card, and pack it as Mesocosm does."""
    found = members(data)
    card = json.loads(found[CARD])
    change(card)
    return pack(found | {CARD: json.dumps(card).encode()})


def with_raw_card(data, raw):
    return pack(members(data) | {CARD: raw})


def with_weights(data, raw):
    """Change the weights, and let the card name them."""
    found = members(data)
    card = json.loads(found[CARD]) | {"weights_sha256": sha256(raw)}
    return pack({CARD: json.dumps(card).encode(), WEIGHTS: raw})


def with_header(data, change):
    """Change the header of the weights."""
    raw = members(data)[WEIGHTS]
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return with_weights(data, len(text).to_bytes(8, "little") + text + raw[8 + length :])


def set_path(*path, value):
    def change(data):
        for name in path[:-1]:
            data = data[name]
        data[path[-1]] = value

    return change


def swap_offsets(header):
    first, second = header["actor.last.weight"], header["critic.body.0.weight"]
    size = first["data_offsets"][1] - first["data_offsets"][0]
    start = second["data_offsets"][0]
    first["data_offsets"] = [start, start + size]


def with_number(data, value):
    raw = bytearray(members(data)[WEIGHTS])
    raw[-4:] = struct.pack("<f", value)
    return with_weights(data, bytes(raw))


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def rename(data, old, new):
    return data.replace(old.encode(), new.encode())


HOSTILE = {
    "empty": (lambda d: b"", "no bundle: it must begin as a zip does, got an empty file"),
    "text": (lambda d: b"hello, I am a policy", "no bundle: it must begin as a zip does"),
    "pickle": (lambda d: b"\x80\x04cos\nsystem\n.", "no bundle: it must begin as a zip does"),
    "truncated": (lambda d: d[: len(d) // 2], "damaged: File is not a zip file"),
    "truncated end": (lambda d: d[:-30], "damaged: "),
    "prefix": (lambda d: b"#!/bin/sh\n" + d, "must begin as a zip does"),
    "suffix": (lambda d: d + b"more", "damaged|holds more than its members"),
    "weights flipped": (lambda d: flip(d, len(d) // 2), "damaged: Bad CRC-32"),
    "local header": (lambda d: flip(d, 10), "packed by another program"),
    "comment": (lambda d: d[:-2] + b"\x05\x00hello", "packed by another program"),
    "zip bomb": (
        lambda d: zipped([(CARD, b"0" * 10**7), (WEIGHTS, b"0" * 10**7)], zipfile.ZIP_DEFLATED),
        "must be stored as it is, got .* bytes that claim to become 10,000,000",
    ),
    "large card": (
        lambda d: zipped([(CARD, b" " * (9 << 20)), (WEIGHTS, b"")]),
        "card.json: must be at most 8,388,608 bytes, got 9,437,184",
    ),
    "no weights": (lambda d: zipped([(CARD, b"{}")]), "must hold card.json and weights"),
    "extra member": (
        lambda d: zipped([*members(d).items(), ("run.py", b"import os")]),
        "must hold card.json and weights.safetensors alone, got .*'run.py'",
    ),
    "path": (
        lambda d: zipped([("../../card.json", b"{}"), (WEIGHTS, b"")]),
        "alone, got '../../card.json'",
    ),
    "absolute path": (
        lambda d: zipped([("/etc/card.json", b"{}"), (WEIGHTS, b"")]),
        "alone, got '/etc/card.json'",
    ),
    "local name differs": (
        lambda d: d.replace(b"card.json", b"evil.json", 1),
        "damaged: File name in directory",
    ),
    "encrypted": (
        lambda d: d.replace(
            b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00", 1
        ),
        "must not be encrypted",
    ),
    "claims more": (
        lambda d: _with_sizes(d, 1 << 30),
        "must be stored as it is|must be at most|damaged",
    ),
    "card no object": (lambda d: with_raw_card(d, b"[1]"), "card.json: must hold an object"),
    "card no JSON": (lambda d: with_raw_card(d, b"{'a'"), "card.json: not valid JSON"),
    "card bytes": (lambda d: with_raw_card(d, b"\xff\xfe{}"), "card.json: not valid JSON"),
    "card NaN": (lambda d: with_raw_card(d, b'{"schema": NaN}'), "NaN is no number of JSON"),
    "card key twice": (
        lambda d: with_raw_card(d, b'{"schema": 1, "schema": 1}'),
        "'schema' is there twice",
    ),
    "card deep": (
        lambda d: with_raw_card(d, b'{"a":' + b"[" * 100 + b"]" * 100 + b"}"),
        "nested deeper than 32 levels",
    ),
    "card very deep": (
        lambda d: with_raw_card(d, b'{"a":' + b"[" * 10**6 + b"]" * 10**6 + b"}"),
        "nested deeper than 32 levels",
    ),
    "card huge number": (
        lambda d: with_raw_card(d, b'{"schema": ' + b"9" * 10**5 + b"}"),
        "card.json: not valid JSON",
    ),
    "schema": (
        lambda d: with_card(d, set_path("schema", value=7)),
        "schema: this version reads 1, the bundle has 7",
    ),
    "card lacks": (lambda d: with_card(d, lambda c: c.pop("action")), "action: Field required"),
    "card has more": (
        lambda d: with_card(d, set_path("code", value="import os")),
        "code: Extra inputs are not permitted",
    ),
    "wrong type": (
        lambda d: with_card(d, set_path("role", value=3)),
        "role: Input should be a valid string, got 3",
    ),
    "huge layers": (
        lambda d: with_card(d, set_path("network", "hidden", value=[10**9])),
        "network.hidden: must be at most 64 widths",
    ),
    "large network": (
        lambda d: with_card(d, set_path("network", "hidden", value=[65536] * 4)),
        "are fewer than the card's network has",
    ),
    "huge shape": (
        lambda d: with_card(
            d, set_path("observation", "features", 0, "shape", value=[2**19, 2**19])
        ),
        "must be equal and at most",
    ),
    "many labels": (
        lambda d: with_card(d, set_path("observation", "features", 0, "labels", value=["x"])),
        "labels do not fit the shape",
    ),
    "name that steers the terminal": (
        lambda d: with_card(d, set_path("action", "choices", 0, "name", value="\x1b[2Jact")),
        "action.choices.0.name: .*must not hold control characters",
    ),
    "preset of two lines": (
        lambda d: with_card(d, set_path("preset", value="townlet\nmesocosm: fine")),
        "preset: .*must not hold control characters",
    ),
    "noop": (
        lambda d: with_card(d, set_path("action", "choices", 0, "noop", value=99)),
        "no-op 99 is not an option",
    ),
    "options twice": (
        lambda d: with_card(d, set_path("action", "choices", 0, "options", value=["a"] * 6)),
        "options must have distinct names",
    ),
    "other weights": (
        lambda d: pack(members(d) | {WEIGHTS: members(d)[WEIGHTS] + b"\0"}),
        "are not those that the card names",
    ),
    "header length": (
        lambda d: with_weights(d, b"\xff" * 8 + members(d)[WEIGHTS][8:]),
        "header: must be 1 to",
    ),
    "no header": (lambda d: with_weights(d, b"abc"), "header: must be 1 to|fewer than"),
    "header no object": (
        lambda d: with_weights(d, (8).to_bytes(8, "little") + b"[1,2,3,]" + b"\0" * 10**6),
        "header: not valid JSON",
    ),
    "tensor missing": (
        lambda d: with_header(d, lambda h: h.pop("actor.last.bias")),
        "lacks 'actor.last.bias', which the card's network has",
    ),
    "tensor more": (
        lambda d: with_header(
            d, set_path("x", value={"dtype": "F32", "shape": [0], "data_offsets": [0, 0]})
        ),
        "has 'x', which the card's network has not",
    ),
    "tensor dtype": (
        lambda d: with_header(d, set_path("actor.last.bias", "dtype", value="F64")),
        "actor.last.bias: dtype: must be F32, got 'F64'",
    ),
    "tensor shape": (
        lambda d: with_header(d, set_path("actor.last.bias", "shape", value=[2, 3])),
        r"actor.last.bias: shape: the card's network has \[6\], got \[2, 3\]",
    ),
    "tensor entry": (
        lambda d: with_header(d, set_path("actor.last.bias", value=3)),
        "actor.last.bias: must have data_offsets, dtype, shape, got 3",
    ),
    "negative offset": (
        lambda d: with_header(d, set_path("actor.last.bias", "data_offsets", value=[-24, 0])),
        "data_offsets: must span 24 bytes",
    ),
    "overlap": (lambda d: with_header(d, swap_offsets), "must begin at byte"),
    "numbers left": (
        lambda d: with_weights(d, members(d)[WEIGHTS] + b"\0\0\0\0"),
        "bytes of numbers, got",
    ),
    "numbers lack": (lambda d: with_weights(d, members(d)[WEIGHTS][:-4]), "bytes of numbers, got"),
    "NaN": (lambda d: with_number(d, float("nan")), "holds NaN or infinity"),
    "infinity": (lambda d: with_number(d, float("inf")), "holds NaN or infinity"),
}


def _with_sizes(data, size):
    """Let the directory claim that the weights are larger than they are."""
    at = data.rindex(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<I", size) + data[at + 28 :]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_one_clear_error(name, whole, tmp_path):
    change, message = HOSTILE[name]
    path = tmp_path / "hostile.mesop"
    path.write_bytes(change(whole))
    with pytest.raises(BundleError, match=message) as caught:
        read_bundle(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < len(str(path)) + 250


@pytest.mark.parametrize("at", range(0, 4000, 13))
def test_any_changed_byte_is_noticed(at, whole, tmp_path):
    path = tmp_path / "changed.mesop"
    path.write_bytes(flip(whole, at * len(whole) // 4000))
    with pytest.raises(BundleError):
        read_bundle(path)


def places_in(data, at=()):
    """List the places in plain data; of a list, the first few."""
    yield at
    inner = data.items() if isinstance(data, dict) else []
    inner = enumerate(data[:3]) if isinstance(data, list) else inner
    for key, value in inner:
        yield from places_in(value, (*at, key))


ODD = (None, -1, 0, 256, 10**6, 10**30, 1.5, 1e308, "", "x" * 5000, [], [[]], [10**6, 10**6], {},
       True, "gru", [1] * 70, ["a", "a"])  # fmt: skip


@pytest.mark.parametrize("preset", ["townlet/L7", "mettagrid/forage", "commons/wardens"])
def test_any_value_anywhere_in_a_card_is_read_or_refused(preset, tmp_path):
    sample_bundle(tmp_path / "a.mesop", preset, memory="lstm")
    whole = (tmp_path / "a.mesop").read_bytes()
    rng, refused = random.Random(3), 0
    places = [place for place in places_in(json.loads(members(whole)[CARD])) if place]
    for place in rng.sample(places, 120):
        changed = with_card(whole, set_path(*place, value=rng.choice(ODD)))
        try:
            read_from(changed, tmp_path / "b.mesop").make_network()
        except BundleError:
            refused += 1
    assert refused > 60


def test_what_is_no_file_is_one_clear_error(tmp_path):
    (tmp_path / "folder.mesop").mkdir()
    os.mkfifo(tmp_path / "pipe.mesop")
    for name, message in {
        "missing.mesop": "No such file",
        "folder.mesop": "Is a directory",
        "pipe.mesop": "not a regular file",
        "nul\0.mesop": "NUL",
    }.items():
        with pytest.raises(BundleError, match=message):
            read_bundle(f"{tmp_path}/{name}")
    with pytest.raises(BundleError, match=re.escape("a path must be text or a Path, got 3")):
        read_bundle(3)


def test_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "huge.mesop"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(MesocosmError, match="must be at most 268,435,456 bytes"):
        read_bundle(path)
