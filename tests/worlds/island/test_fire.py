"""Weapons: who fires at what, how missiles fly, and what they do."""

import numpy as np
import pytest

from mesocosm.worlds.island.step import fire

from .war import kinds, order, put, wait, war

MOVE, ENGAGE, STEALTH, SENSE, CAPTURE, RTB, REFUEL, JAM, SPAWN = range(1, 10)


def far_apart(env):
    """Keep the sides out of each other's sight."""
    n = env.config.core.max_entities
    pos = env.truth("pos")[0].copy()
    pos[0, :, 0], pos[1, :, 0] = -190.0, 190.0
    put(env, pos=pos, radar=np.zeros((2, n), bool), tier=0)


def facing(away=40.0, shooter="MRF", target="MRF", **changes):
    """Put two units at a distance, each the only one of its side nearby; Legacy knows."""
    env = war()
    far_apart(env)
    i, j = kinds(env, 0)[shooter][0], kinds(env, 1)[target][0]
    put(env, pos={(0, i): (0.0, 0.0), (1, j): (away, 0.0)}, usage=0, radar={(0, i): True},
        heading={(0, i): (1.0, 0.0), (1, j): (1.0, 0.0)}, **changes)  # fmt: skip
    wait(env)
    return env, i, j


def test_a_shot_needs_a_target_in_launch_range_and_costs_one_round():
    env, i, j = facing(110.0)
    group = int(env.truth("member")[0, 0, j])
    everything = {"action_type": ENGAGE, "entity_id": i, "target_group_id": group}
    order(env, weapon_selection=2, weapon_usage=0, weapon_engagement=3, **everything)
    assert env.truth("fired")[0, 0, i] == 0  # 0.55 of 120 km
    put(env, pos={(0, i): (0.0, 0.0), (1, j): (60.0, 0.0)})
    wait(env, 2)
    assert env.truth("fired")[0, 0, i] == 1  # TIGHT: one in flight
    assert env.truth("ammo")[0, 0, i].sum() == 6 - 1
    assert env.truth("num_shots")[0, 0] == 1


def test_tight_never_fires_unasked_and_free_does():
    env, i, _j = facing(25.0)
    wait(env, 2)
    assert env.truth("fired")[0, 0, i] == 0
    put(env, usage={(0, i): 2})
    wait(env)
    assert env.truth("fired")[0, 0, i] > 0


def test_selective_defends_itself_within_half_the_range_only():
    env, i, j = facing(75.0)
    put(env, usage={(0, i): 1})
    wait(env)
    assert env.truth("fired")[0, 0, i] == 0
    put(env, pos={(0, i): (0.0, 0.0), (1, j): (55.0, 0.0)}, heading={(0, i): (1.0, 0.0)})
    wait(env, 2)
    assert env.truth("fired")[0, 0, i] == 1


def test_rounds_fired_and_rounds_left_always_add_up():
    env = war()
    full = env.truth("ammo")[0].sum()
    for i in range(2):
        put(env, usage={(i,): 2})
    for _ in range(30):
        pos = env.truth("pos")[0].copy()
        pos[:, :, 0] = np.clip(pos[:, :, 0], -40.0, 40.0)
        put(env, pos=pos)
        wait(env)
    assert env.truth("fired")[0].sum() > 10
    assert env.truth("ammo")[0].sum() + env.truth("fired")[0].sum() == full


def test_no_weapon_is_fired_beyond_its_range():
    env = war()
    ranges = np.array([weapon.range_km for weapon in env.config.core.weapons])
    put(env, usage=2)
    longest = 0.0
    for _ in range(30):
        pos = env.truth("pos")[0].copy()
        pos[:, :, 0] = np.clip(pos[:, :, 0], -60.0, 60.0)
        put(env, pos=pos)
        wait(env)
        for side in range(2):
            count = int(env.truth("num_shots")[0, side])
            launched = env.truth("shot")[0, side, :count, 3]
            weapon = env.truth("shot_id")[0, side, :count, 0]
            assert (launched <= ranges[weapon]).all()
            longest = max([longest, *launched.tolist()])
    assert longest > 0.0


def test_a_launch_is_full_up_to_six_tenths_and_half_at_full_range():
    shares = [fire.range_factor(share, 0.6, 0.5) for share in (0.0, 0.6, 0.8, 1.0)]
    assert shares == pytest.approx([1.0, 1.0, 0.75, 0.5])


def test_hits_agree_with_the_probability_that_is_written():
    hits = 0
    for seed in range(200):
        env, _i, j = _duel(seed)
        hits += int(env.truth("hp")[0, 1, j] == 0)
    chance = 0.75 * (1.0 - 0.35 * 550.0 / 600.0)
    assert abs(hits / 200 - chance) < 3.0 * np.sqrt(chance * (1 - chance) / 200)


_SHARED = {}


def _duel(seed):
    """Let one missile arrive, under one seed."""
    if not _SHARED:
        env, i, j = facing(50.0)
        saved = env.save()
        _SHARED.update(env=env, i=i, j=j, saved=saved)
    env, i, j = _SHARED["env"], _SHARED["i"], _SHARED["j"]
    saved = {
        key: np.array(value) if key != "_meta" else value for key, value in _SHARED["saved"].items()
    }
    saved["frame.seed"][:] = seed
    saved["num_shots"][0, 0] = 1
    saved["shot"][0, 0, 0] = *saved["pos"][0, 1, j], 100.0, 50.0
    saved["shot_id"][0, 0, 0] = 1, i, j, 7
    env.load(saved)
    wait(env)
    return env, i, j


def test_point_defence_spends_a_round_each_and_stops_what_it_can():
    env = war("standard")
    ship = kinds(env, 1)["CVN"][0]
    x, y = env.truth("pos")[0, 1, ship]
    put(env, num_shots={(0,): 6}, shot={(0, k): (x, y, 100.0, 10.0) for k in range(6)},
        shot_id={(0, k): (3, 0, ship, k) for k in range(6)})  # fmt: skip
    before = int(env.truth("guard")[0, 1, ship])
    wait(env)
    assert before - env.truth("guard")[0, 1, ship] == 6
    assert env.truth("num_shots")[0, 0] == 0


def test_damage_of_one_sub_step_falls_on_both_sides_at_once():
    """Two missiles that arrive together kill both, whoever comes first in the loop."""
    killed = set()
    for tag in range(40):
        env = war()
        i, j = kinds(env, 0)["SET"][0], kinds(env, 1)["SET"][0]
        places = {side: env.truth("pos")[0, side, unit] for side, unit in ((1, j), (0, i))}
        put(env, num_shots=1, shot={(0, 0): (*places[1], 9.0, 1.0), (1, 0): (*places[0], 9.0, 1.0)},
            shot_id={(0, 0): (0, 0, j, tag), (1, 0): (0, 0, i, tag)})  # fmt: skip
        wait(env)
        killed.add((int(env.truth("hp")[0, 0, i]), int(env.truth("hp")[0, 1, j])))
        if (0, 0) in killed:
            break
    assert (0, 0) in killed
