"""What Stable-Baselines3 and sb3-contrib make of the adapter, and what it refuses."""

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor, VecNormalize

import mesocosm
from mesocosm.adapters import GymEnv, SB3VecEnv
from mesocosm.core.errors import ActionError, ConfigError, MesocosmError, UnknownName

SMALL = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "device": "cpu"}
QUICK = {"core.max_steps": 6}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def town(preset="townlet/L1", overrides=None, **settings):
    return SB3VecEnv(preset, overrides or QUICK, target="python", **({"num_envs": 2} | settings))


def noop(env):
    """Give the action 0 for every row."""
    return np.zeros((env.num_envs, *env.action_space.shape), env.action_space.dtype)


def test_rows_are_envs_times_agents_of_the_role():
    assert town("townlet/L6", num_envs=3).num_envs == 24
    env = town("commons/wardens", {"core.max_steps": 6}, num_envs=3, role="warden", level_bins=3)
    assert env.num_envs == 6
    assert env.observation_space.shape == (20,)
    assert env.action_space.nvec.tolist() == [7, 3]


def test_chosen_agents_are_the_rows_and_policies_play_the_rest():
    env = town("townlet/L6", agents=[5, 2], policies={"resident": "random"}, seed=4)
    raw = mesocosm.make("townlet/L6", QUICK, num_envs=2, target="python", seed=4)
    first = raw.reset().obs
    np.testing.assert_array_equal(env.reset(), first[:, [5, 2]].reshape(4, -1))
    env.step(noop(env))
    everybody = town("townlet/L6", agents=np.arange(8)[::-1], seed=4)
    np.testing.assert_array_equal(everybody.reset(), first[:, ::-1].reshape(16, -1))


def test_seed_0_is_a_seed_and_repeats():
    def first(seed):
        env = town("townlet/L3", num_envs=4)
        assert env.seed(seed) == [seed] * 4
        obs = env.reset()
        return np.concatenate([obs, *(env.step(noop(env))[0] for _ in range(8))])

    np.testing.assert_array_equal(first(0), first(0))
    assert (first(0) != first(1)).any()


def test_a_seed_counts_once_and_then_episodes_go_on():
    env = town("townlet/L3")
    env.seed(3)
    one, two = env.reset(), env.reset()
    env.seed(3)
    np.testing.assert_array_equal(env.reset(), one)
    np.testing.assert_array_equal(env.reset(), two)
    assert (one != two).any()


def test_ppo_learns_of_the_last_value_of_a_truncated_life_only():
    """The reward that SB3 stores is larger by the discounted value exactly where it must be."""
    env = town("townlet/L1", {"core.max_steps": 5}, num_envs=2)
    seen = []

    class Watched(PPO):
        def train(self):
            seen.append(self.rollout_buffer)

    model = Watched("MlpPolicy", env, gamma=0.5, seed=0, **SMALL)
    rewards, ends = [], []
    step = env.step_wait

    def watch():
        obs, reward, done, infos = step()
        rewards.append(reward.copy())
        ends.append(
            [
                info.get("terminal_observation") if d else None
                for info, d in zip(infos, done, strict=True)
            ]
        )
        assert [info.get("TimeLimit.truncated", False) for info in infos] == done.tolist()
        return obs, reward, done, infos

    env.step_wait = watch
    model.learn(16)
    stored = seen[0].rewards
    for t, row in np.ndindex(stored.shape):
        last = ends[t][row]
        more = 0.0
        if last is not None:
            with torch.no_grad():
                more = 0.5 * float(model.policy.predict_values(torch.as_tensor(last)[None]))
        assert stored[t, row] == pytest.approx(rewards[t][row] + more, abs=1e-6)
    assert sum(end is not None for ends_ in ends for end in ends_) == 2


def test_an_episode_info_sums_the_rewards_of_a_life():
    env = town("townlet/L1", {"core.max_steps": 4}, num_envs=1)
    env.reset()
    total = 0.0
    for t in range(1, 9):
        _, reward, done, infos = env.step(noop(env))
        total += float(reward[0])
        assert done[0] == (t % 4 == 0) == ("episode" in infos[0])
        if done[0]:
            assert infos[0]["episode"]["r"] == pytest.approx(total)
            assert infos[0]["episode"]["l"] == 4
            total = 0.0


@pytest.mark.parametrize("wrap", [VecMonitor, VecNormalize, lambda env: VecCheckNan(env, True)])
@pytest.mark.filterwarnings("ignore:The environment is already wrapped with a `Monitor`")
def test_the_wrappers_of_sb3_go_round_it(wrap):
    env = wrap(town("townlet/L6"))
    env.reset()
    ends = 0
    for _ in range(13):
        obs, _, done, _ = env.step(noop(env))
        assert obs.shape == (16, 79)
        ends += done.sum()
    assert ends == 32
    assert np.isfinite(obs).all()


