"""Code that comes with the package is used only on CPUs that run it."""

import pytest

from mesocosm.sim.compile import code_cache, shipped
from mesocosm.sim.compile.code_cache import find_code
from mesocosm.sim.compile.shipped import BASELINE, FEATURES, index_key, shipped_folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    monkeypatch.setattr(shipped, "lacking", tuple)
    (tmp_path / "commons-1").mkdir()
    return tmp_path / "commons-1"


def test_shipped_code_is_found_by_its_name_before_what_is_kept(folder, monkeypatch):
    monkeypatch.setattr(code_cache, "is_kept", lambda name: True)
    assert shipped_folder("commons-1") == folder
    assert find_code("commons-1") == "shipped"
    assert shipped_folder("commons-2") is None  # other sources, versions or settings
    assert find_code("commons-2") == "kept"


def test_shipped_code_is_not_used_on_a_cpu_that_lacks_something(folder, monkeypatch):
    monkeypatch.setattr(shipped, "lacking", lambda: ("avx2",))
    assert shipped_folder("commons-1") is None


def test_shipped_code_is_not_used_where_another_cpu_is_asked_for(folder, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert shipped_folder("commons-1") is None


def test_a_cpu_of_which_nothing_is_known_lacks_everything(monkeypatch):
    from llvmlite import binding

    monkeypatch.setattr(binding, "get_host_cpu_features", dict)
    assert shipped.lacking.__wrapped__() == shipped.NEEDED


def test_the_key_of_shipped_code_names_the_baseline_and_keeps_all_else():
    key = ("signature", ("x86_64-linux", "znver4", "+avx512f"), ("code", "cells"))
    assert index_key(key) == ("signature", ("x86_64-linux", BASELINE, FEATURES), ("code", "cells"))
