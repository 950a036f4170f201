"""The rules of one life, one by one, as plain Python."""

import numpy as np
import pytest

from .town import PLACES, act, failures, feel, may, meter, put, see, town

HERE = (3, 3)
HOURS = {
    "Doctor": (8, 18), "Therapist": (8, 18), "Recreation": (8, 22), "Job": (8, 18),
    "Labor": (8, 18), "Gym": (6, 22), "Park": (6, 22), "CoffeeShop": (6, 20),
}  # fmt: skip
BAR_OPEN = {18, 19, 20, 21, 22, 23, 0, 1, 2, 3}
VALUES = {
    "capitalist": (0.3, 0.1, 0.6, lambda money: money),
    "balanced": (0.5, 0.3, 0.2, np.sqrt),
    "hedonist": (0.2, 0.7, 0.1, np.sqrt),
}


def life(preset="L5", **overrides):
    return town(preset, overrides, autoreset="off")


def stand_on(env, name, hour=12, **meters):
    begin = {"position": [HERE], "hour": hour, "progress": 0, "doing": -1}
    return put(env, places={name: HERE}, meters=[feel(**meters)], **begin)


def is_open(name, hour):
    if name == "Bar":
        return hour in BAR_OPEN
    opens, closes = HOURS.get(name, (0, 24))
    return opens <= hour < closes


@pytest.mark.parametrize("name", PLACES)
def test_the_mask_allows_interacting_in_opening_hours_alone(name):
    env = life()
    allowed = [may(stand_on(env, name, hour), "INTERACT") for hour in range(24)]
    assert allowed == [is_open(name, hour) for hour in range(24)]


@pytest.mark.parametrize("name", PLACES)
def test_a_closed_place_gives_nothing_even_to_those_who_ignore_the_mask(name):
    env = life()
    for hour in range(24):
        stand_on(env, name, hour)
        step = act(env, "INTERACT")
        assert failures(step) == ["none" if is_open(name, hour) else "closed"]
        began = is_open(name, hour) and name != "CoffeeShop"
        assert env.truth("progress")[0, 0] == int(began)


def test_closing_time_keeps_the_progress():
    env = life()
    stand_on(env, "Job", 17)
    act(env, "INTERACT")
    act(env, "INTERACT")
    assert env.truth("hour")[0] == 19
    assert env.truth("progress")[0, 0] == 1


def test_closed_place_serves_when_time_rules_are_off():
    env = life("L4")
    assert may(stand_on(env, "Job", 0, money=0.1), "INTERACT")
    act(env, "INTERACT")
    assert meter(env, "money") == pytest.approx(0.325)


def test_interacting_on_an_empty_cell_fails_and_is_masked():
    env = life()
    step = put(env, places={"Bed": (0, 0)}, position=[HERE])
    assert not may(step, "INTERACT")
    assert failures(act(env, "INTERACT")) == ["nothing_here"]


def test_interaction_without_money_changes_nothing_and_is_not_masked():
    env = life()
    assert may(stand_on(env, "Bed", energy=0.3, money=0.009), "INTERACT")
    step = act(env, "INTERACT")
    assert failures(step) == ["cannot_pay"]
    assert meter(env, "energy") == pytest.approx(0.295)
    assert meter(env, "money") == 0.009
    assert env.truth("progress")[0, 0] == 0


def test_exact_money_pays_for_an_interaction():
    env = life()
    stand_on(env, "Bed", energy=0.3, money=0.01)
    assert failures(act(env, "INTERACT")) == ["none"]
    assert meter(env, "money") == 0.0


def test_running_out_of_money_keeps_the_progress():
    env = life()
    stand_on(env, "Bed", money=0.015)
    act(env, "INTERACT")
    assert failures(act(env, "INTERACT")) == ["cannot_pay"]
    assert env.truth("progress")[0, 0] == 1


def test_waiting_keeps_the_progress():
    env = life()
    stand_on(env, "Bed", energy=0.3)
    for name in ("INTERACT", "INTERACT", "WAIT", "INTERACT"):
        act(env, name)
    assert env.truth("progress")[0, 0] == 3


def test_moving_away_resets_the_progress_and_keeps_what_was_earned():
    env = life()
    stand_on(env, "Bed", energy=0.3)
    act(env, "INTERACT")
    act(env, "RIGHT")
    assert env.truth("progress")[0, 0] == 0
    assert meter(env, "energy") == pytest.approx(0.3 + 0.075 - 0.005 - 0.010)
    act(env, "LEFT")
    act(env, "INTERACT")
    assert env.truth("progress")[0, 0] == 1


