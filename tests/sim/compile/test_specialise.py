"""The step as written out for a world is the step as it stands in mesocosm.sim.step."""

import ast
from dataclasses import replace

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.sim.compile.specialise import specialise
from mesocosm.sim.handles import Hooks
from mesocosm.sim.targets.cells import wrap
from mesocosm.testing.play import outputs, wild_actions

PRESETS = ("commons/wardens", "commons/trust", "townlet/L7", "townlet/gossip", "mettagrid/toll")


def written_step(env, **how):
    """Write the step of an env's world out; give its text."""
    hooks = None if env.layering is None else env.layering.hooks
    return specialise(env.world, env.spec, hooks, **how)


def use_written_step(env):
    """Let an env of the python target run the text in place of the step itself."""
    module = {"__name__": "mesocosm.sim.written_step"}  # rules are registered with their module
    exec(compile(written_step(env), "written", "exec"), module)  # noqa: S102 (our own text)
    driver = env.driver
    arguments = tuple(wrap(entry) for entry in (driver.s, driver.f, driver.p, *driver.roles))
    module["fetch"] = lambda words: arguments
    driver.run = lambda: module["drive_bound"](None, 0, env.num_envs)
    env._run = driver.run


@pytest.mark.parametrize("preset", PRESETS)
def test_written_step_plays_as_the_step_itself_does(preset):
    envs = [meso.make(preset, num_envs=2, target="python", seed=5) for _ in range(2)]
    use_written_step(envs[1])
    rng = np.random.default_rng(5)
    steps = [env.reset() for env in envs]
    for _ in range(12):
        actions = wild_actions(envs[0], rng, steps[0], odd=0.1)
        steps = [env.step(actions) for env in envs]
        one, other = (outputs(env, step) for env, step in zip(envs, steps, strict=True))
        assert all(one[name].tobytes() == other[name].tobytes() for name in one)
    assert envs[0].digest() == envs[1].digest()


def test_plain_step_has_no_trace_of_layers():
    text = written_step(meso.make("commons", target="python"), cuda=True)
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert "r0" in names
    assert not {"layers", "layers0"} & names
    assert "mesocosm.layers" not in text
    assert "view_kernel" not in text


def test_layered_step_calls_every_hook():
    env = meso.make("commons/trust", target="python")
    called = {
        node.func.id
        for node in ast.walk(ast.parse(written_step(env)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert {function.__name__ for function in env.layering.hooks} <= called
    assert len(Hooks._fields) == len(set(env.layering.hooks))


def test_functions_are_written_per_role_and_get_only_what_they_use():
    text = written_step(meso.make("commons/wardens", target="python"))
    functions = {
        node.name: [arg.arg for arg in node.args.args]
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }
    assert functions["show_member_0"] == ["s", "f", "p", "r0", "e", "i"]
    assert functions["show_member_1"] == ["s", "f", "p", "r1", "e", "i"]
    assert functions["remember"] == ["s", "e"]
    assert functions["drive_bound"] == ["words", "lo", "hi"]


def test_a_rule_that_is_no_module_level_function_is_refused():
    env = meso.make("commons", target="python")
    rules = replace(env.world.rules, ending=lambda s, f, p, e: None)
    with pytest.raises(meso.MesocosmError, match="must be a module-level function"):
        specialise(replace(env.world, rules=rules), env.spec)
