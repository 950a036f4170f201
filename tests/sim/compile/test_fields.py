"""How a batch's arguments are laid out, and what compiled code makes of them."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import SpecError
from mesocosm.sim.compile.fields import Block, host_block
from mesocosm.sim.rule import rule
from mesocosm.sim.targets.launch import launch


class State(NamedTuple):
    """Arrays of all kinds."""

    plain: np.ndarray
    pair: Annotated[np.ndarray, "int16 [env, thing, 2]"]
    flag: Annotated[np.ndarray, "bool [env, thing]"]
    spare: Annotated[np.ndarray, "int8 [env, thing] or empty"]


class Frame(NamedTuple):
    """The frame of a world without agents."""

    t: Annotated[np.ndarray, "int64 [env]"]


class Table(NamedTuple):
    """A tuple inside the parameters."""

    row: Annotated[np.ndarray, "float64 [.., 3]"]
    rate: float


class Params(NamedTuple):
    """Numbers and tables."""

    size: int
    on: bool
    table: Table
    of: Annotated[np.ndarray, "int32 [thing]"]


class Role(NamedTuple):
    """Buffers."""

    obs: Annotated[np.ndarray, "float32 [env, member, number]"]


def arguments(envs=4, things=3, rows=2, spare=0):
    rng = np.random.default_rng(1)
    state = State(
        rng.integers(-9, 9, (envs, 5)),
        rng.integers(-9, 9, (envs, things, 2)).astype(np.int16),
        rng.random((envs, things)) < 0.5,
        np.zeros((spare, things), np.int8),
    )
    table = Table(rng.random((rows, 3)), 0.25)
    params = Params(7, True, table, np.arange(things, dtype=np.int32))
    return state, Frame(np.arange(envs)), params, Role(np.zeros((envs, 2, 4), np.float32))


def lengths_of(block, tuple_at, name):
    return dict(block.trees[tuple_at].entries)[name].lengths


def test_declared_numbers_are_compiled_in_and_named_axes_share_a_word():
    block = host_block(arguments())
    envs, things, pair = lengths_of(block, 0, "pair")
    assert pair == -1 - 2
    assert lengths_of(block, 0, "flag") == (envs, things)
    assert lengths_of(block, 2, "of") == (things,)
    assert block.words[things] == 3


def test_undeclared_and_possibly_empty_arrays_have_words_of_their_own():
    block = host_block(arguments(spare=4))
    envs, things, _ = lengths_of(block, 0, "pair")
    assert lengths_of(block, 0, "plain")[1] not in (envs, things)
    assert not {envs, things} & set(lengths_of(block, 0, "spare"))


def test_other_sizes_need_no_other_code():
    first, second = host_block(arguments()), host_block(arguments(9, 5, 6, spare=9))
    assert first.digest == second.digest
    assert first.words != second.words


def test_length_that_is_not_as_declared_is_refused_by_name():
    state, frame, params, role = arguments()
    wrong = params._replace(of=np.zeros(4, np.int32))
    with pytest.raises(SpecError, match=r"Params.of: axis 'thing' has length 4, but 3 elsewhere"):
        host_block((state, frame, wrong, role))
    wide = state._replace(pair=np.zeros((4, 3, 3), np.int16))
    with pytest.raises(SpecError, match=r"State.pair: declares an axis of 2, has 3"):
        host_block((wide, frame, params, role))
    flat = state._replace(flag=np.zeros(4, np.bool_))
    with pytest.raises(SpecError, match=r"State.flag: declares axes"):
        host_block((flat, frame, params, role))


def test_strided_array_of_the_host_is_refused():
    state, frame, params, role = arguments()
    with pytest.raises(ValueError, match="must be contiguous"):
        host_block((state._replace(plain=np.asfortranarray(state.plain)), frame, params, role))


def test_large_arrays_are_indexed_in_64_bits_where_32_are_tried():
    class Large:
        shape, dtype = (2**20, 2**12), np.dtype(np.int64)

    class One(NamedTuple):
        x: object

    small = One(np.zeros((2, 2)))
    block = Block((One(Large()), small, small), lambda array: 0, narrow=True)
    assert not dict(block.trees[0].entries)["x"].narrow
    assert dict(block.trees[1].entries)["x"].narrow


@rule
def bump(row, k):
    """Change a row that was handed over."""
    row[k] += len(row)


@rule
def work(s, f, p, r, e):
    """Read and write all kinds of entries."""
    for k in range(s.pair.shape[1]):
        s.pair[e, k, 1] = s.pair[e, k, 0] * p.of[k] + p.size
        s.flag[e, k] = not s.flag[e, k] and p.on
        if s.flag[e, k]:
            bump(s.pair[e, k], 0)
    f.t[e] += s.plain.shape[1] + s.spare.shape[0]
    r.obs[e, 1, 2] = p.table.row[e % 2, 2] * p.table.rate + s.plain[e, 4]


def test_compiled_code_reads_and_writes_what_plain_python_does():
    from mesocosm.sim.compile.reference import make_fetch

    plain, compiled = arguments(), arguments()
    for e in range(4):
        launch(work, "python")(*plain, e)
    block = host_block(compiled)
    fetch = make_fetch(block.trees, "cpu")
    launch(work, "cpu")  # tells Numba about the rules
    namespace = {"fetch": fetch, "work": work}
    text = "def drive(words, e):\n    s, f, p, r = fetch(words)\n    work(s, f, p, r, e)\n"
    exec(text, namespace)  # noqa: S102
    drive = launch(namespace["drive"], "cpu")
    for e in range(4):
        drive(np.array(block.words), e)
    for before, after in zip(plain, compiled, strict=True):
        for one, other in zip(before, after, strict=True):
            if isinstance(one, np.ndarray):
                assert (one == other).all()
    assert compiled[0].flag.any()
    assert not compiled[0].flag.all()


@pytest.mark.parametrize("world", ["commons", "townlet", "island", "mettagrid"])
def test_all_presets_of_a_world_share_their_code(world):
    digests = {}
    for preset in meso.presets(world):
        env = meso.make(preset, num_envs=2, target="python")
        driver = env.driver
        block = host_block((driver.s, driver.f, driver.p, *driver.roles))
        digests.setdefault(env.layering is not None, set()).add(block.digest)
    assert {layered: len(found) for layered, found in digests.items()} == {False: 1, True: 1}


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        ("commons/default", {"core.num_agents": 9}),
        ("townlet/L6", {"core.num_agents": 13, "core.grid_size": 11}),
        ("island/skirmish", {"core.max_entities": 61}),
    ],
)
def test_changed_number_of_agents_or_size_of_the_map_shares_the_code(preset, overrides):
    def digest(more):
        driver = meso.make(preset, more, num_envs=3, target="python").driver
        return host_block((driver.s, driver.f, driver.p, *driver.roles)).digest

    assert digest({}) == digest(overrides)
