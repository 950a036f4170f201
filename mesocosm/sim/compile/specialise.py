"""Write `mesocosm.sim.step` out for one world, so that a compiler sees a single static program.

The step is read as source and evaluated as far as it is known beforehand. Known is a batch whose
arrays are mere names: which roles and fields there are, and which functions their rules are. So a
loop over roles is unrolled, `role.observe(...)` becomes a call of the function by its name, `if
batch.hooks is not None` is decided, and a function is written once for every role it is called for.
What remains is plain source text (open it, set a breakpoint in it), and one compilation of it
serves every config of the world.
"""

import ast
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeGuard

from mesocosm.core.errors import SpecError
from mesocosm.core.spec import Spec
from mesocosm.core.world import Rule, World
from mesocosm.sim.bound import BoundBatch, bind
from mesocosm.sim.handles import Hooks

CPU_ENTRIES = ("drive_bound",)
CUDA_ENTRIES = ("act_kernel", "show_kernel", "finish_kernel")
LAYERED_CUDA_ENTRIES = ("view_kernel", "share_kernel")
HEAD = '''"""The step of {name!r}, written out of mesocosm.sim.step. Generated: do not edit."""

{imports}

fetch = None  # compiled code only; see mesocosm.sim.compile.reference
'''


@dataclass(frozen=True)
class Symbol:
    """An array, or a tuple of arrays, of which only its name is known."""

    text: str

    def __getattr__(self, name: str) -> "Symbol":
        return Symbol(f"{self.text}.{name}")


class Source:
    """The functions of a source file that get `batch`, and what the file imports, by name."""

    def __init__(self, path: Path) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.imports: dict[str, str] = {}
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                self.functions[node.name] = node
            elif isinstance(node, ast.ImportFrom):
                names = {
                    alias.name: f"from {node.module} import {alias.name}" for alias in node.names
                }
                self.imports |= names


@cache
def sources() -> Source:
    """Read the step, and the kernels beside it."""
    folder = Path(__file__).parent.parent
    step, kernels = Source(folder / "step.py"), Source(folder / "kernels.py")
    step.functions |= kernels.functions
    step.imports |= kernels.imports
    return step


def specialise(world: World, spec: Spec, hooks: Hooks | None = None, *, cuda: bool = False) -> str:
    """Write the step of a world; `cuda` adds the kernels that need numba's cuda."""
    names = ["s", "f", "p", *(f"r{k}" for k in range(len(spec.all_roles)))]
    if hooks is not None:
        names += ["layers", *(f"layers{k}" for k in range(len(spec.all_roles)))]
    batch = bind(world, spec, hooks, tuple(Symbol(name) for name in names))
    entries: tuple[str, ...] = CPU_ENTRIES
    if cuda:
        entries += CUDA_ENTRIES + (LAYERED_CUDA_ENTRIES if hooks is not None else ())
    return _write(world.name, batch, tuple(names), entries)


@cache
def _write(name: str, batch: BoundBatch, names: tuple[str, ...], entries: tuple[str, ...]) -> str:
    """Write the step of a batch of symbols: equal for all envs of one set of rules and layers."""
    writer = Writer(batch, names)
    for entry in entries:
        writer.write_entry(entry)
    imports = "\n".join(sorted(writer.imports))
    return HEAD.format(name=name, imports=imports) + "\n\n".join(["", *writer.blocks]) + "\n"


