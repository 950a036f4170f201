"""A role's part of the env's step, read as tensors and copied into TensorDicts."""

from typing import Any

import torch
from tensordict import TensorDict, TensorDictBase, is_tensor_collection
from torch.utils.dlpack import from_dlpack

from mesocosm.adapters.torchrl.specs import ENDING_CODES
from mesocosm.core.action import ActionSpec
from mesocosm.core.spec import Role
from mesocosm.core.step import Step


class RoleView:
    """Tensors that share the memory of a role's part of a step; make a new one for new arrays."""

    def __init__(self, role: Role, part: Step, *, info: bool) -> None:
        share = from_dlpack
        self._shared = {"observation": share(part.obs), "mask": share(part.acting)}
        self._reward = share(part.reward)[..., None]
        self._terminated = share(part.terminated)[..., None]
        self._truncated = share(part.truncated)[..., None]
        self._lead, self._device = self._shared["mask"].shape, self._reward.device
        self._told: dict[str, torch.Tensor] = {}
        if info:
            told = {entry.name: part.info[entry.name] for entry in role.info.features if entry.size}
            told |= {name: getattr(part, name) for name in ENDING_CODES}
            self._told = {name: share(values) for name, values in told.items()}
        self._options: tuple[torch.Tensor, ...] = ()
        if role.action.choices and all(choice.masked for choice in role.action.choices):
            self._shared["action_mask"] = share(part.mask)
        elif role.action.choices:
            self._options = self._lay_out(role.action, share(part.mask))

    def copy(self, *, reward: bool) -> TensorDictBase:
        """Copy what the agents of the role got."""
        made: dict[str, Any] = {name: values.clone() for name, values in self._shared.items()}
        made["terminated"] = self._terminated.clone()
        made["truncated"] = self._truncated.clone()
        made["done"] = self._terminated | self._truncated
        if reward:
            made["reward"] = self._reward.clone()
        if self._options:
            made["action_mask"] = torch.cat(self._options, -1)
        if self._told:
            told = {name: values.clone() for name, values in self._told.items()}
            made["info"] = assemble(told, self._lead, self._device)
        return assemble(made, self._lead, self._device)

    def _lay_out(self, action: ActionSpec, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Give the options of every choice; where none is masked, what is not forbidden."""
        made = []
        for part in action.choices:
            at, count = action.mask_offset(part.name), len(part.options)
            allowed = [k not in part.forbidden for k in range(count)]
            fixed = torch.tensor(allowed, device=self._device).expand(*self._lead, count)
            made.append(mask[..., at : at + count] if part.masked else fixed)
        return tuple(made)


def assemble(entries: dict[str, Any], lead: torch.Size, device: torch.device) -> TensorDictBase:
    """Make a TensorDict of entries that are known to fit, unchecked: checks cost more than it."""
    return TensorDict._new_unsafe(entries, batch_size=lead, device=device)


def without_reward(entries: TensorDictBase) -> TensorDictBase:
    """Give the same tensors in other TensorDicts, all but rewards."""
    made = {
        name: without_reward(value) if is_tensor_collection(value) else value
        for name, value in entries.items()
        if name != "reward"
    }
    return assemble(made, entries.batch_size, entries.device)


def keep_foreign(
    old: TensorDictBase,
    new: TensorDictBase,
    chosen: torch.Tensor | None,
    dropped: frozenset[str] = frozenset(),
) -> None:
    """Add entries that others wrote to what an env gave; zeros where it was reset (`chosen`).

    As in TorchRL, a reset of all envs leaves them as they are.
    """
    some = None if chosen is None or bool(chosen.all()) else chosen
    known = dropped.union(new.keys())
    for name, value in old.items():
        if name not in known:
            new.set(name, value if some is None else _zero(value, some))
        elif is_tensor_collection(value) and name not in dropped:
            keep_foreign(value, new.get(name), some, dropped)


def _zero(value: Any, chosen: torch.Tensor) -> Any:
    if is_tensor_collection(value):
        return value.apply(lambda entry: _zero(entry, chosen))
    return value.masked_fill(chosen.reshape(-1, *[1] * (value.ndim - 1)), 0)
