"""Every key of classic configs is read, or is an error that names its path."""

import copy

import numpy as np
import pytest
from recordings.replay import recorded_config

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.game.hash_order import text_order
from mesocosm.worlds.mettagrid.upstream import import_config, import_core

CLIPPER = {
    "unclipping_protocols": [
        {"min_agents": 1, "vibes": ["charger"], "input_resources": {"ore": 2},
         "output_resources": {}, "cooldown": 4}
    ],
    "length_scale": 2, "scaled_cutoff_distance": 4, "clip_period": 50,
}  # fmt: skip
INVENTORY = {"default_limit": 9, "limits": {}, "initial": {"ore": 5}, "regen_amounts": {}}


def mettagrid_config():
    return recorded_config("classic_assembler_chest")


def imported_core(**changes):
    """Import a game with keys changed, by paths whose parts are joined by two underscores."""
    config = mettagrid_config()
    for path, value in changes.items():
        at = config["game"]
        *way, last = path.split("__")
        for key in way:
            at = at[key]
        at[last] = value
    core = import_core(config)
    meso.load_config(import_config(config))  # what is read can be played
    return core


def test_clipper_is_read():
    made = imported_core(clipper=CLIPPER)["clipper"]
    (protocol,) = made.pop("unclipping")
    assert made == {"length_scale": 2, "cutoff": 4, "period": 50}
    assert protocol == {
        "min_agents": 1, "vibes": ["charger"], "inputs": {"ore": 2}, "outputs": {}, "cooldown": 4,
    }  # fmt: skip
    with pytest.raises(ConfigError, match=r"game\.clipper\.unclipping_protocols: at least one"):
        imported_core(clipper=CLIPPER | {"unclipping_protocols": []})


def test_assembler_switches_are_read():
    keys = {"clip_immune": True, "start_clipped": True, "chest_search_distance": 3}
    made = imported_core(**{f"objects__asm__{key}": value for key, value in keys.items()})
    assert {key: made["objects"]["asm"][key] for key in keys} == keys


def test_damage_is_read():
    damage = {"threshold": {"heart": 3}, "resources": {"ore": 1}}
    assert imported_core(agent__damage=damage)["agent"]["damage"] == damage


def test_collective_becomes_a_tag_of_its_members():
    shared = {"name": "vault", "inventory": INVENTORY}
    made = imported_core(collectives=[shared], objects__asm__collective="vault")
    assert made["objects"]["asm"]["tags"] == ["asm", "collective:vault"]
    assert "collectives" not in made
    with pytest.raises(ConfigError, match=r"game\.collectives\.0\.colour: is not supported"):
        imported_core(collectives=[shared | {"colour": "red"}])


def test_vibes_are_numbered_as_change_vibe_lists_them():
    vibes = [{"symbol": "", "name": name, "category": ""} for name in ("gear", "default")]
    made = imported_core(
        actions__change_vibe__vibes=vibes,
        objects__asm__protocols=[],
        objects__chest__vibe_transfers={"gear": {"ore": 1}},
    )
    assert made["vibes"] == ["gear", "default"]


def test_disabled_attack_and_transfer_are_read_without_the_attack_cost():
    """MettaGrid leaves out only the cost of a disabled attack."""
    for enabled in (True, False):
        made = imported_core(
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


def test_noop_cost_is_read():
    made = imported_core(actions__noop__consumed_resources={"energy": 1})["actions"]
    assert (made["noop_cost"], made["noop_required"]) == ({"energy": 1}, {})


def test_default_limit_is_the_games_for_agents_and_none_for_chests():
    one, other = ({"team_id": k, "tags": ["agent"], "inventory": INVENTORY} for k in (0, 1))
    other = other | {"tags": ["blue"], "inventory": INVENTORY | {"default_limit": 1}}
    made = imported_core(
        agents=[one, other], agent__inventory__default_limit=7, objects__chest__inventory=INVENTORY
    )
    assert made["agent"]["inventory"]["default_limit"] == 7
    assert made["objects"]["chest"]["inventory"]["default_limit"] == 65535
    assert made["tags"] == ["agent", "blue"]  # the second team has no place on the map


def test_place_on_the_map_takes_the_first_agent_of_its_team():
    kinds = [
        {"team_id": 1, "tags": ["blue"], "inventory": INVENTORY},
        {"team_id": 0, "tags": ["agent"], "inventory": INVENTORY | {"initial": {"heart": 1}}},
        {"team_id": 1, "tags": ["blue"], "inventory": INVENTORY | {"initial": {"heart": 9}}},
    ]
    area = {
        "type": "AsciiMapBuilder.Config",
        "map_data": ["b.@", "..b"],
        "char_to_map_name": {"b": "agent.blue", "@": "agent.team_0"},
    }
    made = imported_core(agents=kinds, num_agents=3, map_builder=area)
    assert [kind["team"] for kind in made["agents"]] == [1, 0, 1]
    assert [kind["inventory"]["initial"] for kind in made["agents"]] == [
        {"ore": 5}, {"heart": 1}, {"ore": 5},
    ]  # fmt: skip
    with pytest.raises(ConfigError, match=r"map_builder\.char_to_map_name\.@: no agents are"):
        imported_core(agents=kinds[:1], num_agents=3, map_builder=area)
    with pytest.raises(ConfigError, match=r"game\.agents\.1\.tags: all agents of team 1"):
        imported_core(agents=[kinds[0], kinds[2] | {"tags": ["x"]}])


def test_agents_are_of_team_zero_without_a_list_of_agents():
    assert imported_core(agent__team_id=3)["agent"]["team"] == 0


def test_rewards_are_ordered_as_in_the_hash_map_of_names():
    rewards = {
        "inventory": {"heart": 1.0, "ore": 0.5}, "inventory_max": {"ore": 3.0},
        "stats": {"energy.gained": 0.25, "action.move.success": 0.1}, "stats_max": {},
    }  # fmt: skip
    made = imported_core(agent__rewards=rewards, global_obs__goal_obs=True)["agent"]["rewards"]
    names = text_order(["energy.gained", "action.move.success", "heart.amount", "ore.amount"])
    assert list(made) == [name.removesuffix(".amount") for name in names]
    assert made["ore"] == {"weights": {"ore": 0.5}, "high": 3.0}
    with pytest.raises(ConfigError, match=r"rewards\.stats\.ore\.amount: is rewarded"):
        imported_core(agent__rewards=rewards | {"stats": {"ore.amount": 1.0}})


def test_goals_are_observed_in_the_order_of_the_hash_map():
    rewards = {"inventory": {"heart": 1.0, "ore": 0.5}, "stats": {"energy.gained": 0.25}}
    config = mettagrid_config()
    config["game"]["agent"]["rewards"] = rewards
    config["game"]["global_obs"]["goal_obs"] = True
    env = meso.make(import_config(config), target="python")
    ids = env.config.core.id_map()
    goals = [int(x[2]) for x in np.asarray(env.reset(seed=0).obs)[0, 0] if x[1] == 5]
    stats = text_order(["energy.gained", "heart.amount", "ore.amount"])
    assert goals == [ids.feature_id(f"inv:{name.split('.')[0]}") for name in stats]


def test_two_recipes_with_the_same_vibes_are_refused():
    protocols = [{"vibes": ["charger", "default"]}, {"vibes": ["default", "charger"]}]
    with pytest.raises(ConfigError, match=r"objects\.asm\.protocols\.1: has the vibes"):
        imported_core(objects__asm__protocols=protocols)


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


def test_unknown_key_is_refused_in_every_mapping():
    config = mettagrid_config()
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
