import json

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.cli.show import truth_of
from mesocosm.core.palette import share_colour
from mesocosm.core.scene import Bars, Glyph, Line, Rect, Text, Trail
from mesocosm.worlds.registry import presets
from mesocosm.worlds.townlet.config import METERS
from mesocosm.worlds.townlet.render import bar, short_codes, text
from mesocosm.worlds.townlet.scene import darkness, places, scene


def town(preset="L7", **fields):
    """Give the truth of one env after a reset, with some fields replaced, and the core."""
    env = meso.make(f"townlet/{preset}", target="python", seed=5)
    env.reset(seed=5)
    truth = truth_of(env)
    for name, value in fields.items():
        truth[name] = np.asarray(value, truth[name].dtype)
    return truth, env.config.core


def drawn(made, kind, start=""):
    return [p for p in made.primitives if isinstance(p, kind) and p.label.startswith(start)]


@pytest.mark.parametrize("preset", presets("townlet"))
def test_every_level_is_drawn_inside_its_frame_in_plain_data(preset):
    made = scene(*town(preset))
    assert json.loads(json.dumps(made.plain()))["items"]
    for p in made.primitives:
        assert 0 <= p.x <= made.width
        assert 0 <= p.y <= made.height


def test_the_grid_has_a_line_on_both_sides_of_every_row_and_column():
    truth, core = town("L3")
    lines = [p for p in drawn(scene(truth, core), Line) if p.colour == "grid"]
    assert len(lines) == 2 * (core.grid_size + 1)


def test_every_place_in_town_stands_on_its_cell_with_its_name():
    truth, core = town("L2")
    made = scene(truth, core)
    for name in core.deployed:
        k = [kind.name for kind in core.affordances].index(name)
        (sign,) = drawn(made, Glyph, f"{name},")
        assert [int(sign.x), int(sign.y)] == truth["affordance_position"][k].tolist()
        assert sign.name in made.drawings
        assert len(drawn(made, Text, name)) == 1
    assert not drawn(made, Glyph, "Bar")


@pytest.mark.parametrize(
    ("hour", "bar_open", "job_open"), [(3, 1, 0), (4, 0, 0), (8, 0, 1), (18, 1, 0)]
)
def test_closed_places_are_dim(hour, bar_open, job_open):
    made = scene(*town(hour=hour))
    for name, is_open in (("Bar", bar_open), ("Job", job_open)):
        (sign,) = drawn(made, Glyph, f"{name},")
        assert sign.colour == ("accent" if is_open else "faint")
        tiles = [p for p in drawn(made, Rect) if (int(p.x), int(p.y)) == (int(sign.x), int(sign.y))]
        assert "place" in [p.colour for p in tiles] or not is_open


def test_without_time_rules_every_place_is_open_and_no_hour_is_told():
    truth, core = town("L4")
    assert all(place.open for place in places(truth, core))
    assert "time rules off" in scene(truth, core).caption
    assert not drawn(scene(truth, core), Glyph, "hour")


def test_the_hour_is_told_and_marked():
    made = scene(*town(hour=13))
    assert "13:00" in made.caption
    assert drawn(made, Text, "13:00")
    assert drawn(made, Glyph, "hour 13")[0].name == "sun"
    assert drawn(scene(*town(hour=23)), Glyph, "hour 23")[0].name == "moon"


def test_nights_are_dark_and_days_are_not():
    assert [round(darkness(hour), 2) for hour in (0, 5, 6, 7, 12, 19, 20, 21)] == [
        1.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.5, 1.0,
    ]  # fmt: skip
    shades = [[p for p in drawn(scene(*town(hour=hour)), Rect) if p.colour == "night"]
              for hour in (12, 23)]  # fmt: skip
    assert [len(found) for found in shades] == [0, 1]


def test_residents_are_coloured_by_their_lowest_meter_other_than_money():
    meters = np.ones((8, 8))
    meters[1, 3] = 0.0  # hygiene
    meters[2, 7] = 0.0  # money
    bodies = drawn(scene(*town(meters=meters)), Glyph, "resident")
    assert "hygiene 0.00" in bodies_by_number(bodies)[1].label
    assert bodies_by_number(bodies)[1].colour == share_colour(0.0)
    assert bodies_by_number(bodies)[2].colour == share_colour(1.0)


def bodies_by_number(bodies):
    return {int(body.label.split()[1].rstrip(":")): body for body in bodies}


def test_the_dead_are_absent():
    alive = [True, False] * 4
    truth, core = town(alive=alive)
    bodies = bodies_by_number(drawn(scene(truth, core), Glyph, "resident"))
    assert sorted(bodies) == [0, 2, 4, 6]
    assert "4 of 8 alive" in scene(truth, core).caption
    assert " 1     0 dead" in text(truth, core)


