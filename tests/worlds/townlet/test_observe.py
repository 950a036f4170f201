"""The observation's validation checklist, one test per line, with its worked examples."""

import math

import numpy as np
import pytest

from .town import CUES, PLACES, act, feel, put, see, society, town

LEVELS = [f"L{level}" for level in range(8)]
FULL, PARTIAL, SOCIAL = LEVELS[:4], LEVELS[4:6], LEVELS[6:8]
PREVIEW = {"L0": 49, "L3": 49, "L4": 54, "L5": 54, "L6": 79, "L7": 124}


def size(env):
    return env.spec.roles["resident"].observation.size


def extra_places(count):
    """Name more affordances than the town's own, none of which is deployed."""
    model = {"opens": 0, "closes": 24, "capacity": 1, "cost": 0.0, "effects": {}, "ticks": 1}
    model |= {"tick_cost": 0.0, "tick_effects": {}, "bonus": {}}
    return [{"name": name, **model} for name in ("Bed", *(f"Place{k}" for k in range(count - 1)))]


# full observability


@pytest.mark.parametrize("preset", FULL)
def test_the_exact_position_can_be_read_off_the_grid(preset):
    env = town(preset)
    for x in range(5):
        for y in range(5):
            grid = see(env, put(env, position=[(x, y)]))["grid"]
            assert (grid.index(1.0), sum(grid)) == (y * 5 + x, 1.0)


def test_position_2_3_of_a_5_by_5_grid_is_flat_index_17():
    env = town("L3")
    assert put(env, position=[(2, 3)]).obs[0, 0, :25].tolist() == [
        float(k == 17) for k in range(25)
    ]


@pytest.mark.parametrize("preset", LEVELS)
def test_all_eight_meters_are_seen_in_their_order(preset):
    env = town(preset)
    values = [0.125 * k for k in range(8)]
    seen = see(env, put(env, meters=values))["meters"]
    assert list(seen.values()) == values
    names = "energy satiation mood hygiene social fitness health money"
    assert list(seen) == names.split()


@pytest.mark.parametrize("name", PLACES)
def test_the_affordance_one_stands_on_is_known(name):
    env = town("L3")
    seen = see(env, put(env, places={name: (2, 2)}, position=[(2, 2)]))["affordance"]
    assert [place for place, value in seen.items() if value == 1.0] == [name]
    assert list(seen) == [*PLACES, "none"]


def test_standing_on_nothing_sets_the_last_entry_of_the_affordances():
    env = town("L3")
    step = put(env, places={"Job": (2, 2)}, position=[(2, 3)])
    assert step.obs[0, 0, 33:].tolist() == [0.0] * 15 + [1.0]


@pytest.mark.parametrize("preset", FULL)
def test_a_full_observation_has_49_numbers(preset):
    assert size(town(preset)) == 49


@pytest.mark.parametrize(("grid", "types"), [(3, 15), (6, 15), (8, 15), (5, 4), (7, 21)])
def test_a_full_observation_has_grid_squared_plus_8_plus_types_plus_1_numbers(grid, types):
    table = {} if types == 15 else {"affordances": extra_places(types), "cues": []}
    env = town("L0", {"grid_size": grid} | table)
    assert size(env) == grid**2 + 8 + types + 1
    assert env.reset().obs.shape[-1] == size(env)


# partial observability and time


def test_only_the_5_by_5_window_is_seen():
    env = town("L4")
    near = put(env, places={"Bed": (4, 2)}, position=[(4, 4)])
    assert sum(sum(row) for row in see(env, near)["window"]) == 1.0
    for away in ((4, 1), (7, 4), (1, 4), (4, 7), (7, 7)):
        far = put(env, places={"Bed": away}, position=[(4, 4)])
        assert sum(sum(row) for row in see(env, far)["window"]) == 0.0


