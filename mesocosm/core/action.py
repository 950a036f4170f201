"""What an agent may do: discrete choices, continuous levels, and composites of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import SpecError, hint
from mesocosm.core.observation import Read


class Condition(NamedTuple):
    """That an earlier choice is one of some options."""

    part: int
    options: tuple[int, ...]


@dataclass(frozen=True)
class Choice:
    """A discrete part: one of named options.

    Args:
        masked: Whether a mask says each step which options are valid.
        enforced: Whether a masked option is refused as invalid; if not, the mask is advice, and
            the world's own rules let the action fail.
        noop: The option that does nothing; what absent and idle agents play.
        forbidden: Options that the config's permissions take away from the role.
        alone: Whether an invalid value idles this part only, not the whole action.
        reads: The truth fields that its mask may depend on, as for features; the audit proves that
            nothing else reaches it.
        option_reads: By option, where one depends on less; the no-op is valid whatever holds.
        used_with: By earlier choices, the options with which this part counts. With any other,
            whatever valid option it has does nothing; `check_world` proves it.
    """

    name: str
    options: tuple[str, ...]
    meaning: str = ""
    masked: bool = True
    enforced: bool = True
    noop: int = 0
    forbidden: tuple[int, ...] = ()
    alone: bool = False
    reads: tuple[Read, ...] = ()
    option_reads: Mapping[str, tuple[Read, ...]] = field(default_factory=dict)
    used_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def check_reads(self, where: str) -> None:
        """Reject reads of what is no mask, or of no option."""
        if not self.masked and (self.reads or self.option_reads):
            raise SpecError(f"{where}: declares what its mask reads, but has no mask")
        for name in self.option_reads:
            if name not in self.options:
                what = f"no option {name!r}.{hint(name, self.options)}"
                raise SpecError(f"{where}: option_reads: {what}")

    def reads_of(self, k: int) -> tuple[Read, ...]:
        """Give what the mask of option k may depend on."""
        if not self.masked or k == self.noop or k in self.forbidden:
            return ()
        return self.option_reads.get(self.options[k], self.reads)


@dataclass(frozen=True)
class Level:
    """A continuous part: a number in [low, high].

    Args:
        used_with: As for `Choice`.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    noop: float = 0.0
    unit: str = ""
    meaning: str = ""
    used_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)


class Action(NamedTuple):
    """Actions of a role that has both kinds of parts."""

    choice: np.ndarray  # int32 [env, agent, choice part]
    level: np.ndarray  # float32 [env, agent, level part]