def test_evaluate_policy_counts_lives_not_vacancies():
    env = town("commons", {"core.upkeep": 3.0, "core.max_steps": 12}, level_bins=3, seed=1)
    model = PPO("MlpPolicy", env, seed=0, **SMALL)
    _, lengths = evaluate_policy(model, env, 12, return_episode_rewards=True)
    raw = mesocosm.make("commons", {"core.upkeep": 3.0, "core.max_steps": 12}, target="python")
    assert len(lengths) >= 12
    assert max(lengths) <= 12
    assert raw.spec.roles["harvester"].num_agents == 6


@pytest.mark.parametrize(
    ("preset", "settings"),
    [
        ("townlet/L6", {}),
        ("townlet/L8", {}),
        ("commons/wardens", {"level_bins": 3, "role": "warden"}),
    ],
)
def test_maskable_ppo_plays_allowed_actions_only(preset, settings):
    env = town(preset, {"core.max_steps": 20}, **settings)
    assert is_masking_supported(env)
    model = MaskablePPO("MlpPolicy", env, seed=0, **SMALL)
    model.learn(8 * env.num_envs)
    obs, sizes = env.reset(), getattr(env.action_space, "nvec", [getattr(env.action_space, "n", 0)])
    forbidden = 0
    for _ in range(10):
        masks = get_action_masks(env)
        assert masks.shape == (env.num_envs, sum(sizes))
        forbidden += (~masks).sum()
        actions, _ = model.predict(obs, action_masks=masks)
        starts = np.cumsum([0, *sizes[:-1]])
        chosen = np.take_along_axis(masks, actions.reshape(env.num_envs, -1) + starts, axis=1)
        assert chosen.all()
        obs = env.step(actions)[0]
    assert forbidden > 0
    evaluate_masked(model, env, 2)


def test_levels_alone_are_a_box_and_have_no_masks(mayfly):
    env = SB3VecEnv(mayfly(), num_envs=2, role="stone", target="python")
    assert env.action_space.shape == (2,)
    assert not is_masking_supported(env)
    with pytest.raises(AttributeError, match="a row has no method 'action_masks'"):
        env.env_method("action_masks")
    PPO("MlpPolicy", env, **SMALL).learn(16)


def test_dqn_learns_from_rows():
    env = town("townlet/L6")
    DQN("MlpPolicy", env, learning_starts=16, buffer_size=500, device="cpu").learn(64)


def test_with_info_tells_every_row_what_the_raw_env_tells():
    env = town("townlet/L6", {"core.max_steps": 20}, with_info=True, seed=2)
    raw = mesocosm.make("townlet/L6", {"core.max_steps": 20}, num_envs=2, target="python", seed=2)
    env.reset(), raw.reset()
    for _ in range(25):
        infos = env.step(noop(env))[3]
        step = raw.step(noop(env).reshape(2, 8, 1))
        for name, values in step.info.items():
            rows = np.stack([info[name] for info in infos])
            np.testing.assert_array_equal(rows, values.reshape(rows.shape))
        assert [info["acting"] for info in infos] == step.acting.reshape(-1).tolist()


def test_a_recording_holds_what_was_played(tmp_path):
    env = town("townlet/L6", record=tmp_path / "run", seed=1)
    env.reset()
    for _ in range(14):
        env.step(noop(env))
    env.close()
    env.close()
    proof = mesocosm.open_run(tmp_path / "run").verify()
    assert proof.num_equal == proof.num_steps > 0


def test_an_env_that_is_refused_leaves_no_recording_behind(tmp_path):
    run = tmp_path / "run"
    with pytest.raises(ConfigError, match="give level_bins=5"):
        town("commons", {}, record=run)
    assert not run.exists()
    env = town("commons", {}, record=run, level_bins=3)
    env.reset()
    env.step(noop(env))
    env.close()


