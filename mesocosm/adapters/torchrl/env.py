"""Mesocosm as a TorchRL environment: a batch of episodes, and one group of agents per role.

At the root lie `done`, `terminated` and `truncated` `[env, 1]` of the episode. Under the name of
each role lie, as `[env, agent, ...]`: `observation`, `action`, `action_mask` (of all options of all
choices, one after the other), `mask` (whose action the next step will take), `reward` and each
agent's own `done`, `terminated` and `truncated`, which stay while it is absent. `info` has what the
role declares to tell, and `reason`, `outcome` and `generation` as numbers. `state` lies at the root
where truth fields were named for a central critic.
"""

from typing import Any, Unpack

import torch
from tensordict import TensorDictBase
from torch.utils.dlpack import from_dlpack
from torchrl.data import Bounded
from torchrl.envs import EnvBase

from mesocosm.adapters.boundary import OpenOptions, open_env
from mesocosm.adapters.torchrl import specs
from mesocosm.adapters.torchrl.role_view import RoleView, assemble, keep_foreign, without_reward
from mesocosm.core.action import Action
from mesocosm.core.adapter import Parts, agent_names
from mesocosm.core.errors import ActionError, short
from mesocosm.core.spec import Role

CONTRACT = 1  # the version of the adapter contract that this is written for
INT32 = torch.iinfo(torch.int32)
PASSING = frozenset({"next", "reward", "_reset"})  # of one step, not of the next


