"""Several policies in one role: each plays its own agents, and no other."""

import numpy as np
import pytest
from bundle_samples import sample_bundle

import mesocosm as meso
from mesocosm.core.policy import NoopPolicy, RandomPolicy, check_policy
from mesocosm.learning.policies.bundle_policy import BundlePolicy
from mesocosm.learning.policies.slots import SlotsPolicy


class Marked(NoopPolicy):
    """Answers with its own number for every agent of the role, and notes what it was asked."""

    def __init__(self, number):
        self.number, self.asked = number, []

    def reset(self, spec, num_envs, seed):
        self.lead, self.seed = (num_envs, spec.num_agents), seed
        super().reset(spec, num_envs, seed)

    def act(self, obs, mask, info, began):
        self.asked.append((obs.shape[:2], mask.shape[:2], began.shape))
        choice, level = super().act(obs, mask, info, began)
        return meso.Action(choice, level + self.number)

    def entropy(self):
        return np.full(self.lead, float(self.number))


def play(policy, steps=3):
    env = meso.make("commons", num_envs=2, target="python", seed=1)
    if check_policy(policy).privileged:
        policy.truth = env.truth
    policy.reset(env.spec.roles["harvester"], 2, 1)
    step, beginnings, made = env.reset(), meso.Beginnings(env), []
    for _ in range(steps):
        began = beginnings.follow(step)
        made.append(policy.act(step.obs, step.mask, step.info, began))
        step = env.step(made[-1])
    return made


def test_each_policy_plays_its_own_agents():
    players = [Marked(k) for k in range(3)]
    policy = SlotsPolicy(players[0], {3: players[1], 5: players[2], 4: players[1]})
    (action,) = play(policy, 1)
    assert action.level[0, :, 0].tolist() == [0.0, 0.0, 0.0, 1.0, 1.0, 2.0]
    assert policy.entropy()[1].tolist() == [0.0, 0.0, 0.0, 1.0, 1.0, 2.0]
    assert players[1].asked == [((2, 6), (2, 6), (2, 6))]  # it may need the whole role
    assert len({player.seed for player in players}) == 3


def test_slots_without_a_rest_play():
    (action,) = play(SlotsPolicy(None, {k: Marked(k) for k in range(6)}), 1)
    assert action.level[1, :, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_policies_without_entropy_leave_it_unknown():
    policy = SlotsPolicy(RandomPolicy(), {1: Marked(1)})
    play(policy)
    assert np.isnan(policy.entropy()[:, 0]).all()
    assert policy.entropy()[:, 1].tolist() == [1.0, 1.0]


def test_privileged_policy_in_a_slot_gets_the_truth():
    policy = SlotsPolicy(RandomPolicy(), {2: meso.policy("commons", "oracle")})
    assert policy.privileged
    play(policy)


@pytest.mark.parametrize("memory", ["none", "gru"])
def test_bundle_in_slots_plays_as_it_does_alone(memory, tmp_path):
    sample_bundle(tmp_path / "a.mesop", "commons", memory=memory)
    alone = BundlePolicy(tmp_path / "a.mesop", greedy=True)
    whole = play(alone)
    parts = play(
        SlotsPolicy(
            BundlePolicy(tmp_path / "a.mesop", greedy=True),
            dict.fromkeys((1, 4), BundlePolicy(tmp_path / "a.mesop", greedy=True)),
        )
    )
    for mine, other in zip(whole, parts, strict=True):
        assert np.array_equal(mine.choice, other.choice)
        np.testing.assert_allclose(mine.level, other.level, atol=1e-5)
