"""What an agent reads in its tokens: numbers about itself, and the tags on every cell in view."""

from typing import NamedTuple

import numpy as np

from mesocosm.core.errors import MesocosmError
from mesocosm.core.spec import Role
from mesocosm.worlds.mettagrid.game.idmap import GLOBAL_LOCATION, LOCATION_ROW, MAX_IDS

MAX_TAGS = 48  # as bits of a number that is added up in float64


class Window(NamedTuple):
    """What one batch of observations shows; the first axis is env times agent."""

    own: np.ndarray  # int64 [agent, feature id]: what one is told of oneself
    tags: np.ndarray  # int64 [agent, row, col]: tags as bits, 0 where nothing is


class Sight:
    """Reads the tokens of a role by the names of its features and tags."""

    def __init__(self, spec: Role) -> None:
        tokens = spec.observation.tokens
        if tokens is None:
            raise MesocosmError(f"role {spec.name!r} does not see tokens")
        self._features = {kind.name: kind.id for kind in tokens.kinds}
        labels = next((kind.labels for kind in tokens.kinds if kind.name == "tag"), ())
        if len(labels) > MAX_TAGS:
            raise MesocosmError(f"a crew tells {MAX_TAGS} tags apart, got {len(labels)}")
        self._tags = {name: k for k, name in enumerate(labels)}
        self._bits = np.zeros(MAX_IDS)
        self._bits[: len(labels)] = 2.0 ** np.arange(len(labels))
        self._here = tokens.here
        self.radius = min(divmod(self._here, LOCATION_ROW))

    def feature(self, name: str) -> int:
        """Return the id of a feature; what the game lacks is the id of nothing."""
        return self._features.get(name, MAX_IDS - 1)

    def tag(self, *names: str) -> int:
        """Return the bits of some tags; those that the game lacks have none."""
        return sum(1 << self._tags[name] for name in names if name in self._tags)

    def tags_with(self, prefix: str) -> int:
        """Return the bits of all tags that begin so."""
        return self.tag(*(name for name in self._tags if name.startswith(prefix)))

    def read(self, obs: np.ndarray) -> Window:
        """Read observations `[..., token, 3]`."""
        view = np.asarray(obs).reshape(-1, obs.shape[-2], 3)
        place, kind, value = view[..., 0].astype(np.int64), view[..., 1], view[..., 2]
        agents = len(view)
        own = np.zeros((agents, MAX_IDS), np.int64)
        who, which = np.nonzero((place == GLOBAL_LOCATION) | (place == self._here))
        own[who, kind[who, which]] = value[who, which]
        who, which = np.nonzero((kind == self._features["tag"]) & (place < GLOBAL_LOCATION))
        cell = who * MAX_IDS + place[who, which]
        summed = np.bincount(cell, self._bits[value[who, which]], agents * MAX_IDS)
        grid = summed.astype(np.int64).reshape(agents, LOCATION_ROW, LOCATION_ROW)
        side = 2 * self.radius + 1
        top, left = (x - self.radius for x in divmod(self._here, LOCATION_ROW))
        return Window(own, grid[:, top : top + side, left : left + side])