@dataclass(frozen=True)
class ActionSpec:
    """The parts of a role's action, fixed for the whole episode."""

    choices: tuple[Choice, ...] = ()
    levels: tuple[Level, ...] = ()

    def check(self, where: str) -> None:
        """Reject a declaration that contradicts itself."""
        names = [part.name for part in self.choices] + [part.name for part in self.levels]
        if len(set(names)) != len(names) or not names:
            raise SpecError(f"{where}: an action needs parts with distinct names, got {names}")
        for choice in self.choices:
            if not 0 <= choice.noop < len(choice.options) or choice.noop in choice.forbidden:
                raise SpecError(f"{where}.{choice.name}: no-op {choice.noop} is not an option")
            choice.check_reads(f"{where}.{choice.name}")
        for level in self.levels:
            if not level.low <= level.noop <= level.high:
                raise SpecError(f"{where}.{level.name}: no-op {level.noop} is out of range")
        self._check_use(where)

    def _check_use(self, where: str) -> None:
        """Reject parts that count only with something that no earlier choice has."""
        earlier: dict[str, Choice] = {}
        for part in self.parts:
            for name, options in part.used_with.items():
                what = f"{where}.{part.name}: used_with"
                if name not in earlier:
                    raise SpecError(f"{what}: {self._no_decider(name, list(earlier))}")
                _check_options(what, earlier[name], options)
            if isinstance(part, Choice):
                earlier[part.name] = part

    def _no_decider(self, name: str, earlier: list[str]) -> str:
        if any(part.name == name for part in self.levels):
            return f"{name!r} is a level; only choices decide"
        if any(part.name == name for part in self.choices):
            return f"{name!r} is not declared before it; only earlier choices decide"
        return f"no choice named {name!r}.{hint(name, earlier)}"

    @property
    def parts(self) -> tuple[Choice | Level, ...]:
        """All parts: choices first, then levels."""
        return (*self.choices, *self.levels)

    @cached_property
    def conditions(self) -> tuple[tuple[Condition, ...], ...]:
        """By part, what must hold for it to count; besides, the choices that decide must count."""
        places = {part.name: k for k, part in enumerate(self.choices)}
        numbers = {
            name: {option: k for k, option in enumerate(self.choices[places[name]].options)}
            for name in {name for part in self.parts for name in part.used_with}
        }
        return tuple(
            tuple(
                Condition(places[name], tuple(numbers[name][option] for option in options))
                for name, options in part.used_with.items()
            )
            for part in self.parts
        )

    def used(self, choice: np.ndarray) -> np.ndarray:  # bool [..., part]
        """Say which parts (choices first, then levels) count in choices `[..., choice part]`."""
        given = np.asarray(choice)
        made = np.ones((*given.shape[:-1], len(self.parts)), bool)
        for k, conditions in enumerate(self.conditions):
            for part, options in conditions:
                made[..., k] &= made[..., part] & np.isin(given[..., part], options)
        return made

    @cached_property
    def mask_size(self) -> int:
        """Number of bools in a mask row: the options of all masked parts, one after the other."""
        return sum(len(part.options) for part in self.choices if part.masked)

    def mask_offset(self, name: str) -> int:
        """Where a masked part begins in a mask row."""
        offset = 0
        for part in self.choices:
            if part.name == name:
                return offset
            offset += len(part.options) if part.masked else 0
        raise SpecError(f"no choice named {name!r}")

    def mask_parts(self, mask: np.ndarray) -> dict[str, np.ndarray]:
        """Split mask rows into one array per masked part."""
        return {
            part.name: mask[..., (at := self.mask_offset(part.name)) : at + len(part.options)]
            for part in self.choices
            if part.masked
        }

    def noop(self, leading_shape: Sequence[int] = ()) -> Any:
        """Build the action that does nothing."""
        lead = tuple(leading_shape)
        choice = np.array([part.noop for part in self.choices], dtype=np.int32)
        level = np.array([part.noop for part in self.levels], dtype=np.float32)
        return self.join(
            np.broadcast_to(choice, (*lead, choice.size)).copy(),
            np.broadcast_to(level, (*lead, level.size)).copy(),
        )

    def sample(
        self,
        rng: np.random.Generator,
        leading_shape: Sequence[int] = (),
        mask: np.ndarray | None = None,
    ) -> Any:
        """Draw valid actions, within the mask when one is given."""
        lead = tuple(leading_shape)
        choice = np.zeros((*lead, len(self.choices)), dtype=np.int32)
        masks = {} if mask is None else self.mask_parts(np.asarray(mask))
        for k, part in enumerate(self.choices):
            draw = rng.random((*lead, len(part.options)))
            if part.forbidden:
                draw[..., list(part.forbidden)] = -1.0
            if part.name in masks:
                draw = np.where(masks[part.name], draw, -1.0)
            choice[..., k] = draw.argmax(axis=-1)
        level = np.zeros((*lead, len(self.levels)), dtype=np.float32)
        for k, bound in enumerate(self.levels):
            level[..., k] = rng.uniform(bound.low, bound.high, lead)
        return self.join(choice, level)

    def join(self, choice: np.ndarray, level: np.ndarray) -> Any:
        """Give the array alone when the role has one kind of part, else an `Action`."""
        if not self.levels:
            return choice
        if not self.choices:
            return level
        return Action(choice, level)

    def rows(self) -> list[dict[str, Any]]:
        """List the parts, for tables and JSON."""
        choices = [
            {"part": part.name, "kind": "choice", "options": list(part.options)}
            | {
                "masked": part.masked,
                "enforced": part.enforced,
                "noop": part.noop,
                "forbidden": list(part.forbidden),
                "reads": _read_names(part.reads),
                "option_reads": {k: _read_names(v) for k, v in part.option_reads.items()},
                "used_with": {k: list(v) for k, v in part.used_with.items()},
            }
            | {"meaning": part.meaning}
            for part in self.choices
        ]
        levels = [
            {"part": part.name, "kind": "level", "range": [part.low, part.high]}
            | {"noop": part.noop, "unit": part.unit, "meaning": part.meaning}
            | {"used_with": {k: list(v) for k, v in part.used_with.items()}}
            for part in self.levels
        ]
        return [*choices, *levels]


def _check_options(what: str, decider: Choice, options: tuple[str, ...]) -> None:
    """Reject options that the choice which decides has not."""
    if isinstance(options, str):
        raise SpecError(f"{what}: {decider.name!r}: must be a tuple of options, got {options!r}")
    if not options:
        raise SpecError(f"{what}: {decider.name!r}: with no option the part would never count")
    known = set(decider.options)
    for option in options:
        if option not in known:
            found = f"no option {option!r}.{hint(str(option), decider.options)}"
            raise SpecError(f"{what}: {decider.name!r} has {found}")


def _read_names(reads: tuple[Read, ...]) -> list[str]:
    return [f"{read.field}:{read.whose}" for read in reads]
