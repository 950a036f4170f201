import mesocosm as meso
from mesocosm.build import code_name
from mesocosm.precompile import list_variants


def test_one_compilation_serves_all_presets_of_a_world_that_share_rules_and_layers():
    count = {}
    for variant in list_variants(["commons", "island", "mettagrid", "townlet"], layers=True):
        count.setdefault(variant.world, []).append(variant.layered)
    assert count["commons"] == count["island"] == count["townlet"] == [False, True]
    assert count["mettagrid"] == [False] * 3 + [True] * 3  # its presets use three sets of rules


def test_the_name_of_code_is_that_of_its_folder(tmp_path, monkeypatch):
    env = meso.make("probe")
    assert code_name(env.config) in env.driver.drive.stats.cache_path
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path))
    code_name(env.config)
    assert list(tmp_path.iterdir()) == []
