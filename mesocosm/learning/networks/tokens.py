"""Token observations: an embedding for each feature, by its name, and for each place."""

import torch
from torch import Tensor, nn

from mesocosm.core.observation import Tokens
from mesocosm.learning.networks.layers import ACTIVATIONS, linear
from mesocosm.learning.settings import NetworkSettings

NUM_BYTES = 256


class TokenEncoder(nn.Module):
    """Sums what each token says: (feature, place) picks a vector, the value scales another.

    Weights belong to feature names: `names` lists them in the order of the rows, and
    `row_of_id` maps the ids of an env to rows, so ids may be permuted.
    """

    row_of_id: Tensor
    scale: Tensor

    def __init__(self, tokens: Tokens, settings: NetworkSettings) -> None:
        super().__init__()
        self.names = [kind.name for kind in tokens.kinds]
        self._empty = tokens.empty
        width, count = settings.embedding * 4, len(tokens.kinds)
        row_of_id = torch.full((NUM_BYTES,), count, dtype=torch.int64)
        scale = torch.ones(count + 1)
        for row, kind in enumerate(tokens.kinds):
            row_of_id[kind.id] = row
            scale[row] = 1.0 / max(kind.high, 1)
        self.register_buffer("row_of_id", row_of_id, persistent=False)
        self.register_buffer("scale", scale, persistent=False)
        num_places = NUM_BYTES
        self.feature = nn.Embedding(count + 1, settings.embedding)
        self.amount = nn.Embedding(count + 1, settings.embedding)
        self.place = nn.Embedding(num_places, settings.embedding)
        self.mix = linear(settings.embedding, width)
        self.activation = ACTIVATIONS[settings.activation]()
        self.size = width
        for table in (self.feature, self.amount, self.place):
            nn.init.normal_(table.weight, std=0.5)

    def forward(self, obs: Tensor) -> Tensor:
        tokens = obs.long()
        place, number, value = tokens[..., 0], tokens[..., 1], tokens[..., 2]
        row = self.row_of_id[number]
        amount = (value * self.scale[row]).unsqueeze(-1)
        said = (self.feature(row) + amount * self.amount(row)) * self.place(place)
        made = self.activation(self.mix(said))
        used = (place != self._empty).unsqueeze(-1)
        return (made * used).sum(-2) * 0.1
