"""Hashes of texts and the order of hash maps, as in libstdc++."""

from mesocosm.worlds.mettagrid.game.hash_order import text_hash, text_order


def test_text_hash_and_order_equal_those_of_libstdcxx():
    assert text_hash("heart.amount") == 8235450180373438056
    assert text_hash("") == 6142509188972423790
    assert text_hash("a") == 4993892634952068459
    keys = ["heart.amount", "ore.amount", "energy.amount", "carbon.gained", "a.b"]
    assert text_order(keys) == [
        "a.b", "carbon.gained", "ore.amount", "energy.amount", "heart.amount",
    ]  # fmt: skip
