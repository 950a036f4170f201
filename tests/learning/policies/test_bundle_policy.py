"""A bundle plays as its network does: batched, by the seed, forgetting where a life begins."""

import numpy as np
import pytest
import torch
from bundle_samples import PRESETS, sample_bundle, sample_network

import mesocosm as meso
from mesocosm.core.errors import PolicyError
from mesocosm.core.policy import check_policy
from mesocosm.learning.bundles.bundle import write_bundle
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.policies.bundle_policy import BundlePolicy


def play(env, policies, steps, seed=5):
    """Play an env with a policy for each role; give the actions of every step."""
    for name, policy in policies.items():
        policy.reset(env.spec.roles[name], env.num_envs, seed)
    step, beginnings, made = env.reset(seed=seed), meso.Beginnings(env), []
    alone = len(policies) == 1
    for _ in range(steps):
        began = beginnings.follow(step)
        actions = {
            name: policy.act(
                step.obs if alone else step.obs[name],
                step.mask if alone else step.mask[name],
                step.info if alone else step.info[name],
                began if alone else began[name],
            )
            for name, policy in policies.items()
        }
        made.append(actions)
        step = env.step(next(iter(actions.values())) if alone else actions)
    return made


def bundles_of(preset, tmp_path, **network):
    made = {}
    for name in meso.config_spec(preset).roles:
        sample_bundle(tmp_path / f"{name}.mesop", preset, name, **network)
        made[name] = tmp_path / f"{name}.mesop"
    return made


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("memory", ["none", "gru", "lstm"])
def test_bundle_plays_its_own_preset_without_a_note_or_a_violation(preset, memory, tmp_path):
    policies = {
        name: check_policy(BundlePolicy(path))
        for name, path in bundles_of(preset, tmp_path, memory=memory).items()
    }
    env = meso.make(preset, num_envs=2, target="python", seed=1)
    play(env, policies, 4)
    for name, policy in policies.items():
        assert policy.notes == []
        entropy = policy.entropy()
        assert entropy.shape == (2, env.spec.roles[name].num_agents)
        assert np.isfinite(entropy).all()
    assert int(env.violations.sum()) == 0


@pytest.mark.parametrize("preset", ["townlet/L3", "commons/wardens"])
def test_equal_seeds_give_equal_actions_and_others_do_not(preset, tmp_path):
    files = bundles_of(preset, tmp_path)

    def once(seed, greedy=False):
        env = meso.make(preset, num_envs=4, target="python", seed=1)
        policies = {name: BundlePolicy(path, greedy=greedy) for name, path in files.items()}
        return [flat(actions) for actions in play(env, policies, 6, seed)]

    def flat(actions):
        parts = [part for given in actions.values() for part in given]
        return np.concatenate([np.asarray(part, float).ravel() for part in parts])

    first = once(5)
    assert all(map(np.array_equal, first, once(5)))
    assert not all(map(np.array_equal, first, once(6)))
    assert not all(map(np.array_equal, first, once(5, greedy=True)))


def test_greedy_takes_the_most_probable_option(tmp_path):
    network = sample_bundle(tmp_path / "a.mesop")
    policy = BundlePolicy(tmp_path / "a.mesop", greedy=True)
    role = policy.bundle.role
    policy.reset(role, 50, 0)
    obs = np.random.default_rng(0).random((50, 1, 49), np.float32)
    mask, began = np.ones((50, 1, 6), bool), np.zeros((50, 1), bool)
    chosen = policy.act(obs, mask, {}, began)
    numbers, _ = network.act(torch.from_numpy(obs[:, 0])[None], torch.zeros(50, 0), None)
    assert chosen.shape == (50, 1, 1)
    assert chosen.dtype == np.int32
    assert chosen[:, 0, 0].tolist() == numbers[0].argmax(-1).tolist()
    mask[np.arange(50), 0, chosen[:, 0, 0]] = False
    assert (policy.act(obs, mask, {}, began) != chosen).all()


def test_policy_of_q_learning_takes_the_best_option(tmp_path):
    role, config = meso.config_spec("townlet/L3").roles["resident"], meso.load_config("townlet/L3")
    network, settings = sample_network(role)
    settings = settings.model_copy(update={"algorithm": "q"})
    write_bundle(tmp_path / "q.mesop", network, make_card(role, config, Training(settings)))
    assert BundlePolicy(tmp_path / "q.mesop").greedy