def test_the_window_at_4_4_flattens_row_by_row_from_the_top_left():
    env = town("L4")
    places = {"Bed": (4, 2), "Job": (6, 4), "Bar": (3, 5)}
    step = put(env, places=places, position=[(4, 4)])
    rows = [[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert step.obs[0, 0, :25].tolist() == [value for row in rows for value in row]


@pytest.mark.parametrize("corner", [(0, 0), (7, 0), (0, 7), (7, 7)])
def test_tiles_out_of_bounds_are_0(corner):
    env = town("L4")
    saved = env.save()
    saved["position"][0, 0] = corner
    window = np.array(see(env, env.load(saved))["window"])
    places = {tuple(at) for at in saved["affordance_position"][0].tolist()}
    for row in range(5):
        for column in range(5):
            at = (corner[0] + column - 2, corner[1] + row - 2)
            assert window[row, column] == float(at in places)
            assert window[row, column] == 0.0 or (0 <= at[0] < 8 and 0 <= at[1] < 8)


def test_position_4_4_of_an_8_by_8_grid_is_four_sevenths_twice():
    env = town("L4")
    seen = see(env, put(env, position=[(4, 4)]))["position"]
    assert seen == {"x": pytest.approx(4 / 7), "y": pytest.approx(4 / 7)}


@pytest.mark.parametrize("preset", PARTIAL)
def test_the_absolute_position_is_known_by_normalised_coordinates(preset):
    env = town(preset)
    for x, y in ((0, 0), (7, 0), (3, 7), (7, 7)):
        seen = see(env, put(env, position=[(x, y)]))["position"]
        assert (round(seen["x"] * 7, 5), round(seen["y"] * 7, 5)) == (x, y)


@pytest.mark.parametrize("hour", range(24))
def test_time_is_sine_and_cosine_of_the_hour(hour):
    env = town("L5")
    seen = see(env, put(env, hour=hour))["time"]
    angle = 2 * math.pi * hour / 24
    assert seen == {"sin": pytest.approx(math.sin(angle)), "cos": pytest.approx(math.cos(angle))}


def test_23_hours_is_close_to_midnight():
    env = town("L5")
    late, midnight = see(env, put(env, hour=23))["time"], see(env, put(env, hour=0))["time"]
    assert late == {"sin": pytest.approx(-0.26, abs=0.005), "cos": pytest.approx(0.97, abs=0.005)}
    assert midnight == {"sin": 0.0, "cos": 1.0}


def test_a_town_without_time_rules_sees_midnight_and_no_progress():
    env = town("L4")
    put(env, places={"Bed": (2, 2)}, position=[(2, 2)])
    seen = see(env, act(env, "INTERACT"))
    assert (seen["time"], seen["progress"]) == ({"sin": 0.0, "cos": 1.0}, [0.0])


def test_three_ticks_of_a_job_are_seen_as_three_tenths():
    env = town("L5")
    put(env, places={"Job": (2, 2)}, position=[(2, 2)], hour=9)
    for _ in range(3):
        step = act(env, "INTERACT")
    assert see(env, step)["progress"] == [pytest.approx(0.3)]


def test_progress_never_exceeds_1():
    env = town("L5")
    assert see(env, put(env, progress=37))["progress"] == [1.0]


@pytest.mark.parametrize("preset", PARTIAL)
def test_a_partial_observation_has_54_numbers(preset):
    assert size(town(preset)) == 54


@pytest.mark.parametrize(("grid", "vision", "types"), [(6, 1, 15), (12, 3, 15), (9, 2, 7)])
def test_a_partial_observation_grows_with_vision_and_types_alone(grid, vision, types):
    table = {"affordances": extra_places(types), "cues": [], "deployed": ["Bed"]}
    table = {} if types == 15 else table
    env = town("L5", {"grid_size": grid, "vision_range": vision} | table)
    assert size(env) == (2 * vision + 1) ** 2 + 2 + 8 + types + 1 + 3


# other people


def test_others_within_vision_are_seen_and_those_beyond_are_not():
    env = society(4)
    step = put(env, position=[(4, 4), (4, 6), (5, 6), (3, 3)])
    others = [tuple(pair.values()) for pair in see(env, step)["others"]]
    assert others == [(0.0, 2.0), (-1.0, -1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]
    assert step.info["visible_agents"][0].tolist() == [2.0, 2.0, 1.0, 1.0]


def test_positions_of_others_are_relative():
    env = society(2)
    for x, y in ((1, 1), (4, 4), (6, 5)):
        step = put(env, position=[(x, y), (x + 1, y - 1)])
        assert see(env, step, 0)["others"][0] == {"dx": 1.0, "dy": -1.0}
        assert see(env, step, 1)["others"][0] == {"dx": -1.0, "dy": 1.0}


def test_the_closest_come_first():
    env = society(4)
    step = put(env, position=[(4, 4), (4, 2), (4, 5), (4, 4)])
    others = [tuple(pair.values()) for pair in see(env, step)["others"]]
    assert others[:3] == [(0.0, 0.0), (0.0, 1.0), (0.0, -2.0)]


def test_cues_are_binary():
    env = society(8)
    for k in range(20):
        step = act(env, *["INTERACT" if (a + k) % 3 else "RIGHT" for a in range(8)])
        cues = step.obs[0, :, 64:]
        assert ((cues == 0.0) | (cues == 1.0)).all()


def test_the_example_of_two_people_and_twelve_cues_is_seen_slot_by_slot():
    env = society(3)
    worker = feel(energy=0.25, mood=0.5, money=0.5, health=0.5)
    patient = feel(energy=0.5, mood=0.5, money=0.1, health=0.25)
    places = {"Job": (5, 4), "Hospital": (4, 2)}
    positions = [(4, 4), (5, 4), (4, 2)]
    put(env, places=places, position=positions, meters=[feel(), worker, patient])
    step = act(env)
    seen = see(env, step)
    assert [tuple(pair.values()) for pair in seen["others"][:2]] == [(1.0, 0.0), (0.0, -2.0)]
    first, second, *padding = np.array(step.obs[0, 0, 64:]).reshape(5, 12).tolist()
    assert first == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert second == [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0]
    assert np.array(padding).sum() == 0
    assert list(seen["other_cues"][0]) == list(CUES)


def test_no_more_than_the_visible_agents_are_seen_and_the_rest_is_padding():
    crowd = society(8, max_visible_agents=3)
    step = put(crowd, position=[(4, 4)] * 7 + [(4, 5)])
    assert step.info["visible_agents"][0].tolist() == [3.0] * 8
    assert see(crowd, step, 7)["others"] == [{"dx": 0.0, "dy": -1.0}] * 3
    alone = society(1)
    step = put(alone, position=[(4, 4)])
    assert step.obs[0, 0, 54:].tolist() == [0.0] * 70


def test_the_meters_of_others_do_not_reach_an_observation():
    seen = []
    for body in (
        {"energy": 0.5},
        {"energy": 0.7, "satiation": 0.01, "social": 0.0, "fitness": 0.1},
    ):
        env = society(2)
        put(env, places={}, position=[(4, 4), (4, 5)], meters=[feel(), feel(**body)])
        seen.append(act(env).obs[0, 0].copy())
    assert seen[0][54:].any()
    assert (seen[0] == seen[1]).all()


@pytest.mark.parametrize(("preset", "wanted"), PREVIEW.items())
def test_every_level_has_its_size(preset, wanted):
    env = town(preset)
    assert size(env) == wanted
    assert env.reset().obs.shape == (1, env.spec.num_agents, wanted)


@pytest.mark.parametrize(("visible", "cues"), [(1, 12), (7, 12), (5, 4), (2, 0)])
def test_a_social_observation_has_two_numbers_and_the_cues_for_each_slot(visible, cues):
    env = society(3, max_visible_agents=visible, shown_cues=list(CUES[:cues]))
    assert size(env) == 54 + (2 + cues) * visible


# general


@pytest.mark.parametrize("preset", LEVELS)
def test_the_same_state_gives_the_same_observation(preset):
    first, second = town(preset), town(preset, seed=77)
    for _ in range(5):
        step = act(first, *["INTERACT"] * first.spec.num_agents)
    assert (second.load(first.save()).obs == step.obs).all()


@pytest.mark.parametrize("preset", LEVELS)
def test_no_value_leaves_its_declared_range(preset):
    env = town(preset, num_envs=2)
    layout = env.spec.roles["resident"].observation
    rng = np.random.default_rng(0)
    for _ in range(30):
        drawn = env.spec.roles["resident"].action.sample(rng, (2, env.spec.num_agents))
        seen = env.step(drawn).obs
        assert (seen >= layout.low).all()
        assert (seen <= layout.high).all()
    assert np.abs(layout.low).max() <= 2
    assert layout.high.max() <= 2


@pytest.mark.parametrize("preset", LEVELS)
def test_the_batch_comes_first(preset):
    env = town(preset, num_envs=3)
    agents = env.spec.num_agents
    assert env.reset().obs.shape == (3, agents, size(env))


@pytest.mark.parametrize("preset", ["L3", "L5", "L7"])
def test_every_machine_sees_the_same(preset):
    plain, compiled = town(preset), town(preset, target="cpu")
    for name in ("WAIT", "INTERACT", "RIGHT", "DOWN"):
        wanted = act(plain, *[name] * plain.spec.num_agents)
        found = act(compiled, *[name] * plain.spec.num_agents)
        assert (wanted.obs == found.obs).all()