class Writer:
    """The functions of one world's step, each written after those it calls."""

    def __init__(self, batch: BoundBatch, names: tuple[str, ...]) -> None:
        self.batch, self.names = batch, names
        self.blocks: list[str] = []
        self.imports = {"from mesocosm.sim.rule import rule"}
        self._needs: dict[str, tuple[str, ...]] = {}
        self._aliases: dict[str, Rule] = {}

    def write_entry(self, name: str) -> None:
        """Write a function that is called with a block of words in place of the batch."""
        body = Body(self, {"batch": self.batch})
        node = body.write(sources().functions[name])
        fetched = ", ".join(self.names)
        node.body.insert(1, ast.parse(f"{fetched} = fetch(words)").body[0])
        self._add(name, node, ("words",), decorated=False)

    def write_function(self, name: str, given: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Write a function for the roles it is given, once; give its name and what it needs."""
        role = given.get("role")
        if not given.keys() <= {"batch", "role"}:
            raise AssertionError(f"{name} is written for roles, not for {sorted(given)}")
        made = name if role is None else f"{name}_{self.batch.roles.index(role)}"
        if made not in self._needs:
            body = Body(self, given)
            node = body.write(sources().functions[name])
            needs = tuple(entry for entry in self.names if entry in body.used)
            self._needs[made] = needs
            self._add(made, node, needs, decorated=True)
        return made, self._needs[made]

    def _add(
        self, name: str, node: ast.FunctionDef, needs: tuple[str, ...], *, decorated: bool
    ) -> None:
        kept = [arg.arg for arg in node.args.args if arg.arg not in ("batch", "role")]
        arguments = [ast.arg(entry) for entry in (*needs, *kept)]
        node.args = ast.arguments([], arguments, kwonlyargs=[], kw_defaults=[], defaults=[])
        node.name, node.returns = name, None
        node.decorator_list = [ast.Name("rule")] if decorated else []
        self.blocks.append(ast.unparse(ast.fix_missing_locations(node)))

    def import_rule(self, function: FunctionType) -> str:
        """Import a rule, which must stand at module level under its own name; give its alias."""
        name, where = function.__name__, function.__module__
        if vars(sys.modules[where]).get(name) is not function:
            what = "must be a module-level function under its own name"
            raise SpecError(f"rule {where}.{function.__qualname__}: {what}")
        alias, count = name, 1
        while self._is_taken(alias, function):
            count += 1
            alias = f"{name}_{count}"
        self._aliases[alias] = function
        self.imports.add(f"from {where} import {name} as {alias}")
        return alias

    def _is_taken(self, alias: str, function: Any) -> bool:
        known = sources()
        if alias in self._aliases:
            return self._aliases[alias] is not function
        return alias in known.functions or alias in known.imports or alias in self.names


class Body(ast.NodeTransformer):
    """Evaluates the body of one function as far as its arguments are known."""

    def __init__(self, writer: Writer, known: dict[str, Any]) -> None:
        self.writer, self.known = writer, known
        self.used: set[str] = set()

    def write(self, function: ast.FunctionDef) -> ast.FunctionDef:
        """Give the function with all that is known in it evaluated."""
        copied = ast.parse(ast.unparse(function)).body[0]
        if not isinstance(copied, ast.FunctionDef):
            raise AssertionError("a function is written as one")
        copied.body = self._statements(copied.body)
        return copied

    def _statements(self, given: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in given:
            found = self.visit(statement)
            made += found if isinstance(found, list) else [found]
        return made

    def _value(self, node: ast.expr) -> tuple[bool, Any]:
        """Say whether an expression is known beforehand, and what it is."""
        if isinstance(node, ast.Name) and node.id in self.known:
            return True, self.known[node.id]
        if isinstance(node, ast.Attribute):
            is_known, owner = self._value(node.value)
            if is_known:
                return True, getattr(owner, node.attr)
        return False, None

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        is_known, value = self._value(node)
        if not is_known:
            self.generic_visit(node)
            return node
        if isinstance(value, Symbol):
            self.used.add(value.text.split(".")[0])
            return ast.parse(value.text, mode="eval").body
        if isinstance(value, FunctionType):
            return ast.Name(self.writer.import_rule(value))
        if isinstance(value, int):
            return ast.Constant(value)
        raise AssertionError(f"{ast.unparse(node)} cannot be written")

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = sources().imports.get(node.id)
        if found is not None:
            self.writer.imports.add(found)
        return node

    def visit_For(self, node: ast.For) -> Any:
        is_known, values = self._value(node.iter)
        if not is_known:
            self.generic_visit(node)
            return node
        if not isinstance(node.target, ast.Name):
            raise AssertionError("a loop over what is known has one name")
        outer, made = self.known, []
        for value in values:
            self.known = {**outer, node.target.id: value}
            copied = ast.parse("\n".join(ast.unparse(part) for part in node.body)).body
            made += self._statements(copied)
        self.known = outer
        return made

    def visit_If(self, node: ast.If) -> Any:
        test = node.test
        if _compares_with_none(test):
            is_known, value = self._value(test.left)
            if is_known:
                holds = (value is None) == isinstance(test.ops[0], ast.Is)
                return self._statements(node.body if holds else node.orelse)
        node.test = self.visit(test)
        node.body = self._statements(node.body) or [ast.Pass()]
        node.orelse = self._statements(node.orelse)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.func.id not in sources().functions:
            self.generic_visit(node)
            return node
        name = node.func.id
        parameters = [arg.arg for arg in sources().functions[name].args.args]
        known, rest = {}, []
        for parameter, given in zip(parameters, node.args, strict=True):
            is_known, value = self._value(given)
            if is_known and not isinstance(value, Symbol):
                known[parameter] = value
            else:
                rest.append(self.visit(given))
        made, needs = self.writer.write_function(name, known)
        self.used |= set(needs)
        arguments = [ast.Name(entry) for entry in needs]
        return ast.Call(ast.Name(made), [*arguments, *rest], [])


def _compares_with_none(test: ast.expr) -> TypeGuard[ast.Compare]:
    """Whether an expression reads `x is None` or `x is not None`."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Is | ast.IsNot):
        return False
    other = test.comparators[0]
    return isinstance(other, ast.Constant) and other.value is None
