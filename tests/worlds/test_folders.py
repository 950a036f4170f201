"""Every world's folder has the same files for the same things."""

import importlib

import pytest

from mesocosm.worlds import registry

# module: the names that it defines
MODULES = {
    "config": ("Core",),
    "params": ("Params", "params"),
    "state": ("State", "fields"),
    "declare": ("spec",),
    "rules": (),
    "observe": (),
    "policies": ("POLICIES",),
    "render": ("text",),
}
# the rules of a world that has one set of them, by module
IN_RULES = ("reset", "transition", "ending", "rebuild")
IN_OBSERVE = ("sees", "group_of")
MOST_FILES = 15
SHIPPED = [
    name for name in registry.names() if registry.folder(name).parent == registry.HERE
]  # not those that packages add


def module_of(world, name):
    return importlib.import_module(f"mesocosm.worlds.{world}.{name}")


@pytest.mark.parametrize("world", SHIPPED)
def test_shipped_world_defines_each_thing_in_the_module_of_its_name(world):
    for name, things in MODULES.items():
        module = module_of(world, name)
        for thing in things:
            found = getattr(module, thing)
            home = getattr(found, "__module__", module.__name__)
            own = f"mesocosm.worlds.{world}."  # mettagrid's config is a package of its own
            inside = f"{home}.".startswith(own if world == "mettagrid" else f"{module.__name__}.")
            assert inside, f"{world}.{name}.{thing} is defined in {home}"


@pytest.mark.parametrize("world", SHIPPED)
def test_scene_and_invariants_lie_in_modules_of_their_names(world):
    found = registry.find(world)
    if found.scene is not None:
        assert found.scene is module_of(world, "scene").scene
    if found.invariants:
        assert found.invariants is module_of(world, "invariants").INVARIANTS


@pytest.mark.parametrize("world", [name for name in SHIPPED if not registry.find(name).variant])
def test_rules_and_views_lie_in_modules_of_their_names(world):
    rules = registry.find(world).rules
    places = [("rules", getattr(rules, name)) for name in IN_RULES]
    places += [("observe", getattr(rules, name)) for name in IN_OBSERVE]
    for role in rules.roles.values():
        places += [("rules", role.terms), ("observe", role.observe)]
        places += [("observe", role.mask), ("observe", role.inform)]
    for module, rule in places:
        assert rule is None or rule.__module__ == module_of(world, module).__name__


@pytest.mark.parametrize("world", [name for name in SHIPPED if not registry.find(name).variant])
def test_folder_has_a_readme_presets_and_at_most_fifteen_modules(world):
    folder = registry.folder(world)
    assert (folder / "README.md").is_file()
    assert registry.presets(world)
    assert len(list(folder.glob("*.py"))) <= MOST_FILES
