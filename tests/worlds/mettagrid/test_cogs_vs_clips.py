"""The preset cogs_vs_clips: what each station, junction, event and piece of land does."""

import numpy as np
import pytest
from cogs_vs_clips import AMBER, PRESET, TEAL, held, paid, place, small_game, tags, things
from games import EAST, NOOP, WEST, play, succeeded

import mesocosm as meso
from mesocosm.core.scene import Cells, Glyph
from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.plan import plan
from mesocosm.worlds.mettagrid.land import land_owners

OWNED = {"team:amber", "net:amber"}
CLIPPED = {"team:clips", "net:clips"}


def join(*rows, **more):
    """Make a game whose first junction the first agent has just aligned, moving east."""
    env = small_game(*rows, holds={"aligner": 1, "heart": 2}, **more)
    play(env, EAST, *[NOOP] * (env.config.core.num_agents - 1))
    assert tags(env, things(env, "junction")[0]) == OWNED
    return env


def give(env, a, **amounts):
    """Set what an agent holds."""
    amount = env.truth("amount")
    for name, number in amounts.items():
        amount[0, a, env.config.core.resources.index(name)] = number
    env.set_state("amount", amount)


def test_map_is_the_same_for_both_teams_turned_by_half():
    area = meso.load_config(PRESET).core.map
    turned = [row[::-1].translate(str.maketrans("AT", "TA")) for row in reversed(area.rows)]
    assert turned == list(area.rows)


@pytest.mark.parametrize(("gear", "taken"), [({"miner": 1}, 6), ({}, 1)])
def test_miner_takes_six_from_a_lode_and_others_one(gear, taken):
    env = small_game("A...@c", holds=gear)
    play(env, EAST)
    assert held(env, 0, "copper") == taken


def test_emptied_lode_vanishes():
    few = {"objects.silica_lode.inventory.initial": {"silica": 6}}
    env = small_game("A...@s", holds={"miner": 1}, **few)
    play(env, EAST)
    assert place(env, things(env, "silica_lode")[0]) == (-1, -1)


def test_hub_takes_cargo_and_pays_for_each_unit():
    env = small_game("@A", holds={"miner": 1, "copper": 5, "silica": 2})
    play(env, EAST)
    hub = things(env, "hub_amber")[0]
    assert (held(env, hub, "copper"), held(env, hub, "silica")) == (21, 18)
    assert held(env, 0, "copper") == held(env, 0, "silica") == 0
    assert paid(env)["delivered"] == pytest.approx(0.14)


def test_other_teams_hub_takes_nothing():
    env = small_game("@A", teams=(TEAL,), holds={"copper": 3})
    assert succeeded(play(env, EAST)) == [False]
    assert held(env, 0, "copper") == 3


def test_own_junction_passes_cargo_on_to_the_hub():
    env = join("A.@J")
    give(env, 0, copper=4)
    play(env, EAST)
    assert held(env, 0, "copper") == 0
    assert held(env, things(env, "hub_amber")[0], "copper") == 20


@pytest.mark.parametrize(
    ("letter", "gear", "price"),
    [("m", "miner", (1, 1)), ("l", "aligner", (2, 1)), ("x", "scrambler", (1, 2)),
     ("o", "scout", (1, 1))],
)  # fmt: skip
def test_station_gives_gear_for_ore_of_the_own_hub_in_exchange_for_other_gear(letter, gear, price):
    other = "scout" if gear == "miner" else "miner"
    env = small_game(f"A.@{letter}.T", holds={other: 1})
    assert succeeded(play(env, EAST)) == [True]
    hub, far_hub = things(env, "hub_amber")[0], things(env, "hub_teal")[0]
    assert (held(env, 0, gear), held(env, 0, other)) == (1, 0)
    assert (16 - held(env, hub, "copper"), 16 - held(env, hub, "silica")) == price
    assert held(env, far_hub, "copper") == 16
    assert succeeded(play(env, EAST)) == [False]  # it has that gear


