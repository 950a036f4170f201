"""The batched runner gives RLlib the lives that a raw env lived, cut where fragments are cut."""

import numpy as np
import pytest
import torch
from cases import CASES
from raw_lives import RawLives
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns

import mesocosm
from mesocosm.adapters.rllib import RllibEnv, RllibRunner, episodes, module_specs, role_of
from mesocosm.adapters.rllib.spaces import ACTION_MASK, OBSERVATIONS
from mesocosm.adapters.spaces import CHOICE, LEVEL
from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import to_samples
from mesocosm.core.errors import ConfigError
from mesocosm.testing.play import by_role, wild_actions

NUM_ENVS, SEED = 3, 5
FRAGMENTS = (7, 1, 16, 3, 40)
# what each case must have shown; all of it is seen by some case
NEEDS = dict.fromkeys(CASES, ("boundaries",))
NEEDS |= dict.fromkeys(("levels", "two roles", "layers", "families"), ("boundaries", "deaths"))
NEEDS |= {"turns": ("deaths", "waits", "truncations"), "turns by state": ("deaths", "waits")}
NEEDS |= {"births": ("births", "deaths"), "births in turns": ("births", "waits")}


def make_config(source, runner=RllibRunner, num_envs=NUM_ENVS, **options):
    """Configure one local runner of a config."""
    spec = mesocosm.config_spec(source)
    env_config = {"source": source, "target": "python", **options}
    return (
        PPOConfig()
        .environment(
            RllibEnv,
            env_config=env_config,
            disable_env_checking=True,
            normalize_actions=False,
            clip_actions=False,
        )
        .env_runners(env_runner_cls=runner, num_env_runners=0, num_envs_per_env_runner=num_envs)
        .multi_agent(policies=set(spec.roles), policy_mapping_fn=role_of)
        .rl_module(rl_module_spec=module_specs(spec))
        .debugging(seed=SEED)
    )


class Scripted:
    """A module that plays what it is told to."""

    def __init__(self):
        self.plays = []

    def forward_exploration(self, batch):
        rows = len(batch[Columns.OBS][OBSERVATIONS])
        action = self.plays.pop(0)
        made = (
            {name: torch.from_numpy(part) for name, part in action.items()}
            if isinstance(action, dict)
            else torch.from_numpy(action)
        )
        return {Columns.ACTIONS: made, Columns.ACTION_LOGP: torch.zeros(rows)}


def draw(raw, rng):
    """Draw actions of all agents, some of them odd, by role as (choice, level)."""
    made = {}
    for name, joined in by_role(raw, wild_actions(raw, rng, None, 0.1)).items():
        both = joined
        if not isinstance(joined, Action):
            empty = np.zeros((*joined.shape[:-1], 0), np.float32)
            choices = raw.spec.roles[name].action.choices
            both = (joined, empty) if choices else (empty.astype(np.int32), joined)
        made[name] = tuple(np.array(part) for part in both)
    return made


def script(runner, roles, fragment):
    """Let the runner's modules play a fragment."""
    scripts = {name: Scripted() for name in roles}
    for actions in fragment:
        for name, both in actions.items():
            sample = to_samples(roles[name], Action(*both))
            flat = (
                {k: v.reshape(-1, *v.shape[2:]) for k, v in sample.items()}
                if isinstance(sample, dict)
                else sample.reshape(-1, *sample.shape[2:])
            )
            scripts[name].plays.append(flat)
    runner.module = scripts


def sort_out(runner, made):
    """Give episodes by slot, in order."""
    found = {}
    for episode in made:
        role = runner.env.batch.spec.roles[episode.module_id]
        slot = int(episode.id_.split("/")[2])
        key = (episode.module_id, *divmod(slot, role.num_agents))
        assert episode.agent_id == f"{role.name}_{key[2]}"
        found.setdefault(key, []).append(episode)
    return found


