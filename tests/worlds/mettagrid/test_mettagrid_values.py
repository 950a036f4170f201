"""Game values and statistics: what is counted, worked out, paid, told, asked for and written."""

import zlib

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.arithmetic.logarithm import log_table, logarithm
from mesocosm.worlds.mettagrid.arithmetic.rounding import single
from mesocosm.worlds.mettagrid.client import tokens
from mesocosm.worlds.mettagrid.game.value import MOST_NESTED, Value

LEGEND = {".": "empty", "@": "agent.agent", "#": "wall", "E": "ext"}
NOOP, NORTH, SOUTH, WEST, EAST, CALM, GLAD = range(7)
ROWS = ("#####", "#@E.#", "#..@#", "#####")
TAKE = {"kind": "resource_transfer", "who": "target", "to": "actor", "resources": {"ore": 2}}
PAY = {"kind": "resource_delta", "who": "actor", "resources": {"energy": -1}}
EXT = {"inventory": {"initial": {"ore": 5}}, "on_use": [{"mutations": [TAKE, PAY]}]}
START = {"inventory": {"initial": {"energy": 3}}}
ORE = {"kind": "inventory", "resource": "ore"}


def stat(name, scope="agent"):
    return {"kind": "stat", "stat": name, "scope": scope}


def const(number):
    return {"kind": "const", "number": number}


def grid(rows=ROWS, **core):
    made = {
        "num_agents": sum(row.count("@") for row in rows),
        "resources": ["energy", "ore", "hp"],
        "vibes": ["calm", "glad"],
        "objects": {"wall": {"kind": "wall"}, "ext": EXT},
        "obs": {"width": 5, "height": 5, "num_tokens": 200},
        "actions": {"vibes": ["calm", "glad"]},
        "agent": START,
        "map": {"kind": "ascii", "rows": list(rows), "legend": LEGEND},
        "order": "seeded_shuffle_upstream",
        **core,
    }
    config = {
        "schema": 1, "identity": {"world": "mettagrid", "version": 1}, "core": made,
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip
    return meso.make(config, target="python", autoreset="off")


def play(env, *actions):
    return env.step(np.array(actions, np.int32).reshape(1, -1, 1))


def stats(env, agent=None):
    """The statistics that are kept, by name: of an agent, or of the game."""
    field = "game_stat" if agent is None else "stat"
    row = env.truth(field)[0] if agent is None else env.truth(field)[0, agent]
    return dict(zip(env.spec.state_field(field).labels, row.tolist(), strict=True))


def paid(value, env_actions=((NOOP, NOOP),), **core):
    """What a value pays, step by step, to the first agent."""
    agent = START | {"rewards": {"it": {"value": value, "per_tick": True}}}
    env = grid(agent=agent, **core)
    env.reset(seed=0)
    return [float(play(env, *actions).reward[0, 0]) for actions in env_actions]


def test_a_logarithm_has_the_bits_of_the_c_library():
    numbers = [float(k) for k in range(1, 5001)]
    numbers += [float(np.float32(k * 0.37 + 0.001)) for k in range(5000)]
    numbers += [float(np.float32(1.37**k)) for k in range(-60, 100)]
    found = np.array([single(logarithm(x, log_table())) for x in numbers], np.float32)
    assert zlib.crc32(found.tobytes()) == 0x5CC347C8  # of logf in glibc 2.36
    assert logarithm(0.0, log_table()) == logarithm(-1.0, log_table()) < -103.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (const(2.5), 2.5),
        ({"kind": "inventory", "resource": "energy"}, 3.0),
        ({"kind": "sum", "of": [const(1.0), const(0.1), const(0.2)]}, np.float32(1.3000001)),
        ({"kind": "sum", "of": [const(2.0), const(3.0)], "weights": [0.1, -1.0]}, -2.8),
        ({"kind": "sum", "of": [const(6.0)], "log": True}, 1.9459101),
        ({"kind": "sum", "of": [const(6.0)], "log": True, "weights": [2.0]}, 3.8918202),
        ({"kind": "ratio", "of": [const(1.0), const(3.0)]}, 1 / 3),
        ({"kind": "ratio", "of": [const(7.0), const(0.0)]}, 7.0),
        ({"kind": "ratio", "of": [const(7.0), const(-2.0)]}, 7.0),
        ({"kind": "min", "of": [const(2.0), const(-1.0), const(4.0)]}, -1.0),
        ({"kind": "max", "of": [const(2.0), const(-1.0), const(4.0)]}, 4.0),
        (stat("never.written"), 0.0),
        (stat("objects.wall", "game"), 14.0),
        ({"kind": "max", "of": [{"kind": "min", "of": [stat("energy.amount"), const(2.0)]},
                                {"kind": "ratio", "of": [const(5.0), const(2.0)]}]}, 2.5),
    ],
)  # fmt: skip
def test_a_value_is_worked_out_in_24_bits(value, expected):
    assert paid(value) == [np.float32(expected)]


