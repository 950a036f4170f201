"""Assemblers and chests in the profile cogs."""

from games import EAST, SOUTH, game, inventory, try_actions
from parts import recipe


def test_assembler_and_chest_work_in_cogs():
    press = recipe({"energy": 2}, {"ore": 3}, cooldown=2)
    objects = {
        "asm": {"kind": "assembler", "protocols": [press]},
        "chest": {
            "kind": "chest",
            "inventory": {"initial": {"heart": 4}},
            "vibe_transfers": {"default": {"heart": -1}},
        },
    }
    env = game("@A", ".C", objects=objects, agent={"inventory": {"initial": {"energy": 300}}})
    worked = [try_actions(env, action)[0] for action in (EAST, EAST, EAST, SOUTH, EAST)]
    assert worked == [True, False, True, True, True]
    assert inventory(env) == {"energy": 296, "ore": 6, "heart": 1}
