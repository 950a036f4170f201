"""Sum a step over each env's agents: rewards, terms, actions, violations."""

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.tables.columns import MOST_OPTIONS, counted_options, term_names

FIXED_COLUMNS = ("reward", "acting", "idle", "violations")  # in the order of the ledger's rows
PADDING = 8


class StepSums:
    """Sums a step over each env's agents, in one call; every sum is a column."""

    def __init__(self, env: Engine) -> None:
        self._env = env
        self.columns = _column_names(env.spec)
        # rows a power of two apart would all want the same few lines of the cache
        out = np.zeros((len(self.columns), env.num_envs + PADDING))
        self._out = out[:, : env.num_envs]
        self._tables = (*self._places(), *self._noops(), out)
        self._sum_agents = env.bookkeeper("sum_agents")

    def read(self, acting: np.ndarray) -> dict[str, np.ndarray]:
        """Give every sum, per env; the arrays are used again."""
        f, host = self._env.driver.f, self._env.host
        earned = (host(f.reward), host(f.terms), host(f.violations))
        self._sum_agents(host(f.choice), host(f.level), acting, *earned, *self._tables)
        return dict(zip(self.columns, self._out, strict=True))

    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        """Say in which column each agent's terms and options are added up; -1: in none."""
        f, spec = self._env.driver.f, self._env.spec
        term_at = np.full((spec.num_agents, f.terms.shape[2]), -1)
        option_at = np.full((spec.num_agents, f.choice.shape[2], MOST_OPTIONS), -1)
        for role in spec.roles.values():
            for k, term in enumerate(role.terms):
                term_at[role.span, k] = self.columns.index(f"term.{term.name}")
        for option in counted_options(spec):
            place = (spec.roles[option.role].span, option.part, option.option)
            option_at[place] = self.columns.index(option.column)
        return term_at, option_at

    def _noops(self) -> tuple[np.ndarray, np.ndarray]:
        """Give the no-op of every part of each agent's action; NaN where it has no such part."""
        f, spec = self._env.driver.f, self._env.spec
        choices = np.full((spec.num_agents, f.choice.shape[2]), np.nan)
        levels = np.full((spec.num_agents, f.level.shape[2]), np.nan)
        for role in spec.roles.values():
            for k, part in enumerate(role.action.choices):
                choices[role.span, k] = part.noop
            for k, bound in enumerate(role.action.levels):
                levels[role.span, k] = np.float64(np.float32(bound.noop))
        return choices, levels


def _column_names(spec: Spec) -> list[str]:
    terms = [f"term.{name}" for name in term_names(spec)]
    options = dict.fromkeys(option.column for option in counted_options(spec))
    return [*FIXED_COLUMNS, *terms, *options]
