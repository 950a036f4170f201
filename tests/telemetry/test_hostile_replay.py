"""A replay that somebody crafted is refused before it costs memory, and nothing in it is run."""

import json
import re
import tracemalloc
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from recording import SHORT, play

import mesocosm as meso
from mesocosm.core.errors import MesocosmError, RunError
from mesocosm.telemetry.replay import chunk_file
from mesocosm.telemetry.replay.chunk_file import HEAD, MAGIC, ChunkFile, _byte_planes
from mesocosm.telemetry.replay.reader import Replay

FEW_BYTES = 24 << 20
STEPS, ENVS = 12, 3


@pytest.fixture
def replay(tmp_path):
    """A small replay, as (path, chunks), each chunk (tag, first, steps, meta, arrays)."""
    env = meso.make("commons/wardens", SHORT, num_envs=ENVS, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, STEPS)
    path = tmp_path / "run" / "replay.meso"
    file = ChunkFile(path)
    return path, [[p.tag, p.first, p.steps, *file.read(p)] for p in file.places]


def body_of(meta, arrays, declared=None):
    """Pack as a writer does, but declare other arrays if told to."""
    kinds = [[name, str(array.dtype), list(array.shape)] for name, array in arrays.items()]
    head = json.dumps({"meta": meta, "arrays": kinds if declared is None else declared}).encode()
    parts = [len(head).to_bytes(8, "little"), head, *map(_byte_planes, arrays.values())]
    return b"".join(parts)


def compress(raw, num_zeros):
    """Compress bytes and many zeros after them."""
    made = zlib.compressobj(1)
    pieces = [made.compress(raw)]
    pieces += [
        made.compress(bytes(min(1 << 20, num_zeros - k))) for k in range(0, num_zeros, 1 << 20)
    ]
    return b"".join([*pieces, made.flush()])


def write(path, bodies, *, raw_size=None, at=None, num_zeros=0):
    """Write chunks whose checksums are right, whatever they hold; zeros follow the one at `at`."""
    out = [MAGIC]
    for number, (tag, first, steps, raw) in enumerate(bodies):
        zeros = num_zeros if at == number else 0
        body = compress(raw, zeros)
        said = raw_size if at == number and raw_size is not None else len(raw) + zeros
        sizes = (tag.encode(), number, first, steps, len(body), said, zlib.crc32(body))
        out += [HEAD.pack(*sizes, zlib.crc32(HEAD.pack(*sizes, 0))), body]
    path.write_bytes(b"".join(out))


def bodies_of(chunks):
    return [
        (tag, first, steps, body_of(meta, arrays)) for tag, first, steps, meta, arrays in chunks
    ]


@cache
def known_roles():
    return meso.config_spec("commons/wardens", SHORT).roles


def read_all(path):
    """Do what verifying does, short of playing."""
    roles, found = known_roles(), Replay(path)
    for _ in found.operations(dict(roles)):
        pass
    for env in range(min(found.num_envs, 3)):
        list(found.episode_actions(dict(roles), env, found.start_of(env, found.num_steps)))


def refused(path, match, read=None):
    """Require one of our errors, and little memory before it."""
    known_roles()
    tracemalloc.start()
    try:
        with pytest.raises(MesocosmError, match=match):
            read() if read is not None else read_all(path)
        assert tracemalloc.get_traced_memory()[1] < FEW_BYTES
    finally:
        tracemalloc.stop()


def test_the_crafting_itself_is_right(replay):
    path, chunks = replay
    before = path.read_bytes()
    write(path, bodies_of(chunks))
    assert len(path.read_bytes()) < len(before) * 2
    read_all(path)


@pytest.mark.parametrize("envs", [50_000_000, 1 << 40, 1 << 70, -1, 0, 2, 4, True, "3", None, 3.0])
def test_a_wrong_number_of_envs_is_refused_before_memory_is_spent(replay, envs):
    path, chunks = replay
    chunks[0][3]["num_envs"] = envs
    write(path, bodies_of(chunks))
    refused(path, "chunk 0 is damaged")


