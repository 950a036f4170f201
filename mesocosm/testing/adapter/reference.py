"""The raw env, played as an adapter of a given convention should play it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import AdapterDriver
from mesocosm.core.spec import OUTCOMES, Role
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.testing.play import by_role

PER_EPISODE = ("episode_over", "episode_reason", "episode_outcome")


@dataclass
class Expected:
    """What an adapter should hand out of one role, `[env, agent, ...]`.

    Args:
        was_there: Who took part when the step began; after a reset, who takes part.
        is_there: Who takes part now, in the next episode where that has begun.
        last: The moment before the next episode began; the same where none did.
    """

    obs: np.ndarray
    mask: np.ndarray
    info: dict[str, np.ndarray]
    acting: np.ndarray
    generation: np.ndarray
    reward: np.ndarray
    ended: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    reason: np.ndarray
    outcome: np.ndarray
    was_there: np.ndarray
    is_there: np.ndarray
    last: "Expected | None" = None
    final_obs: np.ndarray | None = None  # of those whose life ended before the last moment

    def copy(self) -> "Expected":
        """Copy all arrays."""
        made = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        info = {name: values.copy() for name, values in self.info.items()}
        arrays = {k: v.copy() for k, v in made.items() if isinstance(v, np.ndarray)}
        return Expected(**(made | arrays | {"info": info, "last": None}))

    def take_rows(self, other: "Expected", envs: np.ndarray, names: tuple[str, ...]) -> None:
        """Overwrite some entries of some envs."""
        for name in names:
            mine, theirs = getattr(self, name), getattr(other, name)
            pairs = zip(mine.values(), theirs.values(), strict=True) if name == "info" else []
            for one, two in pairs or [(mine, theirs)]:
                one[envs] = two[envs]


SHOWN = ("obs", "mask", "info", "acting", "generation", "is_there")
EARNED = ("reward", "ended", "terminated", "truncated", "reason", "outcome")


class Reference:
    """Plays the raw env without autoreset, and begins episodes as the driver's adapter should."""

    def __init__(self, raw: Engine, driver: AdapterDriver, autoreset: str) -> None:
        self.raw, self._driver, self._autoreset = raw, driver, autoreset
        self.roles: Mapping[str, Role] = raw.spec.roles
        self.over = np.zeros(raw.num_envs, bool)  # whose episode is over, for this adapter
        self.episode_over = self.over.copy()  # whose episode is over in the world
        self.num_alone = 0  # steps in which nobody could act
        self._names = np.array(["", *(reason.name for reason in raw.spec.reasons)], object)
        self._cuts = np.array([False, *(reason.truncates for reason in raw.spec.reasons)])

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Expected]:
        """Begin episodes; give what the adapter should."""
        step = self.raw.reset(seed=seed, envs=envs)
        made = self._read(step)
        chosen = np.ones(self.raw.num_envs, bool) if envs is None else envs
        for entry in made.values():
            _clear(entry, chosen)
        self.over &= ~chosen
        self._gone = self._absent(step)
        return self._move_alone(step, made)

    def step(self, actions: Mapping[str, Action]) -> dict[str, Expected]:
        """Play a step; give what the adapter should."""
        waiting = self.over.copy() if self._autoreset == "next_step" else self.over & False
        step = self._play(actions)
        made = self._move_alone(step, self._read(step))
        self.episode_over = np.array(step.episode_over)
        if waiting.any():
            self._begin(made, waiting, (*SHOWN, "was_there"))
            for entry in made.values():
                _clear(entry, waiting)
        self.over = self._is_over(made) & ~waiting
        last = {name: entry.copy() for name, entry in made.items()}
        if self._autoreset == "same_step" and self.over.any():
            self._begin(made, self.over, SHOWN)
        for name, entry in made.items():
            entry.last = last[name]
            if self._driver.vacates:
                layout = self.roles[name].observation
                left = layout.absent.astype(layout.dtype).reshape(layout.shape)
                entry.obs[entry.ended & ~entry.is_there] = left
        self._gone = self._absent(self.raw._step)
        return made

    def _play(self, actions: Mapping[str, Action]) -> Step:
        joined = {name: self.roles[name].action.join(*both) for name, both in actions.items()}
        return self.raw.step(joined if len(joined) > 1 else next(iter(joined.values())))

    def _begin(self, made: dict[str, Expected], envs: np.ndarray, names: tuple[str, ...]) -> None:
        """Begin the next episode of some envs, and show its first moment."""
        step = self.raw.reset(envs=envs)
        self._gone = self._absent(step)
        for name, entry in self._read(step).items():
            made[name].take_rows(entry, envs, names)

    def _is_over(self, made: dict[str, Expected]) -> np.ndarray:
        over = np.array(self.raw._step.episode_over)
        if self._driver.ends_with == "agent":
            for name, seats in (self._driver.seats or {}).items():
                for seat in seats:
                    over |= made[name].terminated[:, seat] | made[name].truncated[:, seat]
        return over

    def _move_alone(self, step: Step, made: dict[str, Expected]) -> dict[str, Expected]:
        """Play on while nobody can act, if the adapter does; rewards and ends add up."""
        while (
            self._driver.moves_alone
            and not any(entry.acting.any() for entry in made.values())
            and not step.episode_over.any()
        ):
            self.num_alone += 1
            self._gone = self._absent(step)
            noops = {
                name: _both(role, role.action.noop((self.raw.num_envs, role.num_agents)))
                for name, role in self.roles.items()
            }
            step = self._play(noops)
            for name, entry in self._read(step).items():
                made[name] = _add(made[name], entry)
        return made

    def _absent(self, step: Step) -> dict[str, np.ndarray]:
        parts = by_role(self.raw, step.terminated), by_role(self.raw, step.truncated)
        return {name: np.array(parts[0][name] | parts[1][name]) for name in self.roles}

    def _read(self, step: Step) -> dict[str, Expected]:
        """Copy what the raw env handed out, judged as the adapter should."""
        entries = {
            name: by_role(self.raw, value)
            for name, value in step._asdict().items()
            if name not in PER_EPISODE
        }
        absent = self._absent(step)
        gone = getattr(self, "_gone", absent)
        return {
            name: self._judge(step, role, {k: v[name] for k, v in entries.items()}, gone[name])
            for name, role in self.roles.items()
        }

    def _judge(self, step: Step, role: Role, part: dict[str, Any], gone: np.ndarray) -> Expected:
        terminated, truncated, ended = (
            np.array(part[name]) for name in ("terminated", "truncated", "ended")
        )
        reason, outcome = np.array(part["reason"]), np.array(part["outcome"])
        now = terminated | truncated
        terminated, truncated = terminated & ended, truncated & ended
        code = np.array(step.episode_reason)[:, None]
        over = np.array(step.episode_over)[:, None]
        if role.respawn and self._driver.tells_lives:  # a slot ends with its episode only
            terminated, truncated = terminated & over, truncated & over
        apart = self._driver.ends_with == "agent" or (role.respawn and self._driver.tells_lives)
        outside = over & ~ended & gone if apart else np.zeros_like(ended)
        if self._driver.ends_with == "agent":
            outside &= ~self.over[:, None]
        cut = self._cuts[code]
        named = ended | outside
        reason = np.where(outside, code, np.where(named, reason, 0))
        outcome = np.where(outside, np.array(step.episode_outcome)[:, None], outcome)
        names = np.array(OUTCOMES, object)[outcome]
        return Expected(
            obs=np.array(part["obs"]),
            mask=np.array(part["mask"]),
            info={name: np.array(values) for name, values in part["info"].items()},
            acting=np.array(part["acting"]),
            generation=np.array(part["generation"]),
            reward=np.array(part["reward"]),
            ended=ended,
            terminated=terminated | (outside & ~cut),
            truncated=truncated | (outside & cut),
            reason=self._names[reason],
            outcome=np.where(named, names, ""),
            was_there=~gone,
            is_there=~now,
        )


