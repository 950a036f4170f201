"""The RLlib env: beside the raw env, by RLlib's own checker, and in what RLlib makes of it."""

import numpy as np
import pytest
import torch
from cases import CASES
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from test_rllib_batch import make_config

import mesocosm
from mesocosm.adapters.drivers.rllib import RllibDriver
from mesocosm.adapters.rllib import RllibEnv, module_specs, role_of
from mesocosm.adapters.rllib.env import ALL
from mesocosm.adapters.rllib.spaces import ACTION_MASK, OBSERVATIONS
from mesocosm.core.errors import ActionError, ConfigError, MesocosmError
from mesocosm.learning.settings import NetworkSettings


@pytest.mark.parametrize("name", CASES)
def test_env_gives_what_the_raw_env_gives(name):
    CASES[name].check(RllibDriver, alone=name == "many agents")


@pytest.mark.parametrize("preset", mesocosm.presets())
def test_rllibs_own_checker_passes(preset):
    env = RllibEnv(preset, target="python")
    check_multiagent_environments(env)
    shown, _ = env.reset(seed=0)
    for name, row in shown.items():
        assert env.observation_spaces[name].contains(row)
        assert env.action_spaces[name].contains(env.action_spaces[name].sample())


def play_episode(env, seed):
    """Let RLlib write down an episode of random actions, as its runner does."""
    episode = MultiAgentEpisode(agent_to_module_mapping_fn=role_of)
    shown, infos = env.reset(seed=seed)
    episode.add_env_reset(observations=shown, infos=infos)
    ends = {}
    while not episode.is_done:
        spaces = env.action_spaces
        acting = episode.get_agents_to_act()
        actions = {name: spaces[name].sample() for name in sorted(acting)}
        shown, rewards, terminateds, truncateds, infos = env.step(actions)
        episode.add_env_step(
            observations=shown,
            actions=actions,
            rewards=rewards,
            infos=infos,
            terminateds=terminateds,
            truncateds=truncateds,
        )
        ends |= {n: x["truncated"] for n, x in infos.items() if "truncated" in x}
        assert (terminateds[ALL] or truncateds[ALL]) == episode.is_done
    return episode, ends


@pytest.mark.parametrize("name", ["levels", "two roles", "turns", "turns by state", "births"])
def test_rllibs_episodes_end_when_and_as_the_worlds_do(name):
    case, kinds = CASES[name], set()
    env = RllibEnv(case.source, case.overrides, target="python")
    for space in env.action_spaces.values():
        space.seed(1)
    for seed in range(6):
        episode, ends = play_episode(env, seed)
        for agent, own in episode.agent_episodes.items():
            assert own.is_done
            # one that was cut off may be bootstrapped from; one that ended may not
            assert own.is_terminated != ends[agent], agent
            kinds.add(ends[agent])
    assert kinds == {True, False}


@pytest.mark.parametrize("name", ["levels", "two roles", "turns", "births"])
def test_whoever_is_listed_after_a_step_may_act_in_the_next(name):
    case = CASES[name]
    env = RllibEnv(case.source, case.overrides, target="python")
    for space in env.action_spaces.values():
        space.seed(2)
    left = 0
    for seed in range(3):
        env.reset(seed=seed)
        while env.agents:
            before = set(env.agents)
            actions = {agent: env.action_spaces[agent].sample() for agent in env.agents}
            _, _, terminateds, truncateds, _ = env.step(actions)
            ended = {agent for agent in before if terminateds[agent] or truncateds[agent]}
            assert not ended & set(env.agents)
            left += bool(ended) and bool(env.agents)
        assert terminateds[ALL] or truncateds[ALL]
    assert left or name in {"turns", "births"}


