"""Motion: turns, patrols, fuel, tankers and decks."""

import numpy as np
import pytest

from mesocosm.worlds.island import state

from .war import kinds, order, put, refused, row, wait, war

MOVE, ENGAGE, STEALTH, SENSE, CAPTURE, RTB, REFUEL, JAM, SPAWN = range(1, 10)


def far_apart(env):
    """Keep the sides out of each other's sight."""
    n = env.config.core.max_entities
    pos = env.truth("pos")[0].copy()
    pos[0, :, 0], pos[1, :, 0] = -190.0, 190.0
    put(env, pos=pos, radar=np.zeros((2, n), bool), tier=0)


def test_an_idle_aircraft_circles_at_nine_tenths_of_cruise_speed():
    env = war()
    i = kinds(env)["MRF"][0]
    places = []
    for _ in range(24):
        wait(env)
        places.append(env.truth("pos")[0, 0, i].copy())
    assert env.truth("speed")[0, 0, i] == pytest.approx(0.9 * 0.28)
    middle = np.mean(places[:12], axis=0)
    assert np.allclose([np.hypot(*(at - middle)) for at in places], 4.8, atol=0.4)


def test_an_aircraft_turns_at_most_three_degrees_a_second():
    env = war()
    i = kinds(env)["MRF"][0]
    put(env, heading={(0, i): (1.0, 0.0)}, pos={(0, i): (0.0, 0.0)})
    order(env, action_type=MOVE, entity_id=i, move_center_grid=10 * 20, move_short_axis_km=0)
    heading = env.truth("heading")[0, 0, i]
    assert np.degrees(np.arccos(heading[0])) == pytest.approx(30.0, abs=1e-6)
    assert np.hypot(*heading) == pytest.approx(1.0)


def test_a_patrol_flies_round_the_corners_of_its_race_track():
    env = war("skirmish", {"bingo": False})
    far_apart(env)
    i = kinds(env)["MRF"][0]
    order(
        env, action_type=MOVE, entity_id=i, move_center_grid=15 * 20 + 4, move_short_axis_km=0,
        move_long_axis_km=2, move_axis_angle=9,
    )  # fmt: skip
    legs = []
    for _ in range(140):
        wait(env)
        legs.append(int(env.truth("leg")[0, 0, i]))
    assert set(legs) == {0, 1, 2, 3}
    assert env.truth("manoeuver")[0, 0, i] == state.PATROL
    course = env.truth("course")[0, 0, i]
    assert course[:4].tolist() == [-110.0, 110.0, 20.0, 30.0]


def test_fuel_falls_with_speed_and_rises_only_on_deck_and_behind_a_tanker():
    env = war()
    far_apart(env)
    i = kinds(env)["MRF"][0]
    before = env.truth("fuel")[0, 0, i]
    wait(env)
    burnt = before - env.truth("fuel")[0, 0, i]
    endurance = 2800.0 / 0.28
    assert burnt == pytest.approx(10.0 * (0.3 + 0.7 * 0.81) / endurance)
    put(env, fuel={(0, i): 0.5}, pos={(0, i): (-150.0, 0.0)})
    order(env, action_type=RTB, entity_id=i)
    assert env.truth("manoeuver")[0, 0, i] == state.DECK
    before = env.truth("fuel")[0, 0, i]
    step = wait(env)
    assert env.truth("fuel")[0, 0, i] - before == pytest.approx(10.0 / 600.0)
    assert row(env, step, 0, i)["has_reached_base"] == 1.0


def test_a_full_aircraft_on_deck_is_armed_again():
    env = war()
    i = kinds(env)["MRF"][0]
    put(env, manoeuver={(0, i): state.DECK}, fuel={(0, i): 0.99}, ammo={(0, i): 0})
    wait(env)
    assert env.truth("ammo")[0, 0, i].tolist() == [4, 2, 0, 0, 0]


def test_bingo_sends_aircraft_home_but_not_settlers():
    env = war()
    far_apart(env)
    i, settler = kinds(env)["MRF"][0], kinds(env)["SET"][0]
    put(env, pos={(0, i): (100.0, 0.0), (0, settler): (100.0, 50.0)})
    put(env, fuel={(0, i): 1.14 * 250 / 2800, (0, settler): 0.01})
    wait(env)
    assert env.truth("manoeuver")[0, 0, i] == state.RETURN
    assert env.truth("manoeuver")[0, 0, settler] == state.IDLE


def test_aircraft_out_of_fuel_is_lost_once():
    env = war("skirmish", {"bingo": False})
    i = kinds(env)["MRF"][0]
    put(env, fuel={(0, i): 1e-4})
    wait(env, 5)
    assert env.truth("hp")[0, 0, i] == 0
    assert env.truth("casualties")[0].tolist() == [1, 0]
    assert [e["kind"] for e in env.events()].count("out_of_fuel") == 1


def test_a_tanker_fills_two_at_a_time_and_has_so_much_to_give():
    env = war()
    far_apart(env)
    tanker, first, second, third = *kinds(env)["TNK"][:1], *kinds(env)["MRF"][:3]
    where = {(0, i): (-100.0, 50.0) for i in (tanker, first, second, third)}
    put(env, pos=where, fuel={(0, i): 0.5 for i in (first, second, third)})
    for i in (first, second, third):
        order(env, action_type=REFUEL, entity_id=i, refuel_target_id=tanker)
        assert refused(env) == 0
    put(env, pos=where)
    before = env.truth("fuel")[0, 0].copy()
    pool = env.truth("pool")[0, 0, tanker]
    step = wait(env)
    gained = env.truth("fuel")[0, 0] - before
    assert gained[first] > 0.0
    assert gained[second] > 0.0
    assert gained[third] < 0.0
    assert pool - env.truth("pool")[0, 0, tanker] == pytest.approx(2 * 10.0 / 240.0)
    shown = [row(env, step, 0, i)["is_refueling"] for i in (tanker, first, second, third)]
    assert shown == [1.0, 1.0, 1.0, 0.0]
    assert row(env, step, 0, tanker)["ability_active"] == 1.0
