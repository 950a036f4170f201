"""Proximal policy optimisation for one role: play, estimate, improve."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.core.spec import Role
from mesocosm.learning.experience import Experience, StepTensors, advantages
from mesocosm.learning.networks.network import Network, State
from mesocosm.learning.ranks import Ranks
from mesocosm.learning.settings import LearningSettings
from mesocosm.learning.truth import TruthReader

VALUE_MEMORY = 0.99  # share of the old scale of values that an update keeps
LEAST_STD = 1e-3
MAX_LOG_RATIO = 20.0  # of probabilities: actions of hundreds of parts would overflow
CRITIC_READS = ("obs", "began", "truth")
PICKED = ("obs", "truth", "mask", "choice", "levels", "log_prob", "valid", "acts", "began")
PIECE_ROWS = 8192  # that stay in the cache while they go through a network
NUM_MEASURED = 7  # numbers that a minibatch gives
NUM_PARTIAL = 5  # the first of them, of which every rank has a part


class Batch(NamedTuple):
    """Part of an experience: `[row, ...]`, or `[step, row, ...]` where there is memory."""

    obs: Tensor
    truth: Tensor
    mask: Tensor
    choice: Tensor
    levels: Tensor
    log_prob: Tensor
    advantage: Tensor
    target: Tensor  # scaled
    valid: Tensor
    acts: Tensor
    began: Tensor
    state: State


class Scale(NamedTuple):
    """What a whole minibatch has in common, however its rows are shared out."""

    num_acts: Tensor
    num_valid: Tensor
    mean: Tensor  # of the advantages of decisions
    deviation: Tensor


class Report(NamedTuple):
    """What an update did, as means over its minibatches."""

    policy_loss: float
    value_loss: float
    entropy: float
    kl: float
    clipped: float
    grad_norm: float
    updates: int


class Substitutes(Protocol):
    """Others who act for some rows of a role, which are then left out of learning."""

    def act(self, t: int, noise: Tensor) -> None:
        """Put their actions over those that were chosen for their rows."""

    def observe(self, t: int) -> None:
        """Take note of what a step's actions led to."""


def is_alike(one: Role, other: Role) -> bool:
    """Whether what one role has learnt means the same in another: both see and do the same."""
    same = one.observation.names() == other.observation.names()
    return same and one.action.rows() == other.action.rows()