def test_fifty_million_envs_that_are_all_there_are_refused_unread(replay):
    path, chunks = replay
    chunks[0][3]["num_envs"] = many = 50_000_000
    declared = [[name, "int64", [many]] for name in ("episode", "seed")]
    bodies = bodies_of(chunks)
    bodies[0] = (*bodies[0][:3], body_of(chunks[0][3], {}, declared))
    write(path, bodies, at=0, num_zeros=2 * 8 * many)
    assert path.stat().st_size < 4 << 20
    refused(path, "num_envs must be between 1 and 16777216, got 50000000")


def test_a_number_of_envs_other_than_the_runs_is_refused_unread(replay):
    path, chunks = replay
    chunks[0][3]["num_envs"] = many = 4_000_000
    chunks[0][4] = dict.fromkeys(("episode", "seed"), np.zeros(many, np.int64))
    write(path, bodies_of(chunks))
    words = "num_envs must be 3, as the run's, got 4000000"
    refused(path, words, lambda: meso.open_run(path.parent).replay)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("size", [0, 1, 7, 8, 100, (1 << 30) - 1, 1 << 30, 1 << 31, (1 << 64) - 1])
def test_another_size_than_there_is_is_refused(replay, number, size):
    path, chunks = replay
    write(path, bodies_of(chunks), raw_size=size, at=number)
    refused(path, f"chunk {number} is damaged")


def test_a_compressed_bomb_is_never_unpacked(replay):
    path, chunks = replay
    bodies = bodies_of(chunks)
    size = len(bodies[1][3])
    for start in (b"", bodies[1][3]):
        bodies[1] = (*bodies[1][:3], start)
        write(path, bodies, at=1, num_zeros=100 << 20)
        refused(path, "chunk 1 is damaged")
        write(path, bodies, at=1, num_zeros=100 << 20, raw_size=size)
        refused(path, "chunk 1 is damaged")


SHAPES = ([1 << 62], [1 << 40, 1 << 40], [-1], [2.0], ["3"], [True], [0, 1 << 62], [1] * 40, 5,
          {}, [[3]], [1 << 31, 0])  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["kind", "digest", "begun", "reset_seed", "choice.warden.0"])
def test_a_declared_shape_that_is_not_there_is_refused(replay, name, shape):
    path, chunks = replay
    tag, first, steps, meta, arrays = chunks[1]
    kinds = [[n, str(a.dtype), shape if n == name else list(a.shape)] for n, a in arrays.items()]
    bodies = bodies_of(chunks)
    bodies[1] = (tag, first, steps, body_of(meta, arrays, kinds))
    write(path, bodies)
    refused(path, "chunk 1 is damaged")


@pytest.mark.parametrize("kind", ["object", "O", "V8", "str", "<U4", "float64", "datetime64[s]", 5])
@pytest.mark.parametrize("name", ["kind", "digest", "lead_start", "choice.warden.0"])
def test_a_wrong_dtype_is_refused(replay, name, kind):
    path, chunks = replay
    tag, first, steps, meta, arrays = chunks[1]
    kinds = [[n, kind if n == name else str(a.dtype), list(a.shape)] for n, a in arrays.items()]
    bodies = bodies_of(chunks)
    bodies[1] = (tag, first, steps, body_of(meta, arrays, kinds))
    write(path, bodies)
    refused(path, "chunk 1 is damaged")


def huge(name, shape, kind):
    return {name: np.zeros(shape, kind)}


WRONG_ARRAYS = {
    "more steps": lambda a: huge("kind", 10**7, np.uint8),
    "more resets": lambda a: huge("reset_seed", 10**6, np.int64)
    | huge("kind", 10**6 + STEPS, np.uint8) | huge("reset_envs", (10**6, 1), np.uint8),
    "more episodes": lambda a: huge("begun", (10**6, 4), np.int64),
    "more agents": lambda a: huge("choice.warden.0", (STEPS, ENVS, 10**6), np.uint8),
    "more parts": lambda a: huge("level.warden", (STEPS, ENVS, 2, 10**6), np.float32),
    "another role": lambda a: huge("choice.emperor.0", (STEPS, ENVS, 10**6), np.uint8),
    "another array": lambda a: huge("x", 10**7, np.uint8),
    "kind of no kind": lambda a: {"kind": a["kind"] + 7},
    "begun elsewhere": lambda a: {"begun": a["begun"] + 10**9},
    "begun in a negative env": lambda a: {"begun": a["begun"] * [1, -1, 1, 1] - [0, 1, 0, 0]},
    "led by later steps": lambda a: {"lead_start": a["lead_start"] + 5},
    "led by negative steps": lambda a: {"lead_start": a["lead_start"] - 5},
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_ARRAYS)
def test_arrays_beyond_head_and_config_are_refused(replay, name):
    path, chunks = replay
    chunks[1][4] |= WRONG_ARRAYS[name](chunks[1][4])
    write(path, bodies_of(chunks))
    refused(path, "chunk 1 is damaged")


