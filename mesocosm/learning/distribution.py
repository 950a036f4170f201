"""What a network's numbers mean: probabilities of the options and levels of an action."""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from mesocosm.core.action import ActionSpec
from mesocosm.learning.networks.fused import score_choices
from mesocosm.learning.part_use import PartUse, Used

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

    A part that does not count with what was chosen before is set to its no-op, and adds nothing to
    log-probabilities and entropies.
    """

    open_options: Tensor
    closed_logits: Tensor
    first_option: Tensor
    level_middle: Tensor
    level_half: Tensor
    level_low: Tensor
    level_high: Tensor
    idle_choice: Tensor
    idle_level: Tensor

    def __init__(self, action: ActionSpec, autoregressive: bool = True) -> None:
        super().__init__()
        self.sizes = [len(part.options) for part in action.choices]
        self.num_options, self.num_levels = sum(self.sizes), len(action.levels)
        self.size = self.num_options + self.num_levels
        self.noise_size = len(self.sizes) + self.num_levels
        self._masked = [part.masked for part in action.choices]
        self._whole = all(self._masked) and not any(part.forbidden for part in action.choices)
        self._register_options(action)
        self._register_levels(action)
        self._use = PartUse(action)
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
        idle = torch.tensor([part.noop for part in action.choices], dtype=torch.int32)
        self.register_buffer("idle_choice", idle, persistent=False)

    def _register_levels(self, action: ActionSpec) -> None:
        low, high, noop = (
            torch.tensor([getattr(part, name) for part in action.levels], dtype=torch.float32)
            for name in ("low", "high", "noop")
        )
        middle, half = (low + high) / 2, (high - low) / 2
        idle = torch.where(half > 0.0, (noop - middle) / half, 0.0)
        made = {"middle": middle, "half": half, "low": low, "high": high}
        for name, values in made.items():
            self.register_buffer(f"level_{name}", values, persistent=False)
        self.register_buffer("idle_level", idle, persistent=False)

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
        choice, total, used = self._choose(numbers, mask, noise)
        means = numbers[..., self.num_options :]
        if not self.num_levels:
            return choice, means, total
        levels = means + self.log_std.exp() * noise[..., len(self.sizes) :]
        counts = self._levels_used(used, means)
        total = total + self._level_log_prob(means, levels, counts)
        return choice, self._idle_unused(levels, counts), total

    def best(self, numbers: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Choose the most probable options, part by part, and the means of levels."""
        choice, _, used = self._choose(numbers, mask, None)
        means = numbers[..., self.num_options :]
        return choice, self._idle_unused(means, self._levels_used(used, means))

    def _choose(
        self, numbers: Tensor, mask: Tensor, noise: Tensor | None
    ) -> tuple[Tensor, Tensor, Used]:
        """Choose part by part; give int32 choices, log-probabilities, and which parts count.

        Without noise the most probable options are chosen, and log-probabilities are 0.
        """
        total = numbers.new_zeros(numbers.shape[:-1])
        context: Tensor | None = None
        picks: list[Tensor] = []
        used: Used = []
        for k, part in enumerate(self._parts(numbers, mask)):
            logits = part.logits(context)
            counts = self._use.decide(used, picks)
            if noise is None:
                pick = logits.argmax(-1, keepdim=True)
            else:
                pick, log_prob = draw_options(logits, noise[..., k : k + 1])
                total = total + _keep_used(log_prob, counts)[..., 0]
            if counts is not None:
                pick = torch.where(counts, pick, self.idle_choice[k])
            picks.append(pick)
            if self.autoregressive:
                said = self.said[pick[..., 0] + self._first[k]]
                context = said if context is None else context + said
        for _ in range(self.num_levels):
            self._use.decide(used, picks)
        if not picks:
            return numbers[..., :0].int(), total, used
        return torch.cat(picks, -1).int(), total, used

    def evaluate(
        self, numbers: Tensor, mask: Tensor, choice: Tensor, levels: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Give log-probabilities of actions, and entropies.

        Where parts depend on each other, the entropy of a part is that after the choices made.
        """
        total = numbers.new_zeros(numbers.shape[:-1])
        entropy = torch.zeros_like(total)
        used = self._use.read(choice)
        choice = self._idle_unused_choices(choice, used)
        for k, logits in enumerate(self.logits(numbers, mask, choice)):
            counts = used[k]
            is_used = None if counts is None else counts[..., 0]
            log_prob, spread = score_choices(logits, choice[..., k])
            total = total + _keep_used(log_prob, is_used)
            entropy = entropy + _keep_used(spread, is_used)
        if self.num_levels:
            means = numbers[..., self.num_options :]
            counts = self._levels_used(used, means)
            total = total + self._level_log_prob(means, levels, counts)
            each = self.log_std + HALF_LOG_TAU + 0.5
            entropy = entropy + _keep_used(each, counts).sum(-1)
        return total, entropy

    def _levels_used(self, used: Used, rows: Tensor) -> Tensor | None:
        """Join which levels count, bool [..., level]; None where all do, always."""
        return _join_used(used[len(self.sizes) :], rows)

    def _idle_unused(self, levels: Tensor, counts: Tensor | None) -> Tensor:
        return levels if counts is None else torch.where(counts, levels, self.idle_level)

    def _idle_unused_choices(self, choice: Tensor, used: Used) -> Tensor:
        counts = _join_used(used[: len(self.sizes)], choice)
        return choice if counts is None else torch.where(counts, choice, self.idle_choice)

    def _level_log_prob(self, means: Tensor, levels: Tensor, counts: Tensor | None) -> Tensor:
        far = (levels - means) * (-self.log_std).exp()
        far = _keep_used(far, counts)
        return _keep_used(-0.5 * far * far - self.log_std - HALF_LOG_TAU, counts).sum(-1)

    def scale_levels(self, levels: Tensor) -> Tensor:
        """Put levels into the ranges that the world declares."""
        if not self.num_levels:
            return levels
        scaled = levels * self.level_half + self.level_middle
        return scaled.clamp(self.level_low, self.level_high)


def _keep_used(values: Tensor, used: Tensor | None) -> Tensor:
    """Put 0 where a part does not count."""
    return values if used is None else torch.where(used, values, 0.0)


def _join_used(used: Used, rows: Tensor) -> Tensor | None:
    """Join which parts count in rows, bool [..., part]; None where all do, always."""
    if all(entry is None for entry in used):
        return None
    always = torch.ones_like(rows[..., :1], dtype=torch.bool)
    return torch.cat([always if entry is None else entry for entry in used], -1)


def draw_options(logits: Tensor, uniform: Tensor) -> tuple[Tensor, Tensor]:
    """Draw int64 options by numbers in 0..1; give them and their log-probabilities, `[..., 1]` all.

    Impossible ones, which add nothing to the running sum, are never drawn. Rows are neighbours in
    memory meanwhile: they are many, and options few.
    """
    by_option = logits.movedim(-1, 0).contiguous()
    sums = by_option.softmax(0).cumsum(0)
    threshold = uniform.movedim(-1, 0) * (sums[-1:] * BELOW_ALL)
    pick = (sums <= threshold).sum(0, keepdim=True)
    return pick.movedim(0, -1), by_option.log_softmax(0).gather(0, pick).movedim(0, -1)