class Learner:
    """One role's network and all that improves it.

    Every tensor that outlives a call is made once and written in place, and nothing between
    `play` and the end of an epoch asks the device for an answer, so a GPU can replay it all.
    """

    def __init__(
        self,
        role: Role,
        settings: LearningSettings,
        tensors: StepTensors,
        device: str = "cpu",
        truth: TruthReader | None = None,
        ranks: Ranks | None = None,
    ) -> None:
        self.ranks = ranks or Ranks(tensors.obs.shape[0])
        self.role, self.settings, self.tensors, self.truth = role, settings, tensors, truth
        truth_size = 0 if truth is None else truth.size
        self.network = Network(role, settings.network, truth_size).to(device)
        self._rate = torch.tensor(settings.learning_rate, device=device)
        self._bonus = torch.tensor(settings.entropy, device=device)
        self.optimizer = self.make_optimizer(self.network)
        horizon, num_envs = settings.horizon, tensors.obs.shape[0]
        self.experience = Experience(role, horizon, num_envs, device, truth_size)
        rows = self.experience.rows
        self.state = self.network.begin(rows, device)  # before the next step
        self.first_state = self.network.begin(rows, device)  # before the rollout
        self.generation = tensors.generation.clone()
        self.moments = torch.zeros(3, dtype=torch.float64, device=device)
        agents = role.num_agents
        self.own_rows = slice(self.ranks.envs.start * agents, self.ranks.envs.stop * agents)
        self._all_rows = self.ranks.num_envs * agents  # of all ranks
        size = self.network.head.noise_size
        self._all_noise = torch.empty((horizon, self._all_rows, size), device=device)
        self.noise = self._all_noise[:, self.own_rows]
        self.values = torch.empty(horizon + 1, rows, device=device)  # scaled
        self._advantage = torch.empty(horizon, rows, device=device)
        self._target = torch.empty(horizon, rows, device=device)  # scaled
        count = self._all_rows if self.network.has_memory else horizon * self._all_rows
        self._order = torch.arange(count, device=device)
        self._sums = torch.zeros(NUM_MEASURED, device=device)
        self.past: Substitutes | None = None

    def make_optimizer(self, module: nn.Module) -> torch.optim.Optimizer:
        """Make what improves a network, at the rate that `schedule` sets."""
        return torch.optim.Adam(
            module.parameters(),
            lr=self._rate,
            eps=1e-5,
            fused=True,
            capturable=self._rate.is_cuda,
        )

    @property
    def modules(self) -> dict[str, nn.Module]:
        """What a checkpoint keeps the weights of; the first is what plays."""
        return {"network": self.network}

    def begin(self) -> None:
        """Take note of a reset of every env."""
        experience = self.experience
        experience.began[-1] = True
        experience.valid[-1] = True
        experience.acts[-1] = self.tensors.acting
        experience.obs[-1] = self.tensors.obs
        if self.truth is not None:
            experience.truth[-1] = self.truth.read()

    def adopt(self, other: "Learner") -> None:
        """Go on with what another learner of such a role has learnt."""
        if not is_alike(self.role, other.role):
            raise ConfigError(f"curriculum: role {self.role.name!r} must see and do the same")
        self.network.load_state_dict(other.network.state_dict())
        pairs = zip(self.network.parameters(), other.network.parameters(), strict=True)
        for own, source in pairs:
            known = other.optimizer.state[source].items()
            self.optimizer.state[own] = {key: value.clone() for key, value in known}
        self.moments.copy_(other.moments)

    def draw_noise(self, generator: torch.Generator) -> None:
        """Draw the noise of all actions of a rollout: that of other ranks too, to be the same."""
        self.network.head.draw_noise(self._all_noise, generator)

    def expect(self, obs: Tensor, state: Tensor, *, truth: Tensor, mask: Tensor) -> Tensor:
        """Give the returns that are expected after an observation."""
        began = torch.zeros(1, obs.shape[0], dtype=torch.bool, device=obs.device)
        values, _ = self.network.value(obs.unsqueeze(0), state, began, truth.unsqueeze(0))
        return self.network.unscale(values[0])

    def schedule(self, progress: float) -> None:
        """Set what changes over a training, of which a share is done."""
        settings = self.settings
        self._rate.fill_(between(settings.learning_rate, settings.final_learning_rate, progress))
        self._bonus.fill_(between(settings.entropy, settings.final_entropy, progress))

    @torch.no_grad()
    def estimate(self) -> None:
        """Work out advantages and the critic's targets from what was played."""
        experience, network, settings = self.experience, self.network, self.settings
        self._complete_values()
        values = network.unscale(self.values)
        gamma, decay = settings.gamma, settings.gae_lambda
        self._advantage.copy_(advantages(experience, values, gamma, decay))
        returns = self._advantage + values[:-1]
        self._rescale(returns, experience.flat("valid")[:-1])
        self._target.copy_((returns - network.value_mean) / network.value_std)

    def _complete_values(self) -> None:
        """Ask the critic about all steps, a few at a time; with memory, about the last alone."""
        experience, network = self.experience, self.network
        first = experience.horizon if network.has_memory else 0
        stride = max(1, PIECE_ROWS // experience.rows)
        for start in range(first, experience.horizon + 1, stride):
            part = slice(start, start + stride)
            obs, began, truth = (experience.flat(name)[part] for name in CRITIC_READS)
            self.values[part], _ = network.value(obs, self.state.critic, began, truth)

    def _rescale(self, returns: Tensor, valid: Tensor) -> None:
        """Follow the mean and the spread of returns."""
        weight = valid.double()
        sums = torch.stack((weight.sum(), (returns * weight).sum(), (returns**2 * weight).sum()))
        sums = self.ranks.sum(sums)
        count = sums[0].clamp_min(1.0)
        self.moments.mul_(VALUE_MEMORY).add_(sums / count, alpha=1.0 - VALUE_MEMORY)
        share, mean, square = self.moments
        mean, square = mean / share, square / share
        std = (square - mean * mean).clamp_min(LEAST_STD**2).sqrt()
        self._change_scale(mean.float(), std.float())

    def _change_scale(self, mean: Tensor, std: Tensor) -> None:
        self.network.rescale(mean, std)

    def shuffle(self, generator: torch.Generator) -> None:
        """Choose the order in which an epoch goes through what was played."""
        count, device = self._order.shape[0], self._order.device
        self._order.copy_(torch.randperm(count, generator=generator, device=device))

    def epoch(self) -> None:
        """Improve the network by each minibatch once; `_sums` has the sums of what they were."""
        experience = self.experience
        arrays = {name: experience.flat(name)[: experience.horizon] for name in PICKED}
        arrays |= {"advantage": self._advantage, "target": self._target}
        if not self.network.has_memory:
            arrays = {name: array.flatten(0, 1) for name, array in arrays.items()}
        parts = [self._find_own(part) for part in self._order.chunk(self.settings.minibatches)]
        for part, scale in zip(parts, self._find_scales(arrays, parts), strict=True):
            self._sums.add_(self._improve(self._pick(arrays, part), scale))

    def _find_own(self, rows: Tensor) -> Tensor:
        """Give those of a minibatch's rows that this rank played, by its own count."""
        if self.ranks.size == 1:
            return rows
        first, last = self.own_rows.start, self.own_rows.stop
        step, row = rows // self._all_rows, rows % self._all_rows
        own = (row >= first) & (row < last)
        return step[own] * (last - first) + row[own] - first

    def _pick(self, arrays: dict[str, Tensor], rows: Tensor) -> Batch:
        axis, state = 0, self.first_state
        if self.network.has_memory:
            axis = 1
            state = State(*(part.index_select(0, rows) for part in state))
        picked = {name: array.index_select(axis, rows) for name, array in arrays.items()}
        return Batch(**picked, state=state)

    def _find_scales(self, arrays: dict[str, Tensor], parts: Sequence[Tensor]) -> list[Scale]:
        """Count decisions and steps of minibatches, over all ranks; see how advantages spread."""
        axis = 1 if self.network.has_memory else 0
        rows = [
            tuple(arrays[x].index_select(axis, part) for x in ("advantage", "acts", "valid"))
            for part in parts
        ]
        sums = self.ranks.sum(
            torch.stack(
                [
                    torch.stack((acts.float().sum(), valid.float().sum(), (advantage * acts).sum()))
                    for advantage, acts, valid in rows
                ]
            )
        )
        num_acts, num_valid = sums[:, 0].clamp_min(1.0), sums[:, 1].clamp_min(1.0)
        means = sums[:, 2] / num_acts
        pairs = zip(rows, means, strict=True)
        far = [((x - mean) * acts).square().sum() for (x, acts, _), mean in pairs]
        deviations = (self.ranks.sum(torch.stack(far)) / num_acts).sqrt() + 1e-8
        columns = (num_acts, num_valid, means, deviations)
        return [Scale(*row) for row in zip(*columns, strict=True)]

    def _improve(self, batch: Batch, scale: Scale) -> Tensor:
        """Take one step of Adam by a minibatch; give what `Report` has, and a one."""
        parameters = list(self.learning.parameters())
        loss, measured = self._loss(batch, scale)
        grads = torch.autograd.grad(loss, parameters, allow_unused=True)
        for parameter, grad in zip(parameters, self._sum_over_ranks(grads), strict=True):
            parameter.grad = grad
        norm = torch.nn.utils.clip_grad_norm_(parameters, self.settings.max_grad_norm)
        self.optimizer.step()
        return torch.cat((measured, torch.stack((norm, torch.ones_like(norm)))))

    def _sum_over_ranks(self, grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        known = [grad.contiguous() for grad in grads if grad is not None]
        if self.ranks.size > 1:
            flat = self.ranks.sum(torch.cat([grad.view(-1) for grad in known]))
            pieces = torch.split(flat, [grad.numel() for grad in known])
            known = [piece.view_as(grad) for piece, grad in zip(pieces, known, strict=True)]
        made = iter(known)
        return [None if grad is None else next(made) for grad in grads]

    @property
    def learning(self) -> Network:
        """The network that gradients change."""
        return self.network

    def _loss(self, batch: Batch, scale: Scale) -> tuple[Tensor, Tensor]:
        """Give the part of the loss that some rows make, and what `Report` says of them."""
        network, settings = self.network, self.settings
        numbers, values = network(batch.obs, batch.state, batch.began, batch.truth)
        log_prob, entropy = network.head.evaluate(numbers, batch.mask, batch.choice, batch.levels)
        acts, valid = batch.acts.float(), batch.valid.float()
        advantage = (batch.advantage - scale.mean) * acts / scale.deviation
        difference = (log_prob - batch.log_prob).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
        ratio = difference.exp()
        bounded = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
        gained = torch.minimum(advantage * ratio, advantage * bounded)
        policy_loss = -gained.sum() / scale.num_acts
        wrong = (values - batch.target).square() * valid
        value_loss = 0.5 * wrong.sum() / scale.num_valid
        mean_entropy = (entropy * acts).sum() / scale.num_acts
        loss = policy_loss + settings.value_weight * value_loss - self._bonus * mean_entropy
        with torch.no_grad():
            kl = ((ratio - 1.0 - difference) * acts).sum() / scale.num_acts
            clipped = ((ratio != bounded) * acts).sum() / scale.num_acts
            return loss, torch.stack((policy_loss, value_loss, mean_entropy, kl, clipped))

    def take_report(self) -> Report:
        """Give the means over the minibatches since the last report."""
        self._sums[NUM_PARTIAL:] /= self.ranks.size  # the same everywhere
        *sums, count = self.ranks.sum(self._sums).tolist()
        self._sums.zero_()
        means = [entry / max(count, 1.0) for entry in sums]
        if not all(map(math.isfinite, means)):
            raise MesocosmError(f"role {self.role.name!r}: the loss is no longer a finite number")
        return Report._make([*means, int(count)])


def between(first: float, last: float, progress: float) -> float:
    """Go from one value to another over a share of the way."""
    return first + (last - first) * min(max(progress, 0.0), 1.0)
