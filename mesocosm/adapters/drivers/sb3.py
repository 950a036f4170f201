"""Play the SB3 adapter for `check_adapter`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.adapters.drivers.rows import RowDriver
from mesocosm.adapters.sb3 import SB3VecEnv
from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import Received


class SB3Driver(RowDriver):
    """Plays `SB3VecEnv`, with everything in its infos."""

    lost = frozenset({"generation", "final_mask", "final_info", "final_told"})

    def __init__(self, config: Any, *, num_envs: int, seed: int, target: str, **how: Any) -> None:
        super().__init__(config, num_envs=num_envs, seed=seed, target=target, **how)
        self._env = SB3VecEnv(
            config,
            num_envs=num_envs,
            role=self._role.name,
            policies=self._players or None,
            with_info=True,
            seed=seed,
            target=target,
        )

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        if seed is not None:
            self._env.seed(seed)
        obs, rows = self._env.reset(), self._env.num_envs
        infos = self._env.reset_infos
        return self._lay_out(obs, np.zeros(rows), np.zeros(rows, bool), infos)

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        return self._lay_out(*self._env.step(self._row_actions(actions)))

    def _lay_out(
        self, obs: np.ndarray, reward: np.ndarray, done: np.ndarray, infos: list[dict[str, Any]]
    ) -> dict[str, Received]:
        vacant = np.array([info.get("vacant", False) for info in infos])
        life = done & ~vacant
        cut = np.array([info.get("TimeLimit.truncated", False) for info in infos])
        last = [
            info["terminal_observation"] if end else seen
            for info, end, seen in zip(infos, done, obs, strict=True)
        ]
        masks = self._role.action.choices
        made = Received(
            given=np.ones(self._lead, bool),
            obs=self._split(obs),
            reward=self._split(reward),
            terminated=self._split(life & ~cut),
            truncated=self._split(life & cut),
            ended=self._split(life),
            acting=self._split([info["acting"] for info in infos]),
            mask=self._mask(
                np.stack(self._env.env_method("action_masks")) if masks else np.zeros((len(obs), 0))
            ),
            info={
                entry.name: self._split([info[entry.name] for info in infos])
                for entry in self._role.info.features
            },
            reason=self._names(infos, "reason"),
            outcome=self._names(infos, "outcome"),
            told={divmod(row, self._lead[1]): info for row, info in enumerate(infos)},
            has_final=self._split(life),
            final_obs=self._split(last),
        )
        return {self._role.name: made}

    def _names(self, infos: list[dict[str, Any]], key: str) -> np.ndarray:
        return self._split(np.array([info.get(key, "") for info in infos], object))

    def close(self) -> None:
        self._env.close()
