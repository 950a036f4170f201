"""One preset under test: how its envs are made and played."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mesocosm.build import make
from mesocosm.core.errors import ContractError
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.testing.coverage import Coverage
from mesocosm.testing.play import differing, outputs, wild_actions

Visit = Callable[[Engine, Step, dict[str, np.ndarray]], None]


@dataclass(frozen=True)
class Case:
    """A preset with the settings that every check uses.

    Args:
        horizon: Steps within which two episodes must have ended.
        max_explored: Steps within which everything declared should have been seen.
        covered: What was seen, once the check of it has run.
        num_unused: How often each part of an action was changed where it is declared unused.
    """

    preset: str
    overrides: Mapping[str, Any] = field(default_factory=dict)
    num_envs: int = 4
    steps: int = 48
    horizon: int = 4000
    max_explored: int = 1000
    seed: int = 7
    target: str = "cpu"
    covered: list[Coverage] = field(default_factory=list)
    num_unused: dict[str, int] = field(default_factory=dict)

    def make(self, **settings: Any) -> Engine:
        """Make an env of this case."""
        defaults: dict[str, Any] = {"num_envs": self.num_envs, "target": self.target}
        defaults |= {"seed": self.seed}
        return make(self.preset, self.overrides, **(defaults | settings))

    def play(
        self, env: Engine, visit: Visit | None = None, steps: int | None = None, salt: int = 0
    ) -> list[dict[str, np.ndarray]]:
        """Reset and play odd random actions; keep everything that was handed out."""
        step = env.reset(seed=self.seed)
        kept = [outputs(env, step)]
        rng = np.random.default_rng((self.seed, salt))
        for _ in range(self.steps if steps is None else steps):
            step = env.step(wild_actions(env, rng))
            kept.append(outputs(env, step))
            if visit is not None:
                visit(env, step, kept[-1])
        return kept

    @cached_property
    def python_play(self) -> tuple[Engine, list[dict[str, np.ndarray]]]:
        """Two envs on the python target after a play, and what they handed out; played once."""
        env = self.make(target="python", num_envs=2)
        return env, self.play(env)

    def fail(self, rule: str, what: str) -> ContractError:
        """Build the error for a broken rule."""
        return ContractError(f"{self.preset}: {rule}: {what}")

    def require(self, holds: Any, rule: str, what: str) -> None:
        """Raise unless a rule of the contract holds."""
        if not holds:
            raise self.fail(rule, what)

    def require_equal(self, rule: str, first: list[Any], second: list[Any], what: str) -> None:
        """Raise unless two plays handed out the same bytes."""
        for t, (one, other) in enumerate(zip(first, second, strict=True)):
            odd = differing(one, other)
            self.require(not odd, rule, f"{what}: {odd[:3]} differ at step {t}")

    def require_same_state(self, rule: str, first: Engine, second: Engine, what: str) -> None:
        """Raise unless two envs are in the same state."""
        one, other = first.digest(), second.digest()
        odd = [key for key in one if one[key] != other[key]]
        self.require(not odd, rule, f"{what}: state differs in {odd[:3]}")
