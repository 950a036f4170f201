"""One role's network: an actor and a critic, made from the spec."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from mesocosm.core.spec import Role
from mesocosm.learning.distribution import ActionHead
from mesocosm.learning.networks.encoder import make_encoder
from mesocosm.learning.networks.layers import Mlp, linear
from mesocosm.learning.networks.memory import Memory
from mesocosm.learning.settings import NetworkSettings


class Tower(nn.Module):
    """Layers, perhaps memory, and a last linear layer."""

    def __init__(self, inputs: int, outputs: int, settings: NetworkSettings, gain: float) -> None:
        super().__init__()
        self.body = Mlp(inputs, settings.hidden, settings.activation)
        size = self.body.size
        self.memory = (
            None
            if settings.memory == "none"
            else Memory(settings.memory, size, settings.memory_size)
        )
        self.state_size = 0 if self.memory is None else self.memory.state_size
        self.last = linear(size if self.memory is None else self.memory.size, outputs, gain)

    def forward(self, inputs: Tensor, state: Tensor, began: Tensor) -> tuple[Tensor, Tensor]:
        """Read `[step, row, number]`; give what comes out, and the memory's last state."""
        hidden = self.body(inputs)
        if self.memory is not None:
            hidden, state = self.memory(hidden, state, began)
        return self.last(hidden), state


class State(NamedTuple):
    """What a network remembers: `[row, number]` of its actor and of its critic."""

    actor: Tensor
    critic: Tensor


class Network(nn.Module):
    """Maps what one role's agents see to distributions of actions, and to values.

    The critic may also read the truth, of `truth_size` numbers, which the actor never gets.
    """

    value_mean: Tensor
    value_std: Tensor

    def __init__(self, role: Role, settings: NetworkSettings, truth_size: int = 0) -> None:
        super().__init__()
        self.settings = settings
        self.head = ActionHead(role.action, settings.autoregressive)
        self.encoder = make_encoder(role.observation, settings)
        self.critic_encoder = (
            self.encoder if settings.shared else make_encoder(role.observation, settings)
        )
        size = self.encoder.size
        self.actor = Tower(size, self.head.size, settings, gain=0.01)
        self.critic = Tower(size + truth_size, 1, settings, gain=1.0)
        self.register_buffer("value_mean", torch.zeros(()))
        self.register_buffer("value_std", torch.ones(()))

    @property
    def has_memory(self) -> bool:
        return self.actor.state_size > 0

    def begin(self, rows: int, device: torch.device | str = "cpu") -> State:
        """Give the state of those who remember nothing."""
        return State(
            torch.zeros(rows, self.actor.state_size, device=device),
            torch.zeros(rows, self.critic.state_size, device=device),
        )

    def act(self, obs: Tensor, state: Tensor, began: Tensor) -> tuple[Tensor, Tensor]:
        """Read `[step, row, ...]`; give the numbers that the head reads, and the last state."""
        return self.actor(self.encoder(obs), state, began)

    def value(
        self, obs: Tensor, state: Tensor, began: Tensor, truth: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Read `[step, row, ...]`; give scaled values, and the last state."""
        return self._criticise(self.critic_encoder(obs), state, began, truth)

    def _criticise(
        self, inputs: Tensor, state: Tensor, began: Tensor, truth: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        if truth is not None and truth.shape[-1]:
            inputs = torch.cat((inputs, truth), -1)
        values, state = self.critic(inputs, state, began)
        return values[..., 0], state

    def forward(
        self, obs: Tensor, state: State, began: Tensor, truth: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Read `[step, row, ...]` for learning; give what `act` and `value` give, but no states."""
        seen = self.encoder(obs)
        mine = seen if self.settings.shared else self.critic_encoder(obs)
        numbers, _ = self.actor(seen, state.actor, began)
        values, _ = self._criticise(mine, state.critic, began, truth)
        return numbers, values

    def unscale(self, values: Tensor) -> Tensor:
        """Turn scaled values into returns."""
        return values * self.value_std + self.value_mean

    @torch.no_grad()
    def rescale(self, mean: Tensor, std: Tensor) -> None:
        """Change the scale of values; the returns that it predicts stay the same."""
        shift_scale(self.critic.last, (self.value_mean, self.value_std), (mean, std))
        self.value_mean.copy_(mean)
        self.value_std.copy_(std)


@torch.no_grad()
def shift_scale(layer: nn.Linear, old: tuple[Tensor, Tensor], new: tuple[Tensor, Tensor]) -> None:
    """Let a layer say the same on another scale of (mean, deviation)."""
    layer.weight.mul_(old[1] / new[1])
    layer.bias.mul_(old[1]).add_(old[0] - new[0]).div_(new[1])