ALL = [
    "action.noop.success", "action.move.success", "action.move.failed", "action.failed",
    "action.change_vibe.success", "action.invalid_index", "status.max_steps_without_motion",
    "cell.unique_visited", "cell.max_distance_from_spawn", "cell.visited", "energy.amount",
    "energy.lost", "ore.amount", "ore.gained", "game.tokens_written", "game.objects.wall",
    "game.objects.agent.red.0",
]  # fmt: skip
RECORDED = [  # of the program itself, in the same game; all but the last three are an agent's
    ((NOOP, NOOP), (1, 0, 0, 0, 0, 0, 1, 1, 0, 12, 3, 0, 0, 0, 88)),
    ((EAST, NORTH), (1, 1, 0, 0, 0, 0, 2, 1, 0, 24, 2, 1, 2, 2, 134)),
    ((-1, 99), (1, 1, 0, 0, 0, 2, 2, 1, 0, 36, 2, 1, 2, 2, 180)),
    ((GLAD, GLAD), (2, 1, 0, 0, 1, 2, 4, 1, 0, 48, 2, 1, 2, 2, 230)),
    ((WEST, NORTH), (2, 1, 1, 1, 1, 2, 5, 1, 0, 60, 2, 1, 2, 2, 280)),
    ((SOUTH, SOUTH), (2, 2, 1, 1, 1, 2, 5, 2, 1, 72, 2, 1, 2, 2, 330)),
]


def test_statistics_are_counted_as_the_program_counts_them():
    env = grid(conformance="upstream", stats=ALL)
    env.reset(seed=0)
    for actions, expected in RECORDED:
        play(env, *actions)
        mine, game = stats(env, 0), stats(env)
        found = [mine[name] for name in ALL[:-3]] + [game["tokens_written"]]
        assert tuple(found) == expected
        assert (game["objects.wall"], game["objects.agent.red.0"]) == (14, 1)


def told(env, step, agent):
    found = tokens.decode(np.asarray(step.obs)[0, agent], IdMap(env.config.core))
    return {entry.feature: entry.value for entry in found if entry.row < 0}


def test_what_is_told_was_counted_before_ones_own_view():
    values = {"w": {"value": stat("tokens_written", "game")}, "v": {"value": stat("cell.visited")}}
    env = grid(conformance="upstream", obs={"width": 5, "height": 5, "values": values})
    step = env.reset(seed=0)
    written = np.array(step.info["tokens_written"])[0]
    assert [told(env, step, a)["w"] for a in range(2)] == [0, written[0]]
    step = play(env, EAST, NORTH)
    assert [told(env, step, a)["v"] for a in range(2)] == [0, 0]
    assert told(env, step, 0)["w"] == written.sum()
    step = play(env, NOOP, NOOP)
    assert [told(env, step, a)["v"] for a in range(2)] == [12, 5]


