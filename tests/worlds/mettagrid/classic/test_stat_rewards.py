"""Rewards per statistic of imported classic games."""

import numpy as np
import pytest
from games import EAST, INVALID, NOOP, play
from recordings.replay import recorded_config

import mesocosm as meso
from mesocosm.worlds.mettagrid.upstream import import_config

PLAIN = {"default_limit": 65535, "limits": {}, "initial": {}, "regen_amounts": {}}


def rewarded_game(rows, *stats, change=None, agents=None):
    """Import a game in which every unit of some statistics pays 1."""
    config = recorded_config("classic_assembler_chest")
    game = config["game"]
    game["num_agents"] = sum(row.count("@") + row.count("b") for row in rows)
    game["max_steps"] = 0
    legend = {"#": "wall", ".": "empty", "@": "agent.red", "b": "agent.blue", "A": "asm",
              "C": "chest"}  # fmt: skip
    game["map_builder"] |= {"map_data": rows, "char_to_map_name": legend}
    game["agent"]["inventory"] = PLAIN | {"initial": {"energy": 9, "ore": 5}}
    rewards = {"inventory": {}, "inventory_max": {}, "stats_max": {}}
    game["agent"]["rewards"] = rewards | {"stats": dict.fromkeys(stats, 1.0)}
    if change is not None:
        change(game)
    if agents is not None:
        first = game["agent"]
        game["agents"] = [first | {"team_id": k, "tags": [f"t{k}"]} for k in agents]
    env = meso.make(import_config(config), target="python", autoreset="off")
    env.reset(seed=0)
    return env


def paid(env, *actions):
    return np.asarray(play(env, *actions).reward)[0].tolist()


@pytest.mark.parametrize(
    ("stat", "first", "then"),
    [
        ("chest.ore.deposited_by_agent", 2, 2),
        ("chest.ore.deposited", 3 + 2, 2),  # what a chest begins with counts
        ("chest.ore.amount", 3 + 2, 2),
        ("ore.lost", 2, 2),
        ("ore.gained", 5, 0),  # so does what an agent begins with
        ("ore.amount", 5 - 2, -2),
        ("action.move.success", 1, 1),
        ("objects.chest", 1, 0),
    ],
)
def test_deposit_into_a_chest_pays_per_statistic(stat, first, then):
    def change(game):
        game["objects"]["chest"]["vibe_transfers"] = {"default": {"ore": 2}}
        game["objects"]["chest"]["inventory"] = PLAIN | {"initial": {"ore": 3}}

    env = rewarded_game(["@C"], stat, change=change)
    assert [paid(env, EAST), paid(env, EAST)] == [[first], [then]]


def test_withdrawal_from_a_chest_pays_the_agent():
    def change(game):
        game["objects"]["chest"]["vibe_transfers"] = {"default": {"ore": -2}}
        game["objects"]["chest"]["inventory"] = PLAIN | {"initial": {"ore": 3}}

    for stat, expected in (
        ("chest.ore.withdrawn_by_agent", [2, 1]),
        ("chest.ore.withdrawn", [2, 1]),
    ):
        env = rewarded_game(["@C"], stat, change=change)
        assert [paid(env, EAST)[0], paid(env, EAST)[0]] == expected


def test_assembler_output_and_chest_input_pay_every_agent():
    def change(game):
        game["objects"]["asm"] |= {
            "protocols": [{"input_resources": {"heart": 4}, "output_resources": {"ore": 3}}],
            "chest_search_distance": 1, "max_uses": 0,
        }  # fmt: skip
        game["objects"]["chest"]["inventory"] = PLAIN | {"initial": {"heart": 4}}

    for stat, expected in (("assembler.ore.created", 3), ("chest.heart.withdrawn", 4)):
        env = rewarded_game(["@AC", "..@"], stat, change=change)
        assert paid(env, EAST, NOOP) == [expected, expected]


def fight(game):
    attack = {"vibes": ["default"], "success": {"freeze": 2}, "enabled": True}
    game["actions"]["attack"] |= attack


@pytest.mark.parametrize(
    ("stat", "expected"),
    [
        ("action.attack.red.hit.blue", [1, 0]),
        ("action.attack.blue.hit_by.red", [0, 1]),
        ("action.attack.red.friendly_fire", [0, 0]),
    ],
)
def test_attack_pays_actor_and_target_by_statistic(stat, expected):
    env = rewarded_game(["@b"], stat, change=fight, agents=[0, 1])
    assert paid(env, EAST, INVALID) == expected


def test_attack_on_a_teammate_pays_friendly_fire():
    env = rewarded_game(["@@"], "action.attack.red.friendly_fire", change=fight)
    assert paid(env, EAST, INVALID) == [1, 0]


def test_action_of_a_frozen_agent_and_a_swap_pay():
    for stat, expected in (
        ("status.frozen.ticks", [0, 1]), ("status.frozen.ticks.blue", [0, 1]),
        ("status.frozen.ticks.red", [0, 0]), ("actions.swap", [1, 0]),
    ):  # fmt: skip
        env = rewarded_game(["@b"], stat, change=fight, agents=[0, 1])
        paid(env, EAST, INVALID)
        assert paid(env, EAST, NOOP) == expected


def test_attack_that_is_resisted_pays_blocked_by():
    def change(game):
        fight(game)
        game["actions"]["attack"]["defense_resources"] = {"energy": 1}

    env = rewarded_game(["@b"], "action.attack.red.blocked_by.blue", change=change, agents=[0, 1])
    assert paid(env, EAST, INVALID) == [1, 0]


@pytest.mark.parametrize(
    ("stat", "expected"),
    [
        ("action.transfer.red.count", 1),
        ("action.transfer.red.ore.self", -2),
        ("action.transfer.red.ore.to.blue", 2),
        ("action.transfer.red.heart.to.blue", 1),
    ],
)
def test_gift_pays_the_giver_per_statistic(stat, expected):
    def change(game):
        gift = {"vibe": "default", "actor": {"ore": -2}, "target": {"ore": 2, "heart": 1}}
        game["actions"]["transfer"] |= {"enabled": True, "vibe_transfers": [gift]}

    env = rewarded_game(["@b"], stat, change=change, agents=[0, 1])
    assert paid(env, EAST, NOOP) == [expected, 0]


def test_damage_pays_once():
    def change(game):
        game["agent"]["damage"] = {"threshold": {"energy": 5}, "resources": {"ore": 4}}

    for stat in ("damage.triggered", "damage.items_lost", "damaged.ore"):
        env = rewarded_game(["@."], stat, change=change)
        assert [paid(env, NOOP)[0] for _ in range(2)] == [1, 0]


def test_inventory_diversity_pays_its_changes():
    def change(game):
        game["agent"]["diversity_tracked_resources"] = ["ore", "heart", "gold"]
        game["objects"]["chest"]["vibe_transfers"] = {"default": {"ore": 5, "energy": 1}}

    env = rewarded_game(["@C"], "inventory.diversity", change=change)
    assert [paid(env, NOOP)[0], paid(env, EAST)[0], paid(env, EAST)[0]] == [1, -1, 0]
