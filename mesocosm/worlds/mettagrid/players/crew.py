"""Crews for games like Cogs vs Clips: miners, aligners, scramblers and scouts of one team."""

from typing import Any

import numpy as np

from mesocosm.core.spec import Role
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.players.goals import (
    ALIGN,
    EXPLORE,
    HEAL,
    MINE,
    MIX,
    PATROL,
    ROLES,
    SCRAMBLE,
    Goals,
)
from mesocosm.worlds.mettagrid.players.memory import NEVER, Memory
from mesocosm.worlds.mettagrid.players.route import FAR, costs, in_sight
from mesocosm.worlds.mettagrid.players.sight import Sight, Window

MOVES = ("north", "south", "west", "east")
MAX_GROUPS = 4
REPLAN_STEPS, EXPLORE_STEPS, LOOK_STEPS = 6, 20, 3
GRUDGE_STEPS = 40  # how long a thing is left alone that brought nothing
STRAY = 0.03  # how often a step goes anywhere, so that two who block each other part


class Crew:
    """Plays every team by a mix of roles; the agents of a team pool what they see.

    Agents need to see the hub of their team when they begin: places are counted from there.

    Args:
        mix: The role of each agent of a team, over and over.
    """

    privileged = False

    def __init__(self, mix: tuple[str, ...] = MIX) -> None:
        self._mix = np.array([ROLES.index(name) for name in mix])

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._spec, self._sight = spec, Sight(spec)
        self._rng = np.random.default_rng(seed)
        self._lead = (num_envs, spec.num_agents)
        agents = num_envs * spec.num_agents
        self._goals = Goals(self._sight, self._mix, agents)
        options = spec.action.choices[0].options
        self._moves = np.array([options.index(f"move_{name}") for name in MOVES])
        self._memory = Memory(num_envs * MAX_GROUPS, self._sight.tag("type:wall"))
        self._env = np.repeat(np.arange(num_envs), spec.num_agents)
        self._team = np.zeros(agents, np.int64)  # which grid of the memory is its own
        self._origin = np.zeros((agents, 2), np.int64)  # of its positions, from the hub
        self._clock = np.zeros(agents, np.int64)
        self._goal = np.full(agents, PATROL)
        self._target = np.zeros((agents, 2), np.int64)
        self._plan_until = np.zeros(agents, np.int64)
        self._bumped = np.zeros(agents, bool)
        self._before = np.zeros(agents, np.int64)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        window = self._sight.read(np.asarray(obs))
        self._begin(np.asarray(began).reshape(-1), window)
        at = self._goals.position(window) + self._origin
        seen = in_sight(window.tags.shape[1], self._goals.radius(window))
        things = np.where(window.tags & self._sight.tag("type:agent"), 0, window.tags)
        noted = np.where(seen, self._clock[:, None, None], NEVER)
        self._memory.note(self._team, at, things, noted)
        self._resent(window)
        self._plan(window, at)
        legal = self._spec.action.mask_parts(np.asarray(mask))["action"]
        chosen = self._step(window, seen, self._target - at, legal.reshape(len(at), -1))
        self._clock += 1
        made = self._spec.action.noop(self._lead)
        made[..., 0] = chosen.reshape(self._lead)
        return made

    def _begin(self, began: np.ndarray, window: Window) -> None:
        """Forget the last episode, and find the hub."""
        if not began.any():
            return
        group = self._goals.own(window, "agent:group") % MAX_GROUPS
        self._team[began] = (self._env * MAX_GROUPS + group)[began]
        self._memory.forget(np.unique(self._team[began]))
        hub = self._goals.team(window) | self._sight.tag("hub")
        shown = (window.tags & hub[:, None, None]) == hub[:, None, None]
        best = shown.reshape(len(shown), -1).argmax(-1)
        side = window.tags.shape[1]
        way = np.stack([best // side, best % side], -1) - side // 2
        way[~shown.any((1, 2))] = 0
        self._origin[began] = -way[began]
        self._clock[began] = self._plan_until[began] = 0
        self._goal[began], self._bumped[began] = PATROL, False
        self._goals.begin(began)

    def _resent(self, window: Window) -> None:
        """Leave alone for a while what was used in vain, or was not found."""
        holding = self._goals.holding(window)
        vain = self._bumped & (holding == self._before)
        vain &= (self._goal == ALIGN) | (self._goal == SCRAMBLE) | (self._goal == MINE)
        vain |= (self._goal == EXPLORE) & (self._plan_until <= self._clock)
        who = np.flatnonzero(vain)
        until = self._clock[who] + GRUDGE_STEPS
        self._memory.avoid(self._team[who], self._target[who], until)
        self._plan_until[who] = 0
        self._before = holding

    def _plan(self, window: Window, at: np.ndarray) -> None:
        """Find a target for whoever has a new goal, or has followed the last for a while."""
        goal = self._goals.choose(window, at, self._goal)
        idle = (self._goal == EXPLORE) | (self._goal == PATROL)
        late = (self._plan_until <= self._clock) | (self._target == at).all(-1) | self._bumped
        look = idle & ~late & (self._clock % LOOK_STEPS == np.arange(len(at)) % LOOK_STEPS)
        self._aim(np.flatnonzero(look), goal[look], window, at[look])
        left = np.flatnonzero(late | ((goal != self._goal) & (~idle | (goal == HEAL))))
        for kind in (goal, *self._goals.instead(window)):
            left = left[~self._aim(left, kind[left], window, at[left])]
        self._target[left], self._goal[left] = 0, PATROL
        self._plan_until[left] = self._clock[left] + REPLAN_STEPS

    def _aim(
        self, who: np.ndarray, kind: np.ndarray, window: Window, at: np.ndarray
    ) -> np.ndarray:  # bool [who]
        """Choose targets of certain kinds; say who has one."""
        team, clock = self._team[who], self._clock[who]
        wanted = self._goals.wanted(kind, Window(window.own[who], window.tags[who]))
        place, found = self._memory.nearest(team, who, at, clock, wanted)
        lost = np.flatnonzero(kind == EXPLORE)
        place[lost], found[lost] = self._memory.frontier(
            team[lost], at[lost], clock[lost], self._rng
        )
        mine, spot = who[found], place[found]
        self._target[mine], self._goal[mine] = spot, kind[found]
        steps = np.where(kind[found] == EXPLORE, EXPLORE_STEPS, REPLAN_STEPS)
        self._plan_until[mine] = clock[found] + steps
        self._memory.claim(self._team[mine], spot, mine, self._plan_until[mine])
        return found

    def _step(
        self, window: Window, seen: np.ndarray, way: np.ndarray, legal: np.ndarray
    ) -> np.ndarray:  # int64 [agent]
        """Choose the move that leads nearest to the target."""
        half = window.tags.shape[1] // 2
        far = costs(seen & (window.tags == 0), seen, way)
        steps = np.array([DIRECTION_STEPS[name] for name in MOVES])
        cost = far[:, half + steps[:, 0], half + steps[:, 1]].astype(np.float64)
        cost += 0.5 * self._rng.random(cost.shape)
        cost[~legal[:, self._moves]] = 2.0 * FAR
        stray = self._rng.random(len(cost)) < STRAY
        best = np.where(stray, self._rng.integers(0, len(MOVES), len(cost)), cost.argmin(-1))
        go = np.take_along_axis(cost, best[:, None], 1)[:, 0] < FAR
        go &= np.abs(way).sum(-1) > 0
        self._bumped = go & (steps[best] == way).all(-1)
        self._bumped &= (self._goal != EXPLORE) & (self._goal != HEAL)
        return np.where(go, self._moves[best], 0)
