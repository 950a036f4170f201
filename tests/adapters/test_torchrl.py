"""The TorchRL adapter keeps TorchRL's rules, and gives what the raw env gives."""

import copy
import warnings

import numpy as np
import pytest
import torch
from driving import DEADLY
from tensordict import TensorDict
from torchrl.envs import EnvBase, RewardSum, TransformedEnv
from torchrl.envs.transforms import ActionMask
from torchrl.envs.utils import check_env_specs

import mesocosm
from mesocosm.adapters import TorchRLEnv
from mesocosm.core.errors import ActionError, ConfigError, TargetError, UnknownName

NUM_ENVS = 4
TOWN = {"source": "townlet/L6", "overrides": {"core.max_steps": 15}, "target": "python"}
LAKE = {"source": "commons/wardens", "overrides": DEADLY, "target": "python"}
FAMINE = {"source": "commons/default", "overrides": DEADLY, "target": "python"}  # ends one by one
PLACES = pytest.mark.parametrize("how", [TOWN, LAKE, FAMINE], ids=["town", "lake", "famine"])


class PlainEnv(TorchRLEnv):
    """The adapter without its shortcuts: TorchRL's own way from one step to the next."""

    step_and_maybe_reset = EnvBase.step_and_maybe_reset
    _reset_proc_data = EnvBase._reset_proc_data
    _step_proc_data = EnvBase._step_proc_data


def act(env, step, rng):
    """Write random valid actions into a TensorDict."""
    for name, role in env._env.spec.roles.items():
        drawn = role.action.sample(rng, (NUM_ENVS, role.num_agents))
        if role.action.choices and role.action.levels:
            choice, level = (torch.from_numpy(part.copy()) for part in drawn)
            choice = choice[..., 0] if choice.shape[-1] == 1 else choice
            step[name, "action"] = TensorDict(
                {"choice": choice.long(), "level": level}, batch_size=(NUM_ENVS, role.num_agents)
            )
        else:
            choice = torch.from_numpy(drawn.copy()).long()
            step[name, "action"] = choice[..., 0] if choice.shape[-1] == 1 else choice
    return step


def leaves(step):
    """List all tensors of a TensorDict by their keys."""
    return {key: step[key] for key in step.keys(include_nested=True, leaves_only=True)}


def assert_same(one, two):
    mine, theirs = leaves(one), leaves(two)
    assert set(mine) == set(theirs)
    for key, value in mine.items():
        assert torch.equal(value, theirs[key]), key


@pytest.mark.filterwarnings("ignore::UserWarning:tensordict")
def test_every_preset_passes_the_checker_of_torchrl(case):
    env = TorchRLEnv(num_envs=2, **(case | {"target": "python"}))
    check_env_specs(env, break_when_any_done="both")


@PLACES
def test_one_pass_from_step_to_step_equals_that_of_torchrl(how):
    one, two = TorchRLEnv(num_envs=NUM_ENVS, **how), PlainEnv(num_envs=NUM_ENVS, **how)
    rng, group = np.random.default_rng(1), next(iter(one.group_map))
    mine, theirs = one.reset(), two.reset()
    resets = lone = 0
    for k in range(40):
        act(one, mine, rng)
        for name in one.group_map:
            theirs[name, "action"] = mine[name, "action"].clone()
        for step in (mine, theirs):  # what a policy writes beside its actions
            step["hidden"] = torch.full((NUM_ENVS, 3), 1.0 + k)
            step[group, "logits"] = torch.full((*step[group].shape, 2), 1.0 + k)
        played, mine = one.step_and_maybe_reset(mine)
        expected, theirs = two.step_and_maybe_reset(theirs)
        assert_same(played, expected)
        assert_same(mine, theirs)
        over = played["next", "done"]
        resets += int(over.sum())
        assert not mine["done"].any()
        lone += bool(over.any() and not over.all())
    assert resets > NUM_ENVS
    assert (lone > 0) == (how is FAMINE)  # elsewhere all end together