def test_station_refuses_what_the_hub_cannot_pay():
    env = small_game("A.@m", **{"objects.hub_amber.inventory.initial": {"copper": 9}})
    assert succeeded(play(env, EAST)) == [False]
    assert held(env, 0, "miner") == 0


@pytest.mark.parametrize("gear", ["aligner", "scrambler"])
def test_hub_gives_hearts_then_makes_them_of_ore(gear):
    stock = {"objects.hub_amber.inventory.initial": {"copper": 4, "silica": 5, "heart": 1}}
    env = small_game("@A", holds={gear: 1}, **stock)
    hub = things(env, "hub_amber")[0]
    play(env, EAST)
    assert (held(env, 0, "heart"), held(env, hub, "copper")) == (1, 4)
    play(env, EAST)
    assert (held(env, 0, "heart"), held(env, hub, "copper"), held(env, hub, "silica")) == (2, 0, 1)
    assert succeeded(play(env, EAST)) == [False]


def test_hub_gives_no_heart_to_a_miner():
    env = small_game("@A", holds={"miner": 1})
    assert succeeded(play(env, EAST)) == [False]


def test_aligner_takes_a_free_junction_for_its_team_and_is_paid():
    env = join("A.@J")
    assert held(env, 0, "heart") == 1
    assert paid(env)["aligned"] == pytest.approx(0.5)
    assert paid(env)["junctions"] == pytest.approx(0.01)
    play(env, NOOP)
    assert paid(env)["aligned"] == 0.0
    assert paid(env)["junctions"] == pytest.approx(0.01)


@pytest.mark.parametrize("holds", [{"aligner": 1}, {"heart": 1}, {"scrambler": 1, "heart": 1}])
def test_junction_needs_an_aligner_with_a_heart(holds):
    env = small_game("A.@J", holds=holds)
    assert succeeded(play(env, EAST)) == [False]


@pytest.mark.parametrize(("gap", "works"), [(7, True), (8, False)])
def test_junction_must_be_within_nine_cells_of_the_network(gap, works):
    env = small_game("A" + "." * gap + "@J", holds={"aligner": 1, "heart": 1})
    assert succeeded(play(env, EAST)) == [works]


def test_joined_junction_extends_the_network():
    rows = "A......@J" + "." * 7 + "@J"
    env = small_game(rows, teams=(AMBER, AMBER), holds={"aligner": 1, "heart": 1})
    assert succeeded(play(env, NOOP, EAST)) == [True, False]
    assert succeeded(play(env, EAST, NOOP)) == [True, True]
    assert succeeded(play(env, NOOP, EAST)) == [True, True]


def test_scrambler_frees_a_junction_of_others_for_a_heart_and_is_paid():
    env = join("A.@J@", teams=(AMBER, TEAL))
    give(env, 1, scrambler=1, aligner=0)
    assert succeeded(play(env, NOOP, WEST)) == [True, True]
    assert tags(env, things(env, "junction")[0]) == set()
    assert held(env, 1, "heart") == 1
    assert paid(env, 1)["scrambled"] == pytest.approx(0.5)
    assert paid(env, 0)["junctions"] == 0.0


def test_junction_that_is_cut_off_from_its_hub_falls_too():
    rows = "A......@J@......@J"
    env = small_game(rows, teams=(AMBER, TEAL, AMBER), holds={"aligner": 1, "heart": 1})
    play(env, EAST, NOOP, NOOP)
    play(env, NOOP, NOOP, EAST)
    assert [tags(env, k) for k in things(env, "junction")] == [OWNED, OWNED]
    give(env, 1, scrambler=1, aligner=0)
    play(env, NOOP, WEST, NOOP)
    assert [tags(env, k) for k in things(env, "junction")] == [set(), set()]


