"""A world may have several sets of rules."""

from dataclasses import replace

from mesocosm.worlds import registry

WORLD = registry.find("probe")


def test_a_world_with_one_set_of_rules_fits_every_core():
    assert WORLD.fitted(object()) is WORLD


def test_a_world_with_several_sets_is_fitted_with_that_of_a_core():
    other = replace(WORLD.rules, turn=None)
    world = replace(WORLD, variant=lambda core: other if core == "odd" else WORLD.rules)
    assert world.fitted("odd").rules is other
    assert world.fitted("even") == replace(world, rules=WORLD.rules)
