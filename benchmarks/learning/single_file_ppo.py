"""A batched PPO as single-file scripts write it: the yardstick for our trainer's speed."""

import time
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import mesocosm
from mesocosm.learning.settings import LearningSettings


class Agent(nn.Module):
    """Two towers, as ours has them."""

    def __init__(self, inputs: int, options: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.actor, self.critic = _tower(inputs, options, hidden), _tower(inputs, 1, hidden)

    def value(self, obs):
        return self.critic(obs)[:, 0]

    def act(self, obs, mask, action=None):
        logits = torch.where(mask, self.actor(obs), -1e9)
        probs = Categorical(logits=logits)
        action = probs.sample() if action is None else action
        return action, probs.log_prob(action), probs.entropy(), self.value(obs)


def _tower(inputs: int, outputs: int, hidden: tuple[int, ...]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for width in hidden:
        layers += [nn.Linear(inputs, width), nn.ReLU()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, outputs))


class Speed(NamedTuple):
    """Agent-steps trained in a second of the clock, and of the processor."""

    wall: float
    cpu: float


def measure(preset: str, settings: LearningSettings, updates: int, seed: int = 1) -> Speed:
    """Train for some updates after one that warms up."""
    torch.manual_seed(seed)
    env = mesocosm.make(preset, num_envs=settings.num_envs, seed=seed)
    (role,) = env.spec.roles.values()
    agent = Agent(
        role.observation.size, len(role.action.choices[0].options), settings.network.hidden
    )
    optimizer = torch.optim.Adam(agent.parameters(), lr=settings.learning_rate, eps=1e-5)
    loop = Loop(env, agent, optimizer, settings)
    loop.update()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(updates):
        loop.update()
    played = updates * settings.rows * role.num_agents
    return Speed(played / (time.perf_counter() - wall), played / (time.process_time() - cpu))


class Loop:
    """Rollout, advantages, minibatches."""

    def __init__(self, env, agent, optimizer, settings) -> None:
        self.env, self.agent, self.optimizer, self.settings = env, agent, optimizer, settings
        (role,) = env.spec.roles.values()
        steps, rows = settings.horizon, settings.num_envs * role.num_agents
        self.obs = torch.zeros(steps, rows, role.observation.size)
        self.masks = torch.zeros(steps, rows, role.action.mask_size, dtype=torch.bool)
        self.actions = torch.zeros(steps, rows, dtype=torch.int64)
        self.logprobs, self.rewards, self.dones, self.values = torch.zeros(4, steps, rows)
        step = env.reset()
        self.lead = step.reward.shape
        self.next_obs, self.next_mask = self._seen(step)
        self.next_done = torch.zeros(rows)

    def _seen(self, step):
        rows = self.lead[0] * self.lead[1]
        obs = torch.as_tensor(step.obs.reshape(rows, -1).copy())
        return obs, torch.as_tensor(step.mask.reshape(rows, -1).copy())

    def update(self) -> None:
        for t in range(self.settings.horizon):
            self._step(t)
        advantages, returns = self._advantages()
        flat = (self.obs, self.masks, self.actions, self.logprobs, advantages, returns)
        obs, masks, actions, logprobs, advantages, returns = (x.flatten(0, 1) for x in flat)
        size = len(actions) // self.settings.minibatches
        indices = np.arange(len(actions))
        for _ in range(self.settings.epochs):
            np.random.default_rng().shuffle(indices)
            for start in range(0, len(indices), size):
                chosen = indices[start : start + size]
                self._minibatch(
                    obs[chosen], masks[chosen], actions[chosen],
                    (logprobs[chosen], advantages[chosen], returns[chosen]),
                )  # fmt: skip

    def _step(self, t: int) -> None:
        self.obs[t], self.masks[t], self.dones[t] = self.next_obs, self.next_mask, self.next_done
        with torch.no_grad():
            action, logprob, _, value = self.agent.act(self.next_obs, self.next_mask)
        self.actions[t], self.logprobs[t], self.values[t] = action, logprob, value
        step = self.env.step(action.numpy().astype(np.int32).reshape(*self.lead, 1))
        self.rewards[t] = torch.as_tensor(step.reward.reshape(-1).copy())
        self.next_obs, self.next_mask = self._seen(step)
        self.next_done = torch.as_tensor(step.ended.reshape(-1).astype(np.float32))

    def _advantages(self):
        settings = self.settings
        with torch.no_grad():
            next_value = self.agent.value(self.next_obs)
            advantages, last = torch.zeros_like(self.rewards), 0.0
            for t in reversed(range(settings.horizon)):
                end = t == settings.horizon - 1
                live = 1.0 - (self.next_done if end else self.dones[t + 1])
                after = next_value if end else self.values[t + 1]
                delta = self.rewards[t] + settings.gamma * after * live - self.values[t]
                last = delta + settings.gamma * settings.gae_lambda * live * last
                advantages[t] = last
            return advantages, advantages + self.values

    def _minibatch(self, obs, masks, actions, played) -> None:
        logprobs, advantages, returns = played
        settings = self.settings
        _, newlogprob, entropy, value = self.agent.act(obs, masks, actions)
        ratio = (newlogprob - logprobs).exp()
        with torch.no_grad():
            self.kl = ((ratio - 1) - ratio.log()).mean().item()
            self.clipped = ((ratio - 1.0).abs() > settings.clip).float().mean().item()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clamped = torch.clamp(ratio, 1 - settings.clip, 1 + settings.clip)
        policy_loss = torch.max(-advantages * ratio, -advantages * clamped).mean()
        value_loss = 0.5 * ((value - returns) ** 2).mean()
        loss = policy_loss - settings.entropy * entropy.mean() + value_loss * settings.value_weight
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.agent.parameters(), settings.max_grad_norm)
        self.optimizer.step()
