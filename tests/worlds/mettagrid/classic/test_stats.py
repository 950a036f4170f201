"""Statistics of the classic profile: chests, recipes, fights, gifts and damage."""

import numpy as np
from games import CLASSIC, EAST, NOOP, WALL, game, play, stats

from mesocosm.worlds.mettagrid.upstream.classic import stat_reward

OBJECTS = WALL | {
    "chest": {
        "kind": "chest",
        "inventory": {"initial": {"ore": 5}},
        "vibe_transfers": {"calm": {"ore": 2}, "glad": {"ore": -1}},
    },
    "press": {
        "kind": "assembler",
        "protocols": [{"inputs": {"ore": 1}, "outputs": {"heart": 3}}],
    },
}


def counting_game(row, agents, names=(), actions=None):
    """Make a game that keeps the statistics `names`."""
    return game(
        row,
        **CLASSIC,
        resources=["ore", "heart"],
        vibes=["calm", "glad"],
        objects=OBJECTS,
        actions={"vibes": ["calm", "glad"]} | (actions or {}),
        stats=list(names),
        agents=agents,
    )


def test_deposits_and_withdrawals_count_for_the_game_and_for_the_agent():
    game = [f"game.chest.ore.{end}" for end in ("amount", "deposited", "withdrawn")]
    mine = ["chest.ore.deposited_by_agent", "chest.ore.withdrawn_by_agent"]
    env = counting_game("@C", [{"inventory": {"initial": {"ore": 3}}}], [*game, *mine])
    assert list(stats(env).values()) == [5.0, 5.0, 0.0]
    play(env, EAST)
    play(env, EAST)  # only one unit is left to give
    assert list(stats(env).values()) == [8.0, 8.0, 0.0]
    play(env, "change_vibe_glad")
    play(env, EAST)
    assert list(stats(env).values()) == [7.0, 8.0, 1.0]
    assert list(stats(env, 0).values()) == [3.0, 1.0]


def test_outputs_count_as_created_and_initial_inventory_as_gained():
    agent = {"inventory": {"initial": {"ore": 2}}, "diversity": ["ore", "heart"]}
    names = ["game.assembler.heart.created", "ore.gained", "ore.lost", "inventory.diversity"]
    env = counting_game("@P", [agent], names)
    assert stats(env, 0) == {"inventory.diversity": 1.0, "ore.gained": 2.0, "ore.lost": 0.0}
    play(env, EAST)
    assert stats(env, 0) == {"inventory.diversity": 2.0, "ore.gained": 2.0, "ore.lost": 1.0}
    play(env, EAST)
    assert stats(env, 0)["inventory.diversity"] == 1.0
    assert stats(env) == {"assembler.heart.created": 6.0}


def test_attacks_and_frozen_ticks_count_by_team():
    names = [
        "action.attack.red.hit.blue", "action.attack.blue.hit_by.red", "status.frozen.ticks",
        "action.attack.red.blocked_by.blue", "status.frozen.ticks.blue", "status.frozen.ticks.red",
    ]  # fmt: skip
    fight = {"attack": {"vibes": ["calm"], "freeze": 5, "defense": {"heart": 1}}}
    teams = [{"team": 0}, {"team": 1, "vibe": 1, "inventory": {"initial": {"heart": 1}}}]
    env = counting_game("@@", teams, names, actions=fight)
    play(env, EAST, NOOP)
    play(env, EAST, NOOP)
    red, blue = stats(env, 0), stats(env, 1)
    assert red["action.attack.red.blocked_by.blue"] == red["action.attack.red.hit.blue"] == 1.0
    assert blue["action.attack.blue.hit_by.red"] == 1.0
    before = blue["status.frozen.ticks"]
    play(env, NOOP, EAST)
    blue = stats(env, 1)
    assert blue["status.frozen.ticks"] == blue["status.frozen.ticks.blue"] == before + 1.0
    assert blue["status.frozen.ticks.red"] == 0.0


def test_gifts_count_under_the_giver():
    names = [f"action.transfer.red.{end}" for end in ("count", "ore.self", "ore.to.red")]
    gift = {"transfers": [{"vibe": "calm", "actor": {"ore": -2}, "target": {"ore": 1}}]}
    env = counting_game("@@", [{"inventory": {"initial": {"ore": 4}}}, {}], names, actions=gift)
    play(env, EAST, NOOP)
    assert stats(env, 0) == dict(zip(sorted(names), (1.0, -2.0, 1.0), strict=True))
    assert set(stats(env, 1).values()) == {0.0}


def test_damage_counts_triggers_and_lost_items():
    agent = {
        "inventory": {"initial": {"ore": 5, "heart": 1}},
        "damage": {"threshold": {"ore": 3}, "resources": {"heart": 0}},
    }
    names = ["damage.triggered", "damage.items_lost", "damaged.heart", "damaged.ore"]
    env = counting_game("@.", [agent], names)
    play(env, NOOP)
    play(env, NOOP)
    expected = {"damage.triggered": 1.0, "damage.items_lost": 1.0, "damaged.heart": 1.0}
    assert stats(env, 0) == expected | {"damaged.ore": 0.0}


def test_reward_of_a_statistic_sums_agent_and_game_up_to_its_limit():
    value = stat_reward("chest.ore.deposited", 0.5, 3.4)
    agent = {"inventory": {"initial": {"ore": 4}}, "rewards": {"put": {"value": value}}}
    env = counting_game("@C", [agent])
    paid = [float(play(env, EAST).reward[0, 0]) for _ in range(3)]
    assert paid == [np.float32(3.4), 0.0, 0.0]  # 0.5 * 7, but at most 3.4
    loose = counting_game(
        "@C",
        [agent | {"rewards": {"put": {"value": stat_reward("chest.ore.deposited", 0.5, None)}}}],
    )
    assert [float(play(loose, EAST).reward[0, 0]) for _ in range(3)] == [3.5, 1.0, 0.0]
