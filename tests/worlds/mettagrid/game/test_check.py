"""Games that name something unknown, or do not fit, are refused with a path."""

import re

import pytest
from games import classic_game, config, game, scripted_game
from parts import recipe, use, use_on_all

import mesocosm as meso
from mesocosm.core.errors import ConfigError


def test_game_with_an_unknown_name_is_refused_with_its_path():
    for core, match in (
        (
            {"agent": {"inventory": {"initial": {"gold": 1}}}},
            "agent.inventory.initial: no resource",
        ),
        ({"actions": {"vibes": ["angry"]}}, "actions.vibes: no vibe named 'angry'"),
        ({"objects": {}}, "no object named 'wall'"),
        ({"num_agents": 3}, "map.rows: 3 agents"),
    ):
        with pytest.raises(ConfigError, match=match):
            game("@#", **core)


@pytest.mark.parametrize(
    ("core", "match"),
    [
        ({"teams": [{"size": 1}]}, "teams: core has 2 agents, got 1"),
        ({"teams": [{"size": 2}], "agents": [{}, {}]}, "in teams or each by itself, not both"),
        (
            {"teams": [{"size": 2, "rewards": {"x": {"weights": {"gold": 1.0}}}}]},
            "teams.0.rewards.x",
        ),
    ],
)
def test_teams_that_do_not_fit_are_refused(core, match):
    with pytest.raises(ConfigError, match=match):
        game("@@#", **core)


def test_teams_are_like_agent_with_tags_and_rewards_of_their_own():
    paid = {"ore": {"weights": {"ore": 1.0}}}
    agent = {"tags": ["all"], "inventory": {"initial": {"ore": 3}}, "rewards": paid}
    teams = [{"size": 1, "tags": ["a"]}, {"size": 2, "tags": ["b"], "rewards": {"more": {}}}]
    kinds = game("@@@#", agent=agent, teams=teams).config.core.kinds
    assert [kind.team for kind in kinds] == [0, 1, 1]
    assert [kind.tags for kind in kinds] == [("all", "a"), ("all", "b"), ("all", "b")]
    assert [set(kind.rewards) for kind in kinds] == [{"ore"}, {"ore", "more"}, {"ore", "more"}]
    assert all(kind.inventory.initial == {"ore": 3} for kind in kinds)


@pytest.mark.parametrize(
    ("core", "match"),
    [
        ({"clipper": {"unclipping": []}}, "clipper.unclipping: at least one"),
        ({"clipper": {"unclipping": [recipe({"gold": 1})]}}, "clipper.unclipping.0.inputs: no res"),
        ({"agent": {"damage": {"threshold": {"ore": 1}, "resources": {"ore": 0}}}}, "'ore' cannot"),
        ({"agent": {"damage": {"threshold": {"gold": 1}}}}, "agent.damage.threshold: no resource"),
        ({"actions": {"attack": {"loot": ["gold"]}}}, "actions.attack.loot: no resource"),
        ({"actions": {"transfers": [{"vibe": "x"}]}}, "actions.transfers.0.vibe: no vibe"),
        ({"chest": {"vibe_transfers": {"default": {"gold": 1}}}}, "vibe_transfers.default: no res"),
        ({"agent": {"inventory": {"regen": {"x": {}}}}}, "agent.inventory.regen: no vibe"),
    ],
)
def test_classic_game_with_an_unknown_name_is_refused_with_its_path(core, match):
    with pytest.raises(ConfigError, match=match):
        classic_game("@.", **core)


@pytest.mark.parametrize(
    ("core", "message"),
    [
        ({"a": use({"kind": "spawn_object", "object": "q"})}, "mutations.0.object: no object"),
        ({"a": use_on_all({"kind": "closure"})}, "query.source: a query of kind 'closure' needs"),
        ({"a": use_on_all({"tag": ""})}, "query.tag: a query by tag needs one"),
        ({"a": use_on_all({"tag": "nobody"})}, "no tag named 'nobody'"),
    ],
)
def test_handler_with_an_unknown_name_is_refused_with_its_path(core, message):
    with pytest.raises(ConfigError, match=message):
        scripted_game("@A", **core)


def test_even_window_is_refused():
    with pytest.raises(ConfigError, match="must be odd"):
        meso.load_config(config("@.", obs={"width": 10, "height": 11}))


BOUND = "must be between -2147483647 and 2147483647, got"
FAR = "must be between -1e+15 and 1e+15, got"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (
            "agent.inventory.initial",
            {"energy": 70000},
            "energy: must be between 0 and 65535, got 70000",
        ),
        ("agent.inventory.initial", {"energy": -1}, "energy: must be between 0 and 65535, got -1"),
        ("actions.move_cost", {"energy": 2**31}, f"move_cost.energy: {BOUND} 2147483648"),
        ("regen_interval", 2**40, f"regen_interval: {BOUND} 1099511627776"),
        ("agent.rewards", {"x": {"weights": {"energy": 1e308}}}, f"{FAR} 1e+308"),
        ("agent.rewards", {"x": {"value": {"kind": "const", "number": 1e19}}}, f"{FAR} 1e+19"),
        ("agent.stats", {"x": -1e300}, f"agent.stats.x: {FAR} -1e+300"),
    ],
)
def test_numbers_that_rules_cannot_hold_are_refused(path, value, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        meso.load_config("mettagrid/forage", {f"core.{path}": value})


@pytest.mark.parametrize("size", [1, 2])
def test_a_maze_needs_room_for_its_walls(size):
    area = {"kind": "maze", "width": size, "height": size, "border": 0}
    with pytest.raises(ConfigError, match=f"a maze needs 3 by 3 cells.*got {size} by {size}"):
        meso.load_config("mettagrid/forage", {"core.map": area, "core.num_agents": 1})


def test_window_that_is_a_rectangle_has_no_radius_and_classic_goals_no_cells():
    small = {"width": 5, "height": 5, "num_tokens": 50}
    with pytest.raises(ConfigError, match=r"obs.radius: needs a window of obs.shape disc"):
        game("@.", obs=small | {"shape": "rectangle", "radius": {"weights": {"ore": 1.0}}})
    with pytest.raises(ConfigError, match=r"obs.goal_scope: only the profile cogs"):
        game("@.", profile="classic", obs=small | {"goal_scope": "cogs"})


@pytest.mark.parametrize(
    ("core", "match"),
    [
        ({"land": {"sea": {}}}, "land: no territory named 'sea'"),
        ({"agent": {"controls": [{"territory": "sea"}]}}, "controls.0.territory: no territory"),
        ({"talk": {"broadcast_resource": "gold"}}, "talk.broadcast_resource: no resource"),
        ({"actions": {"named": ["a", "a"]}}, "actions.named: 'a' stands twice"),
        ({"actions": {"named": list("abcdefg")}}, "actions.named: there are 5 actions, got 7"),
    ],
)
def test_land_talk_and_names_that_do_not_fit_are_refused_with_their_path(core, match):
    with pytest.raises(ConfigError, match=match):
        scripted_game("@.a".replace("a", "A"), **{"territories": {"land": "team:"}} | core)
