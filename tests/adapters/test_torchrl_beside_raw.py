"""The TorchRL adapter beside the raw env, by `check_adapter`; planted faults are caught."""

import pytest
import torch
from cases import CASES, HUNGRY
from torchrl.envs import Compose, RewardSum, TransformedEnv

import mesocosm
from mesocosm.adapters.drivers.torchrl import TorchRLDriver
from mesocosm.adapters.torchrl import TorchRLEnv
from mesocosm.adapters.torchrl.role_view import RoleView, keep_foreign
from mesocosm.core.action import Action
from mesocosm.core.errors import ContractError
from mesocosm.testing import check_adapter

RETIRED = ("truncations",)  # nobody lives until the episode is cut off
CANNOT = {
    "many agents": {"cannot": RETIRED},
    "families": {"cannot": ("births", *RETIRED)},
}
HEAVY = {"tokens": {"steps": 40, "num_envs": 2}, "structured info": {"steps": 20, "num_envs": 2}}


class TransformedDriver(TorchRLDriver):
    """Plays the adapter within a transform, so TorchRL's own steps and resets are taken."""

    def wrap(self, env):
        return TransformedEnv(env, Compose(RewardSum(reset_keys=["_reset"] * len(env.group_map))))


@pytest.mark.parametrize("name", CASES)
def test_the_adapter_gives_what_the_raw_env_gives(name):
    report = CASES[name].check(TorchRLDriver, **CANNOT.get(name, {}), **HEAVY.get(name, {}))
    assert list(report.seen) == ["same_step", "off"]
    for seen in report.seen.values():
        assert seen["boundaries"] > 1
    assert report.compared["same_step"]["final_obs"] > 1
    assert report.lost == ()


@pytest.mark.parametrize("name", ["one agent", "levels", "two roles", "births"])
def test_within_a_transform_it_gives_the_same(name):
    report = CASES[name].check(TransformedDriver)
    assert all(seen["boundaries"] > 2 for seen in report.seen.values())


class LateReset(TorchRLEnv):
    """Resets an env one step after its end."""

    def step_and_maybe_reset(self, tensordict):
        late = tensordict["done"]
        played = self.step(tensordict)
        following = played["next"].exclude("reward")
        return played, self.reset(following.set("_reset", late)) if late.any() else following


class OldMask(TorchRLEnv):
    """Shows the mask of the old episode at the beginning of the next."""

    def step_and_maybe_reset(self, tensordict):
        played, following = super().step_and_maybe_reset(tensordict)
        for name in self.group_map:
            following[name, "action_mask"] = played["next", name, "action_mask"].clone()
        return played, following


class OldEndings(TorchRLEnv):
    """Keeps the endings of the step before."""

    def _step(self, tensordict):
        made = super()._step(tensordict)
        for name in self.group_map:
            made[name, "terminated"] = tensordict[name, "terminated"].clone()
        return made


class NextSeed(TorchRLEnv):
    """Counts seeds from one."""

    def _set_seed(self, seed):
        super()._set_seed(seed + 1)


class EnvsAfterReset(TorchRLEnv):
    """Resets the env beside the one that is over."""

    def _reset(self, tensordict=None, **options):
        if tensordict is not None and "_reset" in tensordict:
            tensordict = tensordict.clone()
            tensordict["_reset"] = tensordict["_reset"].roll(1, 0)
        return super()._reset(tensordict, **options)


@pytest.mark.parametrize("fault", [LateReset, OldMask, OldEndings, NextSeed, EnvsAfterReset])
def test_a_planted_off_by_one_is_caught(fault):
    class FaultyDriver(TorchRLDriver):
        env_class = fault

    with pytest.raises(ContractError):
        check_adapter(FaultyDriver, "commons", HUNGRY)


def test_tensors_that_the_next_step_overwrites_are_caught(monkeypatch):
    copied = RoleView.copy

    def share(self, *, reward):
        made = copied(self, reward=reward)
        made["observation"] = self._shared["observation"]
        return made

    monkeypatch.setattr(RoleView, "copy", share)
    with pytest.raises(ContractError, match="obs"):
        check_adapter(TorchRLDriver, "commons", HUNGRY)


def test_endings_of_an_episode_are_those_of_the_raw_env():
    how = {"num_envs": 4, "target": "python", "seed": 1}
    env, raw = TorchRLEnv("commons", HUNGRY, **how), mesocosm.make("commons", HUNGRY, **how)
    step, seen = env.reset(), set()
    raw.reset()
    for _ in range(60):
        played, step = env.step_and_maybe_reset(env.rand_action(step))
        action = played["harvester", "action"]
        expected = raw.step(Action(action["choice"].numpy(), action["level"].numpy()))
        cut = [
            code > 0 and raw.spec.reasons[code - 1].truncates for code in expected.episode_reason
        ]
        ends = played["next"]
        assert ends["done"][:, 0].tolist() == expected.episode_over.tolist()
        assert ends["truncated"][:, 0].tolist() == cut
        assert torch.equal(ends["terminated"], ends["done"] & ~ends["truncated"])
        seen |= {(bool(a), bool(b)) for a, b in zip(expected.episode_over, cut, strict=True)}
    assert seen == {(False, False), (True, True), (True, False)}


def test_foreign_entries_are_kept_and_zero_where_an_env_was_reset():
    env = TorchRLEnv("commons", HUNGRY, num_envs=3, target="python")
    old, new = env.reset(), env.reset()
    old["harvester", "hidden"] = torch.ones(3, 6, 2)
    keep_foreign(old, new, torch.tensor([[False], [True], [False]]))
    assert new["harvester", "hidden"][:, 0, 0].tolist() == [1.0, 0.0, 1.0]