class TorchRLEnv(EnvBase):  # type: ignore[misc]
    """`num_envs` episodes side by side; on target `cuda` all tensors are on that device.

    A finished episode stays over until it is reset, as `rollout`, collectors and
    `step_and_maybe_reset` do.

    Args:
        info: Whether to give `info`; without it steps are a little faster.
    """

    def __init__(
        self,
        source: Any,
        overrides: Any = None,
        *,
        num_envs: int = 1,
        info: bool = True,
        **options: Unpack[OpenOptions],
    ) -> None:
        how: dict[str, Any] = {"contract": CONTRACT, "autoreset": "off", "on_host": False}
        env = open_env(source, overrides, num_envs=num_envs, **how, **options)
        device = torch.device("cuda:0" if env.target == "cuda" else "cpu")
        super().__init__(device=device, batch_size=(num_envs,))
        self._env, self._home = env, device
        self._info, self._has_state = info, bool(options.get("critic"))
        self._first_seed: int | None = None
        self._parts: Parts | None = None
        self.group_map = {role.name: agent_names(role) for role in env.spec.roles.values()}
        truncates = [False, *(reason.truncates for reason in env.spec.reasons)]
        self._truncates = torch.tensor(truncates, device=device)
        self._declare()
        self.is_closed = False

    def tell(self, role: str, *, env: int, agent: int) -> dict[str, Any]:
        """Give what the world makes of all that one agent of a role received, if anything."""
        return self._env.tell(role, env=env, agent=agent)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """End the recording, if there is one."""
        self._env.close()
        super().close(raise_if_closed=raise_if_closed)

    def step_and_maybe_reset(
        self, tensordict: TensorDictBase
    ) -> tuple[TensorDictBase, TensorDictBase]:
        """Step, and reset the envs that are over; what TorchRL itself would do, in one pass."""
        if tensordict.device != self.device:
            tensordict = tensordict.to(self.device)
        tensordict = self.step(tensordict)
        chosen = self._over[:, 0].clone() if bool(self._over.any()) else None
        if chosen is None:
            following = without_reward(tensordict.get("next"))
        else:
            following = self._read(self._env.reset(envs=chosen.numpy(force=True)))
        keep_foreign(tensordict, following, chosen, PASSING)
        return tensordict, following

    def _declare(self) -> None:
        spec, lead, device = self._env.spec, self.batch_size, self.device
        seen = specs.observation_spec(spec, info=self._info)
        if self._has_state:
            low, high = (torch.from_numpy(bound) for bound in self._env.critic_bounds())
            seen["state"] = Bounded(low, high, shape=low.shape, dtype=low.dtype)
        self.observation_spec = seen.expand(lead).to(device)
        self.action_spec = specs.action_spec(spec).expand(lead).to(device)
        self.reward_spec = specs.reward_spec(spec).expand(lead).to(device)
        self.done_spec = specs.done_spec(spec).expand(lead).to(device)

    def _set_seed(self, seed: int | None) -> None:
        self._first_seed = seed

    def _reset(
        self, tensordict: TensorDictBase | None = None, *, seed: int | None = None
    ) -> TensorDictBase:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        if chosen is None or bool(chosen.all()):
            first, self._first_seed = self._first_seed, None
            return self._read(self._env.reset(seed=first if seed is None else seed))
        envs = chosen.reshape(self.batch_size).numpy(force=True)
        return self._read(self._env.reset(seed=seed, envs=envs))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        stepping = tensordict.get("_step", None)
        if stepping is not None:
            self._check_waiting(~stepping.reshape(self.batch_size))
        roles = self._env.spec.roles
        actions = {name: self._actions(roles[name], tensordict) for name in roles}
        if self._home.type == "cuda":
            torch.cuda.current_stream().synchronize()  # until the last step is copied
        return self._read(self._env.step(actions), reward=True)

    def _check_waiting(self, waiting: torch.Tensor) -> None:
        """Refuse to leave out an env that plays: only finished ones do not step with the others."""
        early = (waiting.to(self._home) & ~self._over[:, 0]).nonzero()[:, 0].tolist()
        if early:
            raise ActionError(f"_step: envs {short(early)} are not over, so they must step too")

    def _actions(self, role: Role, tensordict: TensorDictBase) -> Any:
        group = tensordict.get(role.name, None)
        given = None if group is None else group.get("action", None)
        if given is None:
            raise ActionError(f"no actions: tensordict[{role.name!r}, 'action'] is missing")
        if not (role.action.choices and role.action.levels):
            return self._bring(given)
        return Action(*(self._bring(given.get(key)) for key in (specs.CHOICE, specs.LEVEL)))

    def _bring(self, given: torch.Tensor) -> Any:
        """Give what the env takes without converting it; whatever else it refuses by itself."""
        if given.dtype == torch.int64:
            given = given.clamp(INT32.min, INT32.max).to(torch.int32)
            given = given[..., None] if given.ndim < 3 else given
        on_device = self._home.type == "cuda"
        return given.detach().to(self._home) if on_device else given.numpy(force=True)

    def _read(self, parts: Parts, *, reward: bool = False) -> TensorDictBase:
        """Copy what a reset or a step brought to all envs."""
        if parts is not self._parts:  # an env writes the same arrays again and again
            self._share(parts)
        over, truncated = self._over.clone(), self._truncates[self._reason.int()]
        made: dict[str, Any] = {"done": over, "terminated": over ^ truncated}
        made["truncated"] = truncated
        for name, view in self._views.items():
            made[name] = view.copy(reward=reward)
        if self._has_state:
            made["state"] = torch.from_numpy(self._env.critic_state()).to(self._home)
        read = assemble(made, self.batch_size, self._home)
        return read if self.device == self._home else read.to(self.device)

    def _share(self, parts: Parts) -> None:
        roles, one = self._env.spec.roles, next(iter(parts.values()))
        self._views = {
            name: RoleView(roles[name], part, info=self._info) for name, part in parts.items()
        }
        self._over = from_dlpack(one.episode_over)[:, None]
        self._reason = from_dlpack(one.episode_reason)[:, None]
        self._parts = parts

    def _step_proc_data(self, next_tensordict_out: TensorDictBase) -> TensorDictBase:
        """Complete nothing: `_read` gives every ending and reward in its declared shape."""
        return next_tensordict_out

    def _reset_proc_data(
        self, tensordict: TensorDictBase | None, tensordict_reset: TensorDictBase
    ) -> TensorDictBase:
        """Take what a reset of some envs gave as it is, for it is true of the others too.

        TorchRL chooses between old and new for every env and entry, which costs more than a step.
        """
        if tensordict is None:
            return tensordict_reset
        keep_foreign(tensordict, tensordict_reset, tensordict.pop("_reset", None))
        return tensordict_reset
