"""Attacks and gifts between agents of the classic profile."""

import pytest
from games import (
    EAST,
    INVALID,
    NOOP,
    classic_game,
    game,
    held,
    inventory,
    play,
    positions,
    succeeded,
    try_actions,
)

FIGHT = {
    "vibes": ["fight"], "cost": {"energy": 2}, "freeze": 3, "loot": ["heart", "ore"],
    "actor_delta": {"energy": 1}, "target_delta": {"energy": -1},
}  # fmt: skip


def test_attack_freezes_loots_within_limits_and_costs():
    kind = {
        "vibe": 3,
        "inventory": {
            "initial": {"energy": 9},
            "limits": {"bag": {"base": 3, "resources": ["heart", "ore"]}},
        },
    }
    env = classic_game(
        "@@", agents=[kind, {"energy": 5, "heart": 2, "ore": 4}], actions={"attack": FIGHT}
    )
    assert try_actions(env, EAST, INVALID) == [True, False]
    assert inventory(env, 0) == {"energy": 9 + 1 - 2, "heart": 2, "ore": 1}  # hearts first
    assert inventory(env, 1) == {"energy": 5 - 1, "ore": 3}
    assert env.truth("frozen")[0, 1] == 3
    assert try_actions(env, EAST, NOOP) == [True, False]  # no second attack: they change places
    assert env.truth("col")[0, :2].tolist() == [1, 0]


def test_attack_fails_if_the_actor_cannot_pay():
    env = classic_game(
        "@@",
        agents=[{"vibe": 3, "inventory": {"initial": {"energy": 1}}}, {"ore": 1}],
        actions={"attack": FIGHT},
    )
    assert try_actions(env, EAST, NOOP)[0] is False
    assert env.truth("frozen")[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("target", "target_vibe", "left", "frozen"),
    [
        ({"energy": 7}, 0, 0, 3),  # 2 to resist, and 6 of weapons: 8 are needed
        ({"energy": 9}, 0, 1, 0),
        ({"energy": 9, "armor": 1}, 0, 4, 0),  # armor counts 3
        ({"energy": 9}, 2, 4, 0),  # so does one more unit for its vibe
        ({"energy": 9, "armor": 1}, 2, 7, 0),
        ({"energy": 9, "armor": 9}, 2, 7, 0),  # no more than the weapons
    ],
)
def test_defense_costs_weapons_less_armor_and_vibe_bonus(target, target_vibe, left, frozen):
    fight = FIGHT | {
        "cost": {}, "loot": [], "actor_delta": {}, "target_delta": {"energy": -99},
        "defense": {"energy": 2}, "weapons": {"ore": 2}, "armor": {"armor": 3},
        "vibe_bonus": {"armor": 1},
    }  # fmt: skip
    kinds = [
        {"vibe": 3, "inventory": {"initial": {"ore": 3}}},
        {"vibe": target_vibe, "inventory": {"initial": target}},
    ]
    env = classic_game("@@", agents=kinds, actions={"attack": fight})
    play(env, EAST, INVALID)
    assert (held(env, "energy")[1], env.truth("frozen")[0, 1]) == (left, frozen)


def test_frozen_agent_loses_its_turn_and_is_swapped():
    fight = {"vibes": ["default"], "freeze": 2}
    env = game("@@", profile="classic", vibes=["default"], actions={"attack": fight}, objects={})
    step = play(env, EAST, NOOP)
    assert int(env.truth("frozen")[0, 1]) in (1, 2)
    assert succeeded(step)[0]
    play(env, EAST, NOOP)
    assert sorted(positions(env)) == [(0, 0), (0, 1)]


def test_gift_fails_if_a_part_or_a_requirement_is_missing():
    gift = {"vibe": "give", "actor": {"ore": -2}, "target": {"ore": 2, "heart": 1}}
    for needed, works in (({}, True), ({"armor": 1}, False)):
        kinds = [{"vibe": 4, "inventory": {"initial": {"ore": 3}}}, {"energy": 1}]
        env = classic_game("@@", agents=kinds, actions={"transfers": [gift | {"required": needed}]})
        assert try_actions(env, EAST, NOOP)[0] is works
        assert held(env, "ore")[:2] == ([1, 2] if works else [3, 0])
        assert try_actions(env, EAST, NOOP)[0] is False  # 1 is not enough for 2
        assert held(env, "ore")[0] == (1 if works else 3)


def test_vibe_of_an_attack_never_gives():
    actions = {
        "attack": FIGHT | {"cost": {"heart": 1}},
        "transfers": [{"vibe": "fight", "actor": {"ore": -1}, "target": {"ore": 1}}],
    }
    env = classic_game(
        "@@",
        agents=[{"vibe": 3, "inventory": {"initial": {"ore": 3}}}, {"energy": 1}],
        actions=actions,
    )
    assert try_actions(env, EAST, NOOP)[0] is False
    assert held(env, "ore")[:2] == [3, 0]


@pytest.mark.parametrize(
    ("share", "has", "room", "left"),
    [
        ("most", 9, 20, (4, 5)),  # five of it
        ("most", 3, 20, (0, 3)),  # what there is
        ("most", 9, 2, (7, 2)),  # what fits
        ("half", 9, 20, (5, 4)),  # rounded down
        ("half", 9, 2, (7, 2)),
    ],
)
def test_share_of_a_gift_is_what_there_is_and_what_fits(share, has, room, left):
    gift = {"vibe": "give", "actor": {"ore": -5}, "share": share}
    kinds = [
        {"vibe": 4, "inventory": {"initial": {"ore": has}}},
        {"inventory": {"limits": {"ore": {"base": room, "resources": ["ore"]}}}},
    ]
    env = classic_game("@@", agents=kinds, actions={"transfers": [gift]})
    assert try_actions(env, EAST, NOOP)[0] is True
    assert held(env, "ore")[:2] == list(left)


@pytest.mark.parametrize(("share", "works"), [("most", False), ("half", True)])
def test_gift_of_nothing_fails_unless_it_is_a_half(share, works):
    gift = {"vibe": "give", "actor": {"ore": -5}, "share": share}
    env = classic_game(
        "@@", agents=[{"vibe": 4, "inventory": {}}, {"ore": 1}], actions={"transfers": [gift]}
    )
    assert try_actions(env, EAST, NOOP)[0] is works
    assert held(env, "ore")[:2] == [0, 1]