def test_nothing_behind_the_rows_can_be_reached_or_changed():
    env = town()
    assert env.get_attr("render_mode") == [None, None]
    assert env.get_attr("num_envs", 0) == [2]
    for name in ("raw", "_raw", "_rows", "truth"):
        assert not env.has_attr(name)
        with pytest.raises(AttributeError, match="of a row"):
            env.get_attr(name)
    with pytest.raises(MesocosmError, match="rows are fixed"):
        env.set_attr("num_envs", 3)
    assert not hasattr(env, "raw")


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"role": "elf"}, UnknownName, "no role with agents named 'elf'"),
        ({"agents": [0, 0]}, ConfigError, "agents: must be different numbers of agents, got"),
        ({"agents": []}, ConfigError, "agents: must be different numbers of agents, got"),
        ({"agents": 3}, ConfigError, "agents: must be different numbers of agents, got 3"),
        ({"agents": [True]}, ConfigError, "agents: must be different numbers of agents, got"),
        ({"agents": [99]}, UnknownName, "no agent named '99'"),
        ({"role": ["harvester"]}, UnknownName, "no role with agents named"),
        ({"agents": [7]}, ConfigError, "agents: 7 is a warden, not a harvester"),
        ({"level_bins": 1}, ConfigError, "level_bins: must be a whole number from 2 on, got 1"),
        ({"level_bins": None}, ConfigError, "choices and levels, .*: give level_bins=5"),
        ({"num_envs": 0}, ConfigError, "num_envs: must be between 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, kind, words):
    with pytest.raises(kind, match=words):
        town("commons/wardens", None, **({"level_bins": 3, "role": "harvester"} | settings))


def test_policies_for_nobody_are_refused():
    with pytest.raises(ConfigError, match="policies: every agent is a row"):
        town(policies={"resident": "random"})
    with pytest.raises(ConfigError, match="level_bins: an action of 'resident' has no levels"):
        town(level_bins=3)


@pytest.mark.parametrize("actions", [np.zeros(2), np.zeros((2, 2), int), np.zeros(3, int), "up"])
def test_actions_of_another_form_are_refused_and_the_env_goes_on(actions):
    """Also where levels are binned, which is read another way."""
    binned = town("commons", {}, level_bins=3)
    binned.reset()
    with pytest.raises(ActionError, match="role 'harvester'"):
        binned.step(actions)
    env = town()
    env.reset()
    with pytest.raises(ActionError, match="role 'resident'"):
        env.step(actions)
    env.step(noop(env))


def test_a_step_before_the_first_reset_and_options_are_refused():
    env = town()
    with pytest.raises(MesocosmError, match=r"call reset\(\) before step\(\)"):
        env.step(noop(env))
    with pytest.raises(ConfigError, match="set_options: an env takes no options, got"):
        env.set_options({"a": 1})
    for seed in (-1, 1.5, "x"):
        env.seed(seed)
        with pytest.raises(ConfigError, match="seed: must be"):
            env.reset()
    env.reset()


@pytest.mark.parametrize("preset", mesocosm.presets())
@pytest.mark.filterwarnings("ignore:.*:UserWarning:stable_baselines3")
def test_sb3_accepts_the_single_env_of_a_preset_it_has_spaces_for(preset):
    env = GymEnv(preset, target="python")
    action = mesocosm.config_spec(preset).role_of(0).action
    if action.choices and action.levels:
        with pytest.raises((AssertionError, NotImplementedError)):
            PPO("MlpPolicy", env, device="cpu")
    check_env(env, warn=True)


ROLES = [
    (preset, role)
    for preset in mesocosm.presets()
    for role in mesocosm.config_spec(preset).roles.values()
]


@pytest.mark.parametrize(("preset", "role"), ROLES, ids=lambda value: getattr(value, "name", value))
def test_every_role_of_every_preset_is_played_or_refused_in_one_line(preset, role):
    bins = None
    if role.action.choices and role.action.levels:
        bins = 3
        with pytest.raises(ConfigError, match=f"role '{role.name}'.*give level_bins=5"):
            SB3VecEnv(preset, target="python", role=role.name)
    env = SB3VecEnv(preset, target="python", role=role.name, level_bins=bins, seed=1)
    obs = env.reset()
    for _ in range(2):
        assert env.observation_space.contains(obs[0])
        masks = get_action_masks(env)
        actions = np.stack([env.action_space.sample() for _ in range(env.num_envs)])
        obs, reward, done, infos = env.step(actions)
        assert len(obs) == len(reward) == len(done) == len(infos) == len(masks) == env.num_envs


def test_masks_before_a_reset_are_refused_in_words():
    env = SB3VecEnv("townlet/L1", target="python")
    with pytest.raises(MesocosmError, match=r"call reset\(\) first"):
        env.env_method("action_masks")


def test_pictures_are_given_by_the_render_mode(capsys):
    env = SB3VecEnv("townlet/L1", num_envs=2, target="python", render_mode="rgb_array")
    env.reset()
    pictures = env.get_images()
    assert [(x.dtype, x.ndim) for x in pictures] == [(np.uint8, 3)] * 2
    assert env.render().ndim == 3
    with pytest.raises(MesocosmError, match="make the env with render_mode='rgb_array', got None"):
        SB3VecEnv("townlet/L1", target="python").get_images()
    text = SB3VecEnv("townlet/L1", target="python", render_mode="ansi")
    text.reset()
    assert "townlet" in text.render()
    person = SB3VecEnv("townlet/L1", target="python", render_mode="human")
    person.reset()
    assert "\x1b[H" in capsys.readouterr().out