def _both(role: Role, joined: Any) -> Action:
    if isinstance(joined, Action):
        return joined
    empty = np.zeros((*joined.shape[:-1], 0), np.float32)
    return Action(joined, empty) if role.action.choices else Action(empty, joined)


def _clear(entry: Expected, envs: np.ndarray) -> None:
    """Say that nothing was played in some envs: an episode has just begun."""
    for name in EARNED:
        array = getattr(entry, name)
        array[envs] = "" if array.dtype == object else 0
    entry.was_there[envs] = entry.is_there[envs]


def _add(before: Expected, after: Expected) -> Expected:
    """Join two steps of which the adapter tells as of one."""
    made = after.copy()
    made.reward = before.reward + after.reward
    for name in ("ended", "terminated", "truncated"):
        setattr(made, name, getattr(before, name) | getattr(after, name))
    for name in ("reason", "outcome"):
        setattr(made, name, np.where(after.ended, getattr(after, name), getattr(before, name)))
    made.was_there = before.was_there
    made.final_obs = after.obs.copy()
    seen = before.obs if before.final_obs is None else before.final_obs
    earlier = before.ended & ~after.ended
    made.final_obs[earlier] = seen[earlier]
    left = before.terminated | before.truncated  # whoever left keeps its last moment
    for name in ("obs", "mask", "acting"):
        getattr(made, name)[left] = getattr(before, name)[left]
    for name, values in made.info.items():
        values[left] = before.info[name][left]
    return made
