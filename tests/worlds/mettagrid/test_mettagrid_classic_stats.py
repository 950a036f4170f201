"""Statistics of the older profile: chests, recipes, fights, gifts and harm, as it names them."""

import numpy as np

import mesocosm as meso
from mesocosm.worlds.mettagrid.upstream.classic import stat_reward

NOOP, NORTH, SOUTH, WEST, EAST, CALM, GLAD = range(7)
LEGEND = {".": "empty", "@": "agent.agent", "#": "wall", "C": "chest", "A": "press"}
CHEST = {
    "kind": "chest",
    "inventory": {"initial": {"ore": 5}},
    "vibe_transfers": {"calm": {"ore": 2}, "glad": {"ore": -1}},
}
PRESS = {
    "kind": "assembler",
    "protocols": [{"inputs": {"ore": 1}, "outputs": {"heart": 3}}],
}
OBJECTS = {"wall": {"kind": "wall"}, "chest": CHEST, "press": PRESS}


def old_grid(rows, agents=None, stats=(), **core):
    count = sum(row.count("@") for row in rows)
    made = {
        "profile": "classic",
        "conformance": "upstream",
        "num_agents": count,
        "resources": ["ore", "heart"],
        "vibes": ["calm", "glad"],
        "objects": OBJECTS,
        "obs": {"width": 5, "height": 5, "num_tokens": 100},
        "actions": {"vibes": ["calm", "glad"], **core.pop("actions", {})},
        "map": {"kind": "ascii", "rows": list(rows), "legend": LEGEND},
        "stats": list(stats),
        **({"agents": agents} if agents else {}),
        **core,
    }
    config = {
        "schema": 1, "identity": {"world": "mettagrid", "version": 1}, "core": made,
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip
    env = meso.make(config, target="python", autoreset="off")
    env.reset(seed=0)
    return env


def go(env, *actions):
    return env.step(np.array(actions, np.int32).reshape(1, -1, 1))


def counts(env, agent=None):
    field = "game_stat" if agent is None else "stat"
    row = env.truth(field)[0] if agent is None else env.truth(field)[0, agent]
    return dict(zip(env.spec.state_field(field).labels, row.tolist(), strict=True))


def test_chests_count_what_they_get_and_give_for_all_and_for_each():
    game = [f"game.chest.ore.{end}" for end in ("amount", "deposited", "withdrawn")]
    mine = ["chest.ore.deposited_by_agent", "chest.ore.withdrawn_by_agent"]
    env = old_grid(("@C",), [{"inventory": {"initial": {"ore": 3}}}], [*game, *mine])
    assert list(counts(env).values()) == [5.0, 5.0, 0.0]
    go(env, EAST)
    go(env, EAST)  # only one unit is left to give
    assert list(counts(env).values()) == [8.0, 8.0, 0.0]
    go(env, GLAD)
    go(env, EAST)
    assert list(counts(env).values()) == [7.0, 8.0, 1.0]
    assert list(counts(env, 0).values()) == [3.0, 1.0]


def test_what_is_made_is_counted_and_what_one_has_at_first_was_gained():
    agent = {"inventory": {"initial": {"ore": 2}}, "diversity": ["ore", "heart"]}
    names = ["game.assembler.heart.created", "ore.gained", "ore.lost", "inventory.diversity"]
    env = old_grid(("@A",), [agent], names)
    assert counts(env, 0) == {"inventory.diversity": 1.0, "ore.gained": 2.0, "ore.lost": 0.0}
    go(env, EAST)
    assert counts(env, 0) == {"inventory.diversity": 2.0, "ore.gained": 2.0, "ore.lost": 1.0}
    go(env, EAST)
    assert counts(env, 0)["inventory.diversity"] == 1.0
    assert counts(env) == {"assembler.heart.created": 6.0}


def test_fights_and_lost_attempts_are_counted_by_team():
    names = [
        "action.attack.red.hit.blue", "action.attack.blue.hit_by.red", "status.frozen.ticks",
        "action.attack.red.blocked_by.blue", "status.frozen.ticks.blue", "status.frozen.ticks.red",
    ]  # fmt: skip
    fight = {"attack": {"vibes": ["calm"], "freeze": 5, "defense": {"heart": 1}}}
    teams = [{"team": 0}, {"team": 1, "vibe": 1, "inventory": {"initial": {"heart": 1}}}]
    env = old_grid(("@@",), teams, names, actions=fight)
    go(env, EAST, NOOP)
    go(env, EAST, NOOP)
    red, blue = counts(env, 0), counts(env, 1)
    assert red["action.attack.red.blocked_by.blue"] == red["action.attack.red.hit.blue"] == 1.0
    assert blue["action.attack.blue.hit_by.red"] == 1.0
    before = blue["status.frozen.ticks"]
    go(env, NOOP, EAST)
    blue = counts(env, 1)
    assert blue["status.frozen.ticks"] == blue["status.frozen.ticks.blue"] == before + 1.0
    assert blue["status.frozen.ticks.red"] == 0.0


def test_gifts_are_counted_under_the_giver():
    names = [f"action.transfer.red.{end}" for end in ("count", "ore.self", "ore.to.red")]
    gift = {"transfers": [{"vibe": "calm", "actor": {"ore": -2}, "target": {"ore": 1}}]}
    env = old_grid(("@@",), [{"inventory": {"initial": {"ore": 4}}}, {}], names, actions=gift)
    go(env, EAST, NOOP)
    assert counts(env, 0) == dict(zip(sorted(names), (1.0, -2.0, 1.0), strict=True))
    assert set(counts(env, 1).values()) == {0.0}


def test_harm_is_counted():
    agent = {
        "inventory": {"initial": {"ore": 5, "heart": 1}},
        "damage": {"threshold": {"ore": 3}, "resources": {"heart": 0}},
    }
    names = ["damage.triggered", "damage.items_lost", "damaged.heart", "damaged.ore"]
    env = old_grid(("@.",), [agent], names)
    go(env, NOOP)
    go(env, NOOP)
    expected = {"damage.triggered": 1.0, "damage.items_lost": 1.0, "damaged.heart": 1.0}
    assert counts(env, 0) == expected | {"damaged.ore": 0.0}


def test_a_reward_adds_the_agents_and_the_games_statistic_up_to_a_limit():
    value = stat_reward("chest.ore.deposited", 0.5, 3.4)
    agent = {"inventory": {"initial": {"ore": 4}}, "rewards": {"put": {"value": value}}}
    env = old_grid(("@C",), [agent])
    paid = [float(go(env, EAST).reward[0, 0]) for _ in range(3)]
    assert paid == [np.float32(3.4), 0.0, 0.0]  # 0.5 * 7, but at most 3.4
    loose = old_grid(
        ("@C",),
        [agent | {"rewards": {"put": {"value": stat_reward("chest.ore.deposited", 0.5, None)}}}],
    )
    assert [float(go(loose, EAST).reward[0, 0]) for _ in range(3)] == [3.5, 1.0, 0.0]