def test_scout_lights_an_own_junction_and_a_scrambler_puts_the_light_out_first():
    env = join("A.@J@", teams=(AMBER, TEAL))
    junction = things(env, "junction")[0]
    give(env, 0, scout=1, aligner=0, charge=30)
    give(env, 1, scrambler=1, aligner=0)
    play(env, EAST, NOOP)
    assert tags(env, junction) == OWNED | {"lit"}
    assert held(env, 0, "charge") < 30
    assert succeeded(play(env, EAST, NOOP)) == [False, True]  # it is lit
    play(env, NOOP, WEST)
    assert tags(env, junction) == OWNED
    play(env, NOOP, WEST)
    assert tags(env, junction) == set()
    assert held(env, 1, "heart") == 0


@pytest.mark.parametrize(("gear", "sees"), [({"scout": 1}, True), ({"miner": 1}, False)])
def test_scout_sees_six_cells_and_others_four(gear, sees):
    env = small_game("A@.....c", holds=gear)
    step = play(env, NOOP)
    ids = env.config.core.id_map()
    token = [ids.feature_id("inv:copper"), 60]
    assert (token in np.asarray(step.obs)[0, 0, :, 1:].tolist()) is sees


@pytest.mark.parametrize(("team", "hull"), [(AMBER, 24), (TEAL, 17)])
def test_land_mends_its_own_team_and_wears_others(team, hull):
    env = small_game("A..@", teams=(team,), holds={"hull": 20, "charge": 0})
    play(env, NOOP)
    assert held(env, 0, "hull") == hull
    assert held(env, 0, "charge") == (10 if team == AMBER else 2)


def test_hull_wears_on_land_of_nobody_and_the_sun_charges():
    env = small_game("A" + "." * 11 + "@", holds={"hull": 20, "charge": 0})
    play(env, NOOP)
    assert (held(env, 0, "hull"), held(env, 0, "charge")) == (19, 2)


def test_move_needs_and_costs_charge():
    env = small_game("A" + "." * 11 + "@.", holds={"charge": 0, "solar": 1})
    assert succeeded(play(env, EAST)) == [False]
    play(env, NOOP)
    assert succeeded(play(env, EAST)) == [True]
    assert held(env, 0, "charge") == 1


def test_broken_cog_loses_what_it_carries_and_is_towed_home():
    holds = {"hull": 1, "miner": 1, "copper": 5, "heart": 1}
    env = small_game("A" + "." * 11 + "@", holds=holds)
    play(env, NOOP)
    assert place(env, 0) == (0, 1)
    assert [held(env, 0, name) for name in ("miner", "copper", "heart")] == [0, 0, 0]
    assert held(env, 0, "hull") > 20
    assert paid(env)["broken"] == pytest.approx(-0.5)


def test_clips_take_one_free_junction_near_their_nest_at_a_time_and_cost_everyone():
    env = small_game("A@..J..N..J", **{"events.spread.steps": [2, 3]})
    play(env, NOOP)
    assert [tags(env, k) for k in things(env, "junction")] == [set(), set()]
    play(env, NOOP)
    assert sorted(len(tags(env, k)) for k in things(env, "junction")) == [0, 2]
    play(env, NOOP)
    assert [tags(env, k) for k in things(env, "junction")] == [CLIPPED, CLIPPED]
    assert paid(env)["clips"] == pytest.approx(-0.01)


def test_clips_that_find_no_free_junction_scramble_one_of_a_team():
    env = join("A.@J....N", **{"events.spread.steps": [2], "events.corrode.steps": []})
    play(env, NOOP)
    assert tags(env, things(env, "junction")[0]) == set()


@pytest.mark.parametrize("lit", [True, False])
def test_clips_leave_a_lit_junction_alone(lit):
    env = join("A.@J....N", **{"events.spread.steps": [], "events.corrode.steps": [3]})
    give(env, 0, scout=1, aligner=0, charge=30)
    play(env, EAST if lit else NOOP)
    play(env, NOOP)
    assert tags(env, things(env, "junction")[0]) == (OWNED | {"lit"} if lit else set())


def test_clips_own_land_that_wears_cogs():
    env = small_game("A" + "." * 11 + "@N", holds={"hull": 20})
    play(env, NOOP)
    assert held(env, 0, "hull") == 17


