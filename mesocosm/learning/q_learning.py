"""Q-learning, the baseline: a network that says what each option is worth, played greedily.

What an option is worth is what the critic expects, plus the actor's number for this option, less
the mean of these numbers over the options that are allowed. Targets are lambda-returns over what
was just played, with the best allowed option's worth beyond each step. The network that plays and
gives targets follows the one that learns slowly, or else what is best would change everywhere at
once. Nothing older is replayed: many envs side by side give enough variety.
"""

from copy import deepcopy

import torch
from torch import Tensor, nn

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Role
from mesocosm.learning.collector import Collector
from mesocosm.learning.distribution import draw_options
from mesocosm.learning.experience import StepTensors
from mesocosm.learning.networks.network import Network, State, shift_scale
from mesocosm.learning.ppo import NUM_MEASURED, Batch, Learner, Scale, between
from mesocosm.learning.ranks import Ranks
from mesocosm.learning.settings import PREFIX, LearningSettings
from mesocosm.learning.truth import TruthReader

FOLLOW = 0.02  # share of the way to the learning network that the other goes per minibatch


class QLearner(Learner):
    """One role's network, which learns what options are worth; for actions of a single choice."""

    def __init__(
        self,
        role: Role,
        settings: LearningSettings,
        tensors: StepTensors,
        device: str = "cpu",
        truth: TruthReader | None = None,
        ranks: Ranks | None = None,
    ) -> None:
        check_role(role, settings)
        super().__init__(role, settings, tensors, device, truth, ranks)
        self.student = deepcopy(self.network)
        self.optimizer = self.make_optimizer(self.student)
        self.no_memory = torch.zeros(0, device=device), torch.zeros(0, device=device)
        self.epsilon = torch.ones((), device=device)
        self._all_coins = torch.empty((settings.horizon, self._all_rows), device=device)
        self.coins = self._all_coins[:, self.own_rows]

    @property
    def learning(self) -> Network:
        return self.student

    @property
    def modules(self) -> dict[str, nn.Module]:
        return super().modules | {"student": self.student}

    def draw_noise(self, generator: torch.Generator) -> None:
        super().draw_noise(generator)
        self._all_coins.uniform_(generator=generator)

    def schedule(self, progress: float) -> None:
        super().schedule(progress)
        explore = self.settings.exploration
        done = progress / explore.share if explore.share else 1.0
        self.epsilon.fill_(between(explore.first, explore.last, done))

    def _worth(self, network: Network, obs: Tensor, *, mask: Tensor, truth: Tensor) -> Tensor:
        """Give scaled worths `[..., option]`; of options that are not allowed, very low ones."""
        state, began = self.no_memory
        numbers, value = network(obs, State(state, state), began, truth)
        allowed = network.head.allowed(mask).float()
        mean = (numbers * allowed).sum(-1, keepdim=True) / allowed.sum(-1, keepdim=True).clamp_min(
            1
        )
        (worth,) = network.head.logits(value.unsqueeze(-1) + numbers - mean, mask)
        return worth

    def expect(self, obs: Tensor, state: Tensor, *, truth: Tensor, mask: Tensor) -> Tensor:
        worth = self._worth(self.network, obs, mask=mask, truth=truth)
        return self.network.unscale(worth.amax(-1))

    def _complete_values(self) -> None:
        experience = self.experience
        for t in range(experience.horizon + 1):
            obs, truth = (experience.flat(name)[t] for name in ("obs", "truth"))
            last = t == experience.horizon
            mask = self.tensors.mask.flatten(0, 1) if last else experience.flat("mask")[t]
            self.values[t] = self._worth(self.network, obs, mask=mask, truth=truth).amax(-1)

    def _change_scale(self, mean: Tensor, std: Tensor) -> None:
        none = torch.zeros_like(mean)
        for network in (self.network, self.student):
            shift_scale(network.actor.last, (none, network.value_std), (none, std))
            network.rescale(mean, std)

    def _improve(self, batch: Batch, scale: Scale) -> Tensor:
        made = super()._improve(batch, scale)
        with torch.no_grad():
            pairs = zip(self.network.parameters(), self.student.parameters(), strict=True)
            for slow, fast in pairs:
                slow.lerp_(fast, FOLLOW)
        return made

    def _loss(self, batch: Batch, scale: Scale) -> tuple[Tensor, Tensor]:
        worth = self._worth(self.student, batch.obs, mask=batch.mask, truth=batch.truth)
        chosen = worth.gather(-1, batch.choice.long())[..., 0]
        wrong = (chosen - batch.target).square() * batch.acts.float()
        loss = 0.5 * wrong.sum() / scale.num_acts
        measured = torch.zeros(NUM_MEASURED - 2, device=loss.device)
        measured[1] = loss.detach()
        return loss, measured


class QCollector(Collector):
    """Plays the best allowed option, or now and then any allowed one."""

    learner: QLearner

    @torch.no_grad()
    def act(self, t: int) -> tuple[Tensor, Tensor]:
        entries, learner = self.entries[t], self.learner
        head = learner.network.head
        entries.mask.copy_(self.mask)
        numbers, _ = learner.network.act(entries.obs[0], *learner.no_memory)
        (worth,) = head.logits(numbers, entries.mask)
        (equal,) = head.logits(torch.zeros_like(worth), entries.mask)
        any_allowed, _ = draw_options(equal, entries.noise)
        explores = (learner.coins[t] < learner.epsilon).unsqueeze(-1)
        entries.choice.copy_(torch.where(explores, any_allowed, worth.argmax(-1, keepdim=True)))
        return entries.choice, entries.levels


def check_role(role: Role, settings: LearningSettings) -> None:
    """Reject what worths of options cannot express."""
    parts = [str(row["part"]) for row in role.action.rows()]
    if len(parts) != 1 or role.action.levels:
        raise ConfigError(
            f"{PREFIX}algorithm: 'q' needs an action of one choice; role {role.name!r} has "
            f"{', '.join(parts)}. Use 'ppo'"
        )
    if settings.network.memory != "none":
        raise ConfigError(
            f"{PREFIX}network.memory: 'q' needs 'none', got {settings.network.memory!r}. Use 'ppo'"
        )
