"""Events and handlers of every step."""

from games import NOOP, held, play, scripted_game
from parts import give, use_on_all


def test_event_without_targets_falls_back_and_priority_orders_events():
    query = {"tag": "type:b", "filters": [{"kind": "resource", "resources": {"x": 1}}]}
    events = {
        "late": {"targets": {"tag": "type:a"}, "steps": [2], "priority": 1,
                 "mutations": [give(x=2)]},
        "miss": {"targets": query, "steps": [2, 3], "fallback": "other", "mutations": [give(x=1)]},
        "other": {"targets": {"tag": "type:b"}, "most": 1, "mutations": [give(x=1)]},
    }  # fmt: skip
    env = scripted_game("@ABB", events=events)
    play(env, NOOP)
    assert held(env, "x") == [0, 0, 0, 0]
    play(env, NOOP)
    assert held(env, "x")[:2] == [0, 2]
    assert sum(held(env, "x")[2:]) == 1
    play(env, NOOP)
    assert sorted(held(env, "x")[2:]) == [0, 2]


def test_on_tick_handlers_of_agents_and_game_run_every_step():
    tick = {"mutations": [give("actor", x=1)]}
    whole = use_on_all({"tag": "type:a"})["on_use"][0]
    env = scripted_game("@A", agent={"on_tick": tick}, on_tick=whole)
    for _ in range(3):
        play(env, NOOP)
    assert held(env, "x") == [3, 3]
