"""What is kept between steps (lists of tags, areas, land) is what follows from the state."""

from typing import Any

import numpy as np
from games import EAST, NOOP, WEST, held, play, scripted_game
from parts import give, use

KEPT = ("listed", "source", "within", "influence", "claimed", "border", "stale_list")


def kept_after(env: Any, *moves: int) -> None:
    """Play, and compare what is kept after each step with what is made of the state alone."""
    for move in moves:
        play(env, move)
        before = {name: env.state(name) for name in KEPT}
        env.load(env.save())
        for name, array in before.items():
            assert array.tobytes() == env.state(name).tobytes(), name


def tagged(env: Any, column: int = 0) -> list[int]:
    row = env.state("listed")[0, column]
    return row[1 : 1 + row[0]].tolist()


def test_thing_that_loses_a_tag_leaves_the_middle_of_its_list():
    query = {"tag": "t"}
    lose = {"kind": "remove_tag", "who": "target", "tag": "t"}
    ask = {"kind": "query_inventory", "query": query, "resources": {"x": 1}}
    env = scripted_game("BC@A", a=use(lose, ask) | {"tags": ["t"]}, b={"tags": ["t"]},
                        c={"tags": ["t"]})  # fmt: skip
    env.reset(seed=0)
    assert len(tagged(env)) == 3
    kept_after(env, NOOP, EAST)
    assert len(tagged(env)) == 2
    assert held(env, "x")[1:] == [0, 1, 1]


def test_tag_that_is_given_anew_is_last_in_its_list():
    swap = [{"kind": kind, "who": "target", "tag": "t"} for kind in ("remove_tag", "add_tag")]
    ask = {"kind": "query_inventory", "query": {"tag": "t", "most": 1}, "resources": {"x": 1}}
    env = scripted_game("A@B", a=use(*swap, ask) | {"tags": ["t"]}, b={"tags": ["t"]})
    kept_after(env, WEST)
    assert held(env, "x")[1:] == [0, 1]


def test_areas_of_removed_and_spawned_things_are_listed_in_the_order_they_joined():
    area = {"radius": 9, "mutations": [give(y=1)], "presence": {"z": 1}}
    take = {"kind": "resource_transfer", "who": "target", "to": "actor", "resources": {"x": -1},
            "remove_when_empty": True}  # fmt: skip
    spawn = {"kind": "spawn_object", "object": "b"}
    env = scripted_game("@A..C", a=use(take, spawn) | {"areas": [area], "inventory": {
        "initial": {"x": 2}}}, b={"areas": [area]}, c={"areas": [area]})  # fmt: skip
    kept_after(env, NOOP, EAST, NOOP, NOOP, EAST, NOOP)
    rows = env.state("source")[0]
    joined = env.truth("post")[0, rows[1 : 1 + rows[0, 0], 0], 1]
    assert (np.diff(joined) > 0).all()
    assert len(joined) == 2


def test_claim_moves_with_a_thing_that_changes_teams():
    change = [{"kind": "remove_tag", "who": "target", "tag": "team:a"},
              {"kind": "add_tag", "who": "target", "tag": "team:b"}]  # fmt: skip
    hub = use(*change) | {"tags": ["team:a"], "controls": [{"territory": "land", "strength": 3}]}
    env = scripted_game("@A..", a=hub, territories={"land": "team:"}, agent={"tags": ["team:a"]})
    env.reset(seed=0)
    before = env.state("owner")[0].copy()
    kept_after(env, NOOP, EAST)
    after = env.state("owner")[0]
    assert (before > 0).sum() == (after > 0).sum() > 0
    assert not (before == after)[before > 0].any()
