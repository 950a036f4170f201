"""Train with TorchRL: its own collector, estimator and loss."""

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss, ValueEstimators

from mesocosm.adapters import TorchRLEnv

NUM_ENVS, HORIZON, EPOCHS, MINIBATCH = 64, 64, 4, 1024


def train_ppo(preset, seed, num_steps, probe):
    """Train by PPO over every agent of the only role, which share one network."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    env = TorchRLEnv(preset, num_envs=NUM_ENVS, seed=seed, info=False)
    ((group, agents),) = env.group_map.items()
    policy, loss = make_loss(env, group)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3, eps=1e-5)
    frames = NUM_ENVS * HORIZON
    batches = -(-num_steps // (frames * len(agents)))
    collector = Collector(
        env,
        policy,
        frames_per_batch=frames,
        total_frames=frames * batches,
        auto_register_policy_transforms=False,
    )
    probe(0, acting(policy, group))
    for k, batch in enumerate(collector, 1):
        update(loss, optimizer, batch)
        if k in {batches // 2, batches}:
            probe(k * frames * len(agents), acting(policy, group))
    collector.shutdown()


def make_loss(env, group):
    """Make the policy, and PPO's loss with a critic of its own."""
    size = env.observation_spec[group, "observation"].shape[-1]
    options = env.observation_spec[group, "action_mask"].shape[-1]
    shape = {"num_cells": [64, 64], "activation_class": torch.nn.Tanh}
    logits = TensorDictModule(
        MLP(size, options, **shape),
        in_keys=[(group, "observation")],
        out_keys=[(group, "logits")],
    )
    policy = ProbabilisticActor(
        logits,
        in_keys={"logits": (group, "logits"), "mask": (group, "action_mask")},
        out_keys=[(group, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=(group, "log_prob"),
    )
    critic = ValueOperator(
        MLP(size, 1, **shape),
        in_keys=[(group, "observation")],
        out_keys=[(group, "state_value")],
    )
    loss = ClipPPOLoss(policy, critic, entropy_coeff=0.01, normalize_advantage=True)
    names = {"value": "state_value", "sample_log_prob": "log_prob"}
    names |= {k: k for k in ("reward", "action", "done", "terminated", "advantage", "value_target")}
    loss.set_keys(**{key: (group, name) for key, name in names.items()})
    loss.make_value_estimator(ValueEstimators.GAE, gamma=0.99, lmbda=0.95)
    return policy, loss


def update(loss, optimizer, batch):
    """Estimate advantages of a batch `[env, step]`, and take PPO's steps."""
    with torch.no_grad():
        loss.value_estimator(
            batch,
            params=loss.critic_network_params,
            target_params=loss.target_critic_network_params,
        )
    rows = batch.reshape(-1)
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(rows)).split(MINIBATCH):
            made = loss(rows[chosen])
            (made["loss_objective"] + made["loss_critic"] + made["loss_entropy"]).backward()
            torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
            optimizer.zero_grad()


def acting(policy, group):
    """Draw actions for rows of observations and masks, from numbers of its own."""
    rng = torch.Generator().manual_seed(0)

    @torch.no_grad()
    def act(obs, mask):
        logits = policy.module[0](torch.from_numpy(obs))
        probs = logits.masked_fill(~torch.from_numpy(mask), -torch.inf).softmax(-1)
        return torch.multinomial(probs, 1, generator=rng).numpy()

    return act
