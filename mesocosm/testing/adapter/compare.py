"""Compare what an adapter handed out with what it should have."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.core.adapter_driver import AdapterDriver, Received, Told
from mesocosm.core.errors import ContractError, short
from mesocosm.core.spec import Role
from mesocosm.core.world import World
from mesocosm.testing.adapter.reference import Expected


class Comparison:
    """Compares one adapter with the raw env, moment by moment, and counts what was compared."""

    def __init__(self, world: World, core: Any, *, title: str, driver: AdapterDriver) -> None:
        self._world, self._core, self._title = world, core, title
        self._lost, self._agent_ends = driver.lost, driver.ends_with == "agent"
        self._shows_waiting = driver.shows_waiting
        self.num_compared: Counter[str] = Counter()
        self.where = ""

    def compare(
        self, role: Role, at: np.ndarray, got: Received, want: Expected, final: bool
    ) -> None:
        """Raise unless an adapter's moment of one role is the raw env's.

        Args:
            at: bool [env, agent], whom the adapter gives.
            final: Whether the adapter must give the last moment of what ended.
        """
        here = at & (want.was_there | want.is_there | self._agent_ends)
        here &= want.acting | want.ended | want.terminated | want.truncated | self._shows_waiting
        self._require(role, "given", here & ~got.given, "was not given, though it takes part")
        given = at & got.given
        self._equal(role, "obs", given, got.obs, want.obs)
        self._equal(role, "reward", given, got.reward, want.reward)
        played = given & (here if self._agent_ends else want.was_there | want.terminated)
        played |= given & want.truncated
        self._equal(role, "terminated", played, got.terminated, want.terminated)
        self._equal(role, "truncated", played, got.truncated, want.truncated)
        ended = got.terminated | got.truncated if got.ended is None else got.ended
        wanted = want.ended if got.ended is not None else want.terminated | want.truncated
        self._equal(role, "ended", played, ended, wanted)
        for name in ("acting", "mask", "generation"):
            self._equal(role, name, given, getattr(got, name), getattr(want, name))
        for name in ("reason", "outcome"):
            self._equal(role, name, played, getattr(got, name), getattr(want, name))
        self._infos(role, "info", given, got.info, want.info)
        self._told(role, "told", given, got.told, want)
        if want.last is not None:
            self._finals(role, played, got, want.last, final)

    def _finals(
        self, role: Role, played: np.ndarray, got: Received, want: Expected, final: bool
    ) -> None:
        """Compare the last moments of what ended in the step."""
        have = got.has_final
        if have is None:
            if final and "final_obs" not in self._lost:
                raise ContractError(f"{self._title}: {self.where}: final_obs is not given")
            return
        if final:
            self._equal(role, "has_final", played, have, want.terminated | want.truncated)
        rows = played & have
        seen = want.obs if want.final_obs is None else want.final_obs
        self._equal(role, "final_obs", rows, got.final_obs, seen)
        self._equal(role, "final_mask", rows, got.final_mask, want.mask)
        self._infos(role, "final_info", rows, got.final_info, want.info)
        self._told(role, "final_told", rows, got.final_told, want)

    def _infos(
        self,
        role: Role,
        entry: str,
        rows: np.ndarray,
        got: Mapping[str, np.ndarray] | None,
        want: Mapping[str, np.ndarray],
    ) -> None:
        if self._is_lost(entry, got) or got is None:
            return
        lacking = sorted(set(want) - set(got))
        if lacking:
            raise ContractError(f"{self._title}: {self.where}: {entry}: lacks {lacking}")
        for name, values in want.items():
            self._equal(role, f"{entry}.{name}", rows, got[name], values, count=entry)

    def _told(
        self, role: Role, entry: str, rows: np.ndarray, got: Told | None, want: Expected
    ) -> None:
        tell = self._world.tell
        if tell is None or self._is_lost(entry, got) or got is None:
            return
        for env, agent in np.argwhere(rows).tolist():
            at = (env, agent)
            info = {name: np.array(values[at]) for name, values in want.info.items()}
            wanted = tell(self._core, role, want.obs[at].copy(), want.mask[at].copy(), info)
            self.num_compared[entry] += 1
            odd = sorted(k for k in wanted if not same(wanted[k], got.get(at, {}).get(k)))
            if odd:
                raise self._differs(role, f"{entry}.{odd[0]}", at)

    def _equal(
        self, role: Role, entry: str, rows: np.ndarray, got: Any, want: np.ndarray, count: str = ""
    ) -> None:
        if self._is_lost(count or entry, got):
            return
        mine = np.asarray(got)
        if mine.shape != want.shape:
            shapes = f"has shape {mine.shape}, not {want.shape}"
            raise ContractError(f"{self._title}: {self.where}: {entry} of {role.name} {shapes}")
        mine = mine if want.dtype == object else mine.astype(want.dtype)
        differs = mine != want
        if want.dtype.kind == "f":
            differs &= ~(np.isnan(mine) & np.isnan(want))
        differs = differs.reshape(*rows.shape, -1).any(axis=-1) & rows
        self.num_compared[count or entry] += int(rows.sum())
        if differs.any():
            at = tuple(np.argwhere(differs)[0].tolist())
            raise self._differs(role, entry, at, want[at], np.asarray(got)[at])

    def _is_lost(self, entry: str, got: Any) -> bool:
        """Say whether the other library has no place for an entry."""
        if got is not None:
            return False
        if entry in self._lost or entry.startswith(("final_", "generation")):
            return True
        raise ContractError(f"{self._title}: {self.where}: {entry} is None, but not in `lost`")

    def _require(self, role: Role, entry: str, broken: np.ndarray, what: str) -> None:
        if broken.any():
            env, agent = np.argwhere(broken)[0].tolist()
            who = f"{role.name}_{agent} of env {env}"
            raise ContractError(f"{self._title}: {self.where}: {entry}: {who} {what}")

    def _differs(
        self, role: Role, entry: str, at: tuple[int, ...], want: Any = None, got: Any = None
    ) -> ContractError:
        who = f"{role.name}_{at[1]} of env {at[0]}"
        said = "" if want is None else f": expected {short(want)}, got {short(got)}"
        return ContractError(f"{self._title}: {self.where}: {entry} differs for {who}{said}")


def same(one: Any, two: Any) -> bool:
    """Whether two nested values are equal, arrays and dicts included."""
    if isinstance(one, Mapping):
        return (
            isinstance(two, Mapping)
            and set(one) == set(two)
            and all(same(one[k], two[k]) for k in one)
        )
    if isinstance(one, list | tuple):
        return (
            isinstance(two, list | tuple | np.ndarray)
            and len(one) == len(two)
            and all(map(same, one, two))
        )
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        first, second = np.asarray(one), np.asarray(two)
        equal_nan = first.dtype.kind == "f"
        return first.shape == second.shape and np.array_equal(first, second, equal_nan=equal_nan)
    return bool(one == two)