def test_a_bump_into_the_edge_keeps_the_progress():
    env = life()
    put(env, places={"Bed": (0, 0)}, position=[(0, 0)])
    act(env, "INTERACT")
    act(env, "LEFT")
    assert env.truth("progress")[0, 0] == 1


@pytest.mark.parametrize(
    ("name", "ticks"), [("Bed", 5), ("LuxuryBed", 6), ("Shower", 3), ("Bar", 2)]
)
def test_the_last_tick_brings_the_bonus_and_progress_0(name, ticks):
    env = life()
    stand_on(env, name, 19, energy=0.3, hygiene=0.5)
    seen = []
    for _ in range(ticks):
        seen.append(see(env, act(env, "INTERACT"))["progress"][0])
    assert seen == pytest.approx([*(k / 10 for k in range(1, ticks)), 0.0])


def test_a_shower_in_ticks_brings_as_much_as_one_at_once():
    slow, fast = life(), life("L4")
    for env, ticks in ((slow, 3), (fast, 1)):
        stand_on(env, "Shower", hygiene=0.4)
        for _ in range(ticks):
            act(env, "INTERACT")
    assert meter(slow, "hygiene") == pytest.approx(0.4 + 0.4 - 3 * 0.003)
    assert meter(fast, "hygiene") == pytest.approx(0.4 + 0.4 - 0.003)


@pytest.mark.parametrize(
    ("at", "name"), [((3, 0), "UP"), ((3, 7), "DOWN"), ((0, 3), "LEFT"), ((7, 3), "RIGHT")]
)
def test_step_over_the_edge_costs_but_does_not_move(at, name):
    env = life()
    assert not may(put(env, places={}, position=[at]), name)
    step = act(env, name)
    assert env.truth("position")[0, 0].tolist() == list(at)
    assert failures(step) == ["edge"]
    assert meter(env, "energy") == pytest.approx(0.990)
    assert meter(env, "hygiene") == pytest.approx(0.994)
    assert meter(env, "satiation") == pytest.approx(0.992)


@pytest.mark.parametrize(
    ("name", "to"), [("UP", (3, 2)), ("DOWN", (3, 4)), ("LEFT", (2, 3)), ("RIGHT", (4, 3))]
)
def test_y_grows_downwards_and_x_to_the_right(name, to):
    env = life()
    put(env, position=[HERE])
    act(env, name)
    assert env.truth("position")[0, 0].tolist() == list(to)


@pytest.mark.parametrize("difficulty", [0.0, 0.2, 1.0, 3.0])
def test_difficulty_multiplies_passive_decay_alone(difficulty):
    env = life(difficulty=difficulty)
    put(env, places={}, position=[HERE])
    act(env, "WAIT")
    assert meter(env, "energy") == pytest.approx(1.0 - 0.001 - 0.005 * difficulty)
    fitness = 1.0 - 0.002 * difficulty
    assert meter(env, "fitness") == pytest.approx(fitness)
    assert meter(env, "health") == pytest.approx(1.0 - 0.001 * (0.5 + 2.5 * (1.0 - fitness)))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_meters_stay_between_0_and_1(value):
    env = life(max_steps=5)
    put(env, places={"Job": HERE}, position=[HERE], hour=12, meters=value)
    act(env, "INTERACT")
    assert env.truth("meters").min() >= 0.0
    assert env.truth("meters").max() <= 1.0


@pytest.mark.parametrize("lethal", ["energy", "health"])
def test_energy_and_health_at_zero_kill(lethal):
    env = life()
    put(env, places={}, meters=[feel(**{lethal: 0.0001})])
    step = act(env, "WAIT")
    assert env.spec.reason_name(step.reason[0, 0]) == "died"
    assert step.reward[0, 0] == 0.0
    assert [event["kind"] for event in env.events()] == ["death"]


@pytest.mark.parametrize("harmless", ["satiation", "mood", "hygiene", "social", "fitness", "money"])
def test_no_other_meter_kills_by_itself(harmless):
    env = life()
    put(env, places={}, meters=[feel(**{harmless: 0.0})])
    assert not act(env, "WAIT").ended[0, 0]


