"""check_adapter finds faults at boundaries, and says what it saw and what it never saw."""

from functools import partial

import numpy as np
import pytest
from cases import CASES, HUNGRY

from mesocosm.adapters.drivers.gymnasium import GymDriver, GymVectorDriver
from mesocosm.adapters.drivers.pettingzoo import ZooAECDriver, ZooParallelDriver
from mesocosm.core.errors import ConfigError, ContractError
from mesocosm.testing import check_adapter


class Faulty:
    """Hands on what a driver gives, with one fault planted."""

    def __init__(self, driver, fault, **options):
        self._driver, self._fault, self._before = driver(**options), fault, None

    def __getattr__(self, name):
        return getattr(self._driver, name)

    def _spoil(self, given):
        role, got = next(iter(given.items()))
        spoilt = self._fault(got, self._before or got)
        self._before = got
        return given | {role: spoilt}

    def reset(self, *, seed, envs):
        if self._fault is zero_is_no_seed:
            seed = seed or None
        return self._spoil(self._driver.reset(seed=seed, envs=envs))

    def step(self, actions):
        return self._spoil(self._driver.step(actions))


def ends(got):
    return got.terminated | got.truncated


def final_obs_of_the_next_episode(got, before):
    return got._replace(final_obs=got.obs)


def final_info_of_the_next_episode(got, before):
    return got._replace(final_info=got.info)


def final_mask_of_the_next_episode(got, before):
    return got._replace(final_mask=got.mask)


def reward_a_step_late(got, before):
    return got._replace(reward=before.reward)


def reward_lost_at_the_boundary(got, before):
    return got._replace(reward=np.where(ends(got), 0.0, got.reward))


def termination_a_step_late(got, before):
    return got._replace(terminated=before.terminated)


def truncation_a_step_late(got, before):
    return got._replace(truncated=before.truncated)


def truncation_as_termination(got, before):
    return got._replace(terminated=ends(got), truncated=ends(got) & False)


def obs_of_the_old_episode_after_its_end(got, before):
    rows = ends(got).reshape(ends(got).shape + (1,) * (got.obs.ndim - 2))
    return got._replace(obs=np.where(rows, got.final_obs, got.obs))


def mask_a_step_late(got, before):
    return got._replace(mask=before.mask)


def info_a_step_late(got, before):
    return got._replace(info=before.info)


def envs_in_another_order(got, before):
    return got._replace(obs=got.obs[::-1]) if ends(got).any() else got


def reason_lost(got, before):
    return got._replace(reason=np.full(got.reason.shape, "", object))


def outcome_of_everybody_the_same(got, before):
    return got._replace(outcome=np.where(got.outcome != "", "neutral", ""))


def ending_told_twice(got, before):
    return got._replace(terminated=got.terminated | before.terminated)


def zero_is_no_seed(got, before):
    return got


AT_BOUNDARIES = [
    final_obs_of_the_next_episode,
    final_info_of_the_next_episode,
    final_mask_of_the_next_episode,
    reward_a_step_late,
    reward_lost_at_the_boundary,
    termination_a_step_late,
    truncation_a_step_late,
    truncation_as_termination,
    obs_of_the_old_episode_after_its_end,
    mask_a_step_late,
    info_a_step_late,
    envs_in_another_order,
    reason_lost,
    outcome_of_everybody_the_same,
    ending_told_twice,
    zero_is_no_seed,
]


def faulty(driver, fault):
    return lambda config, **options: Faulty(partial(driver, config), fault, **options)


@pytest.mark.parametrize("fault", AT_BOUNDARIES, ids=lambda fault: fault.__name__)
def test_a_planted_fault_of_a_vector_env_is_caught(fault):
    with pytest.raises(ContractError, match=r"commons/default: same_step: (step|reset after)"):
        check_adapter(faulty(GymVectorDriver, fault), "commons", HUNGRY)


def late_birth(got, before):
    return got._replace(given=got.given & (got.generation == before.generation))


def generation_a_step_late(got, before):
    return got._replace(generation=before.generation)