def test_a_reward_from_statistics_is_a_named_term_within_its_range():
    moved = {"kind": "sum", "of": [stat("action.move.success")], "weights": [0.5]}
    env = grid(
        agent=START | {"rewards": {"walk": {"value": moved}, "ore": {"weights": {"ore": 1.0}}}}
    )
    env.reset(seed=0)
    assert float(play(env, EAST, NOOP).reward[0, 0]) == 2.5
    assert env.explain(env=0, agent=0) == {"ore": 2.0, "walk": 0.5, "passed_on": 0.0}
    play(env, NOOP, NOOP)
    assert env.explain(env=0, agent=0)["walk"] == 0.0
    (term,) = (term for term in env.spec.roles["cog"].terms if term.name == "walk")
    assert (term.low, term.high) == pytest.approx((-(2.0**23), 2.0**23), rel=1e-5)


def test_three_rewards_add_up_in_24_bits_in_their_order():
    parts = {"c": 0.1, "a": 0.7, "b": 1e7}
    rewards = {name: {"value": const(x), "per_tick": True} for name, x in parts.items()}
    env = grid(agent=START | {"rewards": rewards})
    env.reset(seed=0)
    x, y, z = np.float32(0.1), np.float32(0.7), np.float32(1e7)
    assert np.float32(play(env, NOOP, NOOP).reward[0, 0]) == (x + y) + z
    assert sum(env.explain(env=0, agent=0).values()) == float((x + y) + z)


def test_a_condition_asks_for_a_value_and_changes_write_statistics():
    hits = {"kind": "sum", "of": [stat("hits"), const(1.0)]}
    changes = [
        {"kind": "set_stat", "who": "actor", "stat": "hits", "source": hits},
        {
            "kind": "add_value",
            "who": "actor",
            "stat": "all",
            "scope": "game",
            "source": stat("hits"),
        },
        {"kind": "add_value", "who": "actor", "resource": "hp", "source": const(2.7)},
        {"kind": "set_stat", "who": "target", "stat": "hits", "source": const(9.0)},
    ]
    few = {"kind": "game_value", "who": "actor", "value": const(2.0), "least": stat("hits")}
    ext = {"on_use": [{"filters": [few], "mutations": changes}]}
    env = grid(objects={"wall": {"kind": "wall"}, "ext": ext})
    env.reset(seed=0)
    found = [bool(play(env, EAST, NOOP).info["success"][0, 0]) for _ in range(4)]
    assert found == [True, True, True, False]
    assert stats(env, 0)["hits"] == 3.0
    assert stats(env)["all"] == 1.0 + 2.0 + 3.0
    assert env.truth("amount")[0, 0, 2] == 6


def test_statistics_can_begin_with_something():
    env = grid(
        agent=START | {"stats": {"mood": 2.5, "energy.amount": 7.0}},
        stats=["mood", "energy.amount"],
    )
    env.reset(seed=0)
    assert stats(env, 1) == {"energy.amount": 7.0, "mood": 2.5}
    play(env, EAST, NOOP)
    assert stats(env, 0)["energy.amount"] == 2.0


def test_who_gives_counts_it_and_hp_that_is_lost_is_a_death():
    give = {"kind": "resource_transfer", "who": "actor", "to": "target", "resources": {"energy": 2}}
    hurt = {"kind": "resource_delta", "who": "actor", "resources": {"hp": -4}}
    agent = {"inventory": {"initial": {"energy": 3, "hp": 2}}}
    objects = {"wall": {"kind": "wall"}, "ext": {"on_use": [{"mutations": [give, hurt]}]}}
    env = grid(agent=agent, objects=objects, stats=["energy.deposited", "death", "hp.lost"])
    env.reset(seed=0)
    for expected in ((2.0, 1.0, 2.0), (3.0, 1.0, 2.0)):
        play(env, EAST, NOOP)
        mine = stats(env, 0)
        assert (mine["energy.deposited"], mine["death"], mine["hp.lost"]) == expected


