"""Agents who play Cogs vs Clips with a plan: they mine, align junctions and scramble others'."""

from collections import deque
from typing import Any

import numpy as np

from benchmarks.shipped.walkers import STEPS

WIDTH = 256  # of the widest map
DELTAS = {row * WIDTH + col: name for name, (row, col) in STEPS.items()}
# what each role walks to, in turns; a "*" is what belongs to another team
PLANS = (
    ("aligner", "hub", "junction", "hub"),
    ("scrambler", "hub", "junction*", "junction*"),
    ("miner", "carbon_extractor", "oxygen_extractor", "hub"),
    ("miner", "germanium_extractor", "silicon_extractor", "hub"),
    ("scout", "junction", "hub"),
)
USES = 3  # how often each thing is used
PATIENCE = 150  # steps until the next thing of a plan
MOST_CELLS = 20_000


def cell(entry: Any) -> int:
    """Return the number of a thing's cell."""
    return int(entry["r"]) * WIDTH + int(entry["c"])


class Raids:
    """Roles by agent; each walks to the nearest thing of its plan, uses it, and goes on."""

    def __init__(self, names: list[str], agents: int, seed: int) -> None:
        self._agents, self._rng = agents, np.random.default_rng((seed, 3))
        self._moves = {delta: names.index(name) for delta, name in DELTAS.items()}
        self._vibes = [k for k, name in enumerate(names) if "vibe" in name]
        self._at = [0] * agents
        self._left = [PATIENCE] * agents
        self._paths: list[deque[int]] = [deque() for _ in range(agents)]
        self._walls: set[int] | None = None

    def act(self, simulation: Any) -> np.ndarray:
        """Return an id for each agent."""
        field = self._look(simulation)
        ids = np.zeros(self._agents, np.int32)
        for a, (place, tags) in field.agents.items():
            plan = PLANS[(a + self._at[a] // 40) % len(PLANS)]
            if not self._paths[a]:
                self._paths[a] = deque(field.way(place, plan[self._at[a] % len(plan)], tags))
            self._left[a] -= 1
            if self._paths[a]:
                step = self._paths[a].popleft()
                ids[a] = self._moves[step]
                if field.taken[place + step] and len(self._paths[a]) >= USES:
                    self._paths[a].clear()  # somebody is in the way
                    ids[a] = self._rng.choice(list(self._moves.values()))
            if not self._paths[a] or self._left[a] <= 0:
                self._at[a], self._left[a] = self._at[a] + 1, PATIENCE
                self._paths[a].clear()
            if self._rng.random() < 0.02:
                ids[a] = self._rng.choice(self._vibes)
        return ids

    def _look(self, simulation: Any) -> "_Teams":
        if self._walls is None:
            found = simulation.grid_objects().values()
            walls = (entry for entry in found if entry["type_name"] == "wall")
            self._walls = {cell(entry) for entry in walls}
        return _Teams(simulation, self._walls)


class _Teams:
    """Where everything is, and whose; a cell is a number, row by row."""

    def __init__(self, simulation: Any, walls: set[int]) -> None:
        self.taken = bytearray(WIDTH * WIDTH)
        for place in walls:
            self.taken[place] = 1
        self.agents: dict[int, tuple[int, set[int]]] = {}
        self.things: dict[int, tuple[str, set[int]]] = {}
        for entry in simulation.grid_objects(ignore_types=["wall"]).values():
            place, tags = cell(entry), set(entry["tag_ids"])
            self.taken[place] = 1
            if "agent_id" in entry:
                self.agents[int(entry["agent_id"])] = (place, tags)
            else:
                self.things[place] = (entry["type_name"], tags)
        self.teams = set().union(*(tags for _, tags in self.agents.values()))

    def way(self, start: int, goal: str, own: set[int]) -> list[int]:
        """Return the steps to the nearest thing that is meant, and some into it."""
        goals = {place for place in self.things if self._is_meant(place, goal, own)}
        came = {start: 0}
        waiting = deque([start] if goals else [])
        while waiting and len(came) < MOST_CELLS:
            at = waiting.popleft()
            for step in DELTAS:
                place = at + step
                if place in goals:
                    return [*self._trace(came, at), *[step] * USES]
                if place not in came and not self.taken[place]:
                    came[place] = step
                    waiting.append(place)
        return []

    def _is_meant(self, place: int, goal: str, own: set[int]) -> bool:
        kind, tags = self.things[place]
        strange = bool(tags & (self.teams - own))
        return kind == goal.removesuffix("*") and strange == goal.endswith("*")

    def _trace(self, came: dict[int, int], place: int) -> list[int]:
        steps = []
        while came[place]:
            steps.append(came[place])
            place -= came[place]
        return steps[::-1]
