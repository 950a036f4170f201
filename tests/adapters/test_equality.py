"""Every adapter gives what the raw env gives, through deaths, births, cuts and boundaries."""

from functools import partial

import pytest
from cases import CASES

from mesocosm.adapters.drivers.gymnasium import GymDriver, GymRowsDriver, GymVectorDriver
from mesocosm.adapters.drivers.pettingzoo import ZooAECDriver, ZooParallelDriver
from mesocosm.core.errors import ConfigError

MIXED = ("levels", "two roles", "turns", "turns by state", "layers")  # choices and levels
LONG = ("tokens", "structured info")
each_case = pytest.mark.parametrize(
    "name", [pytest.param(k, marks=[pytest.mark.slow] if k in LONG else []) for k in CASES]
)


@each_case
@pytest.mark.parametrize("driver", [GymDriver, GymVectorDriver])
def test_an_adapter_of_one_agent_equals_the_raw_env(driver, name):
    report = CASES[name].check(driver, alone=True)
    assert all(seen["boundaries"] >= 3 for seen in report.seen.values())


@pytest.mark.parametrize("agent", [2, 6])
def test_any_agent_of_any_role_can_be_the_one(agent):
    for driver in (GymDriver, GymVectorDriver):
        CASES["two roles"].check(partial(driver, agent=agent), alone=True, **_of(agent))


def _of(agent):
    """Wardens, who come after six harvesters, never starve."""
    return {"needs": (), "cannot": ("terminations",)} if agent == 6 else {}


@each_case
@pytest.mark.parametrize("driver", [ZooParallelDriver, ZooAECDriver])
def test_an_adapter_of_all_agents_equals_the_raw_env(driver, name):
    report = CASES[name].check(driver)
    assert report.seen["off"]["boundaries"] >= 3


@pytest.mark.parametrize("name", [k for k in CASES if k not in (*MIXED, *LONG)])
def test_rows_of_all_agents_equal_the_raw_env(name):
    report = CASES[name].check(GymRowsDriver)
    assert report.seen["same_step"]["boundaries"] >= 9


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_rows_of_slow_worlds_equal_the_raw_env(name):
    assert CASES[name].check(GymRowsDriver).seen["same_step"]["boundaries"] >= 9


@pytest.mark.parametrize("name", MIXED)
def test_rows_refuse_actions_of_two_kinds_in_one_line(name):
    with pytest.raises(ConfigError, match=r"has choices and levels.* give level_bins=5"):
        CASES[name].check(GymRowsDriver)
