"""What the Gymnasium and PettingZoo adapters show: no engine, recordings, pictures, names."""

import pickle
import re
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mesocosm
from mesocosm import adapters
from mesocosm.adapters import GymEnv, GymRowsEnv, GymVectorEnv, ZooAECEnv, ZooParallelEnv
from mesocosm.adapters.gymnasium_registry import register_presets
from mesocosm.core.errors import (
    ConfigError,
    CopyError,
    MesocosmError,
    MissingExtra,
    RunError,
    UnknownName,
)
from mesocosm.core.policy import NoopPolicy
from mesocosm.sim.engine import Engine

MAKERS = {
    "gym": lambda source, **how: GymEnv(source, target="python", **how),
    "vector": lambda source, **how: GymVectorEnv(source, num_envs=2, target="python", **how),
    "rows": lambda source, **how: GymRowsEnv(source, num_envs=2, target="python", **how),
    "parallel": lambda source, **how: ZooParallelEnv(source, target="python", **how),
    "aec": lambda source, **how: ZooAECEnv(source, target="python", **how),
}
each_maker = pytest.mark.parametrize("kind", MAKERS)


def play(env, steps=5):
    """Play any of them for a few steps."""
    env.reset(seed=3)
    for _ in range(steps):
        play_step(env)
    return env


def play_step(env):
    if isinstance(env, ZooAECEnv):
        env.step(env.action_space(env.agent_selection).sample())
    elif isinstance(env, ZooParallelEnv):
        env.step({name: env.action_space(name).sample() for name in env.agents})
    else:
        env.step(env.action_space.sample())


def reachable(thing, depth=3):
    """Follow public attributes, and give everything that is found."""
    yield thing
    names = [name for name in dir(thing) if not name.startswith("_")] if depth else []
    for name in names:
        value = getattr(thing, name, None)
        if type(value).__module__.partition(".")[0] in ("mesocosm", "gymnasium", "pettingzoo"):
            yield from reachable(value, depth - 1)


@each_maker
def test_no_public_attribute_leads_to_an_engine_or_to_truth(kind):
    env = play(MAKERS[kind]("townlet/L1"))
    found = list(reachable(env))
    assert not any(isinstance(thing, Engine) for thing in found)
    assert not {"raw", "truth", "load", "save", "explain"} & set(dir(env))


@each_maker
def test_a_recording_of_an_adapter_verifies(kind, tmp_path):
    env = play(MAKERS[kind]("townlet/L1", record=tmp_path / "run"))
    env.close()
    run = mesocosm.open_run(tmp_path / "run")
    proof = run.verify(target="python")
    assert run.status == "finished"
    assert proof.holds
    assert proof.num_equal == 5
    with pytest.raises(MesocosmError, match="this env is closed"):
        env.reset()


@each_maker
def test_recording_that_is_closed_before_a_reset_leaves_no_folder(kind, tmp_path):
    MAKERS[kind]("townlet/L1", record=tmp_path / "run").close()
    assert not (tmp_path / "run").exists()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("")
    with pytest.raises(RunError, match="is not empty"):
        MAKERS[kind]("townlet/L1", record=tmp_path / "taken")


@each_maker
def test_closed_env_plays_no_more(kind):
    env = play(MAKERS[kind]("townlet/L1"))
    env.close()
    env.close()
    with pytest.raises(MesocosmError, match="this env is closed: make another"):
        env.reset()
    with pytest.raises(MesocosmError, match="this env is closed: make another"):
        play_step(env)


@each_maker
def test_pickling_an_env_advises_a_function(kind):
    with pytest.raises(CopyError, match="hand over a function that makes one"):
        pickle.dumps(MAKERS[kind]("townlet/L1"))


def test_import_of_an_adapter_without_its_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "benchmarl", None)
    monkeypatch.delitem(sys.modules, "mesocosm.adapters.benchmarl", raising=False)
    with pytest.raises(MissingExtra, match=r"the BenchMARL adapter needs .*\[benchmarl\]"):
        from mesocosm.adapters import BenchMARLTask  # noqa: F401


def test_star_import_gives_what_is_installed():
    found = {}
    exec("from mesocosm.adapters import *", found)  # noqa: S102 (there is no other way inside a test)
    assert set(adapters.__all__) <= found.keys()
    assert {"GymEnv", "ZooParallelEnv", "open_env"} <= set(adapters.__all__) <= set(dir(adapters))


def test_privileged_policy_gets_a_function_and_no_engine():
    class Spy(NoopPolicy):
        privileged = True

    spy = Spy()
    env = GymEnv("commons", policies={"harvester": spy}, target="python")
    env.reset(seed=0)
    assert spy.truth("stock").shape[0] == 1
    assert not hasattr(spy.truth, "__self__")


