"""Scripted residents: one who knows the whole town, and one who has to find it out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role
from mesocosm.worlds.townlet.config import DAY
from mesocosm.worlds.townlet.declare import CONTENTION, DOWN, INTERACT, LEFT, RIGHT, UP
from mesocosm.worlds.townlet.plan import Plan

PATIENCE = 4  # ticks for which a place that was taken is left alone
PRESSING = 0.08  # a place that does this much good per tick comes before exploring
UNSEEN, EMPTY, MARK = -3, -2, -1  # what is remembered of a cell; 0 and up is a known place
ABSENT = np.inf


class Situation(NamedTuple):
    """What a resident goes by; positions are x, y."""

    position: np.ndarray  # int64 [env, agent, 2]
    meters: np.ndarray  # float64 [env, agent, 8]
    places: np.ndarray  # float64 [env, agent, place, 2]: infinite where unknown
    hour: np.ndarray  # int64 [env, agent]
    progress: np.ndarray  # float64 [env, agent]: above 0 in the middle of a visit


class Resident(ABC):
    """Goes where the most good is done per tick, and finishes what was begun.

    Whether time passes is no part of a role's spec: it is learnt when the clock first moves.
    """

    privileged = False

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._spec = spec
        self._lead = (num_envs, spec.num_agents)
        self._plan = Plan(spec)
        self._timed = False
        kinds = spec.observation.feature("affordance").size - 1
        self._shunned = np.zeros((*self._lead, kinds))

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        self._forget(np.asarray(began))
        now = self._sense(obs, info)
        self._timed = self._timed or bool((now.hour > 0).any() or (now.progress > 0).any())
        self._note_crowds(obs, info)
        legal = self._spec.action.mask_parts(mask)["act"]
        offset = now.places - now.position[..., None, :]
        distance = np.abs(offset).sum(-1)
        distance[self._shunned > 0] = ABSENT
        score = self._plan.score(now.meters, distance, now.hour, timed=self._timed)
        best = score.argmax(-1)[..., None]
        target = np.take_along_axis(offset, best[..., None], axis=2)[:, :, 0]
        gain = np.take_along_axis(score, best, axis=2)[..., 0]
        target[gain <= 0.0] = ABSENT
        target, uses = self._wander(now, target, gain)
        failed = np.asarray(info["action_failed"]).reshape(self._lead) > 0
        uses |= (now.progress > 0) & legal[..., INTERACT] & ~failed
        return self._move(target, uses, legal)

    def _forget(self, began: np.ndarray) -> None:
        """Forget what was remembered by whoever had the place of a resident that begins."""
        self._shunned[began] = 0

    @abstractmethod
    def _sense(self, obs: np.ndarray, info: dict[str, np.ndarray]) -> Situation:
        """Return how everybody is, as far as this policy may know."""

    def _wander(
        self, now: Situation, target: np.ndarray, gain: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return where to go, relative to here, and who uses the place underfoot."""
        return target, (target == 0).all(-1)

    def _note_crowds(self, obs: np.ndarray, info: dict[str, np.ndarray]) -> None:
        """Leave a place alone for a while after finding it taken."""
        here = obs[..., self._spec.observation.span("affordance")][..., :-1] > 0
        taken = np.asarray(info["action_failed"]).reshape(self._lead) == CONTENTION
        self._shunned = np.maximum(self._shunned - 1, 0)
        self._shunned[here & taken[..., None]] = PATIENCE

    def _move(self, target: np.ndarray, uses: np.ndarray, legal: np.ndarray) -> Any:
        """Turn targets into actions: the longer way first; what is not legal becomes a no-op."""
        action = self._spec.action.noop(self._lead)
        wanted = action[..., 0].copy()
        dx, dy = target[..., 0], target[..., 1]
        walks = np.isfinite(dx) & ((dx != 0) | (dy != 0))
        along_x = np.abs(dx) >= np.abs(dy)
        step = np.where(along_x, np.where(dx > 0, RIGHT, LEFT), np.where(dy > 0, DOWN, UP))
        wanted[walks] = step[walks]
        wanted[uses] = INTERACT
        allowed = np.take_along_axis(legal, wanted[..., None], axis=2)[..., 0]
        action[..., 0] = np.where(allowed, wanted, action[..., 0])
        return action


