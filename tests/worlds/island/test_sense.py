"""Radars, listeners, horizons, jammers: the laws of detection, and what is remembered."""

import numpy as np
import pytest

from mesocosm.worlds.island.step import sense

from .war import kinds, put, rules, wait, war

FAR = {"map_km": 2500.0}


def duel(observer="AEW", target="AEW", away=200.0, overrides=None, **changes):
    """Put two units opposite each other, everybody else silent and far off; give the tier."""
    env = war("standard", FAR | (overrides or {}))
    i, j = kinds(env, 0)[observer][0], kinds(env, 1)[target][0]
    n = env.config.core.max_entities
    pos = np.zeros((2, n, 2))
    pos[0], pos[1] = (-1200.0, -1200.0), (-1200.0, 1200.0)
    pos[0, i], pos[1, j] = (0.0, 0.0), (away, 0.0)
    radar = np.zeros((2, n), bool)
    radar[0, i] = True
    put(env, pos=pos, radar=radar, heading={(0, i): (1.0, 0.0)}, tier=0, **changes)
    return env, i, j


def tier(env, i, j, side=0, first=0, last=-1):
    """Ask the rule how well unit i of one side sees unit j of the other."""
    s, f, p = rules(env)
    sense.locate_units(s, p, 0)
    dx = s.pos[0, 1 - side, j, 0] - s.pos[0, side, i, 0]
    dy = s.pos[0, 1 - side, j, 1] - s.pos[0, side, i, 1]
    own = p.unit[s.kind[0, side, i], 8]
    return sense.detect(s, f, p, 0, side, i, j, own, dx, dy, first, last)


def reach(observer, target, overrides=None, level=1, **changes):
    """Find the greatest distance at which a tier is reached, by halving."""
    env, i, j = duel(observer, target, 6.0, overrides, **changes)
    low, high = 6.0, 2000.0
    while high - low > 0.01:
        middle = (low + high) / 2
        put(env, pos={(1, j): (middle, 0.0)})
        low, high = (middle, high) if tier(env, i, j) >= level else (low, middle)
    return low


def rcs(code, area):
    """Give the table of units with another echo for one type."""
    from mesocosm.worlds.island.config import Core

    units = [unit.model_dump() for unit in Core().units]
    for unit in units:
        if unit["code"] == code:
            unit["rcs_m2"] = area
    return {"units": units}


def test_a_radar_detects_five_square_metres_at_its_range_exactly():
    assert reach("AEW", "TNK") == pytest.approx(400.0, abs=0.02)
    assert reach("INT", "TNK") == pytest.approx(350.0, abs=0.02)


def test_sixteen_times_the_echo_doubles_the_range():
    small, large = (reach("AEW", "TNK", rcs("TNK", area)) for area in (0.05, 0.8))
    assert large / small == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize(("area", "km"), [(0.5, 225), (0.05, 126), (0.005, 71)])
def test_the_echo_sets_the_range_as_tabled(area, km):
    assert reach("AEW", "TNK", rcs("TNK", area)) == pytest.approx(km, abs=0.6)


@pytest.mark.parametrize(("level", "signal"), [(2, 5.0), (3, 10.0), (4, 500.0)])
def test_tiers_need_the_fourth_root_of_their_signal(level, signal):
    assert reach("AEW", "TNK", level=level) == pytest.approx(400.0 / signal**0.25, rel=1e-3)


def test_the_horizon_cuts_what_the_radar_could_reach():
    assert reach("DDG", "DDG") == pytest.approx(4.12 * 2 * 30**0.5, abs=0.02)


def test_an_emitting_stealth_unit_is_seen_from_farther():
    env, i, j = duel("AEW", "INT", 150.0)
    assert tier(env, i, j) == 0
    put(env, radar={(1, j): True})
    assert tier(env, i, j) >= 1


def test_a_silent_unit_hears_an_emitter_beyond_radar_range():
    env, i, j = duel("AEW", "TNK", 125.0)
    put(env, radar={(0, i): False, (1, j): True})
    assert tier(env, i, j) == 1  # 1.3 times the emitter's own 100 km
    put(env, pos={(1, j): (131.0, 0.0)})
    assert tier(env, i, j) == 0


def test_everything_near_is_seen_without_any_radar():
    env, i, j = duel("AEW", "INT", 4.9)
    put(env, radar={(0, i): False})
    assert tier(env, i, j) == 4


def test_a_fighter_sees_ahead_and_not_behind():
    env, i, j = duel("INT", "TNK", 200.0)
    assert tier(env, i, j) >= 1
    put(env, heading={(0, i): (-1.0, 0.0)})
    assert tier(env, i, j) == 0


