"""Each kind of game has a set of rules of its own, which reaches no others."""

from dataclasses import replace
from functools import cache
from types import CodeType, FunctionType, ModuleType

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.sim.compile.cache import rules_of
from mesocosm.sim.compile.vet import vet
from mesocosm.sim.rule import RULES
from mesocosm.worlds import mettagrid
from mesocosm.worlds.mettagrid.rule_sets import CLASSIC, PLAIN, SCRIPTED, STATIONS

SETS = {"plain": PLAIN, "scripted": SCRIPTED, "stations": STATIONS, "classic": CLASSIC}
USED = {
    "arena100": PLAIN, "arena24": PLAIN, "assembly": CLASSIC, "clipped": CLASSIC,
    "cogs_vs_clips": SCRIPTED, "commune": PLAIN, "fog": PLAIN, "forage": PLAIN, "guild": PLAIN,
    "manual": STATIONS, "network": SCRIPTED, "talk": PLAIN, "territory": PLAIN, "toll": PLAIN,
    "walls24": PLAIN,
}  # fmt: skip
PACKAGE = f"{mettagrid.__name__}."
STATION_MODULES = {"stations.recipe", "stations.share", "stations.use"}
CLASSIC_MODULES = {"classic.meet", "classic.observe", "classic.tick", "rules.classic"}
SCRIPT_MODULES = {"vm.area", "vm.handler", "vm.lists", "vm.ray", "vm.tick", "rules.scripted"}
COGS_MODULES = {
    "vm.condition", "vm.effect", "vm.handler_plain", "vm.spawn", "rules.plain",
}  # fmt: skip


def named(code):
    """Yield the names that code and the code within it mention."""
    yield from code.co_names
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from named(value)


def reached(rules):
    """Return all rules that a set's rules can call, as module and name."""
    marked = {id(function) for function in RULES}
    waiting, found = rules_of(replace(mettagrid.WORLD, rules=rules)), {}
    while waiting:
        function = waiting.pop()
        if id(function) in found or id(function) not in marked:
            continue
        found[id(function)] = (function.__module__.removeprefix(PACKAGE), function.__name__)
        names = set(named(function.__code__))
        values = [function.__globals__.get(name) for name in names]
        for value in [value for value in values if isinstance(value, ModuleType)]:
            values += [vars(value).get(name) for name in names]
        waiting += [value for value in values if isinstance(value, FunctionType)]
    return set(found.values())


def modules(rules):
    return {module for module, _ in reached(rules)}


@pytest.mark.parametrize("name", SETS)
def test_walk_over_calls_finds_every_entry_and_deep_rules(name):
    found = reached(SETS[name])
    assert {rule.__name__ for rule in rules_of(replace(mettagrid.WORLD, rules=SETS[name]))} <= {
        function for _, function in found
    }
    assert {
        ("grid.inventory", "change_amount"), ("arithmetic.twister", "twist"),
        ("grid.value", "combine"),
    } <= found  # fmt: skip
    assert 100 < len(found) < (250 if name in ("plain", "classic") else 400)


@pytest.mark.parametrize("rules", SETS.values(), ids=SETS)
def test_rule_set_passes_the_vetting_of_compiled_rules(rules):
    vet(replace(mettagrid.WORLD, rules=rules))


@pytest.mark.parametrize("name", ["plain", "scripted"])
def test_cogs_without_stations_reaches_no_classic_module(name):
    assert not modules(SETS[name]) & (CLASSIC_MODULES | STATION_MODULES)


def test_cogs_with_stations_reaches_no_classic_module():
    found = modules(STATIONS)
    assert found >= STATION_MODULES | SCRIPT_MODULES
    assert not found & CLASSIC_MODULES


def test_classic_reaches_no_cogs_module():
    found = modules(CLASSIC)
    assert found >= CLASSIC_MODULES | STATION_MODULES
    assert not found & (COGS_MODULES | SCRIPT_MODULES)
    land = {name for module, name in reached(CLASSIC) if module == "grid.territory"}
    assert land == {"clear_land", "land_label"}  # of land that nobody claims


