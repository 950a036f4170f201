"""A role as a whole: what all its agents get or do, at the price of one."""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from mesocosm.adapters.spaces import CHOICE, LEVEL, Parts, read_actions, sample_mask
from mesocosm.core.adapter import agent_names
from mesocosm.core.spec import Role
from mesocosm.core.step import Step

PLAIN, INTEGER_TYPES = {int}, {int, np.int64, np.int32}
INT32 = np.iinfo(np.int32)
LOW, HIGH = int(INT32.min), int(INT32.max)
TRUE = b"\x01"  # in the bytes of an array of bools
Pick = Callable[[Any], Any]
Rows = Callable[[Any], list[Any]]  # copies an entry per agent


class WholeRole:
    """The agents of one role, in an env of their own."""

    def __init__(self, role: Role) -> None:
        self.role, self.names = role, agent_names(role)
        self._everyone = list(range(role.num_agents))
        self._is_plain = len(role.action.choices) == 1 and not role.action.levels
        self._has_one_mask = self._is_plain and role.action.choices[0].masked
        self._part: Step | None = None
        lead = (1, role.num_agents)
        self._idle = read_actions(role, role.action.noop(lead), lead)
        self._by_all_names = _dict_maker(self.names)
        self.take_part(self._everyone)

    def take_part(self, places: Sequence[int]) -> None:
        """Say which agents take part: only these are asked for actions, and told of."""
        self.places = list(places)
        self.here = [self.names[i] for i in self.places]
        self._all = len(self.places) == len(self._everyone)
        self.by_name = self._by_all_names if self._all else self._by_some_names
        self.nobody = dict.fromkeys(self.here, False)
        self._pick = _picker(self.places)
        self._actions = _picker(self.here)

    def _by_some_names(self, *values: Any) -> dict[str, Any]:
        return dict(zip(self.here, values, strict=True))

    def gather(self, actions: Mapping[str, Any]) -> Any:
        """Put samples of those who take part into one batch; the others play the no-op."""
        if self._is_plain:
            values = self._actions(actions)
            types = set(map(type, values))
            if types == PLAIN or (types <= INTEGER_TYPES and values and _fits(values)):
                try:
                    return self._plain_batch(values)
                except OverflowError:  # then each is clipped
                    return self._read_batch(actions)
        return self._read_batch(actions)

    def _read_batch(self, actions: Mapping[str, Any]) -> Any:
        return self.join({name: self.read(actions[name]) for name in self.here})

    def _plain_batch(self, values: Any) -> np.ndarray:
        if self._all:
            return np.array(values, np.int32).reshape(1, -1, 1)
        made: np.ndarray = self._idle[0].copy()
        made[0, self.places, 0] = values
        return made

    def read(self, action: Any) -> Parts | int:
        """Check the form of an agent's action, and copy it."""
        if self._is_plain and type(action) in INTEGER_TYPES and LOW <= action <= HIGH:
            return int(action)
        return read_actions(self.role, action)

    def join(self, actions: Mapping[str, Parts | int]) -> Any:
        """Put actions that were read into one batch; whoever gave none plays the no-op."""
        choice, level = (part.copy() for part in self._idle)
        for i, name in enumerate(self.names):
            given = actions.get(name)
            if isinstance(given, int):
                choice[0, i, 0] = given
            elif given is not None:
                choice[0, i], level[0, i] = given
        return self.role.action.join(choice, level)

    def columns(self, part: Step) -> tuple[list[Any], list[Any], list[dict[str, Any]]]:
        """Copy observations, rewards and infos of those who take part."""
        if part is not self._part:
            self._look_at(part)
        told = [rows(values) for rows, values in self._told]
        infos = list(map(self._make_info, *told))
        seen, paid = list(self._seen.copy()), self._paid.tolist()
        if self._all:
            return seen, paid, infos
        return self._pick(seen), self._pick(paid), self._pick(infos)

    @property
    def has_ends(self) -> bool:
        """Whether anybody's life ended with the step whose columns were asked for last."""
        return TRUE in self._ended.tobytes()

    def _look_at(self, part: Step) -> None:
        """Find the arrays of a part: on the host, the same in every step."""
        self._part = part
        self._seen, self._paid, self._ended = part.obs[0], part.reward[0], part.ended[0]
        self._told = [_copier(values) for values in part.info.values()]
        if self._has_one_mask:
            self._told.append((_arrays, part.mask[0].view(np.int8)))
        elif self.role.action.choices:
            self._told.append((self._sample_masks, part.mask[0]))
        self._told.append((np.ndarray.tolist, part.acting[0]))
        mask = ("action_mask",) if self.role.action.choices else ()
        self._make_info = _dict_maker((*part.info, *mask, "acting"))

    def _sample_masks(self, mask: np.ndarray) -> list[Any]:
        """Give every agent's mask in the form that its space samples with."""
        masks, levels = sample_mask(self.role.action, mask), self.role.action.levels
        choice = masks[CHOICE] if levels else masks
        rows = list(zip(*choice, strict=True)) if isinstance(choice, tuple) else list(choice)
        return [{CHOICE: row, LEVEL: None} for row in rows] if levels else rows


def _picker(keys: Sequence[Any]) -> Pick:
    """Make what picks some entries, as a sequence also where it is one or none."""
    if len(keys) > 1:
        return itemgetter(*keys)
    return lambda values: tuple(values[key] for key in keys)


def _dict_maker(keys: Sequence[str]) -> Callable[..., dict[str, Any]]:
    """Make what builds a dict with these keys of as many values: twice as fast as by zip."""
    names = [f"v{k}" for k in range(len(keys))]
    pairs = ", ".join(f"{key!r}: {name}" for key, name in zip(keys, names, strict=True))
    made: Callable[..., dict[str, Any]] = eval(  # noqa: S307 (nothing but quoted names)
        f"lambda {', '.join(names)}: {{{pairs}}}"
    )
    return made


def _fits(values: Sequence[Any]) -> bool:
    """Whether integers fit into the env's own: NumPy's would be wrapped without a word."""
    return max(values) <= HIGH and min(values) >= LOW


def _copier(values: np.ndarray) -> tuple[Rows, Any]:
    """Give how to copy one entry per agent of `[1, agent, ...]`, and of what."""
    if values.size == 0:
        return list.copy, [np.empty(values.shape[2:], values.dtype) for _ in values[0]]
    if values.ndim == 2:  # single numbers become plain Python
        return np.ndarray.tolist, values[0]
    return _arrays, values[0]


def _arrays(rows: np.ndarray) -> list[Any]:
    """Copy one array per agent."""
    return list(rows.copy())
