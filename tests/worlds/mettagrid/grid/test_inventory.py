"""Limits of inventories."""

from games import EAST, classic_game, game, held, inventory, play


def test_modifier_raises_the_limit_of_an_inventory():
    limit = {"base": 1, "resources": ["ore"], "modifiers": {"heart": 3}}
    for hearts, most in ((0, 1), (1, 3)):
        kind = {"inventory": {"initial": {"heart": hearts}, "limits": {"cargo": limit}}}
        env = game("@E", agent=kind)
        for _ in range(3):
            play(env, EAST)
        assert held(env, "ore")[0] == most


def test_losing_a_modifier_drops_what_no_longer_fits():
    limits = {
        "first": {"base": 1, "resources": ["ore"], "modifiers": {"heart": 2}},
        "second": {"base": 0, "resources": ["heart"], "modifiers": {"armor": 1}},
    }
    kind = {"inventory": {"initial": {"armor": 2, "heart": 2, "ore": 5}, "limits": limits}}
    chest = {"vibe_transfers": {"default": {"armor": 1}}}
    env = classic_game("@C", agents=[kind], chest=chest)
    play(env, EAST)  # one armor less: room for one heart, and so for three ores
    assert inventory(env) == {"ore": 3, "heart": 1, "armor": 1}


def test_inventory_over_its_limit_is_cut_at_the_next_change():
    limits = {"o": {"base": 3, "resources": ["ore"]}}
    env = classic_game(
        "@C",
        agents=[{"inventory": {"initial": {"ore": 9}, "limits": limits}}],
        chest={"vibe_transfers": {"default": {"ore": 1}}},
    )
    play(env, EAST)
    assert held(env, "ore")[:2] == [3, 1]
