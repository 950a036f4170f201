from dataclasses import replace

import mesocosm as meso
from mesocosm import precompile
from mesocosm.build import code_name
from mesocosm.precompile import list_variants
from mesocosm.worlds import registry


def test_one_compilation_serves_all_presets_of_a_world_that_share_rules_and_layers():
    count = {}
    for variant in list_variants(["commons", "island", "mettagrid", "townlet"], layers=True):
        count.setdefault(variant.world, []).append(variant.layered)
    assert count["commons"] == count["island"] == count["townlet"] == [False, True]
    assert count["mettagrid"] == [False] * 4 + [True] * 4  # it has four sets of rules


def test_every_set_of_rules_of_the_shipped_worlds_has_a_preset():
    assert not any(variant.overrides for variant in list_variants(meso.world_names()))


def test_sets_of_rules_that_no_preset_needs_are_listed_for_a_whole_world_alone(monkeypatch):
    example = {"core.objects.box": {"kind": "chest"}}
    world = replace(registry.find("mettagrid"), examples=(example,))
    monkeypatch.setattr(precompile.registry, "find", lambda _: world)
    monkeypatch.setattr(precompile, "presets", lambda _: ["mettagrid/forage"])
    whole = [variant for variant in list_variants(["mettagrid"]) if variant.overrides]
    assert [(one.presets, one.overrides) for one in whole] == [(("mettagrid",), example)]
    assert not any(variant.overrides for variant in list_variants(["mettagrid/forage"]))


def test_the_name_of_code_is_that_of_its_folder(tmp_path, monkeypatch):
    env = meso.make("probe")
    assert code_name(env.config) in env.driver.drive.stats.cache_path
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path))
    code_name(env.config)
    assert list(tmp_path.iterdir()) == []
