"""A world's rules as anybody would run them first: plain Python on nested lists, no arrays.

The rules' own source is read and `x[e, a, i]` becomes `x[e][a][i]`, `x.shape[1]` becomes
`len(x[0])`; nothing else changes. So this plays the same war, number for number (tests prove it),
and what it costs is what plain Python costs.
"""

import ast
import inspect
import sys
import textwrap

import numpy as np

from mesocosm.sim.rule import RULES

KEPT = tuple(f"mesocosm.sim.{name}" for name in ("rng", "maths", "stages", "event", "link"))


class _Lists(ast.NodeTransformer):
    """Turns indexing of arrays into indexing of lists of lists."""

    def visit_Subscript(self, node):
        node = self.generic_visit(node)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            array = node.value.value
            for _ in range(node.slice.value):
                array = ast.Subscript(array, ast.Constant(0), ast.Load())
            return ast.Call(ast.Name("len", ast.Load()), [array], [])
        if not isinstance(node.slice, ast.Tuple):
            return node
        made = node.value
        for k, part in enumerate(node.slice.elts):
            last = k == len(node.slice.elts) - 1
            made = ast.Subscript(made, part, node.ctx if last else ast.Load())
        return made


def plain_rules(package):
    """Give the rules of a world's package by module and name, rewritten for lists."""
    names = [name for name in sys.modules if name.startswith(package) or name in KEPT]
    spaces = {name: dict(vars(sys.modules[name])) for name in names}
    known = {}
    for function in RULES:
        if function.__module__ not in spaces:
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        tree.body[0].decorator_list = []
        tree.body[0].returns = None
        code = ast.fix_missing_locations(_Lists().visit(tree))
        space = spaces[function.__module__]
        exec(compile(code, f"<plain {function.__name__}>", "exec"), space)  # noqa: S102
        known[id(function)] = space[function.__name__]
    for space in spaces.values():
        for name, value in list(space.items()):
            space[name] = known.get(id(value), value)
    return spaces


def lists(value):
    """Turn every array inside a (nested) NamedTuple into lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(lists(entry) for entry in value))
    return value


class PlainWar:
    """One env of island, taken over from a snapshot's engine and played in plain Python."""

    def __init__(self, env):
        spaces = plain_rules("mesocosm.worlds.island")
        rules, seeing = (spaces[f"mesocosm.worlds.island.{name}"] for name in ("rules", "observe"))
        self.rules = {name: rules[name] for name in ("transition", "terms", "rebuild")}
        self.views = {name: seeing[name] for name in ("observe", "mask", "inform")}
        self.s, self.f = lists(env.host_state()), lists(env.host_frame())
        self.p = lists(env.host_params)
        role = env.spec.all_roles[0]
        self.sizes = {
            "observe": role.observation.size,
            "mask": role.action.mask_size,
            "inform": role.info.size,
        }

    def step(self, choices):
        """Play one step of env 0; give what both sides receive."""
        self.f.num_events[0][0] = 0
        for a in range(2):
            self.f.choice[0][a][:] = choices[a]
        self.rules["transition"](self.s, self.f, self.p, 0)
        self.f.t[0] += 1
        seen = []
        for a in range(2):
            self.rules["terms"](self.s, self.f, self.p, 0, a)
            rows = {name: [True] * size for name, size in self.sizes.items()}
            for name, view in self.views.items():
                view(self.s, self.p, 0, a, rows[name])
            seen.append(rows)
        return seen