@pytest.mark.parametrize("first", [0, 1, STEPS + 1, 1 << 40, (1 << 64) - 1])
@pytest.mark.parametrize("steps", [0, STEPS - 1, STEPS + 1, 1 << 40, (1 << 64) - 1])
def test_heads_that_claim_other_steps_are_refused(replay, first, steps):
    path, chunks = replay
    chunks[1][1:3] = [first, steps]
    write(path, bodies_of(chunks))
    refused(path, r"chunk \d is damaged")


METAS = ([], None, 5, {}, {"config": []}, {"fields": 5}, {"fields": [1, 2]}, {"autoreset": 5},
         {"first_env": "x"}, {"behaviour": None})  # fmt: skip


@pytest.mark.parametrize("meta", METAS, ids=str)
def test_a_first_chunk_of_another_form_is_refused(replay, meta):
    path, chunks = replay
    chunks[0][3] = (chunks[0][3] | meta) if isinstance(meta, dict) and meta else meta
    write(path, bodies_of(chunks))
    refused(path, "chunk 0 is damaged")


JSON_TEXTS = (b"", b"[]", b"5", b"{", b'{"meta": {}}', b'{"meta": {}, "arrays": 5}', b"[" * 100_000,
              b'{"meta": {}, "arrays": [5]}', b'{"meta": {}, "arrays": [[1, 2, 3]]}', b"\xff\xfe",
              b'{"meta": {}, "arrays": [["kind", "uint8", [0]], ["kind", "uint8", [0]]]}',
              b"9" * 10_000)  # fmt: skip


@pytest.mark.parametrize("text", JSON_TEXTS, ids=lambda text: str(text[:30]))
def test_json_of_another_form_is_refused(replay, text):
    path, chunks = replay
    bodies = bodies_of(chunks)
    bodies[1] = (*bodies[1][:3], len(text).to_bytes(8, "little") + text)
    write(path, bodies)
    refused(path, "chunk 1 is damaged")


@pytest.mark.parametrize("length", [1 << 62, (1 << 64) - 1, 5 << 20])
def test_a_length_beyond_the_chunk_is_refused(replay, length):
    path, chunks = replay
    bodies = bodies_of(chunks)
    bodies[1] = (*bodies[1][:3], length.to_bytes(8, "little") + bodies[1][3][8:] + bytes(6 << 20))
    write(path, bodies)
    refused(path, "bytes of JSON are declared")


def test_a_cut_replay_holds_only_whole_chunks(replay):
    path, _ = replay
    raw, places = path.read_bytes(), ChunkFile(path).places
    for size in range(0, len(raw), 7):
        path.write_bytes(raw[:size])
        whole = [place for place in places if place.end <= size]
        if whole:
            assert Replay(path).num_steps == (STEPS if len(whole) > 1 else 0)
        else:
            with pytest.raises(
                RunError, match=rf"{re.escape(str(path))}: .*first chunk is missing"
            ):
                read_all(path)


def test_repeated_and_reordered_chunks_are_refused(replay):
    path, chunks = replay
    for order in (
        (0, 2, 1),
        (0, 1, 1, 2),
        (1, 0, 2),
        (0, 0, 1, 2),
        (0, 1, 2, 2),
        (2,),
        (0, 1, 2, 1),
    ):
        write(path, bodies_of([chunks[k] for k in order]))
        with pytest.raises(RunError, match=r"chunk \d is damaged|first chunk is missing"):
            read_all(path)


def test_nothing_is_ever_unpickled():
    text = "".join(path.read_text("utf-8") for path in _sources())
    assert "pickle" not in text.replace("allow_pickle=False", "").replace("unpickled", "")


def _sources():
    return Path(chunk_file.__file__).parents[1].rglob("*.py")
