"""Scripted cogs: they go for the nearest thing that is worth it, by tokens alone."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mesocosm.core.errors import MesocosmError
from mesocosm.core.policy import Policy, RandomPolicy
from mesocosm.core.spec import Role
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.game.idmap import EMPTY_TOKEN, GLOBAL_LOCATION, LOCATION_ROW, MAX_IDS
from mesocosm.worlds.mettagrid.players.crew import Crew
from mesocosm.worlds.mettagrid.players.sides import Sides

UNREACHED = 99
CARDINAL_STEPS = {name: DIRECTION_STEPS[name] for name in ("north", "south", "west", "east")}
WANDER = 0.1
PATIENCE = 12


class Seeker:
    """Walks to the nearest thing that shows one of some features, and uses it; else wanders.

    What the mask forbids is left alone. Where using something brought nothing, it turns for a
    while to things that have more than a name but show none of these, in another vibe: it delivers.
    """

    privileged = False

    def __init__(self, wanted: tuple[str, ...], shunned: tuple[str, ...] = ()) -> None:
        self._wanted, self._shunned = wanted, shunned

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        tokens = spec.observation.tokens
        if tokens is None:
            raise MesocosmError(f"role {spec.name!r} does not see tokens")
        self._spec, self._rng = spec, np.random.default_rng(seed)
        self._lead = (num_envs, spec.num_agents)
        self._want = _table(tokens.kinds, self._wanted)
        self._shun = _table(tokens.kinds, (*self._shunned, "agent:group"))
        options = spec.action.choices[0].options
        pairs = [
            (options.index(f"move_{k}"), CARDINAL_STEPS[k])
            for k in CARDINAL_STEPS
            if f"move_{k}" in options
        ]
        self._moves = np.array([move for move, _ in pairs])
        self._steps = np.array([step for _, step in pairs]).reshape(-1, 2)
        self._vibes = [k for k, name in enumerate(options) if name.startswith("change_vibe")]
        self._bored = np.zeros(self._lead, np.int64)
        self._owned = np.zeros(self._lead, np.int64)
        self._used = np.zeros(self._lead, bool)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        for memory in (self._bored, self._owned, self._used):
            memory[began] = 0
        view = np.asarray(obs).reshape(*self._lead, -1, 3)
        legal = self._spec.action.mask_parts(np.asarray(mask))["action"]
        drawn = self._spec.action.sample(self._rng, self._lead, np.asarray(mask))
        if not len(self._moves):
            return drawn
        way = self._way(view)
        score = way @ self._steps.T.astype(np.float64)  # [env, agent, move]
        score += self._rng.random(score.shape) * 0.5
        score = np.where(legal[..., self._moves], score, -np.inf)
        best = score.argmax(-1)
        good = np.isfinite(score.max(-1)) & (np.abs(way).sum(-1) > 0)
        good &= self._rng.random(self._lead) > WANDER
        self._used = good & (np.abs(way).sum(-1) == 1) & (score.max(-1) >= 1.0)
        drawn[..., 0] = np.where(good, self._moves[best], drawn[..., 0])
        if self._vibes:
            other = self._rng.choice(self._vibes, self._lead)
            fresh = self._bored == PATIENCE
            drawn[..., 0] = np.where(fresh, other, drawn[..., 0])
            self._used &= ~fresh
        return drawn

    def _way(self, view: np.ndarray) -> np.ndarray:  # float64 [env, agent, 2]
        """Return the way to the nearest wanted thing, in rows and columns."""
        place, centre = view[..., 0].astype(np.int64), self._centre(view)
        there = (place < GLOBAL_LOCATION) & (view[..., 1] != EMPTY_TOKEN)
        wanted = self._cells(place, self._want[view[..., 1]] & there) > 0
        shunned = self._cells(place, self._shun[view[..., 1]] & there) > 0
        plain = (self._cells(place, there) > 1) & ~wanted
        self._notice(view, place == centre[..., None])
        flags = np.where((self._bored > 0)[..., None], plain, wanted) & ~shunned
        cells = np.arange(MAX_IDS)
        rows = cells // LOCATION_ROW - (centre // LOCATION_ROW)[..., None]
        cols = cells % LOCATION_ROW - (centre % LOCATION_ROW)[..., None]
        distance = np.where(flags, np.abs(rows) + np.abs(cols), UNREACHED)
        nearest = distance.argmin(-1)[..., None]
        found = np.take_along_axis(distance, nearest, -1)[..., 0] < UNREACHED
        axes = [np.take_along_axis(axis, nearest, -1)[..., 0] for axis in (rows, cols)]
        return np.where(found[..., None], np.stack(axes, axis=-1), 0).astype(np.float64)

    def _cells(
        self, place: np.ndarray, chosen: np.ndarray
    ) -> np.ndarray:  # int64 [env, agent, 256]
        """Count the chosen tokens on each cell."""
        counts = np.zeros((*self._lead, MAX_IDS), np.int64)
        env, agent, token = np.nonzero(chosen)
        np.add.at(counts, (env, agent, place[env, agent, token]), 1)
        return counts

    def _notice(self, view: np.ndarray, own: np.ndarray) -> None:
        """Lose interest for a while in what brought nothing."""
        worth = view[..., 1].astype(np.int64) * 1009 + view[..., 2]
        owned = np.where(own & self._want[view[..., 1]], worth, 0).sum(-1)
        vain = self._used & (owned == self._owned)
        self._bored = np.where(vain, PATIENCE - self._bored, np.maximum(self._bored - 1, 0))
        self._owned = owned

    def _centre(self, view: np.ndarray) -> np.ndarray:
        """Find one's own cell: the first token that has a place."""
        first = (view[..., 0] < GLOBAL_LOCATION).argmax(-1)[..., None]
        return np.take_along_axis(view[..., 0], first, -1)[..., 0].astype(np.int64)


def _table(kinds: Any, names: tuple[str, ...]) -> np.ndarray:  # bool [256]
    """Mark the feature ids whose names begin with one of these."""
    table = np.zeros(MAX_IDS, bool)
    for kind in kinds:
        table[kind.id] = any(kind.name.startswith(name) for name in names)
    return table


POLICIES: dict[str, Callable[[], Policy]] = {
    "forager": lambda: Seeker(("inv:",)),
    "assembler": lambda: Seeker(("protocol_output:", "inv:"), ("cooldown_remaining", "clipped")),
    "crew": Crew,
    "crew_vs_random": lambda: Sides(Crew(), RandomPolicy()),
    "random_vs_crew": lambda: Sides(RandomPolicy(), Crew()),
}
