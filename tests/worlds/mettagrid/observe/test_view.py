"""What a window shows, and what does not fit it."""

import numpy as np
import pytest
from games import (
    EAST,
    NOOP,
    NORTH,
    OBJECTS,
    WALL,
    game,
    global_features,
    mining_game,
    play,
    read_tokens,
)
from parts import const, stat

from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.client import tokens


def first_view(**core):
    env = game("....", ".@#.", "....", objects=WALL, **core)
    return env, np.asarray(env.reset(seed=0).obs)[0, 0]


@pytest.mark.parametrize(
    ("base", "amount", "expected"),
    [
        (256, 42, {"inv:energy": 42}),
        (256, 1234, {"inv:energy": 210, "inv:energy:p1": 4}),
        (256, 65535, {"inv:energy": 255, "inv:energy:p1": 255}),
        (256, 256, {"inv:energy": 0, "inv:energy:p1": 1}),
        (100, 42, {"inv:energy": 42}),
        (100, 1234, {"inv:energy": 34, "inv:energy:p1": 12}),
        (100, 54321, {"inv:energy": 21, "inv:energy:p1": 43, "inv:energy:p2": 5}),
    ],
)
@pytest.mark.parametrize("profile", ["cogs", "classic"])
def test_amount_is_observed_in_digits_of_the_base(profile, base, amount, expected):
    env, view = first_view(
        profile=profile,
        obs={"width": 5, "height": 5, "token_value_base": base},
        agent={"inventory": {"initial": {"energy": amount}}},
    )
    table = IdMap(env.config.core)
    found = tokens.decode(view, table)
    seen = {entry.feature: entry.value for entry in found if entry.feature.startswith("inv:")}
    assert seen == expected
    here = next(x for x in tokens.entities(found, table) if "agent:group" in x.attributes)
    assert here.inventory == {"energy": amount}


@pytest.mark.parametrize(
    ("profile", "size", "centre"), [("classic", 11, 0x55), ("cogs", 13, 0x66), ("cogs", 15, 0x77)]
)
def test_own_cell_is_the_centre_of_the_window(profile, size, centre):
    env, view = first_view(profile=profile, obs={"width": size, "height": size})
    group = IdMap(env.config.core).feature_id("agent:group")
    assert view[view[:, 1] == group][:, 0].tolist() == [centre]


@pytest.mark.parametrize(("profile", "place"), [("cogs", 0xFE), ("classic", 0x55)])
def test_global_tokens_come_first_at_their_place(profile, place):
    env, view = first_view(profile=profile, obs={"width": 11, "height": 11})
    table = IdMap(env.config.core)
    names = ("episode_completion_pct", "last_action", "last_reward")
    assert view[:3].tolist() == [[place, table.feature_id(name), 0] for name in names]


def test_features_of_another_game_leave_the_view_unchanged():
    one, before = first_view(obs={"width": 5, "height": 5})
    first_view(obs={"width": 5, "height": 5, "last_action_move": True})
    assert (np.asarray(one.reset(seed=0).obs)[0, 0] == before).all()


def test_last_reward_is_observed_in_spec_conformance_and_zero_upstream():
    for conformance, value in (("spec", 50), ("upstream", 0)):
        kind = {"rewards": {"ore": {"weights": {"ore": 0.25}}}}
        env = game("@E", agent=kind, conformance=conformance)
        step = play(env, EAST)
        assert float(step.reward[0, 0]) == 0.5
        assert env.explain(env=0, agent=0) == {"ore": 0.5, "passed_on": 0.0}
        assert global_features(env, step)["last_reward"] == value


def test_tokens_beyond_num_tokens_are_dropped_and_counted():
    small = {"width": 5, "height": 5, "num_tokens": 4}
    env, whole = game("@E", "#@", obs=small), game("@E", "#@")
    step, full = env.reset(seed=0), whole.reset(seed=0)
    assert (np.asarray(step.obs)[0] == np.asarray(full.obs)[0, :, :4]).all()
    count = np.asarray(full.info["tokens_written"])[0]
    assert np.asarray(step.info["tokens_dropped"])[0].tolist() == (count - 4).tolist()
    assert np.asarray(full.info["tokens_dropped"]).sum() == 0


def test_token_overflow_ends_the_episode_if_set_to_error():
    env = game("@E", obs={"width": 5, "height": 5, "num_tokens": 4}, overflow="error")
    step = play(env, NOOP)
    assert env.spec.reason_name(int(step.episode_reason[0])) == "token_overflow"


def test_wall_that_blocks_vision_hides_what_is_behind_it():
    objects = OBJECTS | {"wall": {"kind": "wall", "blocks_vision": True}}
    shown = [game("@#E", objects=kinds).reset(seed=0) for kinds in (objects, OBJECTS)]
    there = [(np.asarray(step.obs)[0, 0, :, 0] == 0x24).any() for step in shown]
    assert there == [False, True]


def test_disabled_feature_is_not_observed_and_other_ids_stay():
    env = game("@.", obs={"width": 3, "height": 3, "last_action": False})
    step = env.reset(seed=0)
    names = [entry.feature for entry in read_tokens(env, step)]
    assert "last_action" not in names
    assert IdMap(env.config.core).feature_id("last_reward") == 3


def test_observed_statistic_was_counted_before_the_agents_own_view():
    values = {"w": {"value": stat("tokens_written", "game")}, "v": {"value": stat("cell.visited")}}
    env = mining_game(conformance="upstream", obs={"width": 5, "height": 5, "values": values})
    step = env.reset(seed=0)
    written = np.array(step.info["tokens_written"])[0]
    assert [global_features(env, step, a)["w"] for a in range(2)] == [0, written[0]]
    step = play(env, EAST, NORTH)
    assert [global_features(env, step, a)["v"] for a in range(2)] == [0, 0]
    assert global_features(env, step, 0)["w"] == written.sum()
    step = play(env, NOOP, NOOP)
    assert [global_features(env, step, a)["v"] for a in range(2)] == [12, 5]


def test_radius_value_cuts_the_window_to_a_disc():
    rows = ["E" * 9] * 4 + ["EEEE@EEEE"] + ["E" * 9] * 4
    for radius, cells in ((0.0, 1), (1.0, 5), (2.9, 21), (3.0, 37), (20.0, 37)):
        obs = {"width": 7, "height": 7, "num_tokens": 400, "radius": {"value": const(radius)}}
        env = mining_game(rows, obs=obs)
        places = np.asarray(env.reset(seed=0).obs)[0, 0, :, 0]
        assert len(set(places[places < 254].tolist())) == cells
