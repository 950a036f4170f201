"""The registry says exactly what is wrong with a world that cannot be used."""

import sys

import pytest

import mesocosm as meso
from mesocosm.cli.app import status
from mesocosm.core.errors import ConfigError, SpecError
from mesocosm.worlds import registry

REAL = """
from dataclasses import replace
from mesocosm.worlds.registry import find
WORLD = replace(find("commons"), name="broken", {change})
"""


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Make a package `broken` with this text in it, found as a world."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        registry, "_folders", lambda: {"broken": "broken", "commons": "mesocosm.worlds.commons"}
    )
    folder = tmp_path / "broken"

    def write(text, *presets):
        (folder / "presets").mkdir(parents=True)
        (folder / "__init__.py").write_text(text)
        for name, said in presets:
            lines = f"schema: 1\nidentity: {{world: broken, version: 1, preset: {said}, seed: 0}}\n"
            sections = "core: {}\nlayers: {}\nagents: {}\ninstrumentation: {}\n"
            (folder / "presets" / f"{name}.yaml").write_text(lines + sections)
        return folder

    yield write
    sys.modules.pop("broken", None)


def test_a_module_without_a_world_is_refused_with_its_file(broken):
    folder = broken("WROLD = 1")
    with pytest.raises(SpecError) as caught:
        registry.find("broken")
    wanted = "must define WORLD, a World named 'broken', got None"
    assert str(caught.value) == f"{folder}/__init__.py: {wanted}"


def test_a_folder_that_is_no_package_is_refused_with_its_place(broken):
    folder = broken("")
    (folder / "__init__.py").unlink()
    with pytest.raises(SpecError, match=rf"{folder}, which has no __init__\.py: must define WORLD"):
        registry.find("broken")


def test_a_world_that_cannot_be_imported_is_refused_with_the_reason(broken):
    broken("import nothing_of_that_name")
    with pytest.raises(SpecError, match="cannot import broken: ModuleNotFoundError: No module"):
        registry.find("broken")


def test_a_broken_world_does_not_hide_the_others(broken, capsys):
    broken("1 +")
    assert status(["worlds"]) == 0
    out, err = capsys.readouterr()
    assert "commons/default" in out
    assert "mesocosm: world 'broken': cannot import broken: SyntaxError" in err


def test_a_world_without_presets_is_refused(broken):
    folder = broken(REAL.format(change=""))
    with pytest.raises(SpecError) as caught:
        meso.check_world("broken")
    wanted = f"world 'broken' has no presets: put default.yaml into {folder}/presets"
    assert str(caught.value) == wanted


def test_a_preset_that_says_another_name_is_refused(broken):
    broken(REAL.format(change=""), ("default", "easy"))
    with pytest.raises(ConfigError) as caught:
        meso.load_config("broken")
    wanted = "identity.preset: must be the file's name 'default', got 'easy'"
    assert str(caught.value) == f"broken/default: {wanted}"


def test_a_spec_of_another_world_is_refused(broken):
    broken(REAL.format(change=""), ("default", "default"))
    with pytest.raises(SpecError, match="broken: the spec is of 'commons' 1, WORLD is 'broken' 1"):
        meso.make("broken", target="python")


SPEC = "spec=lambda core: replace(find('commons').spec(core), world='broken')"
RULES = "rules=replace(find('commons').rules, roles={'harvester': None})"


def test_a_role_without_rules_is_refused(broken):
    broken(REAL.format(change=f"{SPEC}, {RULES}"), ("default", "default"))
    wanted = r"declares roles \['harvester', 'warden'\], Rules has rules for \['harvester'\]"
    with pytest.raises(SpecError, match=wanted):
        meso.make("broken", target="python")


TURNS = "rules=replace(find('commons').rules, turn=None)"


def test_turns_that_follow_the_state_need_a_rule(broken):
    broken(REAL.format(change=f"{SPEC}, {TURNS}"), ("default", "default"))
    with pytest.raises(
        SpecError, match="broken: turns follow the state, but there is no turn rule"
    ):
        meso.make("broken", {"core.turns": "state"}, target="python")
