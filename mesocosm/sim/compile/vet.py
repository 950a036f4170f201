"""Read a world's rules before they are compiled, and say in plain words what cannot work."""

import ast
import builtins
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from mesocosm.core.errors import RuleError, hint, short
from mesocosm.core.world import World
from mesocosm.sim.rule import RULES

SIGNATURES = {
    "reset": "s, f, p, e",
    "transition": "s, f, p, e",
    "ending": "s, f, p, e",
    "rebuild": "s, p, e",
    "turn": "s, f, p, e",
    "sees": "s, p, e, a, j",
    "group_of": "s, p, e, a",
    "owns": "s, p, e, a, k",
    "observe": "s, p, e, a, out",
    "terms": "s, f, p, e, a",
    "mask": "s, p, e, a, out",
    "inform": "s, p, e, a, out",
    "read": "s, p, e, a, k",
    "write": "s, p, e, a, k, value",
}
OWN = "mesocosm.sim."  # the engine's rules are tested already
NODES: dict[type[ast.AST], str] = {
    ast.List: "makes a list: rules allocate nothing",
    ast.ListComp: "makes a list: rules allocate nothing",
    ast.GeneratorExp: "makes a generator: rules allocate nothing",
    ast.Dict: "makes a dict: rules allocate nothing",
    ast.DictComp: "makes a dict: rules allocate nothing",
    ast.Set: "makes a set: rules allocate nothing",
    ast.SetComp: "makes a set: rules allocate nothing",
    ast.JoinedStr: "makes a string: rules allocate nothing",
    ast.Lambda: "makes a function: write it at module level and mark it with @rule",
    ast.FunctionDef: "makes a function: write it at module level and mark it with @rule",
    ast.Raise: "raises: rules cannot raise, because a GPU cannot",
    ast.Try: "catches an exception: rules cannot raise, because a GPU cannot",
    ast.With: "uses 'with': compiled code cannot",
    ast.Assert: "asserts: rules cannot raise, because a GPU cannot",
    ast.Import: "imports: import at the top of the module",
    ast.ImportFrom: "imports: import at the top of the module",
    ast.Global: "writes a global: what changes belongs into the state",
    ast.Nonlocal: "writes a variable of another function: what changes belongs into the state",
    ast.Yield: "yields: rules give back one value",
    ast.YieldFrom: "yields: rules give back one value",
    ast.Await: "awaits: compiled code cannot",
    ast.Delete: "deletes: rules only read and write arrays",
    ast.ClassDef: "makes a class: rules know numbers and arrays only",
}
EXACT = {
    "sqrt", "floor", "ceil", "trunc", "fabs", "copysign", "isnan", "isinf", "isfinite",
    "inf", "nan", "pi", "e", "tau",
}  # fmt: skip
INEXACT = "libraries differ in its last bit; exact are + - * / and math.sqrt"
BUILTINS = ("abs", "bool", "float", "int", "len", "max", "min", "range")
# what people reach for: what rules have instead
INSTEAD = {
    "print": "use emit(f, e, kind, actor, target, value), or a debugger on target='python'",
    "breakpoint": "set it on target='python' instead",
    "sum": "write the loop",
    "any": "write the loop",
    "all": "write the loop",
    "sorted": "write the loop",
    "enumerate": "use range(...)",
    "zip": "use range(...)",
    "reversed": "use range(n - 1, -1, -1)",
    "round": "use math.floor(x + 0.5)",
    "pow": "multiply",
    "divmod": "use // and %",
    "isinstance": "rules know numbers and arrays only",
    "open": "rules read and write arrays only",
    "input": "rules read and write arrays only",
    "np.abs": "use abs",
    "np.absolute": "use abs",
    "np.minimum": "use min",
    "np.maximum": "use max",
    "np.sqrt": "use math.sqrt",
    "np.floor": "use math.floor",
    "np.ceil": "use math.ceil",
    "np.isnan": "use math.isnan",
    "np.isfinite": "use math.isfinite",
    "np.clip": "use clip of mesocosm.sim.maths",
    "np.pi": "use math.pi",
    "np.inf": "use math.inf",
    "np.nan": "use math.nan",
}
CASTS = {"float": "use float", "int": "use int", "uint": "use int", "bool": "use bool"}
LOOP = "rules call rules and builtins on numbers; write the loop"
ALLOCATING = {
    "zeros", "ones", "empty", "full", "array", "asarray", "arange", "linspace", "zeros_like",
    "ones_like", "empty_like", "full_like", "where", "concatenate", "stack", "copy", "repeat",
}  # fmt: skip
TRANSCENDENTAL = {
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "exp",
    "exp2", "expm1", "log", "log2", "log10", "log1p", "power", "hypot", "cbrt",
}  # fmt: skip


