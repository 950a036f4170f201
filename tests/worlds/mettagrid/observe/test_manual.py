"""Every row of the feature table in the manual of cogs is observed as it says."""

import pytest
from games import EAST, NOOP, NORTH, SOUTH, WEST, game, play, read_tokens

from mesocosm.worlds.mettagrid import IdMap

GLOBAL = None
HERE, ASM, CHEST, HUB = (6, 6), (5, 7), (6, 7), (7, 7)
WINDOW = {"width": 13, "height": 13, "num_tokens": 500}
RECIPE = {"inputs": {"energy": 2}, "outputs": {"ore": 3}, "cooldown": 2}


def manual_game(*rows, **core):
    """Make a game with an assembler, a chest and a hub around an agent that stands above them."""
    made = {
        "order": "auto",
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
            "asm": {"kind": "assembler", "vibe": 1, "protocols": [RECIPE]},
            "chest": {
                "kind": "chest",
                "inventory": {"initial": {"heart": 4}},
                "vibe_transfers": {"default": {"heart": -1}},
            },
            "hub": {"tags": ["team:b"], "controls": [{"territory": "land", "strength": 2}]},
        },
        "territories": {"land": "team:"},
        "obs": WINDOW
        | {"goal": True, "local_position": True, "last_action_move": True, "territory": True},
    }
    return game(*(rows or ("@A", ".C", ".H")), **made | core)


def observed(env, *actions):
    """Play from the start and list what is observed: feature, place (or None), value."""
    step = env.reset(seed=0)
    for action in actions:
        step = play(env, action)
    found = read_tokens(env, step)
    return [(x.feature, GLOBAL if x.row < 0 else (x.row, x.col), x.value) for x in found]


@pytest.mark.parametrize(
    ("actions", "row"),
    [
        ((SOUTH,), ("agent:group", HERE, 0)),  # teams are numbered as they appear
        ((SOUTH,), ("episode_completion_pct", GLOBAL, 4)),
        ((SOUTH,), ("last_action", GLOBAL, SOUTH)),
        ((EAST,), ("last_reward", GLOBAL, 75)),
        ((SOUTH,), ("goal", GLOBAL, "inv:ore")),
        ((SOUTH, "change_vibe_happy"), ("vibe", HERE, 1)),
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
def test_feature_of_the_manual_is_observed(actions, row):
    env = manual_game()
    feature, place, value = row
    table = IdMap(env.config.core)
    if feature == "tag":
        value = table.tag_names().index(value)
    if feature == "goal":
        value = table.feature_id(value)
    assert (feature, place, value) in observed(env, *actions)


@pytest.mark.parametrize("way", ["east", "west", "north", "south"])
def test_local_position_is_observed_in_every_direction(way):
    move = {"north": NORTH, "south": SOUTH, "west": WEST, "east": EAST}[way]
    env = manual_game("...", ".@.", "...")
    assert (f"lp:{way}", GLOBAL, 1) in observed(env, move)


def test_agent_id_is_a_global_token_only_if_set_to_spec():
    assert ("agent_id", GLOBAL, 0) in observed(manual_game(agent_id="spec"), NOOP)
    assert ("agent_id", HERE, 0) in observed(manual_game(), NOOP)


def test_goal_and_protocols_are_hidden_upstream_or_when_disabled():
    names = {feature for feature, *_ in observed(manual_game(conformance="upstream"), SOUTH)}
    assert not {name for name in names if name.startswith(("goal", "protocol_"))}
    silent = manual_game(obs=WINDOW | {"protocol_details": False})
    names = {feature for feature, *_ in observed(silent, SOUTH)}
    assert not {name for name in names if name.startswith("protocol_")}


def test_observed_protocol_follows_the_vibe_beside_the_assembler():
    protocols = [{"outputs": {"ore": 1}}, {"outputs": {"heart": 2}, "vibes": ["happy"]}]
    env = manual_game(
        objects={
            "asm": {"kind": "assembler", "protocols": protocols},
            "chest": {"kind": "chest"},
            "hub": {},
        },
        territories={},
        obs=WINDOW,
    )
    assert ("protocol_output:ore", (6, 7), 1) in observed(env, NOOP)
    assert ("protocol_output:heart", (6, 7), 2) in observed(env, "change_vibe_happy")
    moved = observed(env, "change_vibe_happy", SOUTH, SOUTH)
    assert ("protocol_output:ore", (4, 7), 1) in moved  # nobody stands beside it now
