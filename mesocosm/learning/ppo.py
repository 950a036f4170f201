"""Proximal policy optimisation for one role: play, estimate, improve."""

from typing import NamedTuple

import torch
from torch import Tensor

from mesocosm.core.errors import MesocosmError
from mesocosm.core.spec import Role
from mesocosm.learning.experience import Experience, StepTensors, advantages
from mesocosm.learning.networks.network import Network, State
from mesocosm.learning.settings import LearningSettings

VALUE_MEMORY = 0.99  # share of the old scale of values that an update keeps
LEAST_STD = 1e-3


class Batch(NamedTuple):
    """Part of an experience: `[row, ...]`, or `[step, row, ...]` where there is memory."""

    obs: Tensor
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


class Report(NamedTuple):
    """What an update did, as means over its minibatches."""

    policy_loss: float
    value_loss: float
    entropy: float
    kl: float
    clipped: float
    grad_norm: float
    updates: int


class Learner:
    """One role's network and all that improves it."""

    def __init__(
        self,
        role: Role,
        settings: LearningSettings,
        tensors: StepTensors,
        device: str = "cpu",
    ) -> None:
        self.role, self.settings, self.tensors = role, settings, tensors
        self.network = Network(role, settings.network).to(device)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=settings.learning_rate, eps=1e-5, fused=True
        )
        num_envs = tensors.obs.shape[0]
        self.experience = Experience(role, settings.horizon, num_envs, device)
        self.state = self.network.begin(self.experience.rows, device)
        self._first_state = self.state
        self.generation = tensors.generation.clone()
        shape = (settings.horizon, self.experience.rows, self.network.head.size)
        self._noise = torch.empty(shape, device=device)
        self._values = torch.empty(settings.horizon + 1, shape[1], device=device)  # scaled
        self.moments = torch.zeros(3, dtype=torch.float64, device=device)

    def begin(self) -> None:
        """Take note of a reset of every env."""
        experience = self.experience
        experience.began[-1] = True
        experience.valid[-1] = True
        experience.acts[-1] = self.tensors.acting
        experience.obs[-1] = self.tensors.obs

    def start_rollout(self, generator: torch.Generator) -> None:
        """Carry over what the last step gave, and draw the noise of all actions to come."""
        experience = self.experience
        for array in (experience.obs, experience.began, experience.valid, experience.acts):
            array[0] = array[-1]
        options = self.network.head.num_options
        self._noise[..., :options].exponential_(generator=generator)
        self._noise[..., options:].normal_(generator=generator)
        self._first_state = self.state

    @torch.no_grad()
    def act(self, t: int) -> tuple[Tensor, Tensor]:
        """Choose this step's actions: choices, and levels as the env takes them."""
        experience, network = self.experience, self.network
        experience.mask[t] = self.tensors.mask
        numbers, actor = network.act(
            experience.flat("obs")[t : t + 1], self.state.actor, experience.flat("began")[t : t + 1]
        )
        mask = experience.flat("mask")[t]
        choice, levels, log_prob = network.head.sample(numbers[0], mask, self._noise[t])
        lead = experience.choice.shape[1:3]
        experience.choice[t] = choice.view(*lead, -1)
        experience.levels[t] = levels.view(*lead, -1)
        experience.log_prob[t] = log_prob.view(lead)
        self.state = self.state._replace(actor=actor)
        if network.has_memory:
            self._remember(t)
        return experience.choice[t], network.head.scale_levels(experience.levels[t])

    def _remember(self, t: int) -> None:
        """Let the critic see this step too: what it expects depends on what it has seen."""
        obs, began = (self.experience.flat(name)[t : t + 1] for name in ("obs", "began"))
        values, critic = self.network.value(obs, self.state.critic, began)
        self._values[t] = values[0]
        self.state = self.state._replace(critic=critic)

    @torch.no_grad()
    def observe(self, t: int) -> None:
        """Take note of what this step's actions led to."""
        experience, now = self.experience, self.tensors
        gone = now.terminated | now.truncated
        experience.reward[t] = now.reward
        experience.ended[t] = now.ended
        experience.outcome[t] = now.outcome
        experience.boundary[t] = now.ended | now.episode_over
        born = now.generation > self.generation
        self.generation.copy_(now.generation)
        torch.logical_or(born, now.episode_over, out=experience.began[t + 1])
        torch.logical_or(~gone, experience.began[t + 1], out=experience.valid[t + 1])
        torch.logical_and(now.acting, experience.valid[t + 1], out=experience.acts[t + 1])
        experience.obs[t + 1] = now.obs
        self._bootstrap(t)

    def _bootstrap(self, t: int) -> None:
        """Ask the critic what would have followed where an end was imposed from outside."""
        now, experience = self.tensors, self.experience
        cut = now.ended & now.truncated & ~now.terminated
        experience.bootstrap[t] = 0.0
        if bool(cut.any()):
            rows = cut.flatten().nonzero()[:, 0]
            last = now.final_obs.flatten(0, 1)[rows].unsqueeze(0)
            began = torch.zeros(1, len(rows), dtype=torch.bool, device=last.device)
            values, _ = self.network.value(last, self.state.critic[rows], began)
            experience.bootstrap[t].view(-1)[rows] = self.network.unscale(values[0])

    def update(self, progress: float, generator: torch.Generator) -> Report:
        """Improve the network by what was played since the last update.

        Args:
            progress: The share of training that is done, for schedules.
        """
        settings = self.settings
        rate = _schedule(settings.learning_rate, settings.final_learning_rate, progress)
        bonus = _schedule(settings.entropy, settings.final_entropy, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        advantage, target = self._estimate()
        sums, updates = torch.zeros(6), 0
        for _ in range(settings.epochs):
            kl = torch.zeros(())
            for batch in self._batches(advantage, target, generator):
                measured = self._improve(batch, bonus)
                sums, updates = sums + measured, updates + 1
                kl = torch.maximum(kl, measured[3])
            if float(kl) > settings.stop_kl:
                break
        if not bool(sums.isfinite().all()):
            raise MesocosmError(f"role {self.role.name!r}: the loss is no longer a finite number")
        return Report(*(sums / max(updates, 1)).tolist(), updates=updates)

    @torch.no_grad()
    def _estimate(self) -> tuple[Tensor, Tensor]:
        """Give advantages, and scaled targets of the critic, `[step, row]`."""
        experience, network, settings = self.experience, self.network, self.settings
        first = experience.horizon if network.has_memory else 0  # of what is not yet known
        obs, began = (experience.flat(name)[first:] for name in ("obs", "began"))
        self._values[first:], _ = network.value(obs, self.state.critic, began)
        values = network.unscale(self._values)
        advantage = advantages(experience, values, settings.gamma, settings.gae_lambda)
        returns = advantage + values[:-1]
        self._rescale(returns, experience.flat("valid")[:-1])
        target = (returns - network.value_mean) / network.value_std
        return advantage, target

    def _rescale(self, returns: Tensor, valid: Tensor) -> None:
        """Follow the mean and the spread of returns."""
        weight = valid.double()
        count = weight.sum().clamp_min(1.0)
        large = returns.double() * weight
        now = torch.stack((torch.ones_like(count), large.sum() / count, large.square().sum() / count))
        self.moments.mul_(VALUE_MEMORY).add_(now, alpha=1.0 - VALUE_MEMORY)
        share, mean, square = self.moments
        mean, square = mean / share, square / share
        std = (square - mean * mean).clamp_min(LEAST_STD**2).sqrt()
        self.network.rescale(mean.float(), std.float())

    def _batches(self, advantage: Tensor, target: Tensor, generator: torch.Generator) -> list[Batch]:
        """Cut the experience into minibatches: of single steps, or of whole rows with memory."""
        experience = self.experience
        names = ("obs", "mask", "choice", "levels", "log_prob", "valid", "acts", "began")
        arrays = {name: experience.flat(name)[: experience.horizon] for name in names}
        arrays |= {"advantage": advantage, "target": target}
        if not self.network.has_memory:
            arrays = {name: array.flatten(0, 1) for name, array in arrays.items()}
        axis = 1 if self.network.has_memory else 0
        count, device = arrays["target"].shape[axis], target.device
        order = torch.randperm(count, generator=generator, device=device)
        made = []
        for part in order.chunk(self.settings.minibatches):
            picked = {name: array.index_select(axis, part) for name, array in arrays.items()}
            state = State(self._first_state.actor[part % experience.rows], self._first_state.critic[part % experience.rows])
            made.append(Batch(**picked, state=state))
        return made

    def _improve(self, batch: Batch, bonus: float) -> Tensor:
        """Take one step of Adam; give losses, entropy, KL, share clipped and gradient norm."""
        network, settings = self.network, self.settings
        numbers, _ = network.act(batch.obs, batch.state.actor, batch.began)
        log_prob, entropy = network.head.evaluate(numbers, batch.mask, batch.choice, batch.levels)
        values, _ = network.value(batch.obs, batch.state.critic, batch.began)
        acts, valid = batch.acts.float(), batch.valid.float()
        num_acts = acts.sum().clamp_min(1.0)
        mean = (batch.advantage * acts).sum() / num_acts
        std = (((batch.advantage - mean) * acts).square().sum() / num_acts).sqrt()
        advantage = (batch.advantage - mean) / (std + 1e-8) * acts
        difference = log_prob - batch.log_prob
        ratio = difference.exp()
        bounded = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
        policy_loss = -torch.minimum(advantage * ratio, advantage * bounded).sum() / num_acts
        value_loss = ((values - batch.target).square() * valid).sum() / valid.sum().clamp_min(1.0) / 2
        mean_entropy = (entropy * acts).sum() / num_acts
        loss = policy_loss + settings.value_weight * value_loss - bonus * mean_entropy
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(network.parameters(), settings.max_grad_norm)
        self.optimizer.step()
        with torch.no_grad():
            kl = ((ratio - 1.0 - difference) * acts).sum() / num_acts
            clipped = ((ratio != bounded) * acts).sum() / num_acts
            return torch.stack((policy_loss, value_loss, mean_entropy, kl, clipped, norm)).cpu()


def _schedule(first: float, last: float, progress: float) -> float:
    return first + (last - first) * min(max(progress, 0.0), 1.0)