def turn_a_step_late(got, before):
    return got._replace(acting=before.acting)


def life_ends_a_step_late(got, before):
    return got._replace(ended=before.ended)


def pay_of_the_dead(got, before):
    return got._replace(reward=np.where(got.given & ~got.acting, 1.0, got.reward))


def slots_swapped(got, before):
    return got._replace(obs=got.obs[:, ::-1])


OF_LIVES = [
    late_birth,
    generation_a_step_late,
    turn_a_step_late,
    life_ends_a_step_late,
    pay_of_the_dead,
    slots_swapped,
]


@pytest.mark.parametrize("fault", OF_LIVES, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("driver", [ZooParallelDriver, ZooAECDriver])
def test_a_planted_fault_about_lives_is_caught(driver, fault):
    with pytest.raises(ContractError):
        CASES["births"].check(faulty(driver, fault))


@pytest.mark.parametrize("driver", [GymDriver, ZooParallelDriver, ZooAECDriver])
@pytest.mark.parametrize(
    "fault", [reward_a_step_late, termination_a_step_late, mask_a_step_late, zero_is_no_seed]
)
def test_a_planted_fault_of_a_single_env_is_caught(driver, fault):
    with pytest.raises(ContractError):
        check_adapter(faulty(driver, fault), "commons", HUNGRY)


@pytest.mark.parametrize(
    ("claimed", "real"),
    [("same_step", "next_step"), ("next_step", "same_step"), ("off", "same_step")],
)
def test_an_adapter_that_resets_in_another_mode_than_it_says_is_caught(claimed, real):
    class Lying(GymVectorDriver):
        autoresets = (claimed,)

        def __init__(self, config, *, autoreset, **options):
            super().__init__(config, autoreset=real, **options)

    with pytest.raises(ContractError, match=claimed):
        check_adapter(Lying, "commons", HUNGRY)


def test_arrays_that_the_next_step_overwrites_are_caught():
    class Sharing(ZooParallelDriver):
        def _lay_out(self, rows):
            made = super()._lay_out(rows)
            self._shared = getattr(self, "_shared", {})
            for name, part in made.items():
                self._shared.setdefault(name, part.obs)[...] = part.obs
            return {k: v._replace(obs=self._shared[k]) for k, v in made.items()}

    with pytest.raises(ContractError, match="obs handed out before was changed"):
        check_adapter(Sharing, "commons", HUNGRY)


def test_an_entry_that_is_silently_missing_is_refused():
    def without(got, before):
        return got._replace(mask=None)

    with pytest.raises(ContractError, match="mask is None, but not in `lost`"):
        check_adapter(faulty(ZooParallelDriver, without), "commons", HUNGRY)


def test_what_was_never_seen_is_an_error_unless_it_is_named():
    with pytest.raises(ContractError, match=r"never seen in 20 steps: .*truncations"):
        check_adapter(ZooParallelDriver, "commons", {"core.upkeep": 3.0}, steps=9, max_steps=20)
    how = {"steps": 9, "max_steps": 40, "cannot": ["truncations"]}
    seen = check_adapter(ZooParallelDriver, "commons", {"core.upkeep": 3.0}, **how).seen["off"]
    assert seen["terminations"] > 0 == seen["truncations"]
    with pytest.raises(ConfigError, match=r"nothing to see named 'birth'\. Did you mean 'births'"):
        check_adapter(ZooParallelDriver, "commons", needs=["birth"])


def test_the_report_says_what_was_covered():
    report = check_adapter(GymVectorDriver, "commons", HUNGRY)
    assert list(report.seen) == ["same_step", "next_step", "off"]
    for mode, seen in report.seen.items():
        assert seen["boundaries"] > 5
        assert seen["deaths"] > 5
        assert report.compared[mode]["obs"] > 200
        assert report.reasons[mode]["timeout"] > 0
    assert report.compared["same_step"]["final_obs"] == report.seen["same_step"]["boundaries"]
    assert "boundaries" in str(report)
