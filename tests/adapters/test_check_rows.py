"""check_adapter of SB3 and PufferLib: every case whose actions they have a space for."""

from functools import partial

import pytest
from cases import CASES
from test_check_adapter import (
    envs_in_another_order,
    faulty,
    final_obs_of_the_next_episode,
    mask_a_step_late,
    reward_a_step_late,
    reward_lost_at_the_boundary,
    slots_swapped,
    termination_a_step_late,
    truncation_a_step_late,
    truncation_as_termination,
    turn_a_step_late,
    zero_is_no_seed,
)

from mesocosm.adapters.drivers.pufferlib import PufferDriver
from mesocosm.adapters.drivers.sb3 import SB3Driver
from mesocosm.core.errors import ConfigError, ContractError

DRIVERS = [SB3Driver, PufferDriver]
BINNED = ("levels", "two roles", "turns", "turns by state", "layers")  # test_rows_beside_raw
RETIRED = ("many agents", "families")  # everybody's life is over before its episode is


LONG = ("tokens", "structured info")
PLAYED = [
    pytest.param(name, marks=[pytest.mark.slow] if name in LONG else [])
    for name in CASES
    if name not in BINNED
]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("name", PLAYED)
def test_rows_equal_the_raw_env(driver, name):
    report = CASES[name].check(driver, alone=name in RETIRED)
    seen = report.seen["same_step"]
    assert seen["boundaries"] > 5
    assert report.compared["same_step"]["obs"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("driver", DRIVERS)
def test_rows_of_the_second_role_equal_the_raw_env(driver):
    CASES["structured info"].check(partial(driver, role="dynasty"))


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("name", BINNED)
def test_choices_with_levels_are_refused_in_one_line(driver, name):
    with pytest.raises(ConfigError, match=r"choices and levels, .*: give level_bins=5"):
        CASES[name].check(driver)


FAULTS = [
    reward_a_step_late,
    reward_lost_at_the_boundary,
    termination_a_step_late,
    truncation_a_step_late,
    truncation_as_termination,
    mask_a_step_late,
    envs_in_another_order,
    zero_is_no_seed,
    turn_a_step_late,
    slots_swapped,
]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_caught(driver, fault):
    with pytest.raises(ContractError):
        CASES["births"].check(faulty(driver, fault))


def test_a_last_observation_of_the_next_episode_is_caught():
    with pytest.raises(ContractError, match="final_obs differs"):
        CASES["births"].check(faulty(SB3Driver, final_obs_of_the_next_episode))
