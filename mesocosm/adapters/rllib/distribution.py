"""What RLlib takes for the distribution of a role's actions: our action head, masks included."""

from typing import Any

import torch
from ray.rllib.core.distribution.distribution import Distribution
from torch import Tensor

from mesocosm.adapters.spaces import CHOICE, LEVEL
from mesocosm.core.errors import ConfigError
from mesocosm.learning.distribution import ActionHead


class HeadDistribution(Distribution):  # type: ignore[misc]
    """A distribution over the samples of a role's action space.

    Its inputs are the numbers that the head reads, and after them the mask. Levels are on the scale
    on which their range is -1..1, as RLlib expects of them: it maps them to the range of the space.
    `distribution_of` makes the subclass of one head.
    """

    head: ActionHead
    greedy = False

    def __init__(self, *, logits: Tensor) -> None:
        super().__init__()
        self._numbers = logits[..., : self.head.size]
        self._mask = logits[..., self.head.size :] > 0.5
        self._drawn: tuple[Any, Tensor] | None = None
        self._entropy: Tensor | None = None  # after the actions that were asked of last

    @classmethod
    def from_logits(cls, logits: Tensor, **_: Any) -> "HeadDistribution":
        """Read what a module gave as ACTION_DIST_INPUTS."""
        return cls(logits=logits)

    def sample(self, *, sample_shape: Any = None, **_: Any) -> Any:
        """Draw one action a row, allowed by its mask."""
        if sample_shape:
            raise ConfigError("HeadDistribution draws one action a row: sample_shape must be empty")
        head, numbers = self.head, self._numbers
        if self.greedy:
            choice, levels = head.best(numbers, self._mask)
            total = torch.zeros_like(numbers[..., 0])
        else:
            noise = numbers.new_empty((*numbers.shape[:-1], head.noise_size))
            head.draw_noise(noise, torch.default_generator)
            choice, levels, total = head.sample(numbers, self._mask, noise)
        action = join_action(head, choice.long(), levels)
        self._drawn = action, total
        return action

    def rsample(self, **_: Any) -> Any:
        """Refuse: choices cannot be differentiated."""
        raise ConfigError("HeadDistribution has no rsample: choices cannot be differentiated")

    def logp(self, value: Any, **_: Any) -> Tensor:
        """Give the log-probabilities of actions."""
        if self._drawn is not None and self._drawn[0] is value:
            return self._drawn[1]
        log_prob, self._entropy = self._evaluate(value)
        return log_prob

    def entropy(self, **_: Any) -> Tensor:
        """Give entropies; where choices depend on each other, those after the actions asked of."""
        if self._entropy is None:
            self._entropy = self._evaluate(self._draw())[1]
        return self._entropy

    def kl(self, other: "HeadDistribution", **_: Any) -> Tensor:
        """Estimate the divergence from another by a sample of this one."""
        drawn = self._draw()
        ratio = other._evaluate(drawn)[0] - self._evaluate(drawn)[0]
        return ratio.exp() - 1.0 - ratio

    @torch.no_grad()
    def _draw(self) -> Any:
        return self.sample()

    def _evaluate(self, value: Any) -> tuple[Tensor, Tensor]:
        choice, levels = split_action(self.head, value)
        return self.head.evaluate(self._numbers, self._mask, choice, levels)

    def to_deterministic(self) -> "HeadDistribution":
        """Give what takes the most probable action."""
        made = type(self)(logits=torch.cat((self._numbers, self._mask.to(self._numbers)), -1))
        made.greedy = True
        return made

    @staticmethod
    def required_input_dim(space: Any, **_: Any) -> int:
        """Refuse: the head decides, not the space."""
        raise ConfigError("HeadDistribution: the action head says how many numbers it reads")


def distribution_of(head: ActionHead) -> type[HeadDistribution]:
    """Make the class that RLlib asks a module for."""
    return type("HeadDistribution", (HeadDistribution,), {"head": head})


def join_action(head: ActionHead, choice: Any, levels: Any) -> Any:
    """Put choices and levels `[..., part]` into the form of the action space."""
    if head.sizes:
        made = choice[..., 0] if len(head.sizes) == 1 else choice
        return {CHOICE: made, LEVEL: levels} if head.num_levels else made
    return levels


def split_action(head: ActionHead, action: Any) -> tuple[Tensor, Tensor]:
    """Read choices int64 and levels float32 `[..., part]` from samples of the action space."""
    choice, levels = (action[CHOICE], action[LEVEL]) if isinstance(action, dict) else (action,) * 2
    if not head.sizes:
        return levels[..., :0].long(), levels.float()
    choice = choice.unsqueeze(-1) if len(head.sizes) == 1 else choice
    return choice.long(), levels.float() if head.num_levels else choice[..., :0].float()
