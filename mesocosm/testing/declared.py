"""Check that a world's rules read the handles it declares: what layers turn must turn something."""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from mesocosm.core.spec import Spec
from mesocosm.core.world import Rules
from mesocosm.sim.link import is_linked, may
from mesocosm.testing.case import Case

ENGINE = "mesocosm.sim."  # the engine's own rules set handles, they do not use them
FRAME = "f"  # what rules call the frame
INDEXED = {"tunable": 2, "effect": 3}  # handles by number, and how many indexes reach one
LINK_ARGUMENT = 4  # of `may(f, e, a, other, link)`
ANY = -1  # a number that is only known while a step is played


@dataclass
class HandleReads:
    """The handles of the frame that rules read, by number where they have numbers.

    Args:
        whole: Whether there was source of all rules; code made at run time has none.
    """

    whole: bool = True
    order: bool = False
    split: bool = False
    tunable: set[int] = field(default_factory=set)
    effect: set[int] = field(default_factory=set)
    link: set[int] = field(default_factory=set)


def handles_are_read(case: Case) -> None:
    """Rules read every conflict, tunable, effect and link that the world declares."""
    env = case.make(target="python", num_envs=1)
    for what in unread_handles(env.inner, env.world.rules):
        raise case.fail("handles", what)


def unread_handles(spec: Spec, rules: Rules) -> Iterator[str]:
    """Say what is declared and not read, and what is read and not declared."""
    found = find_reads(rules)
    if not found.whole:
        return
    for conflict in spec.conflicts:
        if conflict.ordered and not found.order:
            yield f"conflict {conflict.name!r} is declared ordered, but no rule reads f.order"
        if conflict.divisible and not found.split:
            yield f"conflict {conflict.name!r} is declared divisible, but no rule reads f.split"
    if found.order and not any(conflict.ordered for conflict in spec.conflicts):
        yield "rules read f.order, but no conflict is declared ordered"
    if found.split and not any(conflict.divisible for conflict in spec.conflicts):
        yield "rules read f.split, but no conflict is declared divisible"
    for kind, names, numbers, how in (
        ("tunable", [entry.name for entry in spec.tunables], found.tunable, "f.tunable[e, {}]"),
        ("effect", [entry.name for entry in spec.effects], found.effect, "f.effect[e, a, {}]"),
        ("link", [entry.name for entry in spec.links], found.link, "may(f, e, a, other, {})"),
    ):
        for number, name in enumerate(names):
            if number not in numbers and ANY not in numbers:
                yield f"no rule reads the {kind} {name!r}: {how.format(number)}"


def find_reads(rules: Rules) -> HandleReads:
    """Read the source of every rule that a step can reach."""
    found = HandleReads()
    todo, seen = [*_entries(rules)], set[Any]()
    while todo:
        function = todo.pop()
        if function in seen or function.__module__.startswith(ENGINE):
            continue
        seen.add(function)
        for node in ast.walk(_parse(function, found)):
            value = _global(node, function)
            if isinstance(value, FunctionType):
                todo.append(value)
            _note(node, function, found)
    return found


def _parse(function: Any, found: HandleReads) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except OSError:
        found.whole = False
        return ast.Module([], [])


def _entries(rules: Rules) -> Iterator[Any]:
    for owner in (rules, *rules.roles.values(), *rules.axes.values()):
        yield from (entry for entry in vars(owner).values() if isinstance(entry, FunctionType))


def _note(node: ast.AST, function: Any, found: HandleReads) -> None:
    """Write down what one piece of source reads."""
    if isinstance(node, ast.Subscript):
        name, given = _handle(node.value), _elements(node.slice)
        if name in INDEXED:
            exact = len(given) == INDEXED[name]
            getattr(found, name).add(_number(given[-1], function) if exact else ANY)
        found.order |= name == "order"
        found.split |= name == "split"
    elif isinstance(node, ast.Call) and _global(node.func, function) in (may, is_linked):
        exact = len(node.args) > LINK_ARGUMENT
        found.link.add(_number(node.args[LINK_ARGUMENT], function) if exact else ANY)


def _handle(node: ast.AST) -> str:
    """Name the handle that `f.NAME` reads."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == FRAME else ""
    return ""


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _number(node: ast.AST, function: Any) -> int:
    """Work out an index that is written as a number or as a name of the module."""
    value = node.value if isinstance(node, ast.Constant) else _global(node, function)
    return value if isinstance(value, int) else ANY


def _global(node: ast.AST, function: Any) -> Any:
    """Find what a global name, or an attribute of a global module, stands for."""
    if isinstance(node, ast.Name):
        return None if node.id in _locals(function) else function.__globals__.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _global(node.value, function)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None


def _locals(function: Any) -> Iterable[str]:
    names: tuple[str, ...] = function.__code__.co_varnames
    return names
