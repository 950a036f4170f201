"""Snapshots: whatever is wrong with one is named, and loading it changes nothing."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesocosm.build import make
from mesocosm.core.errors import MesocosmError, SnapshotError
from mesocosm.sim.batch.snapshot import names

CHOICE = np.zeros((2, 6, 2), np.int32)
LEVEL = np.full((2, 6, 2), 0.5, np.float32)


def fresh(preset="commons", overrides=None, **settings):
    """Make a small env on the python target, three steps into its episodes."""
    env = make(preset, overrides, **{"num_envs": 2, "target": "python", "seed": 3} | settings)
    env.reset()
    play(env, 3)
    return env


def play(env, steps):
    for _ in range(steps):
        lead = (env.num_envs, 6)
        step = env.step((np.zeros((*lead, 2), np.int32), np.full((*lead, 2), 0.5, np.float32)))
    return step


ENV = fresh()
SNAPSHOT = ENV.save()
KEYS = names(ENV.spec)
NUMBERS = [key for key in KEYS if SNAPSHOT[key].dtype != np.bool_]
FLOATS = [key for key in KEYS if SNAPSHOT[key].dtype == np.float64]
BOUNDED = [key for key in NUMBERS if key not in ("frame.effect", "frame.seed", "frame.env_id")]


def refused(change):
    """Change a copy of a snapshot; check that it is refused and that nothing happened."""
    env = fresh()
    snapshot = copy.deepcopy(SNAPSHOT)
    change(snapshot)
    before = env.digest()
    with pytest.raises(SnapshotError) as caught:
        env.load(snapshot)
    assert env.digest() == before
    other = fresh()
    assert np.array_equal(play(env, 1).obs, play(other, 1).obs)
    assert env.digest() == other.digest()
    return str(caught.value)


def test_a_snapshot_is_a_plain_dict_of_arrays_and_meta():
    assert set(SNAPSHOT) == {"_meta", *KEYS}
    assert all(type(SNAPSHOT[key]) is np.ndarray for key in KEYS)
    assert SNAPSHOT["_meta"]["world"] == "commons"


def test_a_snapshot_is_a_copy():
    env = fresh()
    snapshot = env.save()
    before = env.digest()
    for key in KEYS:
        snapshot[key][...] = 0
    snapshot["_meta"]["world"] = "x"
    assert env.digest() == before
    assert env.save()["_meta"]["world"] == "commons"


def test_a_loaded_snapshot_is_copied():
    env, snapshot = fresh(), copy.deepcopy(SNAPSHOT)
    env.load(snapshot)
    before = env.digest()
    for key in KEYS:
        snapshot[key][...] = 0
    assert env.digest() == before


@pytest.mark.parametrize("snapshot", [None, 3, [], "x", np.zeros(3)])
def test_what_is_no_dict_is_refused(snapshot):
    with pytest.raises(SnapshotError) as caught:
        ENV.load(snapshot)
    kind = type(snapshot).__name__
    message = f"a snapshot is a dict with '_meta', as env.save() makes it, got {kind}"
    assert str(caught.value) == message


@pytest.mark.parametrize("meta", [None, 3, [], "x"])
def test_a_snapshot_without_meta_is_refused(meta):
    message = "a snapshot is a dict with '_meta', as env.save() makes it, got dict without it"
    assert refused(lambda s: s.update(_meta=meta)) == message
    assert refused(lambda s: s.pop("_meta")) == message


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_refused(key):
    assert refused(lambda s: s.pop(key)) == f"snapshot.{key}: missing"


def test_an_extra_key_is_refused_with_the_nearest_one():
    message = refused(lambda s: s.update(welth=s["wealth"]))
    assert message.startswith("snapshot.welth: unknown. Did you mean 'wealth'? Available: alive,")


def test_an_extra_key_of_another_type_is_refused():
    assert refused(lambda s: s.update({3: 4})).startswith("snapshot.3: unknown. Available: ")


def test_derived_fields_are_no_part_of_a_snapshot():
    assert "at_seat" not in SNAPSHOT
    message = refused(lambda s: s.update(at_seat=s["seat"]))
    assert message.startswith("snapshot.at_seat: unknown.")


@pytest.mark.parametrize("key", KEYS)
def test_a_wrong_dtype_is_refused(key):
    like = SNAPSHOT[key]
    other = np.float32 if like.dtype != np.float32 else np.float64
    message = refused(lambda s: s.update({key: like.astype(other)}))
    shape = like.shape
    assert message == f"snapshot.{key}: must be {like.dtype} {shape}, got float32 {shape}"


@pytest.mark.parametrize("key", KEYS)
def test_a_wrong_shape_is_refused(key):
    like = SNAPSHOT[key]
    shape = (3, *like.shape[1:])
    message = refused(lambda s: s.update({key: np.zeros(shape, like.dtype)}))
    assert message == (
        f"snapshot.{key}: must be {like.dtype} {like.shape}, got {like.dtype} {shape}"
    )


@pytest.mark.parametrize("value", [None, 3, "x", [1.0, 2.0], {}])
def test_what_is_no_array_is_refused(value):
    message = refused(lambda s: s.update(stock=value))
    kind = type(value).__name__
    assert message == f"snapshot.stock: must be a NumPy array, got {kind}"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("key", FLOATS)
def test_what_is_not_finite_is_refused(key, value):
    def change(snapshot):
        snapshot[key].reshape(-1)[-1] = value

    assert refused(change) == f"snapshot.{key}: holds NaN or infinity"


@pytest.mark.parametrize("least", [True, False])
@pytest.mark.parametrize("key", BOUNDED)
def test_what_is_out_of_range_is_refused_with_its_place(key, least):
    kind = SNAPSHOT[key].dtype
    extreme = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    value = extreme.min if least else extreme.max

    def change(snapshot):
        snapshot[key].reshape(-1)[-1] = value

    at = ", ".join(str(n - 1) for n in SNAPSHOT[key].shape)
    message = refused(change)
    assert message.startswith(f"snapshot.{key}[{at}]: must be between ")
    assert message.endswith(f", got {value}")


@pytest.mark.parametrize("key", ["frame.seed", "frame.env_id"])
def test_a_negative_seed_or_index_is_refused(key):
    def change(snapshot):
        snapshot[key][0] = -1

    message = f"snapshot.{key}[0]: must be between 0 and {2**63 - 1}, got -1"
    assert refused(change) == message


def test_ranges_are_those_that_the_world_declares():
    def change(snapshot):
        snapshot["wealth"][1, 3] = 50.5

    message = "snapshot.wealth[1, 3]: must be between 0.0 and 50.0, got 50.5"
    assert refused(change) == message


def test_tunables_have_the_ranges_that_they_declare():
    def change(snapshot):
        snapshot["frame.tunable"][0, 1] = 4.5

    message = "snapshot.frame.tunable[0, 1]: must be between 0.0 and 4.0, got 4.5"
    assert refused(change) == message


def test_an_order_that_is_no_permutation_is_refused():
    def change(snapshot):
        snapshot["frame.order"][1] = [0, 1, 2, 3, 4, 4]

    message = "snapshot.frame.order: each row must be a permutation of the agents"
    assert refused(change) == message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("schema", 1),
        ("world", "island"),
        ("version", 2),
        ("config", "0" * 32),
        ("num_envs", 3),
        ("num_envs", True),
        ("num_envs", 2.0),
        ("schema", np.array([1, 2])),
        ("world", None),
    ],
    ids=str,
)
def test_a_foreign_snapshot_is_refused_naming_both(key, value):
    own = SNAPSHOT["_meta"][key]
    message = refused(lambda s: s["_meta"].update({key: value}))
    assert message == f"snapshot._meta.{key}: this env has {own!r}, got {value!r}"


@pytest.mark.parametrize("key", ["schema", "world", "version", "config", "num_envs"])
def test_missing_meta_is_refused(key):
    message = refused(lambda s: s["_meta"].pop(key))
    own = SNAPSHOT["_meta"][key]
    assert message == f"snapshot._meta.{key}: this env has {own!r}, got nothing"


def test_unknown_meta_is_refused():
    message = refused(lambda s: s["_meta"].update(num_env=2))
    assert message.startswith("snapshot._meta.num_env: unknown. Did you mean 'num_envs'?")


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"overrides": {"core.max_steps": 100}}, "config"),
        ({"overrides": {"agents.roles.harvester.scope": {"stock": "hidden"}}}, "config"),
        ({"preset": "commons/turns"}, "config"),
        ({"num_envs": 3}, "num_envs"),
    ],
)
def test_a_snapshot_of_another_env_is_refused(change, key):
    snapshot = fresh(**change).save()
    with pytest.raises(SnapshotError, match=rf"^snapshot\._meta\.{key}: this env has "):
        ENV.load(snapshot)


@pytest.mark.parametrize("change", [{"identity.seed": 9}, {"instrumentation.max_events": 3}])
def test_the_seed_and_the_logging_do_not_make_a_snapshot_foreign(change):
    env = fresh(overrides=change)
    env.load(SNAPSHOT)
    assert env.digest() == fresh().digest()


@pytest.mark.parametrize("preset", ["commons", "commons/turns", "commons/scarce"])
def test_a_snapshot_continues_bit_identically_under_another_seed(preset):
    env = fresh(preset)
    other = make(preset, num_envs=2, target="python", seed=99, first_env=7)
    step = other.load(env.save())
    assert np.array_equal(step.obs, env.load(env.save()).obs)
    for _ in range(5):
        one, two = play(env, 1), play(other, 1)
        assert env.digest() == other.digest()
        for name in ("obs", "reward", "mask", "acting", "terminated", "reason"):
            assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert np.array_equal(env.reset().obs, other.reset().obs)
    assert env.digest() == other.digest()


@pytest.mark.parametrize("start", [1, 2, 3, 4])
@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "off"])
def test_a_snapshot_continues_bit_identically_over_the_end_of_an_episode(autoreset, start):
    settings = {"overrides": {"core.max_steps": 5}, "autoreset": autoreset}
    env, other = fresh(**settings), fresh(**settings, seed=8)
    play(env, start)
    other.load(env.save())
    for _ in range(8):
        one, two = play(env, 1), play(other, 1)
        assert env.digest() == other.digest()
        for name in ("obs", "reward", "mask", "truncated", "episode_over"):
            assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_one_who_acts_without_being_active_is_refused():
    def change(snapshot):
        snapshot["frame.active"][0, 1] = False

    assert refused(change) == "snapshot.frame.acting: only agents that are active can act"


def test_saving_and_loading_survive_pickling():
    env = fresh(seed=8)
    env.load(pickle.loads(pickle.dumps(SNAPSHOT)))  # noqa: S301
    assert env.digest() == ENV.digest()


def test_an_edit_within_range_comes_back_as_it_was_made():
    env, edited = fresh(), copy.deepcopy(SNAPSHOT)
    edited["wealth"][0, 1] = 50.0
    edited["stock"][1] = 0.0
    edited["frame.order"][0] = [5, 4, 3, 2, 1, 0]
    edited["frame.tunable"][1, 0] = 0.0
    edited["alive"][0, 2] = False
    edited["frame.violations"][1, 1] = 7
    env.load(edited)
    saved = env.save()
    for key in KEYS:
        assert np.array_equal(saved[key], edited[key]), key


def test_an_edit_reaches_the_observation():
    env, edited = fresh(), copy.deepcopy(SNAPSHOT)
    edited["wealth"][0, 1] = 25.0
    step = env.load(edited)
    assert step.obs[0, 1, env.spec.roles["harvester"].observation.offsets["wealth"]] == 0.5


def test_loading_before_the_first_reset_starts_the_env():
    env = make("commons", num_envs=2, target="python")
    env.load(SNAPSHOT)
    play(env, 1)
    other = fresh()
    play(other, 1)
    assert env.digest() == other.digest()


def test_saving_before_the_first_reset_is_refused():
    with pytest.raises(MesocosmError, match=r"call reset\(\) before save\(\)"):
        make("commons", target="python").save()


def edit(array, low, high, fraction):
    """Fill an array with one value within its range."""
    array[...] = (low + (high - low) * fraction) if array.dtype.kind != "b" else fraction < 0.5


@settings(max_examples=40, deadline=None)
@given(fractions=st.lists(st.floats(0.0, 1.0), min_size=12, max_size=12))
def test_any_state_within_range_can_be_loaded_and_played(fractions):
    env, edited = fresh(), copy.deepcopy(SNAPSHOT)
    for entry, fraction in zip(env.spec.truth, fractions, strict=True):
        edit(edited[entry.name], entry.low, entry.high, fraction)
    env.load(edited)
    saved = env.save()
    assert all(np.array_equal(saved[key], edited[key]) for key in KEYS)
    step = play(env, 2)
    assert np.isfinite(step.obs).all()
    assert np.isfinite(step.reward).all()
