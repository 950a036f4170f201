"""Lay out the rows of an adapter, one per agent of a role, as the env's arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.adapters.drivers.layout import Scripted
from mesocosm.build import config_spec
from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import AdapterDriver, to_samples
from mesocosm.core.spec import Role


class RowDriver(AdapterDriver):
    """Plays the agents of one role as rows; policies play the others as they are told.

    Args:
        role: Whose agents are the rows; the first role's if not given.
    """

    vacates = True

    def __init__(
        self,
        config: Any,
        *,
        num_envs: int,
        seed: int,
        target: str,
        autoreset: str,
        role: str | None = None,
    ) -> None:
        self._roles = config_spec(config).roles
        self._role: Role = self._roles[role or next(iter(self._roles))]
        self._players = {name: Scripted() for name in self._roles if name != self._role.name}
        self._lead = (num_envs, self._role.num_agents)

    @property
    def seats(self) -> Mapping[str, list[int]]:
        return {self._role.name: list(range(self._role.num_agents))}

    def _row_actions(self, actions: Mapping[str, Action]) -> Any:
        """Give the rows' own actions, and tell the policies theirs."""
        for name, player in self._players.items():
            player.plays = self._roles[name].action.join(*actions[name])
        count = self._lead[0] * self._lead[1]
        own = (np.array(part).reshape(count, part.shape[-1]) for part in actions[self._role.name])
        return to_samples(self._role, Action(*own))

    def _split(self, values: Any) -> np.ndarray:
        """Split rows into envs and agents."""
        array = np.array(values)
        return array.reshape(*self._lead, *array.shape[1:])

    def _mask(self, rows: np.ndarray) -> np.ndarray:
        """Pick the parts that the env masks out of masks over all choices."""
        kept, offset = [np.zeros((len(rows), 0), bool)], 0
        for part in self._role.action.choices:
            if part.masked:
                kept.append(rows[:, offset : offset + len(part.options)])
            offset += len(part.options)
        return self._split(np.concatenate(kept, axis=1))
