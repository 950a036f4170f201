"""Taking actions in: wrong structure raises and changes nothing; wrong values never raise."""

import warnings

import numpy as np
import pytest

from mesocosm.build import make
from mesocosm.core.action import Action
from mesocosm.core.errors import ActionError, ConfigError, MesocosmError, UnknownName

CALM = {"core.drought_prob": 0.0}
DEAL, EFFORT = 0, 0


def fresh(preset="commons", seed=3, **core):
    """Make a small env on the python target and start it."""
    overrides = CALM | {f"core.{key}": value for key, value in core.items()}
    env = make(preset, overrides, num_envs=2, target="python", seed=seed)
    env.reset()
    return env


def idle(env, role="harvester"):
    """Give writable no-ops for a role."""
    spec = env.spec.roles[role]
    return spec.action.noop((env.num_envs, spec.num_agents))


def both(env):
    """Give writable no-ops for harvesters and wardens."""
    return {name: idle(env, name) for name in env.spec.roles}


CHOICE = np.zeros((2, 6, 2), np.int32)
LEVEL = np.zeros((2, 6, 2), np.float32)
RAGGED = [[[0, 0]] * 6, [[0, 0]] * 5]
LOOP: list = []
LOOP.append(LOOP)


class Stubborn:
    """Something whose conversion fails the way a tensor that needs gradients does."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("cannot convert")


class Elsewhere:
    """Something on a GPU, given to an env that is not."""

    shape = (2, 6, 2)
    __cuda_array_interface__ = {"typestr": "<i4"}  # noqa: RUF012

    def __array__(self, dtype=None, copy=None):
        raise TypeError("copy it to the host first")


STRUCTURES = [None, 3, "noop", CHOICE, [CHOICE, LEVEL], [{"harvester": CHOICE}]]
STRUCTURES += [(), (CHOICE,), (CHOICE, LEVEL, LEVEL)]


@pytest.mark.parametrize("actions", STRUCTURES)
def test_a_wrong_structure_is_refused(actions):
    env = fresh()
    with pytest.raises(ActionError) as caught:
        env.step(actions)
    assert str(caught.value) == (
        "role 'harvester': has choices and levels, so actions must be "
        f"Action(choice=..., level=...), got {type(actions).__name__}"
    )


@pytest.mark.parametrize(
    "shape", [(), (2,), (2, 6), (6, 2), (1, 6, 2), (2, 6, 3), (2, 6, 2, 1), (0,)]
)
@pytest.mark.parametrize("part", [0, 1])
def test_a_wrong_shape_is_refused(shape, part):
    env = fresh()
    actions = [CHOICE, LEVEL]
    actions[part] = np.zeros(shape, actions[part].dtype)
    with pytest.raises(ActionError) as caught:
        env.step(tuple(actions))
    assert str(caught.value) == (
        f"role 'harvester': actions must have shape (2, 6, 2) [env, agent, part], got {shape}"
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.bool_, np.complex64, "U1", object])
def test_choices_of_a_wrong_dtype_are_refused(dtype):
    given = CHOICE.astype(dtype)
    with pytest.raises(ActionError) as caught:
        fresh().step((given, LEVEL))
    message = f"role 'harvester': expected integers (int32), got dtype {given.dtype}"
    assert str(caught.value) == message


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.bool_, np.complex64, "U1", object])
def test_levels_of_a_wrong_dtype_are_refused(dtype):
    given = LEVEL.astype(dtype)
    with pytest.raises(ActionError) as caught:
        fresh().step((CHOICE, given))
    message = f"role 'harvester': expected floats (float32), got dtype {given.dtype}"
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "given", [RAGGED, LOOP, Stubborn(), Elsewhere(), None, {}, "x", [2**70], [None] * 24]
)
@pytest.mark.parametrize("part", [0, 1])
def test_what_is_no_array_is_refused(given, part):
    actions = [CHOICE, LEVEL]
    actions[part] = given
    with pytest.raises(ActionError, match=r"^role 'harvester': "):
        fresh().step(tuple(actions))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i8", "u1", "u2", "u4", "u8", ">i4", ">i8"])
def test_every_integer_dtype_means_the_same(dtype):
    one, other = fresh(), fresh()
    choice = CHOICE + np.array([1, 0], np.int32)
    one.step((choice, LEVEL))
    other.step((choice.astype(dtype), LEVEL))
    assert one.digest() == other.digest()
    assert (other.violations == 0).all()


@pytest.mark.parametrize("dtype", ["f2", "f8", ">f4", np.longdouble])
def test_every_float_dtype_means_the_same(dtype):
    one, other = fresh(), fresh()
    one.step((CHOICE, LEVEL + np.float32(0.5)))
    other.step((CHOICE, (LEVEL + np.float32(0.5)).astype(dtype)))
    assert one.digest() == other.digest()
    assert (other.violations == 0).all()


def test_lists_are_taken():
    one, other = fresh(), fresh()
    one.step((CHOICE, LEVEL))
    other.step((CHOICE.tolist(), LEVEL.tolist()))
    assert one.digest() == other.digest()


@pytest.mark.parametrize("value", [2**32, 2**32 + 1, -(2**32), 2**31, 2**63 - 1, -(2**63)])
def test_int64_beyond_int32_does_not_wrap_into_a_valid_option(value):
    env = fresh(invalid="noop")
    choice = CHOICE.astype(np.int64)
    choice[..., DEAL] = value
    env.step((choice, LEVEL))
    assert (env.violations == 1).all()
    assert env.events() == []


def test_uint64_beyond_int32_does_not_wrap_into_a_valid_option():
    env = fresh(invalid="noop")
    choice = CHOICE.astype(np.uint64)
    choice[..., DEAL] = 2**64 - 1
    env.step((choice, LEVEL))
    assert (env.violations == 1).all()


@pytest.mark.parametrize("value", [1e39, -1e300, 1e308])
def test_a_level_too_large_for_float32_is_invalid_and_does_not_warn(value):
    env = fresh(invalid="clamp")
    level = LEVEL.astype(np.float64)
    level[..., EFFORT] = value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.step((CHOICE, level))
    assert (env.violations == 1).all()
    assert (env.truth("catch") > 0).all() == (value > 0)


BAD_STEPS = {
    "structure": lambda env: env.step(None),
    "shape": lambda env: env.step((CHOICE[:1], LEVEL)),
    "dtype": lambda env: env.step((LEVEL, LEVEL)),
    "second part": lambda env: env.step((CHOICE + 1, CHOICE)),
    "ragged": lambda env: env.step((RAGGED, LEVEL)),
    "seed": lambda env: env.reset(seed=-1),
    "seed type": lambda env: env.reset(seed="x"),
    "envs": lambda env: env.reset(envs=np.array([True])),
    "envs and seed": lambda env: env.reset(seed=9, envs=np.array([1, 0])),
    "snapshot": lambda env: env.load({}),
    "truth": lambda env: env.truth("stok"),
    "derived truth": lambda env: env.truth("at_seat"),
    "explain env": lambda env: env.explain(env=2, agent=0),
    "explain agent": lambda env: env.explain(env=0, agent=6),
}


@pytest.mark.parametrize("what", BAD_STEPS)
def test_after_an_error_the_env_goes_on_as_if_nothing_had_happened(what):
    env, other = fresh(), fresh()
    for k in range(4):
        with pytest.raises(MesocosmError):
            BAD_STEPS[what](env)
        assert env.digest() == other.digest()
        actions = (CHOICE, LEVEL + np.float32(k / 4))
        one, two = env.step(actions), other.step(actions)
        assert env.digest() == other.digest()
        for name in ("obs", "reward", "mask", "acting"):
            assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert np.array_equal(env.reset().obs, other.reset().obs)


def test_several_roles_take_a_dict():
    env = fresh("commons/wardens")
    with pytest.raises(ActionError) as caught:
        env.step((CHOICE, LEVEL))
    assert str(caught.value) == (
        "actions must be a dict with roles ['harvester', 'warden'], got tuple"
    )


@pytest.mark.parametrize("keys", [[], ["harvester"], ["harvester", "wardn"], ["a", "b", "c"]])
def test_a_dict_with_other_roles_is_refused(keys):
    env = fresh("commons/wardens")
    with pytest.raises(ActionError) as caught:
        env.step(dict.fromkeys(keys, (CHOICE, LEVEL)))
    assert str(caught.value).endswith(f"roles ['harvester', 'warden'], got {sorted(keys)}")


def test_an_error_in_one_role_names_it_and_leaves_the_others_alone():
    env, other = fresh("commons/wardens"), fresh("commons/wardens")
    bad = both(env)
    bad["harvester"].level[...] = 1.0
    bad["warden"] = Action(bad["warden"].choice, bad["warden"].level.astype(np.int32))
    with pytest.raises(ActionError, match=r"^role 'warden': expected floats"):
        env.step(bad)
    assert env.digest() == other.digest()
    env.step(both(env))
    other.step(both(other))
    assert env.digest() == other.digest()


def test_one_part_may_leave_out_its_axis():
    one, other = fresh("commons/wardens"), fresh("commons/wardens")
    actions = both(one)
    one.step(actions)
    flat = Action(*(array[..., 0] for array in actions["warden"]))
    other.step(actions | {"warden": flat})
    assert one.digest() == other.digest()


def test_stepping_before_reset_is_refused():
    env = make("commons", target="python")
    with pytest.raises(MesocosmError, match=r"call reset\(\) before step\(\)"):
        env.step((CHOICE[:1], LEVEL[:1]))
    env.reset()
    env.step((CHOICE[:1], LEVEL[:1]))


def test_errors_of_lookups_name_what_is_allowed():
    env = fresh()
    with pytest.raises(UnknownName, match=r"no truth field named 'stok'\. Did you mean 'stock'\?"):
        env.truth("stok")
    with pytest.raises(UnknownName, match="no env 2: must be between 0 and 1"):
        env.explain(env=2, agent=0)
    with pytest.raises(UnknownName, match="no agent 6: must be between 0 and 5"):
        env.explain(env=0, agent=6)
    with pytest.raises(ConfigError, match="seed: must be an integer, got 'x'"):
        env.reset(seed="x")


def test_actions_of_one_role_may_be_named_by_it():
    named, plain = (make("commons", num_envs=2, target="python", seed=3) for _ in range(2))
    action = named.spec.roles["harvester"].action
    for env in (named, plain):
        env.reset()
    rng = np.random.default_rng(0)
    for _ in range(4):
        drawn = action.sample(rng, (2, named.spec.num_agents))
        assert (named.step({"harvester": drawn}).obs == plain.step(drawn).obs).all()
    assert named.digest() == plain.digest()
    with pytest.raises(ActionError, match=r"a dict with roles \['harvester'\], got \['warden'\]"):
        named.step({"warden": drawn})
