"""PPO on PufferLib's vector buffers, with the network of the single-file example.

PufferLib's own trainer loads a compiled extension that needs CUDA's runtime; this is a small loop
on what its vectorisation hands out, so that it runs on a machine without a GPU.
"""

import numpy as np
import torch

from examples.cleanrl_ppo import Agent, Args, advantages, update
from mesocosm.adapters import PufferEnv

NUM_PARTS, NUM_PROBES = 2, 4


def train(preset, seed, num_steps, probe):
    import pufferlib.vector

    args = Args(preset=preset, seed=seed, num_envs=128)
    vec = pufferlib.vector.make(
        PufferEnv,
        env_kwargs={"source": preset, "num_envs": args.num_envs // NUM_PARTS},
        backend=pufferlib.vector.Serial,
        num_envs=NUM_PARTS,
    )
    try:
        _learn(vec, args, num_steps, probe)
    finally:
        vec.close()


def _learn(vec, args, num_steps, probe):
    torch.manual_seed(args.seed)
    inputs = int(np.prod(vec.single_observation_space.shape))
    agent = Agent(inputs, int(vec.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate, eps=1e-5)
    vec.async_reset(args.seed)
    obs = torch.as_tensor(np.array(vec.recv()[0]))
    per_update = args.num_steps * len(obs)
    num_updates = max(1, num_steps // per_update)
    due = {num_updates * k // NUM_PROBES for k in range(NUM_PROBES)}
    for k in range(num_updates):
        if k in due:
            probe(k * per_update, _player(agent))
        kept, obs = _collect(vec, agent, args, obs)
        with torch.no_grad():
            advantage = advantages(kept, agent.value(obs), args)
        update(agent, optimizer, kept, advantage, args)
    probe(num_updates * per_update, _player(agent))


def _player(agent):
    def act(obs, mask):
        with torch.no_grad():
            return agent.choices(torch.as_tensor(obs), torch.as_tensor(mask)).sample().numpy()

    return act


def _collect(vec, agent, args, obs):
    """Play a rollout; PufferLib has no place for masks of actions, so all are open.

    Nor has it one for the last observation of a truncated life: in this process our envs have it.
    """
    shape = (args.num_steps, len(obs))
    options = int(vec.single_action_space.n)
    kept = {name: torch.zeros(shape) for name in ("log_prob", "reward", "done", "value", "last")}
    kept |= {"obs": torch.zeros((*shape, *obs.shape[1:]))}
    kept |= {"action": torch.zeros(shape, dtype=torch.int64)}
    kept |= {"mask": torch.ones((*shape, options), dtype=torch.bool)}
    for t in range(args.num_steps):
        kept["obs"][t] = obs
        with torch.no_grad():
            choices = agent.choices(obs, kept["mask"][t])
            action = choices.sample()
            kept["value"][t] = agent.value(obs)
        kept["action"][t], kept["log_prob"][t] = action, choices.log_prob(action)
        vec.send(action.numpy().astype(np.int32))
        seen, reward, terminal, truncated, *_ = vec.recv()
        kept["reward"][t] = torch.as_tensor(np.array(reward))
        kept["done"][t] = torch.as_tensor(np.array(terminal | truncated))
        if truncated.any():
            last = np.concatenate([env.final_observations for env in vec.envs])[truncated]
            with torch.no_grad():
                kept["last"][t, torch.as_tensor(truncated)] = agent.value(torch.as_tensor(last))
        obs = torch.as_tensor(np.array(seen))
    return kept, obs
