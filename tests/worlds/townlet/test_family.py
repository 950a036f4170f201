"""Families at level 8: the machine of standings, births, signals and inheritance."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.townlet.step.family import (
    CHILD,
    DIVORCED,
    MARRIED,
    NO_FAMILY,
    ORPHAN,
    PARENT,
    SINGLE_PARENT,
)

from .town import ACTIONS

SURE = {"core.family.marry_prob": 1.0, "core.family.breed_prob": 1.0}
SURE |= {"core.lifespan": 100, "core.family.performance": 1.0}
WAIT, SPEAK = ACTIONS.index("WAIT"), ACTIONS.index("SET_COMM_CHANNEL")


def town(people=4, **overrides):
    chosen = SURE | {"core.num_agents": people} | overrides
    env = meso.make("townlet/L8", chosen, target="python", autoreset="off")
    env.reset(seed=3)
    return env


def put(env, **values):
    saved = env.save()
    for name, value in values.items():
        key = "frame.active" if name == "active" else name
        saved[key][0] = value
    saved["frame.acting"][:] = saved["frame.active"]
    return env.load(saved)


def act(env, acts=WAIT, signals=0):
    choice = np.zeros((1, env.spec.num_agents, 2), np.int32)
    choice[0, :, 0], choice[0, :, 1] = acts, signals
    return env.step(choice)


def kinds(env):
    return [event["kind"] for event in env.events()]


def couple(env, **more):
    """Let 0 and 1 be married, with 2 and 3 far away; slots 3 and on may be made vacant."""
    far = [(7, 7 - i) for i in range(env.spec.num_agents - 2)]
    state = {"position": [(1, 1), (1, 1), *far], "age": 50, "standing": 0, "family": -1}
    state |= {"partner": -1, "child": -1, "parent": -1}
    put(env, **state)
    saved = env.save()
    saved["standing"][0, :2], saved["family"][0, :2] = MARRIED, 0
    saved["partner"][0, :2] = [1, 0]
    for name, value in more.items():
        saved[name][0] = value
    saved["frame.acting"][:] = saved["frame.active"]
    return env.load(saved)


def with_child(env, **more):
    """Let 0 and 1 have the child 2."""
    couple(env)
    saved = env.save()
    saved["standing"][0, :3] = [PARENT, PARENT, CHILD]
    saved["family"][0, :3], saved["child"][0, :2] = 0, 2
    saved["parent"][0, 2], saved["age"][0, 2] = [0, 1], 5
    for name, value in more.items():
        saved[name][0] = value
    return env.load(saved)


def kill(env, *who):
    meters = env.truth("meters")[0]
    meters[list(who), 0] = 0.001
    put(env, meters=meters)
    return act(env)


def test_two_free_adults_who_meet_marry():
    env = town(**{"core.family.breed_prob": 0.0})
    put(env, position=[(1, 1), (1, 1), (5, 5), (6, 6)], age=[30, 30, 30, 30])
    act(env)
    assert env.truth("standing")[0].tolist() == [MARRIED, MARRIED, NO_FAMILY, NO_FAMILY]
    assert env.truth("partner")[0].tolist() == [1, 0, -1, -1]
    assert kinds(env) == ["wedding"]


def test_children_and_kin_do_not_marry():
    env = town()
    put(env, position=[(1, 1), (1, 1), (5, 5), (6, 6)], age=[30, 19 - 1, 30, 30])
    act(env)
    assert not env.truth("standing").any()
    put(env, age=[30, 30, 30, 30], parent=[(-1, -1), (0, -1), (-1, -1), (-1, -1)])
    act(env)
    assert not env.truth("standing").any()


def test_a_couple_has_a_child_in_a_free_slot():
    env = town(**{"core.family.refill": False})
    couple(env, alive=[True, True, True, False], **{"frame.active": [True, True, True, False]})
    step = act(env)
    assert env.truth("standing")[0].tolist() == [PARENT, PARENT, NO_FAMILY, CHILD]
    assert env.truth("child")[0].tolist() == [3, 3, -1, -1]
    assert env.truth("position")[0, 3].tolist() == [1, 1]
    assert env.truth("meters")[0, 3, 7] == 0.5
    assert step.generation[0].tolist() == [0, 0, 0, 1]
    assert not step.terminated[0, 3]
    assert kinds(env) == ["birth"]


def test_without_a_free_slot_nobody_is_born_unless_the_worst_off_make_room():
    env = town()
    couple(env, fortune=[9.0, 9.0, 5.0, 1.0])
    act(env)
    assert kinds(env) == []
    env = town(**{"core.family.cull": True})
    couple(env, fortune=[9.0, 9.0, 5.0, 1.0])
    step = act(env)
    assert step.terminated[0].tolist() == [False, False, False, True]
    assert env.spec.reason_name(int(step.reason[0, 3])) == "died"
    act(env)
    assert env.truth("standing")[0, 3] == CHILD


def test_a_grown_child_leaves_home():
    env = town()
    with_child(env, age=[50, 50, 30, 50])
    act(env)
    assert env.truth("standing")[0].tolist() == [MARRIED, MARRIED, NO_FAMILY, NO_FAMILY]
    assert env.truth("family")[0].tolist() == [0, 0, -1, -1]
    assert "departure" in kinds(env)


@pytest.mark.parametrize(
    ("dead", "standing"),
    [
        ([0], [NO_FAMILY, SINGLE_PARENT, CHILD, NO_FAMILY]),
        ([0, 1], [NO_FAMILY, NO_FAMILY, ORPHAN, NO_FAMILY]),
        ([2], [MARRIED, MARRIED, NO_FAMILY, NO_FAMILY]),
    ],
)
def test_a_death_changes_the_standing_of_those_who_stay(dead, standing):
    env = town(**{"core.family.breed_prob": 0.0})
    with_child(env)
    kill(env, *dead)
    assert env.truth("standing")[0].tolist() == standing


def test_widowed_agent_without_child_may_marry_again():
    env = town(**{"core.family.breed_prob": 0.0})
    couple(env)
    kill(env, 0)
    assert env.truth("standing")[0, 1] == NO_FAMILY
    assert env.truth("family")[0, 1] == -1


def test_a_single_parent_whose_child_leaves_is_divorced_and_may_remarry():
    env = town(**{"core.family.breed_prob": 0.0})
    with_child(env)
    kill(env, 0)
    kill(env, 2)
    assert env.truth("standing")[0, 1] == DIVORCED
    put(env, position=[(0, 0), (1, 1), (0, 0), (1, 1)])
    act(env)
    assert env.truth("standing")[0, [1, 3]].tolist() == [MARRIED, MARRIED]


def test_an_orphan_comes_of_age():
    env = town()
    with_child(env)
    kill(env, 0, 1)
    put(env, age=[50, 50, 40, 50])
    act(env)
    assert env.truth("standing")[0, 2] == NO_FAMILY


@pytest.mark.parametrize(("mode", "money"), [("meritocratic", 0.5), ("dynasty", 0.9)])
def test_a_dead_parents_money_goes_to_the_child_only_in_a_dynasty(mode, money):
    env = town(**{"core.family.inheritance": mode})
    with_child(env)
    meters = env.truth("meters")[0]
    meters[0, 7] = 0.4
    put(env, meters=meters)
    kill(env, 0)
    assert env.truth("meters")[0, 2, 7] == pytest.approx(money)


def test_the_family_hears_signals_and_nobody_else_does():
    env = town(**{"core.family.breed_prob": 0.0})
    couple(env)
    step = act(env, [SPEAK, SPEAK, SPEAK, WAIT], [123, 456, 789, 5])
    heard = step.obs[0, :, env.spec.roles["resident"].observation.span("family_signals")]
    assert heard[0].tolist() == pytest.approx([0.456, 0.0, 0.0])
    assert heard[1].tolist() == pytest.approx([0.123, 0.0, 0.0])
    assert not heard[2:].any()
    assert step.info["family_members"][0].tolist() == [1.0, 1.0, 0.0, 0.0]
    step = act(env, WAIT, 999)
    assert env.truth("signal")[0].tolist() == [123, 456, 789, 0]


def heard(env, step, agent):
    span = env.spec.roles["resident"].observation.span("family_signals")
    return step.obs[0, agent, span].tolist()


def test_a_dead_senders_slot_falls_silent_and_nobody_moves_up():
    env = town(**{"core.family.breed_prob": 0.0, "core.family.refill": False})
    with_child(env, signal=[100, 200, 300, 0])
    before = act(env)
    assert heard(env, before, 1) == pytest.approx([0.1, 0.3, 0.0])
    assert heard(env, before, 2) == pytest.approx([0.1, 0.2, 0.0])
    after = kill(env, 0)
    assert heard(env, after, 1) == pytest.approx([0.0, 0.3, 0.0])
    assert heard(env, after, 2) == pytest.approx([0.0, 0.2, 0.0])
    assert after.info["family_members"][0].tolist() == [0.0, 1.0, 1.0, 0.0]


def test_partner_keeps_its_slot_when_a_child_of_a_lower_number_is_born():
    env = town(**{"core.family.refill": False})
    free = [False, True, True, True]
    put(env, position=[(7, 7), (7, 6), (1, 1), (1, 1)], age=50, family=-1, partner=-1, child=-1)
    standing, partner, family = [0, 0, MARRIED, MARRIED], [-1, -1, 3, 2], [-1, -1, 0, 0]
    more = {"standing": standing, "partner": partner, "family": family, "signal": [0, 0, 5, 7]}
    step = put(env, alive=free, active=free, **more)
    assert heard(env, step, 2) == pytest.approx([0.007, 0.0, 0.0])
    step = act(env)
    assert kinds(env) == ["birth"]
    act(env, [SPEAK, WAIT, WAIT, WAIT], [9, 0, 0, 0])
    step = act(env)
    assert heard(env, step, 2) == pytest.approx([0.007, 0.009, 0.0])
    assert heard(env, step, 0) == pytest.approx([0.005, 0.007, 0.0])


def test_a_signal_of_1000_is_no_signal_and_counts_as_invalid():
    env = town()
    act(env, SPEAK, 1000)
    assert not env.truth("signal").any()
    assert env.violations.tolist() == [[1, 1, 1, 1]]


def test_members_ids_are_seen_when_asked_for():
    env = town(**{"core.include_family_ids": True, "core.family.breed_prob": 0.0})
    step = couple(env)
    assert step.obs.shape[-1] == 130
    ids = step.obs[0, :, env.spec.roles["resident"].observation.span("family_ids")]
    assert ids[0].tolist() == [0.25, 0.0, 0.0]


def test_strangers_move_into_slots_that_stay_empty():
    env = town(**{"core.family.refill_ticks": 3})
    kill(env, 3)
    seen = [int(act(env).generation[0, 3]) for _ in range(4)]
    assert seen == [0, 0, 1, 1]
    assert "arrival" in kinds(env)


def test_a_family_that_nobody_can_hear_is_refused():
    with pytest.raises(ConfigError, match="max_family_size must be at least 2"):
        meso.load_config("townlet/L8", {"core.max_family_size": 1})
