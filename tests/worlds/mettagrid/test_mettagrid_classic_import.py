"""Every key of the older version's configs is read, or is an error that names its path."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.game.hash_order import text_order
from mesocosm.worlds.mettagrid.upstream import import_config, import_core

RECORDING = Path(__file__).parent / "recordings" / "classic_assembler_chest.json"
CLIPPER = {
    "unclipping_protocols": [
        {"min_agents": 1, "vibes": ["charger"], "input_resources": {"ore": 2},
         "output_resources": {}, "cooldown": 4}
    ],
    "length_scale": 2, "scaled_cutoff_distance": 4, "clip_period": 50,
}  # fmt: skip
INVENTORY = {"default_limit": 9, "limits": {}, "initial": {"ore": 5}, "regen_amounts": {}}


def program():
    return copy.deepcopy(json.loads(RECORDING.read_text())["config"])


def game(**changes):
    """Import a game with keys changed, by paths whose parts are joined by two underscores."""
    config = program()
    for path, value in changes.items():
        at = config["game"]
        *way, last = path.split("__")
        for key in way:
            at = at[key]
        at[last] = value
    core = import_core(config)
    meso.load_config(import_config(config))  # what is read can be played
    return core


def test_the_clipper_is_read():
    made = game(clipper=CLIPPER)["clipper"]
    (protocol,) = made.pop("unclipping")
    assert made == {"length_scale": 2, "cutoff": 4, "period": 50}
    assert protocol == {
        "min_agents": 1, "vibes": ["charger"], "inputs": {"ore": 2}, "outputs": {}, "cooldown": 4,
    }  # fmt: skip
    with pytest.raises(ConfigError, match=r"game\.clipper\.unclipping_protocols: at least one"):
        game(clipper=CLIPPER | {"unclipping_protocols": []})


def test_an_assemblers_switches_are_read():
    keys = {"clip_immune": True, "start_clipped": True, "chest_search_distance": 3}
    made = game(**{f"objects__asm__{key}": value for key, value in keys.items()})
    assert {key: made["objects"]["asm"][key] for key in keys} == keys


def test_harm_is_read():
    damage = {"threshold": {"heart": 3}, "resources": {"ore": 1}}
    assert game(agent__damage=damage)["agent"]["damage"] == damage


def test_collectives_name_their_members_and_hold_what_nothing_reaches():
    shared = {"name": "vault", "inventory": INVENTORY}
    made = game(collectives=[shared], objects__asm__collective="vault")
    assert made["objects"]["asm"]["tags"] == ["asm", "collective:vault"]
    assert "collectives" not in made
    with pytest.raises(ConfigError, match=r"game\.collectives\.0\.colour: is not supported"):
        game(collectives=[shared | {"colour": "red"}])


def test_a_vibes_number_is_its_place_among_those_that_can_be_taken_on():
    vibes = [{"symbol": "", "name": name, "category": ""} for name in ("gear", "default")]
    made = game(
        actions__change_vibe__vibes=vibes,
        objects__asm__protocols=[],
        objects__chest__vibe_transfers={"gear": {"ore": 1}},
    )
    assert made["vibes"] == ["gear", "default"]


def test_a_vibe_attacks_and_gives_whether_or_not_that_is_enabled():
    """The program only leaves out what a disabled attack costs."""
    for enabled in (True, False):
        made = game(
            actions__attack__enabled=enabled,
            actions__attack__vibes=["charger"],
            actions__attack__consumed_resources={"ore": 1},
            actions__attack__success={"freeze": 2, "loot": ["ore"]},
            actions__transfer__enabled=enabled,
            actions__transfer__required_resources={"heart": 1},
            actions__transfer__vibe_transfers=[{"vibe": "default", "target": {"ore": 1}}],
        )["actions"]
        assert made["attack"]["cost"] == ({"ore": 1} if enabled else {})
        assert (made["attack"]["vibes"], made["attack"]["freeze"]) == (["charger"], 2)
        assert made["transfers"] == [
            {"vibe": "default", "actor": {}, "target": {"ore": 1}, "required": {"heart": 1}}
        ]


def test_costs_of_noop_are_read():
    made = game(actions__noop__consumed_resources={"energy": 1})["actions"]
    assert (made["noop_cost"], made["noop_required"]) == ({"energy": 1}, {})


def test_limits_are_the_games_for_agents_and_none_for_chests():
    one, other = ({"team_id": k, "tags": ["agent"], "inventory": INVENTORY} for k in (0, 1))
    other = other | {"tags": ["blue"], "inventory": INVENTORY | {"default_limit": 1}}
    made = game(agents=[one, other], agent__inventory__default_limit=7,
                objects__chest__inventory=INVENTORY)  # fmt: skip
    assert made["agent"]["inventory"]["default_limit"] == 7
    assert made["objects"]["chest"]["inventory"]["default_limit"] == 65535
    assert made["tags"] == ["agent", "blue"]  # the second team has no place on the map


def test_a_place_on_the_map_names_a_team_and_its_first_agent_stands_for_all():
    kinds = [
        {"team_id": 1, "tags": ["blue"], "inventory": INVENTORY},
        {"team_id": 0, "tags": ["agent"], "inventory": INVENTORY | {"initial": {"heart": 1}}},
        {"team_id": 1, "tags": ["blue"], "inventory": INVENTORY | {"initial": {"heart": 9}}},
    ]
    area = {"type": "AsciiMapBuilder.Config", "map_data": ["b.@", "..b"],
            "char_to_map_name": {"b": "agent.blue", "@": "agent.team_0"}}  # fmt: skip
    made = game(agents=kinds, num_agents=3, map_builder=area)
    assert [kind["team"] for kind in made["agents"]] == [1, 0, 1]
    assert [kind["inventory"]["initial"] for kind in made["agents"]] == [
        {"ore": 5}, {"heart": 1}, {"ore": 5},
    ]  # fmt: skip
    with pytest.raises(ConfigError, match=r"map_builder\.char_to_map_name\.@: no agents are"):
        game(agents=kinds[:1], num_agents=3, map_builder=area)
    with pytest.raises(ConfigError, match=r"game\.agents\.1\.tags: all agents of team 1"):
        game(agents=[kinds[0], kinds[2] | {"tags": ["x"]}])


def test_without_a_list_of_agents_all_are_of_the_first_team():
    assert game(agent__team_id=3)["agent"]["team"] == 0


def test_rewards_are_added_up_in_the_order_of_the_programs_map_of_names():
    rewards = {
        "inventory": {"heart": 1.0, "ore": 0.5}, "inventory_max": {"ore": 3.0},
        "stats": {"energy.gained": 0.25, "action.move.success": 0.1}, "stats_max": {},
    }  # fmt: skip
    made = game(agent__rewards=rewards, global_obs__goal_obs=True)["agent"]["rewards"]
    names = text_order(["energy.gained", "action.move.success", "heart.amount", "ore.amount"])
    assert list(made) == [name.removesuffix(".amount") for name in names]
    assert made["ore"] == {"weights": {"ore": 0.5}, "high": 3.0}
    with pytest.raises(ConfigError, match=r"rewards\.stats\.ore\.amount: is rewarded"):
        game(agent__rewards=rewards | {"stats": {"ore.amount": 1.0}})


def test_goals_are_told_in_that_order_too():
    rewards = {"inventory": {"heart": 1.0, "ore": 0.5}, "stats": {"energy.gained": 0.25}}
    config = program()
    config["game"]["agent"]["rewards"] = rewards
    config["game"]["global_obs"]["goal_obs"] = True
    env = meso.make(import_config(config), target="python")
    ids = env.config.core.id_map()
    goals = [int(x[2]) for x in np.asarray(env.reset(seed=0).obs)[0, 0] if x[1] == 5]
    stats = text_order(["energy.gained", "heart.amount", "ore.amount"])
    assert goals == [ids.feature_id(f"inv:{name.split('.')[0]}") for name in stats]


def test_two_recipes_between_which_nothing_decides_are_refused():
    protocols = [{"vibes": ["charger", "default"]}, {"vibes": ["default", "charger"]}]
    with pytest.raises(ConfigError, match=r"objects\.asm\.protocols\.1: has the vibes"):
        game(objects__asm__protocols=protocols)


# mappings whose keys are names of the game: resources, vibes, objects, characters
FREE = (
    "initial", "limits", "modifiers", "regen_amounts", "vibe_transfers", "threshold", "resources",
    "actor_inv_delta", "target_inv_delta", "vibe_bonus", "char_to_map_name", "inventory_max",
    "stats", "stats_max", "params",
)  # fmt: skip


def mappings(data, path=""):
    """List the paths of all mappings whose keys are fixed."""
    last = path.rsplit(".", 1)[-1]
    if last in (*FREE, "vibes") or last.endswith("_resources"):
        yield from ()
    elif isinstance(data, dict):
        if last != "objects" and not path.endswith("rewards.inventory"):
            yield path
        for key, value in data.items():
            yield from mappings(value, f"{path}.{key}" if path else key)
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from mappings(value, f"{path}.{k}")


def test_a_key_that_is_not_of_that_age_is_an_error_wherever_it_stands():
    config = program()
    config["game"] |= {"clipper": CLIPPER, "collectives": [{"name": "x", "inventory": INVENTORY}]}
    config["game"]["agent"]["damage"] = {"threshold": {"heart": 3}, "resources": {"ore": 1}}
    config["game"]["actions"]["transfer"]["vibe_transfers"] = [{"vibe": "default"}]
    paths = list(mappings(config))
    assert len(paths) > 25
    for path in paths:
        odd = copy.deepcopy(config)
        at = odd
        for key in path.split(".") if path else []:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at["gravity"] = 9.81
        where = f"{path}.gravity" if path else "gravity"
        with pytest.raises(ConfigError, match=where.replace(".", r"\.") + ": is not supported"):
            import_config(odd)