def vet(world: World) -> None:
    """Raise `RuleError` for the first thing in a world's rules that cannot work when compiled."""
    marked = {id(function) for function in RULES}
    todo: list[Any] = []
    for kind, function in _entries(world):
        _check_entry(world, kind, function)
        todo.append(function)
    seen: set[int] = set()
    while todo:
        function = todo.pop()
        if id(function) in seen or function.__module__.startswith(OWN):
            continue
        seen.add(id(function))
        if id(function) not in marked:
            line = function.__code__.co_firstlineno
            raise problem(world, function, line, "is not marked with @rule")
        for callee, line in _Reader(world, function).read():
            if id(callee) not in marked and not callee.__module__.startswith(OWN):
                what = f"calls {callee.__name__!r}, which is not marked with @rule"
                raise problem(world, function, line, what)
            todo.append(callee)


def problem(world: World, function: Any, line: int, what: str) -> RuleError:
    """Build the error for one line of a rule."""
    path = Path(function.__code__.co_filename)
    return RuleError(f"{world.name}: {function.__name__} ({path}:{line}) {what}")


def _entries(world: World) -> Iterator[tuple[str, Any]]:
    """List the rules that the engine calls, by kind."""
    rules = world.rules
    owners = (rules, *rules.roles.values(), *rules.axes.values(), *rules.quantities.values())
    for owner in owners:
        for kind, function in vars(owner).items():
            if kind in SIGNATURES and function is not None:
                yield kind, function


def _check_entry(world: World, kind: str, function: Any) -> None:
    """A composed step imports rules by name, and calls each kind with the same arguments."""
    if not inspect.isfunction(function):
        raise RuleError(f"{world.name}: {kind} must be a function, got {short(function)}")
    line = function.__code__.co_firstlineno
    given = tuple(inspect.signature(function).parameters)
    if vars(sys.modules[function.__module__]).get(function.__name__) is not function:
        raise problem(world, function, line, "must be at module level under its own name")
    if len(given) != len(SIGNATURES[kind].split(", ")):
        what = f"must take ({SIGNATURES[kind]}) as a rule for {kind!r}, takes ({', '.join(given)})"
        raise problem(world, function, line, what)