def test_focus_doubles_the_gain_inside_and_halves_it_beside():
    env, i, j = duel("AEW", "TNK", 470.0)
    grid = env.config.core.grid
    ahead = grid // 2 * grid + grid - 1
    assert tier(env, i, j) == 0
    put(env, focus={(0, i): ahead})
    assert tier(env, i, j) == 1  # 400 km times the fourth root of 2
    put(env, pos={(1, j): (0.0, 350.0)})
    assert tier(env, i, j) == 0  # 400 km times the fourth root of 1/2
    put(env, focus={(0, i): -1})
    assert tier(env, i, j) == 1


def test_a_directional_radar_steers_to_its_focus_as_far_as_it_can():
    env, i, j = duel("INT", "TNK", 200.0)
    grid = env.config.core.grid
    put(env, pos={(1, j): (60.0, 190.0)})  # 72 degrees off the nose
    assert tier(env, i, j) == 0
    put(env, focus={(0, i): (grid - 1) * grid + grid // 2})
    assert tier(env, i, j) >= 1


@pytest.mark.parametrize(("km", "factor"), [(100.0, 0.32), (200.0, 0.44), (300.0, 0.54)])
def test_jamming_shrinks_the_range_as_tabled(km, factor):
    found = {}
    for jams in (False, True):
        env, i, j = duel("AEW", "TNK", 6.0)
        m = kinds(env, 1)["JAM"][0]
        grid = env.config.core.grid
        put(env, pos={(1, m): (km, 0.0)})
        if jams:
            put(env, jam={(1, m): grid // 2 * grid})
        low, high = 6.0, 600.0
        while high - low > 0.05:
            middle = (low + high) / 2
            put(env, pos={(1, j): (middle, 0.0)})
            seen = tier(env, i, j, 0, m, m if jams else m - 1)
            low, high = (middle, high) if seen >= 1 else (low, middle)
        found[jams] = low
    assert found[True] / found[False] == pytest.approx(factor, abs=0.01)


def test_jamming_off_the_axis_is_thirty_times_weaker():
    env, i, j = duel("AEW", "TNK", 170.0)
    m = kinds(env, 1)["JAM"][0]
    grid = env.config.core.grid
    put(env, pos={(1, m): (100.0, 0.0)}, jam={(1, m): grid // 2 * grid})
    assert tier(env, i, j, 0, m, m) == 0
    put(env, pos={(1, j): (0.0, 170.0)})
    assert tier(env, i, j, 0, m, m) >= 1


def test_an_active_jammer_is_seen_at_twice_the_range():
    env, i, m = duel("AEW", "JAM", 600.0, {"physics.horizon_factor": 10.0})
    assert tier(env, i, m) == 0
    put(env, jam={(1, m): 0})
    assert tier(env, i, m) >= 1


def test_the_satellite_shows_all_ships_and_nothing_else_at_the_start():
    env = war("standard", FAR)
    n = env.config.core.max_entities
    domain = np.array([{"air": 0, "sea": 1, "ground": 2}[u.domain] for u in env.config.core.units])
    kind = env.truth("kind")[0]
    for side in range(2):
        ships = (kind[1 - side] >= 0) & (domain[np.maximum(kind[1 - side], 0)] == 1)
        assert (env.truth("tier")[0, side][ships] >= 1).all()
    assert n == 60


def test_a_lost_aircraft_becomes_a_ghost_that_drifts_and_is_forgotten():
    env, _i, j = duel("AEW", "TNK", 200.0)
    wait(env)
    assert env.truth("held")[0, 0, j]
    before = env.truth("spot")[0, 0, j].copy()
    put(env, radar=False, pos={(1, j): (1000.0, 1000.0)}, drift={(0, j): (0.2, 0.0)})
    wait(env)
    assert not env.truth("held")[0, 0, j]
    assert env.truth("spot")[0, 0, j] == pytest.approx(before + np.array([2.0, 0.0]))
    group = env.truth("member")[0, 0, j]
    assert env.truth("group")[0, 0, group, 0] == 0.0  # known, but not detected now
    wait(env, 18)
    assert env.truth("tier")[0, 0, j] == 0


def test_ground_contacts_are_never_forgotten():
    env, _i, j = duel("AEW", "SAM", 100.0)
    wait(env)
    assert env.truth("tier")[0, 0, j] >= 1
    put(env, radar=False)
    wait(env, 30)
    assert env.truth("tier")[0, 0, j] >= 1


def test_position_errors_shrink_with_the_tier():
    env, i, j = duel("AEW", "TNK", 390.0)
    for away, most in ((390.0, 10.0), (250.0, 2.0), (150.0, 1e-9)):
        put(env, pos={(0, i): (0.0, 0.0), (1, j): (away, 0.0)}, tier=0, speed=0.0)
        wait(env)
        error = env.truth("spot")[0, 0, j] - env.truth("pos")[0, 1, j]
        assert np.hypot(*error) <= most
        assert (np.hypot(*error) > 0) == (most > 1e-3)
