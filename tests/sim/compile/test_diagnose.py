"""Rules that cannot be compiled are refused in one sentence that says where and why."""

import math
import time
from dataclasses import replace
from math import cos

import numpy as np
import pytest

from mesocosm.core.errors import RuleError
from mesocosm.sim.compile.diagnose import diagnosing
from mesocosm.sim.compile.vet import vet
from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.sim.targets.launch import launch
from mesocosm.worlds.registry import find, names

# ruff: noqa: F821, ANN, PLR2004 (the mistakes are what is tested)


def helper(x):
    return x


def unmarked(s, f, p, e):
    pass


@rule
def calls_unmarked(s, f, p, e):
    helper(e)


@rule
def makes_array(s, f, p, e):
    s.x[0] = np.zeros(3)[0]


@rule
def makes_list(s, f, p, e):
    _ = [e]


@rule
def makes_string(s, f, p, e):
    _ = f"{e}"


@rule
def uses_sine(s, f, p, e):
    s.x[e] = math.sin(1.0)


@rule
def uses_imported_cosine(s, f, p, e):
    s.x[e] = cos(1.0)


@rule
def uses_fraction(s, f, p, e):
    s.x[e] = s.x[e] ** 0.3


@rule
def uses_generator(s, f, p, e):
    s.x[e] = np.random.random()


@rule
def mistypes_frame(s, f: Frame, p, e):
    f.brith[e, 0] = True


@rule
def mistypes_name(s, f, p, e):
    emit(f, e, KIND, 0, -1, 0.0)


@rule
def forgets_argument(s, f, p, e):
    emit(f, e, 0, 0)


@rule
def takes_too_few(s, e):
    pass


@rule
def raises(s, f, p, e):
    raise ValueError


@rule
def prints(s, f, p, e):
    print(s.x[e])


@rule
def uses_numpy(s, f, p, e):
    s.x[e] = np.abs(s.x[e])


@rule
def casts_by_numpy(s, f, p, e):
    s.x[e] = np.float32(s.x[e])


@rule
def sums_by_numpy(s, f, p, e):
    s.x[e] = np.sum(s.x)


@rule
def calls_method(s, f, p, e):
    s.x[e] = s.x.sum()


@rule
def sums(s, f, p, e):
    s.x[e] = sum(s.x)


@rule
def reads_clock(s, f, p, e):
    s.x[e] = time.perf_counter()


@rule
def holds_text(s, f, p, e):
    s.x[e] = p.mode == "full"


@rule
def asserts(s, f, p, e):
    assert s.x[e] > 0


@rule
def imports(s, f, p, e):
    import os  # noqa: F401


@rule
def uses_unlisted_builtin(s, f, p, e):
    s.x[e] = id(s)


REFUSED = {
    unmarked: "unmarked .*is not marked with @rule",
    calls_unmarked: "calls_unmarked .*calls 'helper', which is not marked with @rule",
    makes_array: "uses np.zeros: rules allocate nothing",
    makes_list: "makes a list: rules allocate nothing",
    makes_string: "makes a string",
    uses_sine: "uses math.sin: libraries differ in its last bit",
    uses_imported_cosine: "uses math.cos",
    uses_fraction: r"uses \*\* 0.3",
    uses_generator: "uses numpy.random: random numbers come from mesocosm/sim/rng.py",
    mistypes_frame: "uses f.brith, which does not exist. Did you mean 'birth'?",
    mistypes_name: "uses 'KIND', which is not defined",
    forgets_argument: r"calls emit\(f, e, kind, actor, target, value\): missing a required",
    takes_too_few: r"must take \(s, f, p, e\) as a rule for 'ending', takes \(s, e\)",
    raises: "raises: rules cannot raise",
    prints: r"uses print: use emit\(f, e, kind",
    uses_numpy: "uses np.abs: use abs",
    casts_by_numpy: "uses np.float32: use float",
    sums_by_numpy: "uses np.sum: .*write the loop",
    calls_method: r"calls the method .sum\(\): .*write the loop",
    sums: "uses sum: write the loop",
    reads_clock: "calls time.perf_counter: rules call rules",
    holds_text: "holds text: rules know numbers and arrays only",
    asserts: "asserts: rules cannot raise",
    imports: "imports: import at the top of the module",
    uses_unlisted_builtin: "uses id: rules may use abs, bool, float, int, len, max, min, range",
}


def world_with(function):
    world = find("commons")
    return replace(world, rules=replace(world.rules, ending=function))


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_a_rule_that_cannot_work_is_refused_before_it_is_compiled(function):
    with pytest.raises(RuleError, match=REFUSED[function]) as caught:
        vet(world_with(function))
    first = function.__code__.co_firstlineno
    assert any(f"test_diagnose.py:{line})" in str(caught.value) for line in range(first, first + 3))
    assert "\n" not in str(caught.value)


def test_a_rule_must_be_at_module_level():
    @rule
    def inner(s, f, p, e):
        pass

    with pytest.raises(RuleError, match=r"inner .*must be at module level under its own name"):
        vet(world_with(inner))


@pytest.mark.parametrize("world", names())
def test_the_rules_of_every_world_are_accepted(world):
    vet(find(world))


def test_a_refused_world_still_plays_as_plain_python(monkeypatch):
    from mesocosm.sim.targets import launch as module

    monkeypatch.setattr(module, "vet", lambda world: pytest.fail("vetted"))
    import mesocosm as meso

    meso.make("commons", target="python").reset()


@rule
def mixes_types(x):
    total = 0
    for _ in range(2):
        total = "many" if x[0] > 1 else total
    x[0] = len(total)


@rule
def indexes_by_float(x):
    x[x[0] / 2] = 1


@rule
def uses_attribute(x):
    x[0] = x.sise


def calls_helper(x):
    x[0] = helper(x[0])


TRANSLATED = {
    mixes_types: "'total' is .* in one place and .* in another",
    indexes_by_float: "indexes with what is no integer",
    uses_attribute: "uses 'sise', which array does not have",
    calls_helper: "calls 'helper', which is not marked with @rule",
}


@pytest.mark.parametrize("function", TRANSLATED, ids=lambda function: function.__name__)
def test_what_numba_says_becomes_one_sentence(function):
    with (
        pytest.raises(RuleError, match=TRANSLATED[function]) as caught,
        diagnosing(world_with(unmarked)),
    ):
        launch(function, "cpu")(np.zeros(3, np.int64))
    first = function.__code__.co_firstlineno
    assert any(f"test_diagnose.py:{line})" in str(caught.value) for line in range(first, first + 7))
    assert type(caught.value.__cause__).__module__.startswith("numba")
    assert "\n" not in str(caught.value)


def test_other_errors_are_left_alone():
    with pytest.raises(ZeroDivisionError), diagnosing(find("commons")):
        _ = 1 / 0


def test_a_rule_without_source_is_left_to_the_compiler(monkeypatch):
    def absent(function):
        raise OSError

    monkeypatch.setattr("inspect.getsourcelines", absent)
    vet(world_with(uses_sine))


def test_a_rule_without_source_is_refused_when_it_prints(monkeypatch):
    def absent(function):
        raise OSError

    monkeypatch.setattr("inspect.getsourcelines", absent)
    with pytest.raises(RuleError, match=r"prints .*uses print"):
        vet(world_with(prints))
