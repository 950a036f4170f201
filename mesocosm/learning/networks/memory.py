"""Memory: what a network carries from step to step, and forgets where a life begins."""

import torch
from torch import Tensor, nn

GATES = {"gru": 3, "lstm": 4}


class Memory(nn.Module):
    """A GRU or LSTM cell, stepped by hand, so that it can forget in the middle of a sequence.

    Its state is one row of numbers: what it gives out, and for an LSTM its cell beside that.
    """

    def __init__(self, kind: str, inputs: int, size: int) -> None:
        super().__init__()
        self._gru, self.size = kind == "gru", size
        self.state_size = size if self._gru else 2 * size
        self.read = nn.Linear(inputs, GATES[kind] * size)
        self.recur = nn.Linear(size, GATES[kind] * size)
        for layer in (self.read, self.recur):
            nn.init.orthogonal_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, inputs: Tensor, state: Tensor, began: Tensor) -> tuple[Tensor, Tensor]:
        """Read `[step, row, number]` in order; give what comes out, and the last state.

        Args:
            state: `[row, number]`, from before the first step.
            began: bool `[step, row]`: forget before this step.
        """
        gates = self.read(inputs)
        keep = (~began).unsqueeze(-1)
        outputs = []
        for step in range(inputs.shape[0]):
            state = self._advance(gates[step], state * keep[step])
            outputs.append(state[..., : self.size])
        return torch.stack(outputs), state

    def _advance(self, gates: Tensor, state: Tensor) -> Tensor:
        hidden = state[..., : self.size]
        recurrent = self.recur(hidden)
        if self._gru:
            reset, update = (gates + recurrent)[..., : 2 * self.size].sigmoid().chunk(2, -1)
            fresh = (gates + reset.repeat(1, 3) * recurrent)[..., 2 * self.size :].tanh()
            return torch.lerp(fresh, hidden, update)
        let_in, forget, let_out, fresh = (gates + recurrent).chunk(4, -1)
        cell = forget.sigmoid() * state[..., self.size :] + let_in.sigmoid() * fresh.tanh()
        return torch.cat((let_out.sigmoid() * cell.tanh(), cell), -1)
