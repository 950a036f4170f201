"""What a network's numbers mean: probabilities of the options and levels of an action."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from mesocosm.core.action import ActionSpec

NEVER = -1e9  # the logit of an option that the mask forbids
HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


class ActionHead(nn.Module):
    """Reads a row of numbers as a distribution over one role's actions.

    The first numbers are logits, those of all options of all choices; the others are means of
    levels, which are normally distributed on a scale on which the level's range is -1..1.
    """

    open_options: Tensor
    level_middle: Tensor
    level_half: Tensor

    def __init__(self, action: ActionSpec) -> None:
        super().__init__()
        self.sizes = [len(part.options) for part in action.choices]
        self.num_options, self.num_levels = sum(self.sizes), len(action.levels)
        self.size = self.num_options + self.num_levels
        masked = [part.masked for part in action.choices]
        self._masked = [i for i, is_masked in enumerate(masked) if is_masked]
        self._whole = all(masked) and not any(part.forbidden for part in action.choices)
        open_options = np.ones(self.num_options, bool)
        first = 0
        for part in action.choices:
            open_options[[first + k for k in part.forbidden]] = False
            first += len(part.options)
        self.register_buffer("open_options", torch.from_numpy(open_options), persistent=False)
        low = torch.tensor([part.low for part in action.levels], dtype=torch.float32)
        high = torch.tensor([part.high for part in action.levels], dtype=torch.float32)
        self.register_buffer("level_middle", (low + high) / 2, persistent=False)
        self.register_buffer("level_half", (high - low) / 2, persistent=False)
        self.log_std = nn.Parameter(torch.full((self.num_levels,), -0.5))

    def logits(self, numbers: Tensor, mask: Tensor) -> list[Tensor]:
        """Split the logits by part, those of forbidden options out of reach."""
        flat = numbers[..., : self.num_options]
        flat = torch.where(self._allowed(mask), flat, NEVER)
        return list(flat.split(self.sizes, -1))

    def _allowed(self, mask: Tensor) -> Tensor:
        """Spread a mask over all options: those of parts without a mask are allowed."""
        if self._whole:
            return mask
        at, parts = 0, []
        for i, size in enumerate(self.sizes):
            if i in self._masked:
                parts.append(mask[..., at : at + size])
                at += size
            else:
                parts.append(mask.new_ones((*mask.shape[:-1], size)))
        return torch.cat(parts, -1) & self.open_options

    def sample(
        self, numbers: Tensor, mask: Tensor, noise: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Draw actions; give choices, levels on their own scale, and log-probabilities.

        Args:
            noise: Of the shape of `numbers`: exponential for options, normal for levels.
        """
        total: Tensor | float = 0.0
        chosen = []
        gumbel = noise[..., : self.num_options].log().split(self.sizes, -1)
        for logits, disturbance in zip(self.logits(numbers, mask), gumbel, strict=True):
            pick = (logits - disturbance).argmax(-1, keepdim=True)
            total = total + logits.gather(-1, pick)[..., 0] - logits.logsumexp(-1)
            chosen.append(pick)
        means = numbers[..., self.num_options :]
        levels = means + self.log_std.exp() * noise[..., self.num_options :]
        if self.num_levels:
            total = total + self._level_log_prob(means, levels)
        choice = torch.cat(chosen, -1) if chosen else levels.new_zeros(levels.shape).long()[..., :0]
        return choice.int(), levels, torch.as_tensor(total)

    def best(self, numbers: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Choose the most probable options, and the means of levels."""
        picks = [logits.argmax(-1) for logits in self.logits(numbers, mask)]
        levels = numbers[..., self.num_options :]
        choice = torch.stack(picks, -1) if picks else levels[..., :0]
        return choice.int(), levels

    def evaluate(
        self, numbers: Tensor, mask: Tensor, choice: Tensor, levels: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Give log-probabilities of actions, and entropies."""
        total: Tensor | float = 0.0
        entropy: Tensor | float = 0.0
        for k, logits in enumerate(self.logits(numbers, mask)):
            log_probs = logits.log_softmax(-1)
            total = total + log_probs.gather(-1, choice[..., k : k + 1].long())[..., 0]
            entropy = entropy - (log_probs.exp() * log_probs).sum(-1)
        if self.num_levels:
            total = total + self._level_log_prob(numbers[..., self.num_options :], levels)
            entropy = entropy + (self.log_std + HALF_LOG_TAU + 0.5).sum()
        return torch.as_tensor(total), torch.as_tensor(entropy)

    def _level_log_prob(self, means: Tensor, levels: Tensor) -> Tensor:
        far = (levels - means) * (-self.log_std).exp()
        return (-0.5 * far * far - self.log_std - HALF_LOG_TAU).sum(-1)

    def scale_levels(self, levels: Tensor) -> Tensor:
        """Put levels into the ranges that the world declares."""
        return levels.clamp(-1.0, 1.0) * self.level_half + self.level_middle
