"""Memory: what a network carries from step to step, and forgets where a life begins."""

import torch
from torch import Tensor, nn

GATES = {"gru": 3, "lstm": 4}
FIRST_FORGET = 1.0  # bias of an LSTM's forget gate: it remembers at first


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
            for gate in layer.weight.data.chunk(GATES[kind]):
                nn.init.orthogonal_(gate)
            nn.init.zeros_(layer.bias)
        if not self._gru:
            nn.init.constant_(self.read.bias.data[size : 2 * size], FIRST_FORGET)

    def forward(self, inputs: Tensor, state: Tensor, began: Tensor) -> tuple[Tensor, Tensor]:
        """Read `[step, row, number]` in order; give what comes out, and the last state.

        Args:
            state: `[row, number]`, from before the first step.
            began: bool `[step, row]`: forget before this step.
        """
        gates = self.read(inputs)
        keep = (~began).to(inputs.dtype).unsqueeze(-1)
        outputs = []
        for now, kept in zip(gates.unbind(0), keep.unbind(0), strict=True):
            state = self._advance(now, state * kept)
            outputs.append(state if self._gru else state[..., : self.size])
        return torch.stack(outputs), state

    def _advance(self, gates: Tensor, state: Tensor) -> Tensor:
        size = self.size
        hidden = state if self._gru else state[..., :size]
        recurrent = self.recur(hidden)
        if self._gru:
            pair = (gates[..., : 2 * size] + recurrent[..., : 2 * size]).sigmoid()
            reset, update = pair.chunk(2, -1)
            fresh = torch.addcmul(gates[..., 2 * size :], reset, recurrent[..., 2 * size :]).tanh()
            return torch.lerp(fresh, hidden, update)
        let_in, forget, let_out, fresh = (gates + recurrent).chunk(4, -1)
        cell = forget.sigmoid() * state[..., size:] + let_in.sigmoid() * fresh.tanh()
        return torch.cat((let_out.sigmoid() * cell.tanh(), cell), -1)