def test_retirement_pays_the_configured_bonus_once():
    env = life(lifespan=2, retirement_bonus=7.0)
    put(env, places={})
    assert env.explain(env=0, agent=0)["retirement"] == 0.0
    act(env, "WAIT")
    assert env.explain(env=0, agent=0)["retirement"] == 0.0
    step = act(env, "WAIT")
    assert env.explain(env=0, agent=0)["retirement"] == 7.0
    assert env.spec.reason_name(step.reason[0, 0]) == "retired"
    assert [event["kind"] for event in env.events()] == ["retirement"]


def test_the_last_step_of_an_episode_truncates_those_who_live_on():
    step = act(life(max_steps=1), "WAIT")
    assert step.truncated[0, 0]
    assert not step.terminated[0, 0]


def score(values, levels, lifetime):
    span, wellbeing, wealth, worth = VALUES[values]
    names = ("health", "energy", "mood", "social", "hygiene")
    mean = sum(levels[name] for name in names) / 5
    return span * lifetime + wellbeing * mean + wealth * worth(levels["money"])


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("retires", [True, False])
def test_the_terminal_score_weighs_length_wellbeing_and_wealth(values, retires):
    lifespan = 2 if retires else 10
    env = life(terminal_score=values, lifespan=lifespan)
    put(env, places={}, meters=[feel(energy=0.4, mood=0.6, money=0.36)])
    act(env, "WAIT")
    assert env.explain(env=0, agent=0)["score"] == 0.0
    if not retires:
        put(env, meters=[feel(energy=0.001, mood=0.6, money=0.36)])
    act(env, "WAIT")
    levels = {name: meter(env, name) for name in ("health", "energy", "mood", "social", "hygiene")}
    wanted = score(values, levels | {"money": 0.36}, 2 / lifespan) * (1.0 if retires else 0.1)
    assert env.explain(env=0, agent=0)["score"] == pytest.approx(wanted)


def test_no_score_is_given_unless_asked_for():
    env = life(lifespan=1)
    act(env, "WAIT")
    assert env.explain(env=0, agent=0)["score"] == 0.0


def layouts(preset, **settings):
    env = town(preset, num_envs=6, **settings)
    first = env.truth("affordance_position").tolist()
    env.reset()
    return [
        tuple(map(tuple, layout)) for layout in first + env.truth("affordance_position").tolist()
    ]


@pytest.mark.parametrize("preset", ["L0", "L1", "L2", "L3"])
def test_the_first_levels_have_one_layout_for_all_episodes(preset):
    assert len(set(layouts(preset) + layouts(preset, seed=99))) == 1


@pytest.mark.parametrize("preset", ["L4", "L5", "L6", "L7"])
def test_later_levels_place_everything_anew_in_every_episode(preset):
    assert len(set(layouts(preset))) == 12


@pytest.mark.parametrize("preset", ["L0", "L1", "L2", "L3", "L4", "L7"])
def test_deployed_affordances_stand_on_cells_of_their_own_and_others_nowhere(preset):
    deployed = set(town(preset).config.core.deployed)
    for layout in layouts(preset):
        placed = [at for at in layout if at != (-1, -1)]
        assert len(set(placed)) == len(placed) == len(deployed)
        assert {PLACES[k] for k, at in enumerate(layout) if at != (-1, -1)} == deployed


def test_the_map_is_told_outside_the_tensor_at_the_first_levels_alone():
    early, late = town("L3"), town("L4")
    told = early.reset().info["affordance_map"][0, 0]
    assert (told == early.truth("affordance_position")[0]).all()
    assert late.reset().info["affordance_map"].size == 0


def test_the_hour_wraps_at_midnight():
    env = life()
    put(env, hour=23)
    act(env, "WAIT")
    assert env.truth("hour")[0] == 0


@pytest.mark.parametrize("value", [-1, 6, 1000])
def test_an_action_out_of_range_is_a_wait_and_is_counted(value):
    env, wise = life(), life()
    chosen = env.spec.roles["resident"].action.noop((1, 1))
    chosen[:] = value
    env.step(chosen)
    act(wise, "WAIT")
    assert env.violations.tolist() == [[1]]
    assert (env.truth("meters") == wise.truth("meters")).all()
    assert (env.truth("position") == wise.truth("position")).all()


def test_a_bad_choice_of_a_legal_action_is_not_counted_as_invalid():
    env = life()
    put(env, places={}, position=[(0, 0)])
    act(env, "UP")
    assert env.violations.tolist() == [[0]]
