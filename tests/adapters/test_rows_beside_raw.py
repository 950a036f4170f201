"""Rows of SB3 and PufferLib beside a raw env: the same seed and actions, every boundary."""

from collections import Counter

import numpy as np
import pytest
from beside_rows import Expected, Scripted, bin_levels
from driving import to_sample, wild

from mesocosm.adapters import PufferEnv, SB3VecEnv
from mesocosm.core.spec import OUTCOMES

NUM_ENVS, SEED, BINS = 3, 5, 4
DEADLY = {"core.upkeep": 3.0, "core.max_steps": 12}
CASES = {
    "commons/default": DEADLY,
    "commons/wardens": DEADLY,
    "commons/turns": DEADLY,
    "commons/trust": DEADLY,
    "townlet/L1": {"core.max_steps": 9},
    "townlet/L8": {"core.max_steps": 25, "core.move_energy": 0.1, "core.wait_energy": 0.1},
    "townlet/gossip": {"core.max_steps": 9},
    "mettagrid/fog": {"core.max_steps": 9},
}


class SB3Driver:
    """What rows get, read from the SB3 adapter."""

    def __init__(self, **arguments):
        self.env = SB3VecEnv(**arguments)
        self.env.seed(SEED)
        self.first = self.env.reset()

    def step(self, actions, env):
        obs, reward, done, infos = self.env.step(actions)
        rows = []
        for k, info in enumerate(infos):
            row = {"obs": obs[k], "reward": reward[k], "done": bool(done[k])}
            row["truncated"] = info.get("TimeLimit.truncated", False)
            row["final"] = None if info.get("vacant") else info.get("terminal_observation")
            row |= {key: info[key] for key in ("reason", "outcome") if key in info}
            assert ("episode" in info) == (row["final"] is not None)
            rows.append(row)
        return rows

    def masks(self):
        return np.stack(self.env.env_method("action_masks"))


class PufferDriver:
    """What rows get, read from PufferLib's buffers, and the last observations beside them."""

    def __init__(self, **arguments):
        self.env = PufferEnv(**arguments)
        self.first = self.env.reset(SEED)[0].copy()

    def step(self, actions, env):
        obs, reward, ended, cut, _ = self.env.step(actions)
        assert not (ended & cut).any()
        assert (self.env.masks == env.acting.reshape(-1)).all()
        columns = zip(obs.copy(), reward.copy(), ended | cut, cut.copy(), strict=True)
        rows = [
            {"obs": o, "reward": r, "done": bool(d), "truncated": bool(t)} for o, r, d, t in columns
        ]
        for k in np.flatnonzero(cut).tolist():
            rows[k]["final"] = self.env.final_observations[k]
        return rows

    def masks(self):
        return self.env.action_masks


def draw(rng, role, lead):
    """Draw wild actions; if they have choices and levels, the levels as bins."""
    drawn = wild(rng, role, lead)
    if not (role.action.choices and role.action.levels):
        return drawn, to_sample(role, tuple(p.reshape(lead[0] * lead[1], -1) for p in drawn))
    return bin_levels(role, (drawn[0], rng.integers(-1, BINS + 1, drawn[1].shape)), BINS)


def play(driver_class, arguments, role=None, steps=40):
    """Play an adapter beside the raw env; give what was seen."""
    env = Expected(arguments, NUM_ENVS, SEED, role)
    others = {name: Scripted() for name in env.env.spec.roles if name != env.role.name}
    both = bool(env.role.action.choices and env.role.action.levels)
    driver = driver_class(
        **arguments,
        num_envs=NUM_ENVS,
        role=env.role.name,
        policies=others or None,
        level_bins=BINS if both else None,
    )
    same(driver.first, env.obs.reshape(driver.first.shape))
    rng = np.random.default_rng(1)
    for _ in range(steps):
        drawn = {}
        for name, player in others.items():
            drawn[name] = wild(
                rng, env.env.spec.roles[name], (NUM_ENVS, env.env.spec.roles[name].num_agents)
            )
            with np.errstate(over="ignore"):
                player.next = (drawn[name][0].astype(np.int32), drawn[name][1].astype(np.float32))
        drawn[env.role.name], actions = draw(rng, env.role, (NUM_ENVS, env.role.num_agents))
        wanted = env.step({name: drawn[name] for name in env.env.spec.roles})
        for row, want in zip(driver.step(actions, env), wanted, strict=True):
            compare(env, row, want)
        check_masks(env, driver)
    return env.seen


def compare(env, row, want):
    for key, value in row.items():
        if key in ("obs", "final"):
            assert (value is None) == (want[key] is None), key
            if value is not None:
                same(value, want[key])
        elif key == "reason":
            assert value == env.env.spec.reason_name(int(want[key]))
        elif key == "outcome":
            assert value == OUTCOMES[int(want[key])]
        else:
            assert value == want[key], key


def same(one, other):
    assert one.dtype == other.dtype
    np.testing.assert_array_equal(one, other)


def check_masks(env, driver):
    """Compare what is masked; parts without a mask allow everything."""
    if not env.role.action.choices:
        return
    given, offset, own = driver.masks(), 0, env.masks()
    own = own.reshape(len(given), -1)
    for part in env.role.action.choices:
        rows = given[:, offset : offset + len(part.options)]
        offset += len(part.options)
        if part.masked:
            at = env.role.action.mask_offset(part.name)
            same(rows, own[:, at : at + len(part.options)])
        else:
            assert (rows == [k not in part.forbidden for k in range(len(part.options))]).all()
    assert given[:, offset:].all()


@pytest.mark.parametrize("driver", [SB3Driver, PufferDriver])
@pytest.mark.parametrize("preset", CASES)
def test_rows_show_what_the_raw_env_shows(driver, preset):
    seen = play(driver, {"source": preset, "overrides": CASES[preset], "target": "python"})
    assert seen["truncated"] + seen["terminated"] > 5


@pytest.mark.parametrize("driver", [SB3Driver, PufferDriver])
@pytest.mark.parametrize("role", ["mayfly", "stone", "clerk"])
def test_rows_cover_deaths_births_vacancies_and_resets(driver, role, mayfly):
    total = Counter()
    for core in ({}, {"unborn": 1, "stone_end": 4, "max_steps": 7}, {"max_steps": 1, "unborn": 1}):
        case = {"source": mayfly(**core), "target": "python"}
        total += play(driver, case, role)
    assert total["truncated"] + total["terminated"] > 20
    if role == "mayfly":
        kinds = ("left early", "vacant", "reset while vacant", "born")
        assert min(total[kind] for kind in kinds) > 5
    if role == "stone":
        assert total["reset while vacant"] > 5