class _Reader:
    """Reads the source of one rule."""

    def __init__(self, world: World, function: Any) -> None:
        self._world, self._function = world, function
        try:
            lines, self._first = inspect.getsourcelines(function)
        except OSError:  # made by exec, or shipped without source: then the compiler must say
            lines, self._first = ["def absent(): pass"], function.__code__.co_firstlineno
            self._check_code_names()
        tree: Any = ast.parse(textwrap.dedent("".join(lines))).body[0]
        self._body: list[ast.stmt] = tree.body
        stored = {name for part in self._body for name in _stored(part)}
        self._locals = stored | set(inspect.signature(function).parameters)
        self._fields = _fields(function)
        self._remarks = {
            id(node.value)
            for part in self._body
            for node in ast.walk(part)
            if isinstance(node, ast.Expr)
        }  # docstrings and the like

    def read(self) -> Iterator[tuple[Any, int]]:
        """Give the functions that are called, with their lines; raise at what cannot work."""
        for part in self._body:
            for node in ast.walk(part):
                self._check(node)
                found = self._value(node)
                if isinstance(found, FunctionType):
                    yield found, self._line(node)

    def _line(self, node: Any) -> int:
        return self._first + int(node.lineno) - 1

    def _fail(self, node: Any, what: str) -> RuleError:
        return problem(self._world, self._function, self._line(node), what)

    def _check(self, node: Any) -> None:
        if type(node) in NODES:
            raise self._fail(node, NODES[type(node)])
        if isinstance(node, ast.Name):
            self._check_name(node)
        elif isinstance(node, ast.Attribute):
            self._check_attribute(node)
        elif isinstance(node, ast.Call):
            self._check_call(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            if id(node) not in self._remarks:
                raise self._fail(node, "holds text: rules know numbers and arrays only")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            power = node.right.value if isinstance(node.right, ast.Constant) else 0
            if isinstance(power, float) and not power.is_integer():
                raise self._fail(node, f"uses ** {power}: {INEXACT}")
        found = self._value(node)
        if isinstance(found, BuiltinFunctionType) and found.__module__ == "math":
            self._check_library(node, "math", found.__name__)

    def _check_code_names(self) -> None:
        """Refuse builtins that would hang or crash the compiler, by the names in the bytecode."""
        code = self._function.__code__
        for name in code.co_names:
            if name in INSTEAD and name not in self._function.__globals__:
                what = f"uses {name}: {INSTEAD[name]}"
                raise problem(self._world, self._function, code.co_firstlineno, what)

    def _check_name(self, node: ast.Name) -> None:
        known = self._function.__globals__
        if node.id in self._locals or node.id in known or node.id in BUILTINS:
            return
        if hasattr(builtins, node.id):
            instead = INSTEAD.get(node.id, f"rules may use {', '.join(BUILTINS)}")
            raise self._fail(node, f"uses {node.id}: {instead}")
        meant = hint(node.id, {*self._locals, *known}).partition(" Available")[0]
        raise self._fail(node, f"uses {node.id!r}, which is not defined.{meant}")

    def _check_attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.value, ast.Name):
            return
        fields = self._fields.get(node.value.id)
        if fields is not None and node.attr not in (*fields, "count", "index"):
            name = f"{node.value.id}.{node.attr}"
            raise self._fail(node, f"uses {name}, which does not exist.{hint(node.attr, fields)}")
        owner = self._value(node.value)
        if isinstance(owner, ModuleType):
            self._check_library(node, owner.__name__, node.attr)

    def _check_library(self, node: Any, module: str, name: str) -> None:
        if module == "math" and name not in EXACT:
            raise self._fail(node, f"uses math.{name}: {INEXACT}")
        if module == "numpy" and name in TRANSCENDENTAL:
            raise self._fail(node, f"uses np.{name}: {INEXACT}")
        if module == "numpy" and name in ALLOCATING:
            raise self._fail(node, f"uses np.{name}: rules allocate nothing")
        if (module, name) == ("numpy", "random") or module == "random":
            what = "random numbers come from mesocosm/sim/rng.py, by word, time, stream and index"
            raise self._fail(node, f"uses {module}.{name}: {what}")
        if module.partition(".")[0] == "numpy":
            cast = CASTS.get(name.rstrip("0123456789_"), LOOP)
            raise self._fail(node, f"uses np.{name}: {INSTEAD.get(f'np.{name}', cast)}")
        found = getattr(sys.modules.get(module), name, None)
        if isinstance(found, BuiltinFunctionType) and module != "math":
            raise self._fail(node, f"calls {module}.{name}: {LOOP}")

    def _check_call(self, node: ast.Call) -> None:
        callee = self._value(node.func)
        if isinstance(node.func, ast.Attribute) and not isinstance(
            self._value(node.func.value), ModuleType
        ):
            raise self._fail(node, f"calls the method .{node.func.attr}(): {LOOP}")
        if not isinstance(callee, FunctionType) or any(
            isinstance(given, ast.Starred) for given in node.args
        ):
            return
        names = {word.arg: None for word in node.keywords if word.arg is not None}
        try:
            inspect.signature(callee).bind(*node.args, **names)
        except TypeError as error:
            signature = ", ".join(inspect.signature(callee).parameters)
            raise self._fail(node, f"calls {callee.__name__}({signature}): {error}") from None

    def _value(self, node: Any) -> Any:
        """Find what a global name, or an attribute of a global module, stands for."""
        if isinstance(node, ast.Name) and node.id not in self._locals:
            return self._function.__globals__.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self._value(node.value)
            return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
        return None


def _stored(part: ast.AST) -> Iterator[str]:
    """List the variables that a piece of code assigns."""
    for node in ast.walk(part):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _fields(function: Any) -> dict[str, tuple[str, ...]]:
    """Find the fields of each parameter that is annotated with a NamedTuple."""
    notes = inspect.get_annotations(function)
    return {name: kind._fields for name, kind in notes.items() if hasattr(kind, "_fields")}
