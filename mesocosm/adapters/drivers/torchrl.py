"""Play the TorchRL adapter for `check_adapter`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase

from mesocosm.adapters.torchrl import TorchRLEnv
from mesocosm.build import config_spec
from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import AdapterDriver, Received, to_samples
from mesocosm.core.spec import OUTCOMES, Role


class TorchRLDriver(AdapterDriver):
    """Plays `TorchRLEnv` by `step_and_maybe_reset`, or by `step` and `reset` with a mask."""

    autoresets = ("same_step", "off")
    env_class = TorchRLEnv

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str
    ) -> None:
        self._spec, self._mode = config_spec(config), autoreset or "same_step"
        self._inner = self.env_class(config, num_envs=num_envs, seed=seed, target=target)
        self._env = self.wrap(self._inner)
        self._reasons = np.array(["", *(reason.name for reason in self._spec.reasons)], object)

    def wrap(self, env: TorchRLEnv) -> Any:
        """Give what is played; others may wrap it in transforms of TorchRL."""
        return env

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        if seed is not None:
            self._env.set_seed(seed)
        if envs is None:
            self._now = self._env.reset()
        else:
            self._now.set("_reset", torch.from_numpy(envs.copy())[:, None])
            self._now = self._env.reset(self._now)
        return {
            name: self._lay_out(role, self._now.get(name), None, None)
            for name, role in self._spec.roles.items()
        }

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        for name, role in self._spec.roles.items():
            self._now.set((name, "action"), _to_tensors(role, actions[name]))
        if self._mode == "same_step":
            played, self._now = self._env.step_and_maybe_reset(self._now)
        else:
            played = self._env.step(self._now)
            self._now = played.get("next").exclude("reward")
        return {
            name: self._lay_out(role, self._now.get(name), played.get("next"), played.get(name))
            for name, role in self._spec.roles.items()
        }

    def close(self) -> None:
        self._env.close()

    def _lay_out(
        self,
        role: Role,
        now: TensorDictBase,
        last: TensorDictBase | None,
        before: TensorDictBase | None,
    ) -> Received:
        """Lay out a moment of a role; `last` is that of the step, `before` the one it began in."""
        lead = tuple(now.batch_size)
        none, unnamed = np.zeros(lead, bool), np.full(lead, "", object)
        made = Received(
            given=~none, obs=now["observation"].numpy(), reward=np.zeros(lead),
            terminated=none, truncated=none, acting=now["mask"].numpy(),
            mask=_mask(role, now), info=_info(role, now), reason=unnamed, outcome=unnamed,
            generation=now["info", "generation"].numpy(), told=self._told(role, lead),
        )  # fmt: skip
        if last is None or before is None:
            return made
        group = last.get(role.name)
        ended = (group["done"] & ~before["done"])[..., 0].numpy()
        reason, outcome = (group["info", name].numpy() for name in ("reason", "outcome"))
        return made._replace(
            reward=group["reward"][..., 0].numpy(),
            terminated=group["terminated"][..., 0].numpy() & ended,
            truncated=group["truncated"][..., 0].numpy() & ended,
            reason=np.where(ended, self._reasons[reason], ""),
            outcome=np.where(ended, np.array(OUTCOMES, object)[outcome], ""),
            has_final=ended,
            final_obs=group["observation"].numpy(),
            final_mask=_mask(role, group),
            final_info=_info(role, group),
        )

    def _told(self, role: Role, lead: tuple[int, ...]) -> dict[tuple[int, int], dict[str, Any]]:
        places = [(env, agent) for env in range(lead[0]) for agent in range(lead[1])]
        return {at: self._inner.tell(role.name, env=at[0], agent=at[1]) for at in places}


def _to_tensors(role: Role, action: Action) -> Any:
    sample = to_samples(role, action)
    if not isinstance(sample, dict):
        return _tensor(sample)
    made = {name: _tensor(values) for name, values in sample.items()}
    return TensorDict(made, batch_size=action.choice.shape[:2])


def _tensor(values: np.ndarray) -> torch.Tensor:
    made = torch.from_numpy(np.ascontiguousarray(values))
    return made.float() if made.is_floating_point() else made.long()


def _mask(role: Role, group: TensorDictBase) -> np.ndarray:
    """Pick the options of masked choices, as the env's masks have them."""
    kept = [np.full(len(part.options), part.masked) for part in role.action.choices]
    if not kept:
        return np.zeros((*group.batch_size, 0), bool)
    return np.asarray(group["action_mask"].numpy()[..., np.concatenate(kept)])


def _info(role: Role, group: TensorDictBase) -> dict[str, np.ndarray]:
    """Give the declared info; TensorDicts have none of what is empty."""
    told = group.get("info")
    return {
        entry.name: told[entry.name].numpy()
        if entry.size
        else np.zeros((*group.batch_size, *entry.shape))
        for entry in role.info.features
    }
