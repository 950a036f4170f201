"""Orders: which are taken, and what they change."""

import pytest

from .war import kinds, order, refused, row, wait, war

MOVE, ENGAGE, STEALTH, SENSE, CAPTURE, RTB, REFUEL, JAM, SPAWN = range(1, 10)


def test_refuel_order_is_refused_when_hoses_do_not_fit():
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
