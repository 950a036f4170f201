"""What mutations do."""

from games import EAST, held, inventory, play, positions, scripted_game, try_actions
from parts import give, use


def test_pushed_object_moves_until_a_wall_blocks_it():
    env = scripted_game("@A.#", a=use({"kind": "push_object"}, {"kind": "relocate"}))
    assert try_actions(env, EAST) == [True]
    assert positions(env)[:2] == [(0, 1), (0, 2)]
    assert env.truth("moved")[0].tolist() == [True]
    assert try_actions(env, EAST) == [False]


def test_relative_target_is_the_cell_beside_the_actor():
    aim = {"kind": "set_relative_target", "direction": "southeast"}
    env = scripted_game("@A", ".B", a=use(aim, give(x=1)))
    play(env, EAST)
    assert held(env, "x") == [0, 0, 1]
    env = scripted_game("@A", "..", a=use(aim, {"kind": "relocate"}))
    assert try_actions(env, EAST) == [True]
    assert positions(env)[0] == (1, 1)
    env = scripted_game("@A", a=use(aim))
    assert try_actions(env, EAST) == [False]


def test_place_adjacent_moves_the_target_only_if_a_side_is_free():
    beside = {"kind": "query_place_adjacent", "who": "target", "query": {"tag": "type:b"}}
    env = scripted_game("@A.#", "..#B", "...#", a=use(beside))
    play(env, EAST)
    assert positions(env)[1] == (0, 1)
    env = scripted_game("@A.#", "..#B", "....", a=use(beside))
    play(env, EAST)
    assert positions(env)[1] == (2, 3)


def test_attack_fails_if_the_target_can_pay_its_defense():
    attack = {"kind": "attack", "weapons": {"x": 2}, "armor": {"y": 1}, "defense": {"z": 1},
              "on_success": [give(y=9)]}  # fmt: skip
    mine = {"inventory": {"initial": {"x": 2}}}
    for z, left, gained in ((3, 3, 10), (4, 0, 1)):
        thing = use(attack) | {"inventory": {"initial": {"y": 1, "z": z}}}
        env = scripted_game("@A", a=thing, agent=mine)
        play(env, EAST)
        assert (held(env, "z")[1], held(env, "y")[1]) == (left, gained)


def test_clearing_a_limit_without_resources_clears_the_whole_inventory():
    limits = {"limits": {"all": {"base": 9, "resources": []}}}
    thing = use({"kind": "clear_inventory", "limit": "all"})
    env = scripted_game(
        "@A", a=thing | {"inventory": {"initial": {"x": 1, "z": 2}}}, agent={"inventory": limits}
    )
    play(env, EAST)
    assert inventory(env, 1) == {}