@PLACES
def test_what_a_step_gave_is_not_changed_by_later_steps(how):
    env = TorchRLEnv(num_envs=NUM_ENVS, **how)
    rng, step = np.random.default_rng(2), env.reset()
    kept = []
    for _ in range(20):
        played, step = env.step_and_maybe_reset(act(env, step, rng))
        kept.append((played, played.clone()))
    for played, copied in kept:
        assert_same(played, copied)


def test_a_seed_begins_the_same_episodes_as_in_the_raw_env():
    env = TorchRLEnv(num_envs=NUM_ENVS, **TOWN)
    raw = mesocosm.make(num_envs=NUM_ENVS, **TOWN)
    for seed in (0, 7, None, 0):
        if seed is not None:
            env.set_seed(seed)
        expected = raw.reset(seed=seed)
        assert np.array_equal(env.reset()["resident", "observation"].numpy(), expected.obs)
    assert np.array_equal(env.reset(seed=3)["resident", "observation"], raw.reset(seed=3).obs)


def test_a_mask_resets_the_envs_it_names_and_no_other():
    env = TorchRLEnv(num_envs=NUM_ENVS, **TOWN)
    raw = mesocosm.make(num_envs=NUM_ENVS, autoreset="off", **TOWN)
    rng, step = np.random.default_rng(3), env.reset()
    raw.reset()
    _, step = env.step_and_maybe_reset(act(env, step, rng))
    raw.step(step_actions := np.zeros((NUM_ENVS, 8, 1), np.int32))
    assert step_actions.any() == 0
    chosen = torch.tensor([True, False, True, False])
    before = step.clone()
    after = env.reset(step.clone().set("_reset", chosen[:, None]))
    assert "_reset" not in after
    fresh = torch.from_numpy(np.array(raw.reset(envs=chosen.numpy()).obs))
    seen = after["resident", "observation"]
    assert torch.equal(seen[chosen], fresh[chosen])
    assert torch.equal(seen[~chosen], before["resident", "observation"][~chosen])


def test_an_episode_that_is_over_waits_while_others_play_on():
    env = TorchRLEnv(num_envs=NUM_ENVS, **FAMINE)
    rng, step = np.random.default_rng(5), env.reset()
    waited = 0
    while not step["done"].all():
        step = env.step(act(env, step, rng).set("_step", ~step["done"]))
        waited += int(step["done"].sum())
        assert not step["next", "done"][~step["_step"]].logical_not().any()
        step = step["next"].exclude("reward")
    assert waited > 0


def test_an_env_that_plays_cannot_be_left_out():
    env = TorchRLEnv(num_envs=NUM_ENVS, **TOWN)
    step = act(env, env.reset(), np.random.default_rng(4))
    step["_step"] = torch.tensor([True, False, True, True])
    with pytest.raises(ActionError, match=r"envs \[1\] are not over, so they must step too"):
        env.step(step)


def test_masked_sampling_plays_nothing_that_is_masked():
    env = TorchRLEnv(num_envs=NUM_ENVS, **TOWN)
    keys = {"action_key": ("resident", "action"), "mask_key": ("resident", "action_mask")}
    masked = TransformedEnv(env, ActionMask(**keys)).rollout(30, break_when_any_done=False)
    assert is_allowed(masked["resident"]).all()
    assert not is_allowed(env.rollout(30, break_when_any_done=False)["resident"]).all()


def is_allowed(group):
    return group["action_mask"].gather(-1, group["action"][..., None])


def test_masks_of_several_choices_lie_one_after_the_other():
    env = TorchRLEnv("townlet/L8", num_envs=2, target="python")
    raw = mesocosm.make("townlet/L8", num_envs=2, target="python").reset()
    mask = env.reset()["resident", "action_mask"].numpy()
    assert np.array_equal(mask[..., :7], raw.mask)
    assert mask[..., 7:].shape[-1] == 1000
    assert mask[..., 7:].all()


