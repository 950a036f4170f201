"""PPO in a single file, the way CleanRL writes it, on Mesocosm's Gymnasium vector env.

python examples/cleanrl_ppo.py --preset townlet/L1 --seed 1 --total-steps 1000000
"""

import argparse
import time
from collections import deque
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from mesocosm.adapters import GymVectorEnv


@dataclass
class Args:
    preset: str = "townlet/L1"
    seed: int = 1
    total_steps: int = 1_000_000
    num_envs: int = 128
    num_steps: int = 64
    learning_rate: float = 1e-3
    gamma: float = 0.97
    gae_lambda: float = 0.95
    epochs: int = 4
    minibatches: int = 8
    clip: float = 0.2
    entropy: float = 0.01
    max_grad_norm: float = 0.5
    target: str = "cpu"


class Agent(nn.Module):
    def __init__(self, num_inputs, num_actions, width=64):
        super().__init__()
        self.critic = self._network(num_inputs, 1, width, 1.0)
        self.actor = self._network(num_inputs, num_actions, width, 0.01)

    @staticmethod
    def _network(num_inputs, num_outputs, width, gain):
        sizes = (num_inputs, width, width, num_outputs)
        layers = [nn.Linear(*pair) for pair in pairwise(sizes)]
        for layer, scale in zip(layers, (np.sqrt(2), np.sqrt(2), gain), strict=True):
            nn.init.orthogonal_(layer.weight, scale)
            nn.init.zeros_(layer.bias)
        return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])

    def value(self, obs):
        return self.critic(obs).squeeze(-1)

    def choices(self, obs, mask):
        """Give the distribution over the actions that the mask allows."""
        logits = self.actor(obs).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=logits)


def collect(env, agent, args, state):
    """Play `num_steps` steps of every env; give what was seen, and where the next rollout begins.

    The state is the last observations, the last masks, and what each life has earned so far.
    """
    shape = (args.num_steps, args.num_envs)
    obs_shape, num_actions = env.single_observation_space.shape, int(env.single_action_space.n)
    kept = {
        "obs": torch.zeros((*shape, *obs_shape)),
        "mask": torch.zeros((*shape, num_actions), dtype=torch.bool),
        "action": torch.zeros(shape, dtype=torch.int64),
        **{name: torch.zeros(shape) for name in ("log_prob", "reward", "done", "value", "last")},
    }
    obs, mask, earned = state
    kept["returns"] = []  # of the lives that ended
    for t in range(args.num_steps):
        kept["obs"][t], kept["mask"][t] = obs, mask
        with torch.no_grad():
            choices = agent.choices(obs, mask)
            action = choices.sample()
            kept["value"][t] = agent.value(obs)
        kept["action"][t], kept["log_prob"][t] = action, choices.log_prob(action)
        seen, reward, terminated, truncated, infos = env.step(action.numpy())
        kept["reward"][t] = torch.as_tensor(reward)
        done = terminated | truncated
        kept["done"][t] = torch.as_tensor(done)
        earned += reward
        kept["returns"] += earned[done].tolist()
        earned[done] = 0.0
        if truncated.any():  # an end imposed from outside: what came next would have had a value
            last = np.stack(list(infos["final_obs"][truncated]))
            with torch.no_grad():
                kept["last"][t, torch.as_tensor(truncated)] = agent.value(torch.as_tensor(last))
        obs = torch.as_tensor(seen)
        mask = torch.as_tensor(infos["action_mask"]).bool()
    return kept, (obs, mask, earned)


def advantages(kept, next_value, args):
    """Estimate advantages (GAE), with no bootstrap after a death and one after a truncation."""
    made, running = torch.zeros_like(kept["reward"]), torch.zeros_like(next_value)
    for t in reversed(range(args.num_steps)):
        alive = 1.0 - kept["done"][t]
        target = kept["reward"][t] + args.gamma * (alive * next_value + kept["last"][t])
        running = target - kept["value"][t] + args.gamma * args.gae_lambda * alive * running
        made[t], next_value = running, kept["value"][t]
    return made


def update(agent, optimizer, kept, advantage, args):
    """Improve the agent by a few epochs over one rollout."""
    flat = {name: values.flatten(0, 1) for name, values in kept.items() if name != "returns"}
    advantage = advantage.flatten()
    returns = advantage + flat["value"]
    for _ in range(args.epochs):
        for rows in torch.randperm(len(returns)).chunk(args.minibatches):
            choices = agent.choices(flat["obs"][rows], flat["mask"][rows])
            ratio = (choices.log_prob(flat["action"][rows]) - flat["log_prob"][rows]).exp()
            gain = advantage[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
            value_loss = (agent.value(flat["obs"][rows]) - returns[rows]).square().mean()
            loss = policy_loss + 0.5 * value_loss - args.entropy * choices.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.actor.parameters(), args.max_grad_norm)
            nn.utils.clip_grad_norm_(agent.critic.parameters(), args.max_grad_norm)
            optimizer.step()


def train(args, watch=None):
    """Train an agent; `watch(agent_steps, agent, kept)` is called before each update."""
    torch.manual_seed(args.seed)
    env = GymVectorEnv(args.preset, num_envs=args.num_envs, seed=args.seed, target=args.target)
    obs, infos = env.reset()
    mask = torch.as_tensor(infos["action_mask"]).bool()
    state = torch.as_tensor(obs), mask, np.zeros(args.num_envs)
    agent = Agent(int(np.prod(obs.shape[1:])), int(env.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate, eps=1e-5)
    per_update = args.num_envs * args.num_steps
    for k in range(max(1, args.total_steps // per_update)):
        kept, state = collect(env, agent, args, state)
        if watch is not None:
            watch(k * per_update, agent, kept)
        with torch.no_grad():
            advantage = advantages(kept, agent.value(state[0]), args)
        update(agent, optimizer, kept, advantage, args)
    env.close()
    return agent


def main(given=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for field in fields(Args):
        name = "--" + field.name.replace("_", "-")
        parser.add_argument(name, type=type(field.default), default=field.default)
    args = Args(**vars(parser.parse_args(given)))
    torch.set_num_threads(1)  # networks this small gain nothing from more
    began, recent = time.monotonic(), deque(maxlen=200)

    def tell(steps, agent, kept):
        recent.extend(kept["returns"])
        mean = sum(recent) / max(1, len(recent))
        speed = steps / (time.monotonic() - began)
        print(f"{steps:>9} steps: return {mean:7.2f} of recent lives; {speed:,.0f} steps/s")

    train(args, tell)


if __name__ == "__main__":
    main()
