"""Every row of the newer manual's feature table is told by something, as the manual says it."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.client import tokens

NOOP, NORTH, SOUTH, WEST, EAST = range(5)
HAPPY = 6
GLOBAL = None
HERE, ASM, CHEST, HUB = (6, 6), (5, 7), (6, 7), (7, 7)


def manual(**core):
    """A cog below its spawn, with an assembler, a chest and a hub around it."""
    made = {
        "num_agents": 1,
        "max_steps": 64,
        "vibes": ["default", "happy"],
        "actions": {"vibes": ["default", "happy"]},
        "agent": {
            "team": 3,
            "tags": ["team:a"],
            "inventory": {"initial": {"energy": 300}},
            "rewards": {"gain": {"weights": {"ore": 0.25}}},
        },
        "objects": {
            "asm": {
                "kind": "assembler", "vibe": 1,
                "protocols": [{"inputs": {"energy": 2}, "outputs": {"ore": 3}, "cooldown": 2}],
            },
            "chest": {"kind": "chest", "inventory": {"initial": {"heart": 4}},
                      "vibe_transfers": {"default": {"heart": -1}}},
            "hub": {"tags": ["team:b"], "controls": [{"territory": "land", "strength": 2}]},
        },
        "territories": {"land": "team:"},
        "obs": {
            "width": 13, "height": 13, "num_tokens": 500, "goal": True, "local_position": True,
            "last_action_move": True, "territory": True,
        },
        "map": {"kind": "ascii", "rows": ["@A", ".C", ".H"],
                "legend": {".": "empty", "@": "agent.agent", "A": "asm", "C": "chest", "H": "hub"}},
        **core,
    }  # fmt: skip
    config = {
        "schema": 1, "identity": {"world": "mettagrid", "version": 1}, "core": made,
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip
    return meso.make(config, target="python", autoreset="off")


def told(env, step):
    """List what is told: feature, place (or None), value."""
    found = tokens.decode(np.asarray(step.obs)[0, 0], IdMap(env.config.core))
    return [(x.feature, GLOBAL if x.row < 0 else (x.row, x.col), x.value) for x in found]


def played(env, *actions):
    step = env.reset(seed=0)
    for action in actions:
        step = env.step(np.array([[[action]]], np.int32))
    return told(env, step)


@pytest.mark.parametrize(
    ("actions", "row"),
    [
        ((SOUTH,), ("agent:group", HERE, 0)),  # teams are numbered as they appear
        ((SOUTH,), ("episode_completion_pct", GLOBAL, 4)),
        ((SOUTH,), ("last_action", GLOBAL, SOUTH)),
        ((EAST,), ("last_reward", GLOBAL, 75)),
        ((SOUTH,), ("goal", GLOBAL, "inv:ore")),
        ((SOUTH, HAPPY), ("vibe", HERE, 1)),
        ((SOUTH,), ("vibe", ASM, 1)),
        ((SOUTH,), ("tag", ASM, "type:asm")),
        ((SOUTH,), ("tag", HERE, "team:a")),
        ((SOUTH,), ("lp:south", GLOBAL, 1)),
        ((SOUTH,), ("inv:energy", HERE, 300 % 256)),
        ((SOUTH,), ("inv:energy:p1", HERE, 1)),
        ((SOUTH,), ("inv:heart", CHEST, 4)),
        ((SOUTH, EAST), ("inv:heart", CHEST, 3)),
        ((SOUTH,), ("protocol_input:energy", ASM, 2)),
        ((SOUTH,), ("protocol_output:ore", ASM, 3)),
        ((SOUTH,), ("territory:here", GLOBAL, 2)),
        ((NOOP,), ("territory:south", HERE, 2)),
        ((SOUTH,), ("last_action_move", GLOBAL, 1)),
        ((SOUTH, NOOP), ("last_action_move", GLOBAL, 0)),
    ],
)  # fmt: skip
def test_a_row_of_the_manual_is_told(actions, row):
    env = manual()
    feature, place, value = row
    table = IdMap(env.config.core)
    if feature == "tag":
        value = table.tag_names().index(value)
    if feature == "goal":
        value = table.feature_id(value)
    assert (feature, place, value) in played(env, *actions)


@pytest.mark.parametrize("way", ["east", "west", "north", "south"])
def test_the_way_from_the_spawn_is_told_in_every_direction(way):
    move = {"north": NORTH, "south": SOUTH, "west": WEST, "east": EAST}[way]
    area = {"kind": "ascii", "rows": ["...", ".@.", "..."],
            "legend": {".": "empty", "@": "agent.agent"}}  # fmt: skip
    env = manual(map=area)
    assert (f"lp:{way}", GLOBAL, 1) in played(env, move)


def test_a_cogs_own_number_is_a_global_if_the_manual_is_followed_to_the_letter():
    assert ("agent_id", GLOBAL, 0) in played(manual(agent_id="spec"), NOOP)
    assert ("agent_id", HERE, 0) in played(manual(), NOOP)


def test_the_program_itself_tells_no_goal_and_no_protocols():
    names = {feature for feature, *_ in played(manual(conformance="upstream"), SOUTH)}
    assert not {name for name in names if name.startswith(("goal", "protocol_"))}
    silent = manual(obs={"width": 13, "height": 13, "num_tokens": 500, "protocol_details": False})
    names = {feature for feature, *_ in played(silent, SOUTH)}
    assert not {name for name in names if name.startswith("protocol_")}


def test_assemblers_and_chests_work_in_the_newer_profile():
    env = manual()
    env.reset(seed=0)
    worked = []
    for action in (EAST, EAST, EAST, SOUTH, EAST):
        step = env.step(np.array([[[action]]], np.int32))
        worked.append(bool(step.info["success"][0, 0]))
    assert worked == [True, False, True, True, True]
    assert env.truth("amount")[0, 0].tolist() == [296, 6, 1]


def test_the_recipe_that_is_told_follows_the_vibe_beside_it():
    protocols = [{"outputs": {"ore": 1}}, {"outputs": {"heart": 2}, "vibes": ["happy"]}]
    env = manual(objects={"asm": {"kind": "assembler", "protocols": protocols},
                          "chest": {"kind": "chest"}, "hub": {}}, territories={},
                 obs={"width": 13, "height": 13, "num_tokens": 500})  # fmt: skip
    assert ("protocol_output:ore", (6, 7), 1) in played(env, NOOP)
    assert ("protocol_output:heart", (6, 7), 2) in played(env, HAPPY)
    moved = played(env, HAPPY, SOUTH, SOUTH)
    assert ("protocol_output:ore", (4, 7), 1) in moved  # nobody stands beside it now
