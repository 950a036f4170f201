"""Token observations: an embedding for each feature, by its name, and for each place."""

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from mesocosm.core.observation import Token, Tokens
from mesocosm.learning.networks.layers import ACTIVATIONS
from mesocosm.learning.settings import NetworkSettings

NUM_BYTES = 256
USUAL_TOKENS = 32  # in use; their sum has a spread of about one at first


class TokenEncoder(nn.Module):
    """Adds up what each token says: (what, place) picks a vector, and an amount its length.

    What a token says is a name: that of its feature, or FEATURE=LABEL where its values are names
    and no amounts. Weights belong to `names`, in alphabetical order, and to `places`: an env that
    gives other ids to the same features needs the same weights. Ids without a name say nothing.

    The vector of a pair is the product of one for the name and one for the place. All pairs are
    multiplied out first, which is little work beside looking them up for each token.
    """

    pair_of: Tensor
    length_of: Tensor

    def __init__(self, tokens: Tokens, settings: NetworkSettings) -> None:
        super().__init__()
        self._empty = tokens.empty
        self.names = sorted({name for kind in tokens.kinds for name in token_names(kind)})
        self.places = [_place(tokens, byte) for byte in range(NUM_BYTES)]
        pair_of, length_of = _read_bytes(tokens, self.names)
        self.register_buffer("pair_of", torch.from_numpy(pair_of), persistent=False)
        self.register_buffer("length_of", torch.from_numpy(length_of), persistent=False)
        self.size = settings.embedding
        spread = 1.0 / math.sqrt(USUAL_TOKENS)
        self.what = nn.Parameter(spread * torch.randn(len(self.names), self.size))
        self.where = nn.Parameter(0.5 + torch.randn(NUM_BYTES, self.size))
        self.bias = nn.Parameter(torch.zeros(self.size))
        self.activation = ACTIVATIONS[settings.activation]()

    def forward(self, obs: Tensor) -> Tensor:
        """Read bytes `[..., token, 3]`; give `[..., number]`."""
        rows = self._cut(obs.flatten(0, -3)).int()
        told = rows[..., 1] * NUM_BYTES + rows[..., 2]
        if torch.compiler.is_compiling():  # other runtimes take no shorter indexes
            told = told.long()
        pair = self.pair_of[told] + rows[..., 0]
        length = self.length_of[told] * (rows[..., 0] != self._empty)
        table = (self.what.unsqueeze(1) * self.where).flatten(0, 1)
        if torch.compiler.is_compiling():  # what other runtimes know too
            total = (table[pair.long()] * length.unsqueeze(-1)).sum(-2)
        else:
            total = embedding_bag(pair, table, mode="sum", per_sample_weights=length)
        made: Tensor = self.activation(total + self.bias)
        return made.view(*obs.shape[:-2], self.size)

    def _cut(self, rows: Tensor) -> Tensor:
        """Leave out the columns in which no row has a token, where looking at them is cheap."""
        if rows.device.type != "cpu" or torch.compiler.is_compiling():
            return rows
        used = (rows[..., 0] != self._empty).any(0)
        return rows[:, : max(1, int(used.sum()))]


def token_names(kind: Token) -> list[str]:
    """Name all that tokens of one feature can say."""
    return [kind.name, *(f"{kind.name}={label}" for label in kind.labels)]


def _place(tokens: Tokens, byte: int) -> str:
    if byte == tokens.anywhere:
        return "anywhere"
    return tokens.places[byte] if byte < len(tokens.places) else f"byte {byte}"


def _read_bytes(tokens: Tokens, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Tabulate for each (feature id, value) where its pairs begin, and how much it says."""
    row_of = {name: row for row, name in enumerate(names)}
    pair_of = np.zeros((NUM_BYTES, NUM_BYTES), np.int32)
    length_of = np.zeros((NUM_BYTES, NUM_BYTES), np.float32)
    values = np.arange(NUM_BYTES)
    for kind in tokens.kinds:
        above = np.clip(values - kind.low, 0, kind.high - kind.low)
        pair_of[kind.id] = row_of[kind.name] * NUM_BYTES
        length_of[kind.id] = 1.0 + np.log1p(above) / math.log1p(max(kind.high - kind.low, 1))
        for value, label in enumerate(kind.labels):
            pair_of[kind.id, value] = row_of[f"{kind.name}={label}"] * NUM_BYTES
            length_of[kind.id, value] = 1.0
    return pair_of.reshape(-1), length_of.reshape(-1)
