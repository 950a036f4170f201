"""The observation: its size, its names, its ranges, and that every number means something."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.worlds.island import observe
from mesocosm.worlds.island.agent.masks import entity_rows, group_rows
from mesocosm.worlds.island.declare import ENTITY_FEATURES, GLOBALS, GROUP_FEATURES

from .war import SIDES, kinds, order, play, put, row, wait, war

PAIRS = [("escort", "anti_ship"), ("turtle", "rush"), ("random_valid", "random_valid")]


def test_the_default_observation_has_3371_numbers_with_names_of_their_own():
    layout = meso.make("island", target="python").spec.roles["legacy"].observation
    assert layout.shape == (3371,)
    assert (len(GLOBALS), len(ENTITY_FEATURES), len(GROUP_FEATURES)) == (11, 52, 12)
    assert len(set(layout.names())) == 3371
    assert layout.names()[:2] == ["time_remaining_norm", "my_casualties_norm"]
    assert layout.names()[11] == "entities.0.can_engage"
    assert layout.names()[11 + 60 * 52] == "groups.0.is_detected"
    assert len(set(ENTITY_FEATURES)) == 52
    assert tuple(getattr(observe, name) for name in ("CAN_ENGAGE", "HEALTH", "ABILITY")) == (
        0,
        19,
        51,
    )


@pytest.fixture(scope="module")
def tournament():
    """Let bots play, and keep the least and greatest value of every column."""
    low, high = np.full(75, np.inf), np.full(75, -np.inf)
    rows = []

    def visit(step):
        for side in SIDES:
            role = env.spec.roles[side]
            obs = np.asarray(step.obs[side])[np.asarray(step.acting[side])[:, 0], 0]
            if not len(obs):
                continue
            assert obs.dtype == np.float32
            assert obs.min() >= 0.0
            assert obs.max() <= 1.0
            units = entity_rows(role, obs).reshape(-1, 52)
            present = units[units[:, 7:10].sum(1) > 0]
            groups = group_rows(role, obs).reshape(-1, 12)
            known = groups[groups[:, 10] > 0]
            parts = [obs[:, :11], present, known]
            for k, part in zip((0, 11, 63), parts, strict=True):
                if len(part):
                    span = slice(k, k + part.shape[1])
                    low[span] = np.minimum(low[span], part.min(0))
                    high[span] = np.maximum(high[span], part.max(0))
            if len(rows) < 400:
                rows.append((units, groups))

    for k, names in enumerate(PAIRS):
        env = war("standard", {"capture_mode": "hold"}, target="cpu", num_envs=4)
        play(env, names, 720, seed=20 + k, visit=visit)
    return low, high, rows


def test_every_column_varies_over_a_tournament_but_the_place_of_the_island(tournament):
    low, high, _ = tournament
    names = [*GLOBALS, *ENTITY_FEATURES, *(f"group {name}" for name in GROUP_FEATURES)]
    constant = {name for name, a, b in zip(names, low, high, strict=True) if a == b}
    assert constant == {"island_center_x_norm", "island_center_y_norm"}


def test_dead_rows_keep_what_a_unit_was_and_absent_rows_are_zero(tournament):
    _, _, rows = tournament
    static = [*range(1, 3), *range(4, 10), *range(43, 51)]
    dead = absent = 0
    for units, groups in rows:
        gone = units[units[:, 19] == 0]
        kept = gone[gone[:, 7:10].sum(1) > 0]
        rest = np.delete(kept, static, axis=1)
        assert (rest == 0).all()
        assert (gone[gone[:, 7:10].sum(1) == 0] == 0).all()
        assert (groups[groups[:, 10] == 0] == 0).all()
        dead, absent = dead + len(kept), absent + len(gone) - len(kept)
    assert dead > 0
    assert absent > 0


def test_idle_is_manoeuver_zero_and_one_hots_are_one_hot(tournament):
    for units, groups in tournament[2]:
        alive = units[units[:, 19] > 0]
        assert ((alive[:, 42] == 1) == (alive[:, 16] == 0)).all()
        assert (alive[:, 7:10].sum(1) == 1).all()
        assert (alive[:, 43:46].sum(1) == 1).all()
        armed = alive[:, 26] + alive[:, 27] > 0
        assert (alive[armed][:, 38:41].sum(1) == 1).all()
        assert (alive[~armed][:, 38:41] == 0).all()
        known = groups[groups[:, 10] > 0]
        assert (known[:, 1:4].sum(1) == 1).all()


def test_headings_and_bearings_are_compass_readings():
    env = war()
    i = kinds(env)["SAM"][0]
    put(env, pos={(0, i): (0.0, -100.0)}, heading={(0, i): (0.0, 1.0)})
    seen = row(env, wait(env), 0, i)
    assert (seen["heading_sin"], seen["heading_cos"]) == (0.5, 1.0)
    assert seen["bearing_to_island_norm"] == pytest.approx(0.0)
    put(env, pos={(0, i): (-100.0, 0.0)})
    seen = row(env, wait(env), 0, i)
    assert seen["bearing_to_island_norm"] == pytest.approx(0.25)
    assert seen["distance_to_island_norm"] == pytest.approx(100.0 / (400.0 * 2**0.5))
    assert (seen["grid_x"], seen["grid_y"]) == pytest.approx((0.25, 0.5))
    put(env, pos={(0, i): (0.0, 0.0)})
    assert row(env, wait(env), 0, i)["bearing_to_island_norm"] == 0.0


def test_an_engagement_shows_range_bearing_domain_and_time():
    env = war()
    i, j = kinds(env, 0)["STK"][0], kinds(env, 1)["CVN"][0]
    put(env, pos={(0, i): (-100.0, 0.0), (1, j): (100.0, 0.0)})
    wait(env)
    group = int(env.truth("member")[0, 0, j])
    step = order(
        env, action_type=2, entity_id=i, target_group_id=group, weapon_usage=0,
        weapon_engagement=3,
    )  # fmt: skip
    seen = row(env, step, 0, i)
    assert (seen["currently_engaging"], seen["engagement_level_norm"]) == (1.0, 1.0)
    assert seen["target_domain_surface"] == 1.0
    away = np.hypot(*(env.truth("spot")[0, 0, j] - env.truth("pos")[0, 0, i]))
    assert seen["target_range_norm"] == pytest.approx(away / (400.0 * 2**0.5), abs=1e-6)
    assert 0.2 < seen["target_bearing_norm"] < 0.3
    assert 0.0 < seen["time_until_shoot_norm"] <= 1.0
    assert seen["weapons_tight"] == 1.0


def test_quantised_positions_are_cells():
    env = war("skirmish", {"quantize_positions": True})
    x = row(env, wait(env), 0, 0)["grid_x"]
    assert x * 19 == pytest.approx(round(x * 19), abs=1e-5)


def test_a_mirrored_view_shows_both_sides_the_same_and_turns_their_orders():
    exact = {"laydown.jitter_km": 0.0, "physics.noise_km": [0.0, 0.0, 0.0, 0.0]}
    env = war("skirmish", {"mirror_view": True} | exact)
    step = wait(env)
    assert np.allclose(step.obs["legacy"][0, 0], step.obs["dynasty"][0, 0], atol=1e-6)
    parts = {"action_type": 1, "entity_id": 0, "move_center_grid": 45, "move_axis_angle": 5}
    order(env, 0, **parts)
    order(env, 1, **parts)
    one, other = env.truth("course")[0, :, 0]
    assert one[:2] == pytest.approx(-other[:2])
    assert one[4:] == pytest.approx(-other[4:])


def test_decode_names_a_whole_row():
    env = war()
    step = wait(env)
    seen = env.spec.roles["dynasty"].observation.decode(step.obs["dynasty"][0, 0])
    assert set(seen) == {*GLOBALS, "entities", "groups"}
    assert len(seen["entities"]) == 12
    assert set(seen["entities"][0]) == set(ENTITY_FEATURES)
