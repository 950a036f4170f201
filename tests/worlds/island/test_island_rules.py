"""How units move, burn fuel, fire, land, launch, and what a side's orders do."""

import numpy as np
import pytest
from war import kinds, order, put, refused, row, rules, wait, war

from mesocosm.worlds.island import state as k
from mesocosm.worlds.island.step import fire, groups

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
    assert env.truth("manoeuver")[0, 0, i] == k.PATROL
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
    assert env.truth("manoeuver")[0, 0, i] == k.DECK
    before = env.truth("fuel")[0, 0, i]
    step = wait(env)
    assert env.truth("fuel")[0, 0, i] - before == pytest.approx(10.0 / 600.0)
    assert row(env, step, 0, i)["has_reached_base"] == 1.0


def test_a_full_aircraft_on_deck_is_armed_again():
    env = war()
    i = kinds(env)["MRF"][0]
    put(env, manoeuver={(0, i): k.DECK}, fuel={(0, i): 0.99}, ammo={(0, i): 0})
    wait(env)
    assert env.truth("ammo")[0, 0, i].tolist() == [4, 2, 0, 0, 0]


def test_bingo_sends_aircraft_home_but_not_settlers():
    env = war()
    far_apart(env)
    i, settler = kinds(env)["MRF"][0], kinds(env)["SET"][0]
    put(env, pos={(0, i): (100.0, 0.0), (0, settler): (100.0, 50.0)})
    put(env, fuel={(0, i): 1.14 * 250 / 2800, (0, settler): 0.01})
    wait(env)
    assert env.truth("manoeuver")[0, 0, i] == k.RETURN
    assert env.truth("manoeuver")[0, 0, settler] == k.IDLE


def test_who_runs_out_of_fuel_is_lost_once():
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


def test_hoses_must_fit():
    env = war("standard")
    tanker, fits, carrier = kinds(env)["TNK"][0], kinds(env)["INT"][0], kinds(env)["CVN"][0]
    order(env, action_type=REFUEL, entity_id=fits, refuel_target_id=tanker)
    assert refused(env) == 0
    order(env, action_type=REFUEL, entity_id=fits, refuel_target_id=carrier)
    assert refused(env) == 1
    order(env, action_type=REFUEL, entity_id=carrier, refuel_target_id=tanker)
    assert refused(env) == 1


def test_a_carrier_launches_its_packages_one_interval_apart():
    env = war()
    carrier = kinds(env)["CVN"][0]
    before = int(env.truth("num_units")[0, 0])
    order(env, action_type=SPAWN, entity_id=carrier, spawn_component_idx=1)
    assert env.truth("num_units")[0, 0] == before + 1
    new = before
    assert env.config.core.units[env.truth("kind")[0, 0, new]].code == "STK"
    assert env.truth("parent")[0, 0, new] == carrier
    order(env, action_type=SPAWN, entity_id=carrier)
    assert refused(env) == 1
    wait(env, 10)
    step = order(env, action_type=SPAWN, entity_id=carrier)
    assert refused(env) == 0
    assert row(env, step, 0, new)["has_parent"] == 1.0
    wait(env, 13)
    order(env, action_type=SPAWN, entity_id=carrier)
    assert refused(env) == 1  # nothing is left
    assert env.truth("strength")[0, 0] == pytest.approx(1.0)


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


def test_radar_silence_and_focus_are_orders():
    env = war()
    i = kinds(env)["MRF"][0]
    step = order(env, action_type=STEALTH, entity_id=i, stealth_enabled=1)
    assert row(env, step, 0, i)["radar_on"] == 0.0
    step = order(env, action_type=SENSE, entity_id=i, sensing_position_grid=0)
    assert row(env, step, 0, i)["radar_focus_grid_norm"] == pytest.approx(1 / 400)
    step = order(env, action_type=SENSE, entity_id=i, sensing_position_grid=400)
    assert row(env, step, 0, i)["radar_focus_grid_norm"] == 0.0


def test_a_jammer_needs_another_unit_to_protect():
    env = war()
    i = kinds(env)["JAM"][0]
    order(env, action_type=JAM, entity_id=i, entity_to_protect_id=i, jam_target_grid=3)
    assert refused(env) == 1
    step = order(env, action_type=JAM, entity_id=i, entity_to_protect_id=0, jam_target_grid=3)
    assert (refused(env), row(env, step, 0, i)["ability_active"]) == (0, 1.0)
    step = order(env, action_type=JAM, entity_id=i, entity_to_protect_id=0, jam_target_grid=400)
    assert (refused(env), row(env, step, 0, i)["ability_active"]) == (0, 0.0)


def group_ids(env, spots):
    """Put tracks of aircraft where they are wanted, and give their group numbers."""
    tier, looks = np.zeros((2, 12), int), np.zeros((2, 12), int)
    spot = np.zeros((2, 12, 2))
    for j, at in enumerate(spots):
        tier[0, j] = 1 if at is not None else 0
        spot[0, j] = (at or 0.0, 0.0)
    member = env.truth("member")[0]
    put(env, tier=tier, looks=looks, spot=spot, held=tier > 0, member=member)
    s, _, p = rules(env)
    groups.form_groups(s, p, 0)
    return env.state("member")[0, 0, : len(spots)].tolist()


def test_groups_keep_their_numbers_when_they_merge_and_split():
    env = war()
    put(env, member=-1, tier=0, group_state=0, group=0.0)
    assert group_ids(env, [0.0, 10.0, 100.0]) == [0, 0, 1]
    assert group_ids(env, [0.0, 90.0, 100.0]) == [0, 1, 1]  # ties go to the lower number
    assert group_ids(env, [75.0, 90.0, 100.0]) == [1, 1, 1]  # the larger keeps its number
    assert env.state("group_state")[0, 0, 0] == k.TOMBSTONE
    assert group_ids(env, [0.0, 90.0, 100.0]) == [2, 1, 1]  # 0 must rest first
    for _ in range(19):
        group_ids(env, [0.0, 90.0, 100.0])
    assert group_ids(env, [-100.0, 90.0, 0.0]) in ([2, 1, 0], [0, 1, 2])


def test_more_clusters_than_numbers_are_hidden_the_farthest_first():
    env = war()
    put(env, member=-1, tier=0, group_state=0, group=0.0)
    ids = group_ids(env, [-190.0, -150.0, -110.0, -70.0, 50.0, 90.0, 130.0, 170.0])
    assert ids[0] == -1
    assert ids[7] == -1
    assert sorted(ids[1:7]) == [0, 1, 2, 3, 4, 5]
    assert env.state("hidden_groups")[0, 0] == 2
