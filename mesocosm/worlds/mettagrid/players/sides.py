"""Two policies against each other: each plays the agents of its own group."""

from typing import Any

import numpy as np

from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role
from mesocosm.worlds.mettagrid.players.sight import Sight


class Sides:
    """Lets the first policy play group 0 and the second all others, by the group they are told."""

    def __init__(self, first: Policy, second: Policy) -> None:
        self._players = (first, second)
        self.privileged = first.privileged or second.privileged

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._sight = Sight(spec)
        for k, player in enumerate(self._players):
            player.reset(spec, num_envs, seed + k)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        own = self._sight.read(np.asarray(obs)).own
        group = own[:, self._sight.feature("agent:group")].reshape(np.asarray(began).shape)
        first, second = (player.act(obs, mask, info, began) for player in self._players)
        return np.where((group == 0)[..., None], first, second)