def assert_same(role, life, episode):
    """Compare one life with the episode that was made of it."""
    shown = episode.observations.data
    assert len(episode) == len(life.reward)
    np.testing.assert_array_equal(shown[OBSERVATIONS], np.stack(life.obs))
    if role.action.mask_size:
        np.testing.assert_array_equal(shown[ACTION_MASK], np.stack(life.mask))
    np.testing.assert_allclose(episode.rewards.data, life.reward, rtol=1e-6, atol=1e-6)
    assert (episode.is_terminated, episode.is_truncated) == (life.terminated, life.truncated)
    actions = episode.actions.data
    choice, level = np.stack(life.choice), np.stack(life.level)
    if role.action.choices:
        mine = actions[CHOICE] if role.action.levels else actions
        np.testing.assert_array_equal(mine.reshape(choice.shape), choice)
    if role.action.levels:
        mine = actions[LEVEL] if role.action.choices else actions
        np.testing.assert_array_equal(mine.reshape(level.shape), level)


def compare(name):
    """Play a case in both ways; give what was seen."""
    case = CASES[name]
    config = mesocosm.load_config(case.source, case.overrides, archetypes=case.archetypes)
    raw = RawLives(config, NUM_ENVS, SEED)
    runner = RllibRunner(config=make_config(config))
    rng = np.random.default_rng(3)
    compared = 0
    for length in FRAGMENTS:
        fragment = [draw(raw.env, rng) for _ in range(length)]
        want = raw.play(fragment)
        script(runner, raw.roles, fragment)
        got = sort_out(runner, runner.sample(num_timesteps=length * NUM_ENVS))
        for slot, lives in want.items():
            mine = got.pop(slot, [])
            assert len(mine) == len(lives)
            for life, episode in zip(lives, mine, strict=True):
                assert_same(raw.roles[slot[0]], life, episode)
                compared += len(life.reward)
        assert not got
    return raw.seen | {"compared": compared}


@pytest.mark.parametrize("name", CASES)
def test_runner_gives_the_lives_of_the_raw_env(name):
    seen = compare(name)
    assert seen["compared"] > 60
    for what in NEEDS[name]:
        assert seen[what] > 0, what


def next_episodes_obs_as_last(self, slot, end, seen):
    return {k: v[slot, -1 if end is None else end + 1] for k, v in seen.items()}


def obs_before_the_end_as_last(self, slot, end, seen):
    return {k: v[slot, -1 if end is None else end] for k, v in seen.items()}


@pytest.mark.parametrize("fault", [next_episodes_obs_as_last, obs_before_the_end_as_last])
def test_planted_fault_at_the_end_of_a_life_is_caught(monkeypatch, fault):
    monkeypatch.setattr(episodes.Fragment, "_final", fault)
    with pytest.raises(AssertionError):
        compare("levels")


def test_planted_fault_in_the_order_of_slots_is_caught(monkeypatch):
    rows = episodes.Fragment._rows
    monkeypatch.setattr(episodes.Fragment, "_rows", lambda self, x: rows(self, x)[::-1].copy())
    with pytest.raises(AssertionError):
        compare("many agents")


def test_chunks_of_one_life_share_a_name_and_count_on():
    config = mesocosm.load_config("townlet/L1", {"core.max_steps": 12})
    runner = RllibRunner(config=make_config(config, num_envs=1))
    first, *_ = runner.sample(num_timesteps=5)
    second, *others = runner.sample(num_timesteps=12)
    assert first.id_ == second.id_
    assert (first.t_started, second.t_started) == (0, 5)
    assert others[0].id_ != first.id_


def test_workers_play_the_envs_of_one_large_batch():
    config = mesocosm.load_config("townlet/L1", {"core.max_steps": 12})
    raw = RawLives(config, 2 * NUM_ENVS, SEED)
    for worker in (1, 2):
        runner = RllibRunner(config=make_config(config), worker_index=worker)
        runner.sample(num_timesteps=0)
        mine = runner.env.batch.parts["resident"].obs
        share = slice((worker - 1) * NUM_ENVS, worker * NUM_ENVS)
        np.testing.assert_array_equal(mine, raw.step.obs[share])


def test_episodes_can_be_asked_for():
    config = mesocosm.load_config("townlet/L1", {"core.max_steps": 6})
    runner = RllibRunner(config=make_config(config))
    made = runner.sample(num_episodes=5)
    assert sum(episode.is_done for episode in made) >= 5
    again = runner.sample(num_episodes=1)
    assert again[0].t_started == 0


def test_connectors_of_users_are_refused():
    config = make_config("townlet/L1").env_runners(env_to_module_connector=lambda *_: None)
    with pytest.raises(ConfigError, match="RllibRunner runs no connectors"):
        RllibRunner(config=config)
