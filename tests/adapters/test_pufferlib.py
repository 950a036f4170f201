"""What PufferLib's vectorisation makes of the adapter, and what it refuses."""

import numpy as np
import pufferlib
import pufferlib.vector
import pytest

import mesocosm
from mesocosm.adapters import PufferEnv
from mesocosm.core.errors import ActionError, ConfigError, MesocosmError, UnknownName

QUICK = {"core.max_steps": 6}


def town(preset="townlet/L6", overrides=None, **settings):
    return PufferEnv(preset, overrides or QUICK, target="python", **({"num_envs": 2} | settings))


def noop(env):
    return np.zeros(env.num_agents, np.int32)


def test_buffers_are_written_in_place():
    env = town()
    assert env.num_agents == 16
    names = ("observations", "rewards", "terminals", "truncations", "masks")
    buffers = {name: getattr(env, name) for name in names}
    obs, infos = env.reset(3)
    assert infos == []
    results = env.step(noop(env))
    assert obs is results[0] is buffers["observations"]
    for name, array in buffers.items():
        assert getattr(env, name) is array
    assert results[1:4] == (buffers["rewards"], buffers["terminals"], buffers["truncations"])


def test_a_truncated_life_is_terminal_too_if_the_trainer_reads_nothing_else():
    for cut in (False, True):
        env = town(cut_truncated=cut)
        env.reset(0)
        for t in range(1, 7):
            env.step(noop(env))
            assert env.truncations.all() == (t == 6)
            assert env.terminals.all() == (cut and t == 6)


def test_infos_sum_up_the_lives_that_ended():
    env = town("townlet/L1", {"core.max_steps": 4}, num_envs=3)
    env.reset(1)
    total = 0.0
    for _ in range(3):
        assert env.step(noop(env))[4] == []
        total += env.rewards.sum()
    (info,) = env.step(noop(env))[4]
    total += env.rewards.sum()
    assert info["episode_return"] == pytest.approx(total / 3, abs=1e-6)
    assert (info["episode_length"], info["num_lives"]) == (4.0, 3)


def kwargs(**more):
    settings = {"source": "townlet/L6", "overrides": QUICK, "num_envs": 2, "target": "python"}
    return settings | more


def play(vec, num_steps=14):
    """Play no-ops; give all that came back, copied."""
    vec.async_reset(5)
    made = []
    for _ in range(num_steps):
        made.append([np.array(part) for part in vec.recv()[:4]])
        vec.send(np.zeros(vec.num_agents, np.int32))
    vec.recv()
    vec.close()
    return made


def expected(num_workers, num_steps=14):
    """Play the same raw: PufferLib seeds its k-th env with seed + k."""
    made = []
    raws = [
        mesocosm.make("townlet/L6", QUICK, num_envs=2, target="python") for _ in range(num_workers)
    ]
    steps = [raw.reset(seed=5 + k) for k, raw in enumerate(raws)]
    for _ in range(num_steps):
        entries = [(s.obs, s.reward, s.terminated & s.ended, s.truncated & s.ended) for s in steps]
        made.append(
            [
                np.concatenate([e.reshape(16, *e.shape[2:]) for e in p])
                for p in zip(*entries, strict=True)
            ]
        )
        steps = [raw.step(np.zeros((2, 8, 1), np.int32)) for raw in raws]
    return made


@pytest.mark.parametrize("backend", ["Serial", "Multiprocessing"])
def test_a_vector_of_two_shows_what_two_raw_envs_show(backend):
    more = {"num_workers": 2, "overwork": True} if backend == "Multiprocessing" else {}
    vec = pufferlib.vector.make(
        PufferEnv,
        env_kwargs=kwargs(),
        backend=getattr(pufferlib.vector, backend),
        num_envs=2,
        **more,
    )
    assert vec.num_agents == 32
    ends = 0
    for got, want in zip(play(vec), expected(2), strict=True):
        ends += got[3].sum()
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(one, other)
    assert ends == 64


def test_native_vectorisation_takes_the_env_as_it_is():
    vec = pufferlib.vector.make(PufferEnv, env_kwargs=kwargs(), num_envs=1)
    assert isinstance(vec, PufferEnv)
    for got, want in zip(play(vec), expected(1), strict=True):
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_recording_holds_what_was_played(tmp_path):
    env = town(record=tmp_path / "run", seed=1)
    env.reset()
    for _ in range(14):
        env.step(noop(env))
    env.close()
    proof = mesocosm.open_run(tmp_path / "run").verify()
    assert proof.num_equal == proof.num_steps > 0


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"role": "elf"}, UnknownName, "no role with agents named 'elf'"),
        ({"agents": "ab"}, ConfigError, "agents: must be different numbers of agents, got"),
        ({"level_bins": None}, ConfigError, "choices and levels, .*: give level_bins=5"),
        ({"policies": 3}, ConfigError, "policies: must map roles to policies, got 3"),
        ({"policies": {"warden": 3}}, ConfigError, "policies.warden: must be a policy or its name"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, kind, words):
    with pytest.raises(kind, match=words):
        town("commons/wardens", {}, **({"level_bins": 3, "role": "harvester"} | settings))


def test_actions_of_another_form_are_refused_and_the_env_goes_on():
    env = town()
    with pytest.raises(MesocosmError, match=r"call reset\(\) before step\(\)"):
        env.step(noop(env))
    env.reset(0)
    for actions in (np.zeros(16), np.zeros(15, int), None):
        with pytest.raises(ActionError, match="role 'resident'"):
            env.step(actions)
    with pytest.raises(ConfigError, match="seed: must be between 0"):
        env.reset(-1)
    env.step(noop(env))
    assert not hasattr(env, "raw")


ROLES = [
    (preset, role)
    for preset in mesocosm.presets()
    for role in mesocosm.config_spec(preset).roles.values()
]


@pytest.mark.parametrize(("preset", "role"), ROLES, ids=lambda value: getattr(value, "name", value))
def test_pufferlib_takes_every_role_of_every_preset_or_it_is_refused_in_one_line(preset, role):
    """PufferLib checks its envs when they are made, and the first actions of a vector."""
    bins = 3 if role.action.choices and role.action.levels else None
    kwargs = {"source": preset, "target": "python", "role": role.name}
    if bins:
        with pytest.raises(ConfigError, match=f"role '{role.name}'.*give level_bins=5"):
            PufferEnv(**kwargs)
    vec = pufferlib.vector.make(
        PufferEnv,
        env_kwargs=kwargs | {"level_bins": bins},
        backend=pufferlib.vector.Serial,
        num_envs=1,
        seed=1,
    )
    vec.async_reset(1)
    for _ in range(2):
        obs = vec.recv()[0]
        assert vec.single_observation_space.contains(obs[0])
        vec.send(vec.action_space.sample())
    vec.recv()
    vec.close()
