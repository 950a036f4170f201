"""What the older profile counts, and what a reward makes of it."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.worlds.mettagrid.upstream import import_config

RECORDING = Path(__file__).parent / "recordings" / "classic_assembler_chest.json"
NOOP, NORTH, SOUTH, WEST, EAST = range(5)
PLAIN = {"default_limit": 65535, "limits": {}, "initial": {}, "regen_amounts": {}}


def counting(rows, *stats, change=None, agents=None):
    """Import a game in which every unit of some statistics pays 1."""
    config = copy.deepcopy(json.loads(RECORDING.read_text())["config"])
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
    step = env.step(np.array([[[x] for x in actions]], np.int32))
    return np.asarray(step.reward)[0].tolist()


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
def test_bringing_something_to_a_chest_counts(stat, first, then):
    def change(game):
        game["objects"]["chest"]["vibe_transfers"] = {"default": {"ore": 2}}
        game["objects"]["chest"]["inventory"] = PLAIN | {"initial": {"ore": 3}}

    env = counting(["@C"], stat, change=change)
    assert [paid(env, EAST), paid(env, EAST)] == [[first], [then]]


def test_what_is_withdrawn_counts_for_whoever_takes_it():
    def change(game):
        game["objects"]["chest"]["vibe_transfers"] = {"default": {"ore": -2}}
        game["objects"]["chest"]["inventory"] = PLAIN | {"initial": {"ore": 3}}

    for stat, expected in (
        ("chest.ore.withdrawn_by_agent", [2, 1]),
        ("chest.ore.withdrawn", [2, 1]),
    ):
        env = counting(["@C"], stat, change=change)
        assert [paid(env, EAST)[0], paid(env, EAST)[0]] == expected


def test_what_assemblers_make_and_take_from_chests_counts_for_all():
    def change(game):
        game["objects"]["asm"] |= {
            "protocols": [{"input_resources": {"heart": 4}, "output_resources": {"ore": 3}}],
            "chest_search_distance": 1, "max_uses": 0,
        }  # fmt: skip
        game["objects"]["chest"]["inventory"] = PLAIN | {"initial": {"heart": 4}}

    for stat, expected in (("assembler.ore.created", 3), ("chest.heart.withdrawn", 4)):
        env = counting(["@AC", "..@"], stat, change=change)
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
def test_an_attack_counts_on_both_sides(stat, expected):
    env = counting(["@b"], stat, change=fight, agents=[0, 1])
    assert paid(env, EAST, 99) == expected


def test_an_attack_on_ones_own_team_counts_as_that():
    env = counting(["@@"], "action.attack.red.friendly_fire", change=fight)
    assert paid(env, EAST, 99) == [1, 0]


def test_attempts_of_the_frozen_and_swaps_count():
    for stat, expected in (
        ("status.frozen.ticks", [0, 1]), ("status.frozen.ticks.blue", [0, 1]),
        ("status.frozen.ticks.red", [0, 0]), ("actions.swap", [1, 0]),
    ):  # fmt: skip
        env = counting(["@b"], stat, change=fight, agents=[0, 1])
        paid(env, EAST, 99)
        assert paid(env, EAST, NOOP) == expected


def test_a_blocked_attack_counts_as_blocked():
    def change(game):
        fight(game)
        game["actions"]["attack"]["defense_resources"] = {"energy": 1}

    env = counting(["@b"], "action.attack.red.blocked_by.blue", change=change, agents=[0, 1])
    assert paid(env, EAST, 99) == [1, 0]


@pytest.mark.parametrize(
    ("stat", "expected"),
    [
        ("action.transfer.red.count", 1),
        ("action.transfer.red.ore.self", -2),
        ("action.transfer.red.ore.to.blue", 2),
        ("action.transfer.red.heart.to.blue", 1),
    ],
)
def test_a_gift_counts_for_the_giver(stat, expected):
    def change(game):
        gift = {"vibe": "default", "actor": {"ore": -2}, "target": {"ore": 2, "heart": 1}}
        game["actions"]["transfer"] |= {"enabled": True, "vibe_transfers": [gift]}

    env = counting(["@b"], stat, change=change, agents=[0, 1])
    assert paid(env, EAST, NOOP) == [expected, 0]


def test_harm_counts():
    def change(game):
        game["agent"]["damage"] = {"threshold": {"energy": 5}, "resources": {"ore": 4}}

    for stat in ("damage.triggered", "damage.items_lost", "damaged.ore"):
        env = counting(["@."], stat, change=change)
        assert [paid(env, NOOP)[0] for _ in range(2)] == [1, 0]


def test_the_diversity_of_what_is_held_counts():
    def change(game):
        game["agent"]["diversity_tracked_resources"] = ["ore", "heart", "gold"]
        game["objects"]["chest"]["vibe_transfers"] = {"default": {"ore": 5, "energy": 1}}

    env = counting(["@C"], "inventory.diversity", change=change)
    assert [paid(env, NOOP)[0], paid(env, EAST)[0], paid(env, EAST)[0]] == [1, -1, 0]