class Greedy(Resident):
    """Knows where everything is, at every level; privileged, for it reads the truth.

    It looks one visit ahead and reckons with the default tables (see `Plan`); towards others it
    only steps back from a place that it found taken.
    """

    privileged = True
    truth: Callable[[str], np.ndarray]

    def _sense(self, obs: np.ndarray, info: dict[str, np.ndarray]) -> Situation:
        mine = self._spec.span
        places = np.asarray(self.truth("affordance_position")).astype(float)
        places[(places < 0).any(-1)] = ABSENT
        hour = np.asarray(self.truth("hour")).astype(int)
        return Situation(
            position=np.asarray(self.truth("position"))[:, mine].astype(int),
            meters=np.asarray(self.truth("meters"))[:, mine].astype(float),
            places=np.repeat(places[:, None], self._lead[1], axis=1),
            hour=np.repeat(hour[:, None], self._lead[1], axis=1),
            progress=np.asarray(self.truth("progress"))[:, mine].astype(float),
        )


class Explorer(Resident):
    """Sees its observation only: remembers the town, and explores it while no need presses.

    A mark in the window tells that a place is there, standing on it tells which. At levels 0 to 3
    the map is told, so nothing is left to explore; there it does not see a clock or its progress.
    A new life forgets. The size of the town is read off the role's spec: it is
    the bound of the declared map.
    """

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        super().reset(spec, num_envs, seed)
        self._grid = int(spec.info.feature("affordance_map").high)
        self._reach = spec.observation.feature("window").shape[0] // 2
        self._memory = np.full((*self._lead, self._grid**2), UNSEEN)
        cells = np.arange(self._grid**2)
        self._cells = np.stack([cells % self._grid, cells // self._grid], axis=-1)

    def _forget(self, began: np.ndarray) -> None:
        super()._forget(began)
        self._memory[began] = UNSEEN

    def _sense(self, obs: np.ndarray, info: dict[str, np.ndarray]) -> Situation:
        part = {
            feature.name: obs[..., self._spec.observation.span(feature.name)]
            for feature in self._spec.observation.features
        }
        if part["grid"].shape[-1]:
            position = self._cells[part["grid"].argmax(-1)]
            places = np.asarray(info["affordance_map"]).reshape(*self._lead, -1, 2).astype(float)
            places[(places < 0).any(-1)] = ABSENT
            hour, progress = np.zeros(self._lead, int), np.zeros(self._lead)
        else:
            position = np.rint(part["position"] * (self._grid - 1)).astype(int)
            self._remember(position, part)
            places = self._recall(part["affordance"].shape[-1] - 1)
            turn = np.arctan2(part["time"][..., 0], part["time"][..., 1]) / (2 * np.pi)
            hour = np.rint(turn * DAY).astype(int) % DAY
            progress = part["progress"][..., 0].astype(float)
        return Situation(position, part["meters"].astype(float), places, hour, progress)

    def _remember(self, position: np.ndarray, part: dict[str, np.ndarray]) -> None:
        """Write what is seen now into the memory."""
        env, agent = np.indices(self._lead)
        side = range(-self._reach, self._reach + 1)
        for i, (dy, dx) in enumerate((dy, dx) for dy in side for dx in side):
            x, y = position[..., 0] + dx, position[..., 1] + dy
            inside = (x >= 0) & (y >= 0) & (x < self._grid) & (y < self._grid)
            cell = np.where(inside, y * self._grid + x, 0)
            known = self._memory[env, agent, cell]
            seen = np.where(part["window"][..., i] > 0, np.maximum(known, MARK), EMPTY)
            self._memory[env, agent, cell] = np.where(inside, seen, known)
        here = part["affordance"].argmax(-1)
        cell = position[..., 1] * self._grid + position[..., 0]
        kinds = part["affordance"].shape[-1] - 1
        self._memory[env, agent, cell] = np.where(here < kinds, here, EMPTY)

    def _recall(self, kinds: int) -> np.ndarray:  # float64 [env, agent, place, 2]
        """Return where the known places are."""
        places = np.full((*self._lead, kinds, 2), ABSENT)
        env, agent, cell = np.nonzero(self._memory >= 0)
        places[env, agent, self._memory[env, agent, cell]] = self._cells[cell]
        return places

    def _wander(
        self, now: Situation, target: np.ndarray, gain: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Go to the nearest unknown thing, unless a known place is worth more."""
        offset = self._cells - now.position[:, :, None]
        near = np.abs(offset).sum(-1)
        sight = np.maximum(np.abs(offset) - self._reach, 0).sum(-1) + 1
        cost = np.where(self._memory == MARK, near, np.where(self._memory == UNSEEN, sight, ABSENT))
        cost = cost.astype(float)
        nearest = cost.argmin(-1)[..., None]
        curious = np.isfinite(np.take_along_axis(cost, nearest, axis=2)[..., 0])
        curious &= (self._reach > 0) & (gain < PRESSING)
        goal = np.take_along_axis(offset, nearest[..., None], axis=2)[:, :, 0]
        uses = ~curious & (target == 0).all(-1)
        return np.where(curious[..., None], goal, target), uses


POLICIES: dict[str, Callable[[], Policy]] = {"greedy": Greedy, "explorer": Explorer}