def test_transforms_add_up_rewards_per_agent():
    env = TransformedEnv(TorchRLEnv(num_envs=NUM_ENVS, **TOWN), RewardSum(reset_keys=["_reset"]))
    played = env.rollout(15, break_when_any_done=False)
    total = played["next", "resident", "reward"].sum(1)
    assert torch.allclose(played["next", "resident", "episode_reward"][:, -1], total)
    assert played["next", "done"][:, -1].all()


def test_a_copy_is_an_env_of_its_own():
    env = TorchRLEnv(num_envs=NUM_ENVS, **TOWN)
    rng, step = np.random.default_rng(6), env.reset()
    twin = copy.deepcopy(env)
    for _ in range(5):
        step = act(env, step, rng)
        mine, following = env.step_and_maybe_reset(step.clone())
        theirs, _ = twin.step_and_maybe_reset(step.clone())
        assert_same(mine, theirs)
        step = following


def test_endings_tell_death_from_the_end_of_the_episode():
    env = TorchRLEnv(num_envs=NUM_ENVS, **LAKE)
    env.set_seed(1)
    played = env.rollout(60, break_when_any_done=False)["next"]
    over = played["done"][..., 0]
    for name in env.group_map:
        group = played[name]
        done = group["done"][..., 0]
        assert torch.equal(done, (group["terminated"] | group["truncated"])[..., 0])
        assert done[over].all()
        assert torch.equal(group["info", "reason"] > 0, done)
        assert not group["mask"][done].any()
    died = played["harvester", "done"][..., 0]
    assert (died & ~over[..., None]).any()
    assert torch.equal(played["done"], played["terminated"] | played["truncated"])
    assert not (played["terminated"] & played["truncated"]).any()


def test_a_recording_of_an_adapter_verifies(tmp_path):
    env = TorchRLEnv(num_envs=NUM_ENVS, record=tmp_path / "run", **TOWN)
    env.rollout(40, break_when_any_done=False)
    env.close()
    mesocosm.open_run(tmp_path / "run").verify()


def test_a_central_critic_gets_the_fields_that_were_named():
    env = TorchRLEnv(num_envs=NUM_ENVS, critic=["meters"], **TOWN)
    check_env_specs(env)
    step = env.reset()
    assert torch.equal(step["state"][:, :79], step["resident", "observation"][:, 0])
    assert "state" not in TorchRLEnv(num_envs=1, **TOWN).reset()


def test_the_world_tells_what_an_agent_received():
    env = TorchRLEnv(num_envs=2, **TOWN)
    env.reset()
    raw = env._env
    assert env.tell("resident", env=1, agent=3) == raw.tell("resident", env=1, agent=3)


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        (None, r"tensordict\['resident', 'action'\] is missing"),
        (torch.zeros(NUM_ENVS, 7, dtype=torch.long), r"must have shape"),
        (torch.zeros(NUM_ENVS, 8), r"expected integers"),
    ],
)
def test_bad_actions_are_refused_with_one_clear_error(action, complaint):
    env = TorchRLEnv(num_envs=NUM_ENVS, **TOWN)
    step = env.reset()
    if action is not None:
        step["resident"] = TensorDict({"action": action}, batch_size=action.shape[:2])
    with pytest.raises(ActionError, match=complaint):
        env.step(step)


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"source": "townlet/L99"}, UnknownName, "L99"),
        ({"num_envs": 0}, ConfigError, "num_envs: must be between 1"),
        ({"seed": -1}, ConfigError, "seed: must be between 0"),
        ({"target": "tpu"}, TargetError, "no target named 'tpu'"),
        ({"critic": ["metres"]}, ConfigError, "critic: no truth field named 'metres'"),
    ],
)
def test_bad_arguments_are_refused_with_one_clear_error(arguments, error, complaint):
    with pytest.raises(error, match=complaint):
        TorchRLEnv(**(TOWN | arguments))


def test_no_warning_reaches_whoever_makes_a_batch():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TorchRLEnv(num_envs=2, **LAKE).rollout(20, break_when_any_done=False)