def test_people_of_one_cell_stand_side_by_side_inside_it():
    made = scene(*town(position=[[3, 4]] * 8))
    bodies = drawn(made, Glyph, "resident")
    assert len({(body.x, body.y) for body in bodies}) == 8
    assert all(int(body.x) == 3 and int(body.y) == 4 for body in bodies)
    apart = [
        (one.x - two.x) ** 2 + (one.y - two.y) ** 2
        for one in bodies
        for two in bodies
        if one != two
    ]
    assert min(apart) >= bodies[0].size ** 2


def test_progress_is_drawn_as_a_share_of_the_visit():
    made = scene(*town(doing=[0] + [-1] * 7, progress=[2] + [0] * 7))
    (bar,) = drawn(made, Bars, "Bed 40%")
    assert bar.values == pytest.approx((0.4,))


def test_meters_are_drawn_as_bars_by_name():
    truth, core = town()
    bars = [p for p in drawn(scene(truth, core), Bars) if p.names]
    assert {p.names for p in bars} == {METERS}
    assert bars[2].values == pytest.approx(truth["meters"][2])


def test_everybody_leaves_a_path_near_the_middle_of_the_cell():
    truth, core = town()
    trails = [p for p in scene(truth, core).primitives if isinstance(p, Trail)]
    assert len({p.key for p in trails}) == core.num_agents
    for p, (x, y) in zip(trails, truth["position"].tolist(), strict=True):
        assert [int(p.x), int(p.y)] == [x, y]


def test_a_large_town_is_shown_where_things_are():
    env = meso.make("townlet/L7", {"core.grid_size": 64}, target="python")
    env.reset(seed=0)
    truth = truth_of(env)
    truth["affordance_position"][:] = 20
    truth["position"][:] = 30
    box = scene(truth, env.config.core).box
    assert (box.x, box.y, box.width) == (20.0, 20.0, 12.0)


def test_married_people_are_joined():
    truth, core = town("L8", partner=[1, 0, -1, -1, -1, -1, -1, -1])
    made = scene(truth, core)
    assert len(drawn(made, Line, "0 and 1 are married")) == 1


def test_cues_are_drawn_beside_whoever_shows_them():
    truth, core = town(cue=np.eye(8, 12))
    taken = truth["affordance_position"].tolist()
    free = [[x, y] for x in range(8) for y in range(8) if [x, y] not in taken]
    truth["position"][:] = free[:8]
    made = scene(truth, core)
    for a, name in enumerate(core.shown_cues[:8]):
        (icon,) = [p for p in drawn(made, Glyph, name) if p.label == name]
        assert [int(icon.x), int(icon.y)] == truth["position"][a].tolist()
        assert name.replace("_", " ") in [entry.words for entry in made.legend]


def test_the_map_shows_people_over_places_and_small_letters_when_closed():
    position = [[0, 0], [0, 0], [1, 0], [7, 7], [7, 7], [7, 7], [7, 7], [7, 7]]
    spots = [[k % 8, 2 + k // 8] for k in range(15)]
    truth, core = town(position=position, affordance_position=spots, hour=12)
    rows = text(truth, core).splitlines()
    assert rows[2] == "| *2  2" + "  ." * 6 + " |"
    assert rows[4] == "| BE LB SH HM FF DO HO TH |"
    assert rows[5] == "| RE ba JO LA GY PA CS  . |"
    assert rows[9] == "|" + "  ." * 7 + " *5 |"


def test_the_text_lists_open_and_closed_places_with_their_hours():
    page = text(*town(hour=12))
    is_open, closed = page.split("closed: ")
    assert "JO Job 8-18" in is_open
    assert closed.startswith("ba Bar 18-28")


def test_the_text_says_what_people_do_and_show():
    page = text(*town(doing=[0] + [-1] * 7, progress=[2] + [0] * 7, cue=np.eye(8, 12)))
    assert "Bed 2/5" in page
    assert " 2 shows looks_sick" in page


def test_the_text_shows_the_meters_of_the_first_eight():
    env = meso.make("townlet/L7", {"core.num_agents": 10}, target="python")
    env.reset(seed=0)
    truth = truth_of(env)
    rows = [row for row in text(truth, env.config.core).splitlines() if "#######" in row]
    assert len(rows) == 8
    assert "and 2 more" in text(truth, env.config.core)


def test_only_an_empty_meter_is_an_empty_bar():
    assert [bar(value) for value in (0.0, 0.001, 0.5, 1.0)] == [
        ".......",
        "#......",
        "####...",
        "#######",
    ]


def test_every_place_gets_letters_of_its_own():
    assert short_codes(["Bed", "LuxuryBed", "Bench", "B", "Be"]) == {
        "Bed": "BE", "LuxuryBed": "LB", "Bench": "BN", "B": "A3", "Be": "A4",
    }  # fmt: skip
