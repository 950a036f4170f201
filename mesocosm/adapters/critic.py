"""What a central critic may know: what all agents see and, where it is declared, truth fields."""

import numpy as np

from mesocosm.core.adapter import Parts
from mesocosm.core.errors import ConfigError, hint
from mesocosm.core.spec import Field
from mesocosm.sim.engine import Engine


class CriticState:
    """All observations, flat, in agent order, and after them the fields that were named.

    The numbers of a field are scaled to -1..1 by its declared range.
    """

    def __init__(self, engine: Engine, fields: tuple[str, ...]) -> None:
        known = {**engine.spec.saved, **engine.spec.exposed}
        for name in fields:
            if name not in known:
                raise ConfigError(f"critic: no truth field named {name!r}.{hint(name, known)}")
        self._engine = engine
        self._fields = {name: _scale(known[name]) for name in fields}
        self._sizes = {name: int(np.prod(known[name].shape, dtype=int)) for name in fields}

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Give the least and the greatest of every number."""
        lows, highs = [], []
        for role in self._engine.spec.roles.values():
            layout = role.observation
            lows += [np.ravel(layout.low)] * role.num_agents
            highs += [np.ravel(layout.high)] * role.num_agents
        ends = np.ones(sum(self._sizes.values()))
        low, high = np.concatenate([*lows, -ends]), np.concatenate([*highs, ends])
        return low.astype(np.float32), high.astype(np.float32)

    def read(self, parts: Parts) -> np.ndarray:  # float32 [env, number]
        """Copy what holds now to the host."""
        seen = [np.asarray(part.obs) for part in parts.values()]
        made = [part.reshape(len(part), -1).astype(np.float32) for part in seen]
        for name, (scale, shift) in self._fields.items():
            numbers = np.asarray(self._engine.truth(name), np.float64) * scale + shift
            flat = np.clip(numbers, -1.0, 1.0).reshape(len(numbers), -1)
            made.append(flat.astype(np.float32))
        return np.concatenate(made, axis=1)


def _scale(field: Field) -> tuple[np.ndarray, np.ndarray]:
    """Give what to multiply a field's numbers by, and what to add then."""
    low, high = (np.asarray(bound, np.float64) for bound in field.bounds)
    known = np.isfinite(low) & np.isfinite(high) & (high > low)
    low, high = np.where(known, low, -1.0), np.where(known, high, 1.0)
    return np.where(known, 2.0 / (high - low), 0.0), np.where(
        known, -(low + high) / (high - low), 0.0
    )
