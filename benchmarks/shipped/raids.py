"""Agents who play Cogs vs Clips with a plan: they mine, align junctions and scramble others'."""

from collections import deque
from typing import Any

import numpy as np

from benchmarks.shipped.walkers import STEPS, Place

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


class Raids:
    """Roles by agent; each walks to the nearest thing of its plan, uses it, and goes on."""

    def __init__(self, names: list[str], agents: int, seed: int) -> None:
        self._agents, self._rng = agents, np.random.default_rng((seed, 3))
        self._moves = {step: names.index(name) for name, step in STEPS.items()}
        self._vibes = [k for k, name in enumerate(names) if "vibe" in name]
        self._at = [0] * agents
        self._left = [PATIENCE] * agents
        self._paths: list[deque[Place]] = [deque() for _ in range(agents)]
        self._walls: set[Place] | None = None

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
                ahead = (place[0] + step[0], place[1] + step[1])
                if ahead in field.taken and len(self._paths[a]) >= USES:
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
            self._walls = {(int(entry["r"]), int(entry["c"])) for entry in walls}
        return _Teams(simulation, self._walls)


class _Teams:
    """Where everything is, and whose."""

    def __init__(self, simulation: Any, walls: set[Place]) -> None:
        self.taken, self.agents = set(walls), {}
        self.things: dict[Place, tuple[str, set[int]]] = {}
        for entry in simulation.grid_objects(ignore_types=["wall"]).values():
            place, tags = (int(entry["r"]), int(entry["c"])), set(entry["tag_ids"])
            self.taken.add(place)
            if "agent_id" in entry:
                self.agents[int(entry["agent_id"])] = (place, tags)
            else:
                self.things[place] = (entry["type_name"], tags)
        self.teams = set().union(*(tags for _, tags in self.agents.values()))

    def way(self, start: Place, goal: str, own: set[int]) -> list[Place]:
        """Return the steps to the nearest thing that is meant, and some into it."""
        came: dict[Place, Place | None] = {start: None}
        waiting = deque([start])
        while waiting and len(came) < MOST_CELLS:
            at = waiting.popleft()
            for step in STEPS.values():
                place = (at[0] + step[0], at[1] + step[1])
                if place in came or min(place) < 0:
                    continue
                if place in self.things and self._is_meant(place, goal, own):
                    return [*self._trace(came, at), *[step] * USES]
                if place not in self.taken:
                    came[place] = at
                    waiting.append(place)
        return []

    def _is_meant(self, place: Place, goal: str, own: set[int]) -> bool:
        kind, tags = self.things[place]
        strange = bool(tags & (self.teams - own))
        return kind == goal.removesuffix("*") and strange == goal.endswith("*")

    def _trace(self, came: dict[Place, Place | None], place: Place) -> list[Place]:
        steps = []
        while (before := came[place]) is not None:
            steps.append((place[0] - before[0], place[1] - before[1]))
            place = before
        return steps[::-1]