def test_mixed_endings_of_a_last_step_are_told_apart():
    """Find a last step in which some were terminated and others were cut off."""
    case = CASES["levels"]
    env = RllibEnv(case.source, case.overrides, target="python")
    for space in env.action_spaces.values():
        space.seed(4)
    for seed in range(60):
        shown, _ = env.reset(seed=seed)
        over = False
        while not over:
            actions = {name: env.action_spaces[name].sample() for name in shown}
            shown, _, terminateds, truncateds, infos = env.step(actions)
            shown = {name: row for name, row in shown.items() if not terminateds[name]}
            over = terminateds[ALL] or truncateds[ALL]
        last = {name: info["truncated"] for name, info in infos.items()}
        if len(set(last.values())) == 2:
            break
    assert set(last.values()) == {True, False}
    assert truncateds[ALL]
    assert not terminateds[ALL]
    assert {name for name, flag in terminateds.items() if flag} == {x for x in last if not last[x]}
    assert not any(flag for name, flag in truncateds.items() if name != ALL)


def test_rllibs_own_runner_plays_it():
    config = mesocosm.load_config("commons/wardens", {"core.max_steps": 12, "core.upkeep": 1.6})
    runner = MultiAgentEnvRunner(config=make_config(config, MultiAgentEnvRunner))
    made = runner.sample(num_episodes=4)
    assert all(episode.is_done for episode in made)
    assert {x.module_id for x in made[0].agent_episodes.values()} == {"harvester", "warden"}


def test_envs_that_rllib_makes_play_different_episodes():
    context = EnvContext({"source": "townlet/L6", "target": "python"}, worker_index=2)
    one, two = RllibEnv(context), RllibEnv(context)
    first, second = (env.reset(seed=3)[0]["resident_0"][OBSERVATIONS] for env in (one, two))
    assert (first != second).any()


def test_module_never_plays_what_its_mask_forbids():
    spec = mesocosm.config_spec("commons/wardens")
    modules = module_specs(spec).build()
    for name, role in spec.roles.items():
        module, rows = modules[name], 400
        rng = np.random.default_rng(2)
        mask = rng.random((rows, role.action.mask_size)) < 0.5
        obs = np.zeros((rows, *role.observation.shape), np.float32)
        shown = {OBSERVATIONS: torch.from_numpy(obs), ACTION_MASK: torch.from_numpy(mask)}
        out = module.forward_exploration({"obs": shown})
        drawn = module.get_exploration_action_dist_cls().from_logits(out["action_dist_inputs"])
        choice = drawn.sample()["choice"].reshape(rows, -1).numpy()
        used = role.action.used(choice)  # a part that does not count is left at its no-op
        for k, part in enumerate(role.action.choices):
            at = role.action.mask_offset(part.name)
            allowed = mask[:, at : at + len(part.options)]
            picked = allowed[np.arange(rows), choice[:, k]]
            assert picked[allowed.any(axis=1) & used[:, k]].all()
            assert used[:, k].sum() > 20
            assert (choice[~allowed.any(axis=1), k] == part.noop).all()


def test_memory_is_refused_by_name():
    spec = mesocosm.config_spec("townlet/L1")
    with pytest.raises(ConfigError, match=r"learning\.network\.memory: must be 'none' for RLlib"):
        module_specs(spec, NetworkSettings(memory="gru"))


def test_bad_calls_are_one_error_each():
    env = RllibEnv("townlet/L6", target="python")
    with pytest.raises(MesocosmError, match="call reset"):
        env.step({})
    env.reset(seed=0)
    with pytest.raises(ActionError, match="no agent 'warden_0' takes part now"):
        env.step({"warden_0": 0})
    with pytest.raises(ActionError, match="must be a dict from agent to action"):
        env.step([0])


def test_every_worker_records_into_a_folder_of_its_own(tmp_path):
    context = {"source": "townlet/L1", "target": "python", "record": str(tmp_path)}
    for worker in (1, 2, 2):
        env = RllibEnv(EnvContext(context, worker_index=worker))
        env.reset(seed=1)
        for _ in range(3):
            env.step({"resident_0": 1})
        env.close()
    assert sorted(x.name for x in tmp_path.iterdir()) == ["worker-1", "worker-2", "worker-2-1"]
    for path in tmp_path.iterdir():
        assert mesocosm.open_run(path).verify(target="python")
