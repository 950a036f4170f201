"""Play the PufferLib adapter for `check_adapter`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.adapters.drivers.rows import RowDriver
from mesocosm.adapters.pufferlib import PufferEnv
from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import Received


class PufferDriver(RowDriver):
    """Plays `PufferEnv`, and reads its buffers."""

    lost = frozenset(
        {"info", "told", "reason", "outcome", "generation", "final_obs", "final_mask"}
        | {"final_info", "final_told"}
    )

    def __init__(self, config: Any, *, num_envs: int, seed: int, target: str, **how: Any) -> None:
        super().__init__(config, num_envs=num_envs, seed=seed, target=target, **how)
        self._env = PufferEnv(
            config,
            num_envs=num_envs,
            role=self._role.name,
            policies=self._players or None,
            seed=seed,
            target=target,
        )

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        self._env.reset(seed)
        return self._lay_out()

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        self._env.step(self._row_actions(actions))
        return self._lay_out()

    def _lay_out(self) -> dict[str, Received]:
        env, num_rows = self._env, self._env.num_agents
        masks = env.action_masks if self._role.action.choices else np.zeros((num_rows, 0), bool)
        made = Received(
            given=np.ones(self._lead, bool),
            obs=self._split(env.observations),
            reward=self._split(env.rewards),
            terminated=self._split(env.terminals),
            truncated=self._split(env.truncations),
            acting=self._split(env.masks),
            mask=self._mask(masks),
        )
        return {self._role.name: made}

    def close(self) -> None:
        self._env.close()