def test_a_radius_leaves_a_smaller_disc():
    rows = ["E" * 9] * 4 + ["EEEE@EEEE"] + ["E" * 9] * 4
    for radius, cells in ((0.0, 1), (1.0, 5), (2.9, 21), (3.0, 37), (20.0, 37)):
        obs = {"width": 7, "height": 7, "num_tokens": 400, "radius": {"value": const(radius)}}
        env = grid(rows, obs=obs)
        places = np.asarray(env.reset(seed=0).obs)[0, 0, :, 0]
        assert len(set(places[places < 254].tolist())) == cells


def test_a_game_without_statistics_keeps_none():
    env = grid()
    for name in ("stat", "glimpse", "track", "visited"):
        assert env.spec.state_field(name).shape == (2, 1)
    assert env.spec.state_field("seen_at").shape == env.spec.state_field("game_stat").shape == (1,)


@pytest.mark.parametrize(
    ("value", "match"),
    [
        ({"kind": "sum"}, "value: of: a sum needs at least one part"),
        ({"kind": "ratio", "of": [ORE]}, "a ratio has 2 parts, got 1"),
        ({"kind": "sum", "of": [ORE], "weights": [1.0, 2.0]}, "weights: a sum of 1 parts"),
        ({"kind": "max", "of": [ORE], "log": True}, "log: only a sum has it"),
        ({"kind": "inventory", "resource": "or"}, r"value.resource: no resource named 'or'.*'ore'"),
        ({"kind": "min", "of": [{"kind": "inventory"}]}, "of.0.resource: no resource named ''"),
        (stat("action.moves.success"), "nothing writes .*Did you mean 'action.move.success'"),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_with_its_path(value, match):
    with pytest.raises(ConfigError, match=match):
        grid(agent=START | {"rewards": {"it": {"value": value}}})


def test_an_expression_that_is_too_deep_is_refused():
    value = Value(**ORE)
    for _ in range(MOST_NESTED):
        value = Value(kind="max", of=(value,))
    with pytest.raises(ValueError, match="at most 7 levels"):
        Value(kind="max", of=(value,))


def count_of(tag, resource=""):
    kind = "query_inventory" if resource else "query_count"
    return {"kind": kind, "resource": resource, "query": {"tag": tag}}


def test_values_count_by_queries_what_there_is_now():
    values = {
        "all": {"value": count_of("type:agent")},
        "ore": {"value": count_of("type:ext", "ore")},
    }
    rewards = {"left": {"value": count_of("type:ext", "ore")}}
    obs = {"width": 5, "height": 5, "values": values}
    env = grid(agent=START | {"rewards": rewards}, obs=obs)
    step = env.reset(seed=0)
    assert [told(env, step, a)["ore"] for a in range(2)] == [5, 5]
    step = play(env, EAST, NOOP)
    assert [told(env, step, a)["ore"] for a in range(2)] == [3, 3]
    assert told(env, step, 1)["all"] == 2
    assert float(step.reward[0, 1]) == 3.0
    assert float(play(env, EAST, NOOP).reward[0, 1]) == -2.0


def test_a_condition_can_ask_how_many_there_are():
    few = {"kind": "game_value", "who": "actor", "value": count_of("hurt"), "least": const(1.0)}
    mark = {"kind": "add_tag", "who": "actor", "tag": "hurt"}
    handlers = [{"filters": [few], "mutations": [PAY]}, {"mutations": [mark]}]
    env = grid(objects={"wall": {"kind": "wall"}, "ext": {"on_use": handlers}}, tags=["hurt"])
    env.reset(seed=0)
    for expected in (3, 2, 1):
        play(env, EAST, NOOP)
        assert env.truth("amount")[0, 0, 0] == expected