@pytest.mark.parametrize("kind", ["vector", "rows", "gym"])
def test_a_recording_holds_the_resets_at_boundaries(kind, tmp_path):
    short = {"core.max_steps": 3}
    maker = {"gym": GymEnv, "vector": GymVectorEnv, "rows": GymRowsEnv}[kind]
    batch = {} if kind == "gym" else {"num_envs": 2}
    env = maker("townlet/L1", short, record=tmp_path / "run", target="python", **batch)
    env.reset(seed=1)
    for _ in range(8):
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        if kind == "gym" and (terminated or truncated):
            env.reset()
    env.close()
    assert mesocosm.open_run(tmp_path / "run").verify(target="python").num_equal == 8


@each_maker
def test_a_picture_is_drawn_of_the_worlds_scene(kind):
    env = play(MAKERS[kind]("townlet/L1", render_mode="rgb_array"))
    shown = env.render()
    pictures = shown if isinstance(shown, tuple) else (shown,)
    assert len(pictures) == (2 if kind in ("vector", "rows") else 1)
    for picture in pictures:
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 3
    env.reset(seed=4)
    again = env.render()
    assert not np.array_equal(again if kind not in ("vector", "rows") else again[0], pictures[0])


@each_maker
def test_text_is_written_of_the_world(kind):
    shown = play(MAKERS[kind]("townlet/L1", render_mode="ansi")).render()
    assert "townlet" in (shown[0] if isinstance(shown, tuple) else shown)


@each_maker
def test_a_person_sees_every_step_in_the_terminal(kind, capsys):
    env = MAKERS[kind]("townlet/L1", render_mode="human")
    env.reset(seed=1)
    first = capsys.readouterr().out
    assert first.count("▀") > 500
    play(env, 3)
    assert capsys.readouterr().out.count("\x1b[H") == 4
    assert env.render() is None


@each_maker
def test_what_cannot_be_shown_is_refused_when_the_env_is_made(kind):
    with pytest.raises(UnknownName, match=r"no render mode named 'rgb'\. Available: ansi, human"):
        MAKERS[kind]("townlet/L1", render_mode="rgb")
    with pytest.raises(ConfigError, match="probe cannot be shown: its WORLD has no scene"):
        MAKERS[kind]("probe", render_mode="rgb_array")
    with pytest.raises(ConfigError, match="probe cannot be shown: its WORLD has no text"):
        MAKERS[kind]("probe", render_mode="ansi")


def test_a_missing_picture_library_is_named_with_its_extra(monkeypatch):
    def missing():
        raise MissingExtra("pictures need Pillow: pip install 'mesocosm[pictures]'")

    monkeypatch.setattr("mesocosm.adapters.render.require_pillow", missing)
    with pytest.raises(MissingExtra, match=r"pictures need Pillow: .*\[pictures\]"):
        GymEnv("townlet/L1", target="python", render_mode="rgb_array")
    assert GymEnv("townlet/L1", target="python").metadata["render_modes"] == ["ansi"]


@pytest.mark.parametrize("kind", ["parallel", "aec"])
def test_the_state_is_what_agents_see_and_what_was_named(kind):
    env, more = MAKERS[kind]("commons"), MAKERS[kind]("commons", critic=["wealth", "stock"])
    for one in (env, more):
        one.reset(seed=2)
        assert one.state() in one.state_space
    seen = np.concatenate([env._roster.observe(name) for name in env.possible_agents])
    assert np.array_equal(env.state(), seen)
    assert more.state().shape == (len(seen) + 6 + 1,)


def test_every_preset_is_registered_by_world_version():
    ids = register_presets()
    assert set(ids) <= set(gymnasium.registry)
    assert len(ids) >= len(mesocosm.presets())
    assert all(re.fullmatch(r"mesocosm/[\w-]+-v\d+", name) for name in ids)
    version = mesocosm.config_spec("townlet/L3").version
    env = gymnasium.make(f"mesocosm/townlet-L3-v{version}", target="python")
    plain = GymEnv("townlet/L3", target="python")
    assert np.array_equal(env.reset(seed=5)[0], plain.reset(seed=5)[0])
    assert env.spec.id == plain.spec.id
    many = gymnasium.make_vec(env.spec.id, num_envs=3, target="python", overrides=None)
    assert isinstance(many.unwrapped, GymVectorEnv)
    assert np.array_equal(many.reset(seed=5)[0][0], plain.reset(seed=5)[0])


def test_a_registered_preset_can_be_made_again_from_its_spec():
    env = GymEnv("townlet/L1", {"core.max_steps": 5}, target="python")
    check_env(env)
    made = env.spec.make()
    made.reset(seed=1)
    assert [made.step(0)[3] for _ in range(5)] == [False] * 4 + [True]


def test_a_name_is_loaded_when_it_is_asked_for():
    names = {"GymEnv", "GymVectorEnv", "ZooAECEnv", "ZooParallelEnv"}
    names |= {"PufferEnv", "RllibEnv", "SB3VecEnv", "TorchRLEnv", "GymRowsEnv", "open_env"}
    assert names <= set(dir(adapters))
    with pytest.raises(AttributeError, match="no attribute 'Gym'"):
        _ = adapters.Gym
