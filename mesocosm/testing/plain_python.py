"""Checks on the python target that come first: there a mistake is an error, not a crash."""

import traceback
from typing import Any

import numpy as np

from mesocosm.core.errors import BoundsError
from mesocosm.core.observation import Layout
from mesocosm.sim.engine import Engine
from mesocosm.sim.targets import cells
from mesocosm.sim.targets.cells import wrap
from mesocosm.testing.case import Case
from mesocosm.testing.play import wild_actions

MISTAKES = (IndexError, ZeroDivisionError, OverflowError, AttributeError, NameError, TypeError)


def plays_in_python(case: Case) -> None:
    """The rules run as plain Python: no index out of bounds, no division by zero."""
    try:
        _ = case.python_play
    except MISTAKES as caught:
        error = caught.__cause__ if isinstance(caught, BoundsError) else caught
        frame = _innermost(error)
        where = f"{frame.name} ({frame.filename}:{frame.lineno})"
        raise case.fail("python", f"{where} {type(error).__name__}: {error}") from error


def _innermost(error: BaseException | None) -> traceback.FrameSummary:
    """Find the line of the rule, past the framework's own array view."""
    frames = traceback.extract_tb(None if error is None else error.__traceback__)
    return [frame for frame in frames if frame.filename != cells.__file__][-1]


def rows_are_whole(case: Case) -> None:
    """Rules for observations and infos write every number, whatever was there before."""
    env = case.make(target="python", num_envs=1)
    rng = np.random.default_rng(4)
    env.reset(seed=case.seed)
    for _ in range(4):
        for role in env.spec.roles.values():
            rules = env.world.rules.roles[role.name]
            _check_row(case, env, f"observe of {role.name}", rules.observe, role.first)
            if rules.inform is not None:
                _check_row(case, env, f"inform of {role.name}", rules.inform, role.first)
        env.step(wild_actions(env, rng))


def _check_row(case: Case, env: Engine, name: str, rule: Any, agent: int) -> None:
    s, p = wrap(env.driver.s), wrap(env.host_params)
    role = env.inner.role_of(agent)
    layout: Layout = role.info if name.startswith("inform") else role.observation
    row = np.full(layout.size, np.nan)
    rule(s, p, 0, agent, wrap(row))
    for number in np.flatnonzero(np.isnan(row)):
        raise case.fail("whole rows", f"{name} does not write {layout.names()[number]!r}")


CHECKS = (plays_in_python, rows_are_whole)
