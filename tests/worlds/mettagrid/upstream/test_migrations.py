"""Configs of older MettaGrids are brought to today's spelling, or refused key by key."""

from pathlib import Path

import pytest
from recordings.replay import recorded_config

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.upstream import import_replay, read_config
from mesocosm.worlds.mettagrid.upstream.migrate import MIGRATIONS, migrate

HANDLER = {"filters": [], "mutations": []}


def cogs():
    return recorded_config("cogs_extractor_chest")


def classic():
    return recorded_config("classic_assembler_chest")


def migrated(config):
    made, applied = migrate(config)
    return made["game"], {entry.name: entry.places for entry in applied}


def test_config_of_today_is_left_alone():
    config = cogs()
    assert migrate(config) == (config, ())


def test_use_handlers_by_name_become_the_first_that_succeeds():
    config = cogs()
    ext = config["game"]["objects"]["ext"]
    ext["on_use_handlers"] = {"a": HANDLER, "b": HANDLER | {"name": "own"}}
    ext["on_use_handler"] = None
    game, names = migrated(config)
    made = game["objects"]["ext"]["on_use_handler"]
    assert made["handler_type"] == "first_match"
    assert [entry["name"] for entry in made["handlers"]] == ["a", "own"]
    assert names == {"use_handlers_by_name": 1}
    assert "on_use_handlers" in ext  # the config given is not changed


def test_use_handlers_of_both_spellings_are_refused():
    config = cogs()
    config["game"]["objects"]["ext"]["on_use_handlers"] = {"a": HANDLER}
    with pytest.raises(ConfigError, match=r"game\.objects\.ext\.on_use_handlers: is not supp"):
        read_config(config)


def test_tick_handlers_by_name_become_all_of_them():
    config = cogs()
    config["game"]["on_tick"] = {"a": HANDLER, "filters": HANDLER}
    config["game"]["agent"]["on_tick"] = {}
    game, names = migrated(config)
    assert [entry["name"] for entry in game["on_tick"]["handlers"]] == ["a", "filters"]
    assert game["on_tick"]["handler_type"] == "all_of"
    assert game["agent"]["on_tick"] is None
    assert names == {"tick_handlers_by_name": 1}


def older_classic():
    """A classic config in the spelling of before inventories were sections."""
    config = classic()
    game = config["game"]
    game["agents"] = []
    game["agent"] = {
        "default_resource_limit": 9,
        "resource_limits": {"ore,heart": 4, "pack": {"limit": 7, "resources": ["energy"]}},
        "initial_inventory": {"ore": 2},
        "inventory_regen_amounts": {"ore": 1},
    }
    chest = next(x for x in game["objects"].values() if x["pydantic_type"] == "chest")
    chest.pop("inventory", None)
    chest |= {"initial_inventory": {"ore": 3}, "resource_limits": {}, "map_char": "C"}
    game["vibe_names"] = ["default", "charger", "y"]
    game["actions"]["change_vibe"] = {"number_of_vibes": 2}
    game["actions"]["move"] = {"consumed_resources": {"energy": 2.0}}
    game["actions"]["attack"] = {"enabled": False, "target_locations": ["1"]}
    game["actions"]["resource_mod"] = {"enabled": False, "scales": False}
    return config


def test_classic_inventories_vibes_and_costs_are_moved_to_where_they_are_today():
    made = read_config(older_classic())
    agent = made.game.agent.inventory
    assert dict(agent.initial) == {"ore": 2}
    assert dict(agent.regen) == {"default": {"ore": 1}}
    assert agent.default_limit == 9
    assert {name: limit.base for name, limit in agent.limits.items()} == {"ore,heart": 4, "pack": 7}
    assert agent.limits["ore,heart"].resources == ("ore", "heart")
    assert made.game.actions.vibes == ("default", "charger")
    assert dict(made.game.actions.move_cost) == {"energy": 2}
    names = [entry.name for entry in made.migrations]
    assert names == [entry.name for entry in MIGRATIONS[2:] if entry.name != "agent_gifts"]
    assert "chest_inventory (1 places)" in str(made.migrations[1])


def test_gifts_by_vibe_become_transfers_of_as_much_as_fits():
    config = older_classic()
    config["game"]["agent"]["vibe_transfers"] = {"charger": {"ore": 20, "heart": -1}}
    made = read_config(config)
    (gift,) = made.game.actions.transfers
    assert (gift.vibe, dict(gift.actor), gift.share) == ("charger", {"ore": -20}, "most")
    assert "agent_gifts" in [entry.name for entry in made.migrations]


def test_shared_resources_become_transfers_of_a_half_at_every_vibe():
    config = older_classic()
    config["game"]["agent"]["shareable_resources"] = ["ore"]
    gifts = read_config(config).game.actions.transfers
    assert [(gift.vibe, gift.share, list(gift.actor)) for gift in gifts] == [
        ("default", "half", ["ore"]),
        ("charger", "half", ["ore"]),
    ]


@pytest.mark.parametrize("key", ["vibe_transfers", "shareable_resources"])
def test_gifts_of_several_kinds_of_agents_are_refused_unless_left_out(key):
    config = older_classic()
    config["game"]["agent"][key] = {"charger": {"ore": 1}} if key == "vibe_transfers" else ["ore"]
    config["game"]["agents"] = [{"team_id": 0}]
    with pytest.raises(ConfigError, match=rf"nothing today does the same.*game\.agent\.{key}"):
        read_config(config)
    assert read_config(config, without=[f"game.agent.{key}"]).game.profile == "classic"


def test_key_to_leave_out_must_be_there():
    with pytest.raises(ConfigError, match=r"without 'game\.nosuch': the config has no such key"):
        read_config(cogs(), without=["game.nosuch"])


def test_migrations_have_distinct_names_and_say_what_they_do():
    assert len({entry.name for entry in MIGRATIONS}) == len(MIGRATIONS)
    assert all(entry.what for entry in MIGRATIONS)


@pytest.mark.parametrize("broken", [7, "x", [7]])
@pytest.mark.parametrize("key", ["agent", "agents", "objects", "actions"])
def test_section_of_an_odd_shape_is_refused_with_its_path(key, broken):
    config = older_classic()
    config["game"][key] = broken
    with pytest.raises(ConfigError, match=rf"game\.{key}(\.0)?: must be a "):
        read_config(config)


def shipped(name):
    folder = Path(pytest.importorskip("mettagrid").__file__).parent / "nim" / "mettascope"
    return next(folder.rglob(f"{name}*.json.z"))


@pytest.mark.parametrize(("name", "share"), [("dinky7", "most"), ("early_cvc", "half")])
def test_classic_replay_that_mettagrid_ships_is_migrated(name, share):
    made = import_replay(shipped(name))
    assert (made.game.profile, made.game.num_agents) == ("classic", 4)
    assert {gift.share for gift in made.game.actions.transfers} == {share}
    assert {entry.name for entry in made.migrations} == {entry.name for entry in MIGRATIONS[2:]}


@pytest.mark.parametrize("name", ["planky", "42c5386e"])
def test_replay_with_collectives_that_mettagrid_ships_is_refused_key_by_key(name):
    with pytest.raises(ConfigError, match="collectives, stores that a team shares") as caught:
        import_replay(shipped(name))
    told = str(caught.value)
    assert "game.collectives" in told
    assert "game.objects.*.aoes.*.filters.*.filter_type (4 times)" in told
    assert "game.events.*.target_tag" in told
