"""The examples that bring their own learner: CleanRL's way, and JAX."""

import numpy as np

NUM_PROBES = 4


def train_cleanrl(preset, seed, num_steps, probe):
    import torch

    from examples.cleanrl_ppo import Args, train

    def player(agent):
        def act(obs, mask):
            with torch.no_grad():
                return agent.choices(torch.as_tensor(obs), torch.as_tensor(mask)).sample().numpy()

        return act

    args = Args(preset=preset, seed=seed, total_steps=num_steps)
    due = _due(num_steps, args.num_envs * args.num_steps)

    def watch(steps, agent, kept):
        if steps in due:
            probe(steps, player(agent))

    probe(_played(num_steps, args.num_envs * args.num_steps), player(train(args, watch)))


def train_jax(preset, seed, num_steps, probe):
    import jax

    from examples.jax_dlpack import act, train

    def player(params):
        keys = iter(jax.random.split(jax.random.key(seed), 100_000))

        def play(obs, mask):
            return np.asarray(act(params, next(keys), obs, mask))

        return play

    due = _due(num_steps, 128 * 64)

    def watch(steps, params, rollout):
        if steps in due:
            probe(steps, player(params))

    params = train(preset, seed=seed, total_steps=num_steps, watch=watch)
    probe(_played(num_steps, 128 * 64), player(params))


def _due(num_steps, per_update):
    """Say at which steps the policy is probed: at the start of some updates."""
    num_updates = _played(num_steps, per_update) // per_update
    return {num_updates * k // NUM_PROBES * per_update for k in range(NUM_PROBES)}


def _played(num_steps, per_update):
    """Say how many steps whole updates take."""
    return max(1, num_steps // per_update) * per_update
