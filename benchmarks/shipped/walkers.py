"""Agents for comparisons: some act at random, some walk to objects and use them."""

from collections import deque
from typing import Any

import numpy as np

STRAY_IDS = (-1, -7, 4000)
STEPS = {"move_north": (-1, 0), "move_south": (1, 0), "move_west": (0, -1), "move_east": (0, 1)}
PATIENCE = 40  # steps after which an agent looks for something else
MOST_TYPES = 8  # to choose from
MOST_CELLS = 4000  # to look at for them
Place = tuple[int, int]


class RandomWalkers:
    """Every id alike, and now and then one that does not exist."""

    def __init__(self, names: list[str], agents: int, seed: int) -> None:
        self._ids, self._agents = len(names), agents
        self._rng = np.random.default_rng((seed, 1))

    def act(self, simulation: Any) -> np.ndarray:
        """Return an id for each agent."""
        ids = self._rng.integers(0, self._ids, self._agents)
        stray = self._rng.random(self._agents) < 0.02
        ids[stray] = self._rng.choice((*STRAY_IDS, self._ids), int(stray.sum()))
        return ids.astype(np.int32)


class Errands:
    """Each agent walks to the nearest object of some type, uses it a while, and goes on."""

    def __init__(self, names: list[str], agents: int, seed: int) -> None:
        self._names, self._agents = names, agents
        self._rng = np.random.default_rng((seed, 2))
        self._paths: list[deque[int]] = [deque() for _ in range(agents)]
        self._walls: set[Place] | None = None
        self._moves = {step: names.index(name) for name, step in STEPS.items() if name in names}
        self._others = [k for k, name in enumerate(names) if name not in STEPS]

    def act(self, simulation: Any) -> np.ndarray:
        """Return an id for each agent: mostly the next step of its errand."""
        ids = np.zeros(self._agents, np.int32)
        field = None
        for a in range(self._agents):
            if not self._paths[a]:
                field = field or _Field(simulation, self._find_walls(simulation))
                self._paths[a] = self._errand(field, a)
            ids[a] = self._paths[a].popleft() if self._paths[a] else 0
            if self._others and self._rng.random() < 0.04:
                ids[a] = self._rng.choice(self._others)
        return ids

    def _find_walls(self, simulation: Any) -> set[Place]:
        """Return where walls are, which never move."""
        if self._walls is None:
            found = simulation.grid_objects().values()
            walls = (entry for entry in found if entry["type_name"] == "wall")
            self._walls = {(int(entry["r"]), int(entry["c"])) for entry in walls}
        return self._walls

    def _errand(self, field: "_Field", a: int) -> deque[int]:
        """Draw one of the nearest types of object; return the way to it, and some uses of it."""
        ways = field.ways(field.agents[a]) if a in field.agents else []
        if not ways:
            return deque([int(self._rng.choice(self._others or [0]))])
        way = ways[int(self._rng.integers(len(ways)))]
        uses = int(self._rng.integers(1, 5))
        ids = [self._moves[step] for step in way[:PATIENCE] if step in self._moves]
        return deque(ids + ids[-1:] * uses)


class _Field:
    """Where everything is, for finding ways."""

    def __init__(self, simulation: Any, walls: set[Place]) -> None:
        self.agents: dict[int, Place] = {}
        self.kinds: dict[Place, tuple[Any, ...]] = {}
        self.taken = set(walls)
        for entry in simulation.grid_objects(ignore_types=["wall"]).values():
            place = (int(entry["r"]), int(entry["c"]))
            self.taken.add(place)
            if "agent_id" in entry:
                self.agents[int(entry["agent_id"])] = place
            else:
                self.kinds[place] = (entry["type_name"], *sorted(entry["tag_ids"]))

    def ways(self, start: Place) -> list[list[Place]]:
        """Return the steps to the nearest object of each type, the one into it included."""
        came: dict[Place, Place | None] = {start: None}
        waiting = deque([start])
        found: dict[tuple[Any, ...], list[Place]] = {}
        while waiting and len(found) < MOST_TYPES and len(came) < MOST_CELLS:
            at = waiting.popleft()
            for step in STEPS.values():
                place = (at[0] + step[0], at[1] + step[1])
                if place in came or min(place) < 0:
                    continue
                kind = self.kinds.get(place)
                if kind is not None and kind not in found:
                    found[kind] = [*self._trace(came, at), step]
                if place not in self.taken:
                    came[place] = at
                    waiting.append(place)
        return list(found.values())

    def _trace(self, came: dict[Place, Place | None], place: Place) -> list[Place]:
        steps = []
        while (before := came[place]) is not None:
            steps.append((place[0] - before[0], place[1] - before[1]))
            place = before
        return steps[::-1]
