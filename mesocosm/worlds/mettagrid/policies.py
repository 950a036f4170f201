"""Scripted cogs: they go for the nearest thing that is worth it, by tokens alone."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mesocosm.core.errors import MesocosmError
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role

FAR = 99
STEPS = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}
WANDER = 0.1


class Seeker:
    """Walks to the nearest thing that shows one of some features, and uses it; else wanders.

    What cannot be used now (the mask says so once it is beside one) is left alone.
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
        pairs = [(options.index(f"move_{k}"), STEPS[k]) for k in STEPS if f"move_{k}" in options]
        self._moves = np.array([move for move, _ in pairs])
        self._steps = np.array([step for _, step in pairs]).reshape(-1, 2)

    def act(self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray]) -> Any:
        view = np.asarray(obs).reshape(*self._lead, -1, 3)
        legal = self._spec.action.mask_parts(np.asarray(mask))["action"]
        drawn = self._spec.action.sample(self._rng, self._lead, np.asarray(mask))
        if not len(self._moves):
            return drawn
        way = self._way(view)
        score = way @ self._steps.T.astype(np.float64)  # [env, agent, move]
        score += self._rng.random(score.shape) * 0.5
        allowed = legal[..., self._moves]
        score = np.where(allowed, score, -np.inf)
        best = score.argmax(-1)
        good = np.isfinite(score.max(-1)) & (np.abs(way).sum(-1) > 0)
        good &= self._rng.random(self._lead) > WANDER
        drawn[..., 0] = np.where(good, self._moves[best], drawn[..., 0])
        return drawn

    def _way(self, view: np.ndarray) -> np.ndarray:  # float64 [env, agent, 2]
        """Give the way to the nearest wanted thing, as signs of rows and columns to go."""
        place = view[..., 0].astype(np.int64)
        there = place < 0xFE
        flags = np.zeros((*self._lead, 256), bool)
        for table, value in ((self._want, True), (self._shun, False)):
            hit = table[view[..., 1]] & there
            env, agent, token = np.nonzero(hit)
            flags[env, agent, place[env, agent, token]] = value
        cells = np.arange(256)
        centre = self._centre(view)
        rows = (cells >> 4) - (centre >> 4)[..., None]
        cols = (cells & 15) - (centre & 15)[..., None]
        distance = np.where(flags, np.abs(rows) + np.abs(cols), FAR)
        nearest = distance.argmin(-1)[..., None]
        found = np.take_along_axis(distance, nearest, -1)[..., 0] < FAR
        way = np.stack(
            [np.take_along_axis(axis, nearest, -1)[..., 0] for axis in (rows, cols)], axis=-1
        )
        return np.where(found[..., None], way, 0).astype(np.float64)

    def _centre(self, view: np.ndarray) -> np.ndarray:
        """Find one's own cell: the first token that has a place."""
        first = (view[..., 0] < 0xFE).argmax(-1)[..., None]
        return np.take_along_axis(view[..., 0], first, -1)[..., 0].astype(np.int64)


def _table(kinds: Any, names: tuple[str, ...]) -> np.ndarray:  # bool [256]
    """Mark the feature ids whose names begin with one of these."""
    table = np.zeros(256, bool)
    for kind in kinds:
        table[kind.id] = any(kind.name.startswith(name) for name in names)
    return table


POLICIES: dict[str, Callable[[], Policy]] = {
    "forager": lambda: Seeker(("inv:",)),
    "assembler": lambda: Seeker(("protocol_output:", "inv:"), ("cooldown_remaining", "clipped")),
}
