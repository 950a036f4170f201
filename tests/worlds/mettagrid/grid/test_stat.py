"""Statistics: what is counted, and where it begins."""

from games import EAST, INVALID, NOOP, NORTH, SOUTH, START, WALL, WEST, mining_game, play, stats

ALL = [
    "action.noop.success", "action.move.success", "action.move.failed", "action.failed",
    "action.change_vibe.success", "action.invalid_index", "status.max_steps_without_motion",
    "cell.unique_visited", "cell.max_distance_from_spawn", "cell.visited", "energy.amount",
    "energy.lost", "ore.amount", "ore.gained", "game.tokens_written", "game.objects.wall",
    "game.objects.agent.red.0",
]  # fmt: skip
RECORDED = [  # of MettaGrid, in the same game; all but the last three are an agent's
    ((NOOP, NOOP), (1, 0, 0, 0, 0, 0, 1, 1, 0, 12, 3, 0, 0, 0, 88)),
    ((EAST, NORTH), (1, 1, 0, 0, 0, 0, 2, 1, 0, 24, 2, 1, 2, 2, 134)),
    ((-1, INVALID), (1, 1, 0, 0, 0, 2, 2, 1, 0, 36, 2, 1, 2, 2, 180)),
    (("change_vibe_glad", "change_vibe_glad"), (2, 1, 0, 0, 1, 2, 4, 1, 0, 48, 2, 1, 2, 2, 230)),
    ((WEST, NORTH), (2, 1, 1, 1, 1, 2, 5, 1, 0, 60, 2, 1, 2, 2, 280)),
    ((SOUTH, SOUTH), (2, 2, 1, 1, 1, 2, 5, 2, 1, 72, 2, 1, 2, 2, 330)),
]


def test_statistics_equal_those_recorded_from_mettagrid():
    env = mining_game(conformance="upstream", stats=ALL)
    for actions, expected in RECORDED:
        play(env, *actions)
        mine, game = stats(env, 0), stats(env)
        found = [mine[name] for name in ALL[:-3]] + [game["tokens_written"]]
        assert tuple(found) == expected
        assert (game["objects.wall"], game["objects.agent.red.0"]) == (14, 1)


def test_statistic_begins_with_its_configured_value():
    env = mining_game(
        agent=START | {"stats": {"mood": 2.5, "energy.amount": 7.0}},
        stats=["mood", "energy.amount"],
    )
    assert stats(env, 1) == {"energy.amount": 7.0, "mood": 2.5}
    play(env, EAST, NOOP)
    assert stats(env, 0)["energy.amount"] == 2.0


def test_giver_counts_deposits_and_losing_all_hp_counts_a_death():
    give = {"kind": "resource_transfer", "who": "actor", "to": "target", "resources": {"energy": 2}}
    hurt = {"kind": "resource_delta", "who": "actor", "resources": {"hp": -4}}
    agent = {"inventory": {"initial": {"energy": 3, "hp": 2}}}
    objects = WALL | {"ext": {"on_use": [{"mutations": [give, hurt]}]}}
    env = mining_game(agent=agent, objects=objects, stats=["energy.deposited", "death", "hp.lost"])
    for expected in ((2.0, 1.0, 2.0), (3.0, 1.0, 2.0)):
        play(env, EAST, NOOP)
        mine = stats(env, 0)
        assert (mine["energy.deposited"], mine["death"], mine["hp.lost"]) == expected


def test_game_without_statistics_keeps_no_arrays_of_them():
    env = mining_game()
    for name in ("stat", "glimpse", "track", "visited"):
        assert env.spec.state_field(name).shape == (2, 1)
    assert env.spec.state_field("seen_at").shape == env.spec.state_field("game_stat").shape == (1,)
