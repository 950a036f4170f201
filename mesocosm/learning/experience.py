"""What was played since the last update: arrays `[step, env, agent, ...]`, written in place."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from mesocosm.core.spec import Role
from mesocosm.core.step import Step

PER_AGENT = (
    "obs",
    "reward",
    "terminated",
    "truncated",
    "ended",
    "mask",
    "final_obs",
    "outcome",
    "acting",
    "generation",
)
CARRIED = ("obs", "truth", "began", "valid", "acts")  # their last entries begin the next rollout


class StepTensors:
    """One role's part of an env's step, as tensors that share its memory.

    An env writes the same arrays at every step, so these are made once.
    """

    obs: Tensor  # [env, agent, *observation shape]
    reward: Tensor
    terminated: Tensor
    truncated: Tensor
    ended: Tensor
    mask: Tensor
    final_obs: Tensor
    outcome: Tensor
    acting: Tensor
    generation: Tensor
    episode_over: Tensor  # bool [env, 1]
    episode_reason: Tensor  # int16 [env]

    def __init__(self, step: Step, role: str) -> None:
        for name in PER_AGENT:
            value: Any = getattr(step, name)
            part = value[role] if isinstance(value, Mapping) else value
            setattr(self, name, from_dlpack(part))
        self.episode_over = from_dlpack(step.episode_over).unsqueeze(1)
        self.episode_reason = from_dlpack(step.episode_reason)


class Experience:
    """Everything one role saw, did and earned over a number of steps.

    `valid` says whose steps count at all, `acts` whose actions were their own; `boundary` marks
    where a life or an episode was cut, and `bootstrap` what the critic expects beyond that.
    """

    def __init__(
        self, role: Role, horizon: int, num_envs: int, device: str = "cpu", truth_size: int = 0
    ) -> None:
        lead = (horizon, num_envs, role.num_agents)
        more = (horizon + 1, *lead[1:])
        dtype = getattr(torch, role.observation.dtype)

        def make(shape: tuple[int, ...], kind: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=kind, device=device)

        self.horizon, self.rows = horizon, num_envs * role.num_agents
        self.obs = make((*more, *role.observation.shape), dtype)
        self.truth = make((*more, truth_size))
        self.mask = make((*lead, role.action.mask_size), torch.bool)
        self.choice = make((*lead, len(role.action.choices)), torch.int32)
        self.levels = make((*lead, len(role.action.levels)))
        self.log_prob, self.reward, self.bootstrap = make(lead), make(lead), make(lead)
        self.began = make(more, torch.bool)
        self.valid, self.acts = make(more, torch.bool), make(more, torch.bool)
        self.boundary, self.ended = make(lead, torch.bool), make(lead, torch.bool)
        self.outcome = make(lead, torch.int8)

    def flat(self, name: str) -> Tensor:
        """Give an array as `[step, row, ...]`."""
        array: Tensor = getattr(self, name)
        return array.flatten(1, 2)


def advantages(experience: Experience, values: Tensor, gamma: float, gae_lambda: float) -> Tensor:
    """Estimate advantages `[step, row]` from values `[step + 1, row]`, by GAE.

    Nothing is carried over a boundary: beyond it counts `bootstrap`, which is what the critic
    expects after a truncation and zero after a termination.
    """
    reward, boundary = experience.flat("reward"), experience.flat("boundary")
    after = torch.where(boundary, experience.flat("bootstrap"), values[1:])
    delta = torch.addcmul(reward - values[:-1], after, torch.full_like(after, gamma))
    decay = (~boundary) * (gamma * gae_lambda)
    made = torch.empty_like(delta)
    following = torch.zeros_like(delta[0])
    for step in range(delta.shape[0] - 1, -1, -1):
        following = torch.addcmul(delta[step], decay[step], following, out=made[step])
    return made