def test_sampled_options_follow_the_probabilities(tmp_path):
    sample_bundle(tmp_path / "a.mesop")
    policy = BundlePolicy(tmp_path / "a.mesop")
    count = 20_000
    policy.reset(policy.bundle.role, count, 3)
    obs = np.broadcast_to(np.random.default_rng(0).random(49, np.float32), (count, 1, 49))
    chosen = policy.act(obs, np.ones((count, 1, 6), bool), {}, np.ones((count, 1), bool))
    network = policy.bundle.make_network()
    numbers, _ = network.act(torch.from_numpy(obs[:1, 0].copy())[None], torch.zeros(1, 0), None)
    wanted = numbers[0, 0].softmax(-1).detach().numpy()
    found = np.bincount(chosen.ravel(), minlength=6) / count
    assert np.abs(found - wanted).max() < 4 * np.sqrt(0.25 / count)
    assert policy.entropy()[0, 0] == pytest.approx(-(wanted * np.log(wanted)).sum(), abs=1e-5)


@pytest.mark.parametrize("memory", ["gru", "lstm"])
def test_memory_is_kept_and_forgotten_where_a_life_begins(memory, tmp_path):
    sample_bundle(tmp_path / "a.mesop", memory=memory)
    obs = np.random.default_rng(0).random((6, 2, 1, 49), np.float32)
    mask = np.ones((2, 1, 6), bool)

    def entropies(began_at):
        policy = BundlePolicy(tmp_path / "a.mesop", greedy=True)
        policy.reset(policy.bundle.role, 2, 0)
        made = []
        for t in range(6):
            began = np.zeros((2, 1), bool)
            began[1, 0] = t in began_at
            policy.act(obs[t], mask, {}, began)
            made.append(policy.entropy()[:, 0].copy())
        return np.array(made)

    through, cut = entropies([0]), entropies([0, 3])
    assert np.array_equal(through[:, 0], cut[:, 0])  # the other env remembers
    assert np.array_equal(through[:3, 1], cut[:3, 1])
    assert (through[3:, 1] != cut[3:, 1]).all()
    obs = obs[3:].repeat(2, 0)[:6]
    obs = np.concatenate((obs[::2], obs[::2]))
    fresh = entropies([0, 3])
    assert np.array_equal(fresh[:3, 1], fresh[3:, 1])  # as if nothing had been before


def test_arrays_of_wrong_shape_are_refused(tmp_path):
    sample_bundle(tmp_path / "a.mesop")
    policy = BundlePolicy(tmp_path / "a.mesop")
    policy.reset(policy.bundle.role, 2, 0)
    good = {"obs": np.zeros((2, 1, 49), np.float32), "mask": np.ones((2, 1, 6), bool)}
    good |= {"info": {}, "began": np.zeros((2, 1), bool)}
    for name in ("obs", "mask", "began"):
        with pytest.raises(PolicyError, match=f"{name} must be of shape"):
            policy.act(**(good | {name: np.zeros((3, 1, 2))}))


def test_playing_leaves_the_random_numbers_of_others_alone(tmp_path):
    sample_bundle(tmp_path / "a.mesop")
    before = torch.get_rng_state()
    policy = BundlePolicy(tmp_path / "a.mesop")
    policy.reset(policy.bundle.role, 2, 0)
    policy.act(
        np.zeros((2, 1, 49), np.float32), np.ones((2, 1, 6), bool), {}, np.ones((2, 1), bool)
    )
    assert torch.equal(before, torch.get_rng_state())


def test_network_that_computes_no_numbers_is_one_clear_error(tmp_path):
    role = meso.config_spec("townlet/L3").roles["resident"]
    network, settings = sample_network(role)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.fill_(3e38)
    card = make_card(role, meso.load_config("townlet/L3"), Training(settings))
    write_bundle(tmp_path / "a.mesop", network, card)
    policy = BundlePolicy(tmp_path / "a.mesop")
    policy.reset(role, 2, 0)
    obs, mask = np.ones((2, 1, 49), np.float32), np.ones((2, 1, 6), bool)
    with pytest.raises(PolicyError, match="its network computes NaN or infinity"):
        policy.act(obs, mask, {}, np.zeros((2, 1), bool))