def test_night_halves_the_sun_and_the_morning_puts_lights_out():
    times = {"events.dusk.steps": [2], "events.dawn.steps": [4], "events.burn_out.steps": [4]}
    env = join("A.@J", **times)
    give(env, 0, scout=1, aligner=0, charge=30)
    suns, lights = [], []
    for action in (EAST, NOOP, NOOP):
        play(env, action)
        suns.append(held(env, 0, "solar"))
        lights.append("lit" in tags(env, things(env, "junction")[0]))
    assert suns == [1, 1, 2]
    assert lights == [True, True, False]


def test_team_is_told_its_own_stock_and_everyones_junctions():
    env = join(
        "A.@J@T", teams=(AMBER, TEAL), **{"objects.hub_teal.inventory.initial": {"copper": 7}}
    )
    step = play(env, NOOP, NOOP)
    ids = env.config.core.id_map()
    for agent, copper in ((0, 16), (1, 7)):
        shown = {k: v for place, k, v in np.asarray(step.obs)[0, agent].tolist() if place == 254}
        assert shown[ids.feature_id("team:copper")] == copper
        assert [shown[ids.feature_id(f"held:{x}")] for x in ("amber", "teal", "clips")] == [1, 0, 0]


@pytest.mark.parametrize(
    ("owner", "needed", "term", "worth"),
    [("amber", 14, "victory", 60.0), ("clips", 16, "overrun", -40.0)],
)
def test_game_ends_when_a_team_or_the_clips_hold_almost_all_junctions(owner, needed, term, worth):
    spread = {
        "targets": {"tag": "type:junction"},
        "mutations": [
            {"kind": "add_tag", "tag": f"team:{owner}"},
            {"kind": "recompute_materialized_query", "prefix": f"net:{owner}"},
        ],
        "most": needed - 1,
        "steps": [1],
    }
    last = spread | {"most": needed, "steps": [2]}
    rows = ("JJJJJJ", "JJJJJJ", "A@JJJJ", "....N.")
    env = small_game(*rows, events={"spread": spread, "last": last})
    assert not np.asarray(play(env, NOOP).ended).any()
    assert paid(env)[term] == 0.0
    step = play(env, NOOP)
    assert paid(env)[term] == pytest.approx(worth)
    assert np.asarray(step.ended).all()


def test_game_ends_after_five_hundred_steps():
    assert meso.load_config(PRESET).core.max_steps == 500
    env = small_game("A@", max_steps=2)
    play(env, NOOP)
    assert np.asarray(play(env, NOOP).terminated).all()


def test_picture_shows_land_and_things_in_the_colours_of_teams():
    env = join("A.@J......N")
    truth = {entry.name: env.truth(entry.name)[0] for entry in env.spec.truth}
    picture = env.world.scene(truth, env.config.core)
    (land, *_) = [p for p in picture.primitives if isinstance(p, Cells)]
    assert land.label == "land of team:amber, team:clips, team:teal"
    shown = {p.label.partition(":")[0]: p for p in picture.primitives if isinstance(p, Glyph)}
    amber, clips, _ = land.colours
    assert set(land.cells) - {"."} == {"0", "1"}
    assert shown["hub_amber"].colour == shown["junction"].colour == shown["cog 0"].colour == amber
    assert shown["nest"].colour == clips
    assert shown["cog 0"].label.startswith("cog 0: hull")
    assert "held.amber 1" in picture.caption
    assert env.world.text(truth, env.config.core).splitlines()[1] == "A.0J......N"


def test_land_in_the_picture_is_the_land_that_rules_work_out():
    env = join("A.@J" + "." * 12 + "N......", "." * 23)
    truth = {entry.name: env.truth(entry.name)[0] for entry in env.spec.truth}
    made = plan(env.config.core)
    owner = env.state("owner")[0].reshape(made.height + 2 * PAD, made.width + 2 * PAD)
    shown = land_owners(truth, env.config.core, made)
    assert np.array_equal(owner[PAD:-PAD, PAD:-PAD] - 1, shown)
    assert len(np.unique(shown)) == 3  # nobody, amber, clips