def test_plain_games_reach_no_interpreter_of_handlers():
    assert not modules(PLAIN) & SCRIPT_MODULES
    assert modules(SCRIPTED) >= SCRIPT_MODULES


def test_table_of_expected_rule_sets_names_every_preset():
    assert {f"mettagrid/{name}" for name in USED} == set(meso.presets("mettagrid"))


@pytest.mark.parametrize("name", USED)
def test_preset_is_played_by_its_rule_set(name):
    env = meso.make(f"mettagrid/{name}", target="python")
    assert env.world.rules is USED[name]


def test_rule_sets_have_the_same_roles_and_axes():
    for rules in SETS.values():
        assert list(rules.roles) == list(PLAIN.roles)
        assert rules.axes == PLAIN.axes


def set_of(**overrides):
    core = {f"core.{key}": value for key, value in overrides.items()}
    return meso.make("mettagrid/forage", core, target="python").world.rules


def handler(**change):
    return {"wall": {"kind": "wall"}, "mine": {"on_use": [{"mutations": [change]}]}}


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({"kind": "resource_delta", "resources": {"ore": 1}}, PLAIN),
        ({"kind": "change_vibe", "vibe": "carry"}, PLAIN),
        ({"kind": "set_stat", "stat": "x", "source": {"kind": "const"}}, SCRIPTED),
        ({"kind": "relocate"}, SCRIPTED),
        ({"kind": "spawn_object", "object": "wall"}, SCRIPTED),
    ],
)
def test_mutation_of_a_handler_decides_the_rule_set(change, rules):
    assert set_of(objects=handler(**change), map={"objects": {}}) is rules


def test_chest_in_cogs_selects_the_rule_set_with_stations():
    things = {"wall": {"kind": "wall"}, "box": {"kind": "chest"}}
    assert set_of(objects=things, map={"objects": {"box": 2}}) is STATIONS


def play(name, overrides=None, target="python", steps=40):
    env = meso.make(f"mettagrid/{name}", overrides, num_envs=2, target=target, seed=3)
    step, rng, seen = env.reset(), np.random.default_rng(3), []
    action = env.spec.roles["cog"].action
    for _ in range(steps):
        step = env.step(action.sample(rng, (2, env.spec.num_agents)))
        seen.append((step.obs.tobytes(), step.mask.tobytes(), step.reward.tobytes()))
    return env.world.rules, env.digest(), seen


@cache
def played_by_smallest_set(name):
    return play(name)


@pytest.mark.parametrize("name", ["forage", "territory", "talk"])
@pytest.mark.parametrize("rules", [SCRIPTED, STATIONS], ids=["scripted", "stations"])
def test_larger_rule_set_plays_a_plain_game_identically(monkeypatch, name, rules):
    smallest = played_by_smallest_set(name)
    monkeypatch.setattr(mettagrid, "WORLD", replace(mettagrid.WORLD, variant=lambda core: rules))
    larger = play(name)
    assert (smallest[0], larger[0]) == (PLAIN, rules)
    assert smallest[1:] == larger[1:]


def test_stations_in_cogs_play_identically_in_python_and_compiled():
    plain, compiled = (play("assembly", {"core.profile": "cogs"}, x) for x in ("python", "cpu"))
    assert plain[0] is STATIONS
    assert plain[1:] == compiled[1:]


COUNTED = {"kind": "query_count", "query": {"tag": "agent"}}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("core.on_tick", {"mutations": []}),
        ("core.actions.handlers", [{"mutations": []}]),
        ("core.events", {"rain": {"targets": {"tag": "agent"}}}),
        ("core.agent.areas", [{"radius": 1}]),
        ("core.materialized", [{"tag": "near", "query": {"tag": "agent"}}]),
        ("core.agent.rewards", {"x": {"value": COUNTED}}),
    ],
)
def test_classic_refuses_handlers_and_queries(path, value):
    with pytest.raises(ConfigError, match="only the profile cogs has handlers and queries"):
        meso.load_config("mettagrid/assembly", {path: value})
