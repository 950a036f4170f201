"""What a network's numbers mean: probabilities of the options and levels of an action."""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from mesocosm.core.action import ActionSpec
from mesocosm.learning.networks.fused import score_choices

NEVER = -1e9  # the logit of an option that is not allowed
HARDLY = -1e8  # the same of the no-op, which is left where nothing is allowed
HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
BELOW_ALL = 1.0 - 1e-5  # keeps what is drawn below the sum of all probabilities as rounded
FIRST_LOG_STD = -0.5
CONTEXT = 16  # numbers that tell later parts what was chosen in earlier ones


class _Part(NamedTuple):
    """What one choice's logits are made of."""

    flat: Tensor  # [..., option]
    allowed: Tensor
    closed: Tensor
    heard: Tensor  # [number of the context, option]

    def logits(self, context: Tensor | None) -> Tensor:
        """Give the logits after what was chosen before."""
        flat = self.flat if context is None else self.flat + context @ self.heard
        return torch.where(self.allowed, flat, self.closed)


class ActionHead(nn.Module):
    """Reads a row of numbers as a distribution over one role's actions.

    The first numbers are logits, those of all options of all choices; the others are means of
    levels, which are normally distributed on a scale on which the level's range is -1..1.

    Choices are made part by part. Every option has a vector, `said`; the vectors of what was
    chosen so far are added up, and this context shifts the logits of the next part through
    `heard`, which is zero at first.
    """

    open_options: Tensor
    closed_logits: Tensor
    first_option: Tensor
    level_middle: Tensor
    level_half: Tensor

    def __init__(self, action: ActionSpec, autoregressive: bool = True) -> None:
        super().__init__()
        self.sizes = [len(part.options) for part in action.choices]
        self.num_options, self.num_levels = sum(self.sizes), len(action.levels)
        self.size = self.num_options + self.num_levels
        self.noise_size = len(self.sizes) + self.num_levels
        self._masked = [part.masked for part in action.choices]
        self._whole = all(self._masked) and not any(part.forbidden for part in action.choices)
        self._register_options(action)
        low = torch.tensor([part.low for part in action.levels], dtype=torch.float32)
        high = torch.tensor([part.high for part in action.levels], dtype=torch.float32)
        self.register_buffer("level_middle", (low + high) / 2, persistent=False)
        self.register_buffer("level_half", (high - low) / 2, persistent=False)
        self.log_std = nn.Parameter(torch.full((self.num_levels,), FIRST_LOG_STD))
        self.autoregressive = autoregressive and len(self.sizes) > 1
        if self.autoregressive:
            self.said = nn.Parameter(torch.randn(self.num_options, CONTEXT) / math.sqrt(CONTEXT))
            self.heard = nn.Parameter(torch.zeros(self.num_options, CONTEXT))

    def _register_options(self, action: ActionSpec) -> None:
        first = np.cumsum([0, *self.sizes], dtype=np.int64)[:-1]
        open_options = np.ones(self.num_options, bool)
        closed = np.full(self.num_options, NEVER, np.float32)
        for at, part in zip(first, action.choices, strict=True):
            open_options[[at + k for k in part.forbidden]] = False
            closed[at + part.noop] = HARDLY
        self._first = first.tolist()
        self.register_buffer("open_options", torch.from_numpy(open_options), persistent=False)
        self.register_buffer("closed_logits", torch.from_numpy(closed), persistent=False)
        self.register_buffer("first_option", torch.from_numpy(first), persistent=False)

    def logits(self, numbers: Tensor, mask: Tensor, choice: Tensor | None = None) -> list[Tensor]:
        """Split the logits by part, those of options that are not allowed out of reach.

        Args:
            choice: What was chosen, where parts depend on each other.
        """
        parts = self._parts(numbers, mask)
        contexts = [None] * len(parts) if choice is None else self._contexts(choice)
        return [part.logits(context) for part, context in zip(parts, contexts, strict=True)]

    def _parts(self, numbers: Tensor, mask: Tensor) -> list["_Part"]:
        """Cut what belongs to options into parts."""
        flat = numbers[..., : self.num_options]
        split = [self._split(x) for x in (flat, self.allowed(mask), self.closed_logits)]
        heard = self.heard.T if self.autoregressive else flat.new_empty(0, self.num_options)
        return [_Part(*entries) for entries in zip(*split, self._split(heard), strict=True)]

    def _split(self, array: Tensor) -> tuple[Tensor, ...]:
        return torch.split(array, self.sizes, -1) if self.sizes else ()

    def _contexts(self, choice: Tensor) -> list[Tensor | None]:
        """Give, for each part, the sum of what the choices before it say."""
        if not self.autoregressive:
            return [None] * len(self.sizes)
        said = self.said[choice.long() + self.first_option]
        return [None, *said.cumsum(-2)[..., :-1, :].unbind(-2)]

    def allowed(self, mask: Tensor) -> Tensor:
        """Spread a mask over all options: those of parts without a mask are allowed."""
        if self._whole:
            return mask
        at, parts = 0, []
        for is_masked, size in zip(self._masked, self.sizes, strict=True):
            if is_masked:
                parts.append(mask[..., at : at + size])
                at += size
            else:
                parts.append(mask.new_ones((*mask.shape[:-1], size)))
        return torch.cat(parts, -1) & self.open_options if parts else mask

    def draw_noise(self, noise: Tensor, generator: torch.Generator) -> None:
        """Fill `[..., noise_size]` for `sample`: 0..1 for choices, normal for levels."""
        noise[..., : len(self.sizes)].uniform_(generator=generator)
        noise[..., len(self.sizes) :].normal_(generator=generator)

    def sample(self, numbers: Tensor, mask: Tensor, noise: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Draw actions; give choices, levels on their own scale, and log-probabilities.

        Args:
            noise: As `draw_noise` makes it.
        """
        choice, total = self._choose(numbers, mask, noise)
        means = numbers[..., self.num_options :]
        levels = means + self.log_std.exp() * noise[..., len(self.sizes) :]
        if self.num_levels:
            total = total + self._level_log_prob(means, levels)
        return choice, levels, total

    def best(self, numbers: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Choose the most probable options, part by part, and the means of levels."""
        choice, _ = self._choose(numbers, mask, None)
        return choice, numbers[..., self.num_options :]

    def _choose(self, numbers: Tensor, mask: Tensor, noise: Tensor | None) -> tuple[Tensor, Tensor]:
        """Choose part by part; give int32 choices, and log-probabilities of those that are drawn.

        Without noise the most probable options are chosen.
        """
        total = numbers.new_zeros(numbers.shape[:-1])
        context: Tensor | None = None
        picks: list[Tensor] = []
        for k, part in enumerate(self._parts(numbers, mask)):
            logits = part.logits(context)
            if noise is None:
                pick = logits.argmax(-1, keepdim=True)
            else:
                log_probs = logits.log_softmax(-1)
                pick = draw_options(log_probs, noise[..., k : k + 1])
                total = total + log_probs.gather(-1, pick)[..., 0]
            picks.append(pick)
            if self.autoregressive:
                said = self.said[pick[..., 0] + self._first[k]]
                context = said if context is None else context + said
        if not picks:
            return numbers[..., :0].int(), total
        return torch.cat(picks, -1).int(), total

    def evaluate(
        self, numbers: Tensor, mask: Tensor, choice: Tensor, levels: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Give log-probabilities of actions, and entropies.

        Where parts depend on each other, the entropy of a part is that after the choices made.
        """
        total = numbers.new_zeros(numbers.shape[:-1])
        entropy = torch.zeros_like(total)
        for k, logits in enumerate(self.logits(numbers, mask, choice)):
            log_prob, spread = score_choices(logits, choice[..., k])
            total, entropy = total + log_prob, entropy + spread
        if self.num_levels:
            total = total + self._level_log_prob(numbers[..., self.num_options :], levels)
            entropy = entropy + (self.log_std + HALF_LOG_TAU + 0.5).sum()
        return total, entropy

    def _level_log_prob(self, means: Tensor, levels: Tensor) -> Tensor:
        far = (levels - means) * (-self.log_std).exp()
        return (-0.5 * far * far - self.log_std - HALF_LOG_TAU).sum(-1)

    def scale_levels(self, levels: Tensor) -> Tensor:
        """Put levels into the ranges that the world declares."""
        return levels.clamp(-1.0, 1.0) * self.level_half + self.level_middle


def draw_options(log_probs: Tensor, uniform: Tensor) -> Tensor:
    """Draw int64 options `[..., 1]` by numbers in 0..1 `[..., 1]`; impossible ones never."""
    probs = log_probs.exp()
    sums = probs.cumsum(-1)
    reached = (sums > uniform * (sums[..., -1:] * BELOW_ALL)) & (probs > 0.0)
    return reached.int().argmax(-1, keepdim=True)
