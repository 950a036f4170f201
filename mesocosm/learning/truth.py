"""What only the critic may know while it learns: truth fields, as numbers for each agent."""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from mesocosm.core.errors import ConfigError, hint
from mesocosm.core.spec import Field, Role
from mesocosm.learning.settings import PREFIX
from mesocosm.sim.engine import Engine

MAX_NUMBERS = 65536  # for one agent
AGENTS = "agent"  # the scope of fields whose first axis counts agents


class TruthReader:
    """Reads truth fields of an env where they lie, scaled to -1..1 by their declared ranges.

    Of a field of agents everyone gets their own entries, and after them the mean over all
    agents; of any other field all entries.
    """

    def __init__(self, env: Engine, role: Role, names: tuple[str, ...]) -> None:
        known = {**env.spec.saved, **env.spec.exposed}
        self._num_agents = role.num_agents
        self._span = role.span
        self._parts = []
        for name in names:
            if name not in known:
                raise ConfigError(
                    f"{PREFIX}truth: no truth field named {name!r}.{hint(name, known)}"
                )
            array = from_dlpack(env.driver.share(env.array(name)))
            self._parts.append((array, known[name].scope == AGENTS, *_scale(known[name], array)))
        self.size = sum(_count(array, of_agents) for array, of_agents, _, _ in self._parts)
        if self.size > MAX_NUMBERS:
            raise ConfigError(
                f"{PREFIX}truth: {self.size} numbers for each agent, at most {MAX_NUMBERS}"
            )

    def read(self) -> Tensor:
        """Copy what holds now: float32 `[env, agent, number]`."""
        made = []
        for array, of_agents, scale, shift in self._parts:
            numbers = torch.addcmul(shift, array.float(), scale).clamp(-1.0, 1.0)
            if of_agents:
                own = numbers.flatten(2) if numbers.dim() > 2 else numbers.unsqueeze(-1)
                made += [own[:, self._span], own.mean(1, keepdim=True)]
            else:
                made.append(numbers.reshape(numbers.shape[0], 1, -1))
        return torch.cat([part.expand(-1, self._num_agents, -1) for part in made], -1)


def _count(array: Tensor, of_agents: bool) -> int:
    return 2 * array[0, 0].numel() if of_agents else array[0].numel()


def _scale(field: Field, array: Tensor) -> tuple[Tensor, Tensor]:
    """Give what to multiply a field's numbers by, and what to add then."""
    low, high = (np.asarray(bound, np.float64) for bound in field.bounds)
    half: Any = (high - low) / 2
    scale = np.divide(1.0, half, out=np.zeros_like(half), where=np.isfinite(half) & (half > 0))
    pair = (scale, -(low + half) * scale)
    first, second = (torch.as_tensor(x, dtype=torch.float32, device=array.device) for x in pair)
    return first, second
