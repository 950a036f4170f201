"""Write a world's step as one module: the declared order of a step, with the world's rules in it.

The module is real source text (open it, set a breakpoint in it). Generating it lets one static
function per world name all its roles and fields, so that one compilation serves every config.
"""

import sys
from collections.abc import Mapping

from mesocosm.core.errors import SpecError
from mesocosm.core.spec import BEFORE, Field, Spec
from mesocosm.core.world import Rule, World
from mesocosm.sim import default, template
from mesocosm.sim.layering import Layering, field_access


def compose(
    world: World, spec: Spec, layering: Layering | None = None, *, cuda: bool = False
) -> str:
    """Write the module text for a world; `cuda` adds the kernels that need numba's cuda."""
    rules = world.rules
    names: dict[str, Rule] = {
        "reset": rules.reset,
        "transition": rules.transition,
        "ending": rules.ending,
        "rebuild": rules.rebuild or default.no_rebuild,
        "turn": rules.turn or default.no_turn,
    }
    if layering is not None:
        names |= {"sees": rules.sees or default.no_sight, **layering.rules}
    for k, role in enumerate(spec.all_roles):
        own = rules.roles[role.name]
        names |= {f"observe_{k}": own.observe, f"terms_{k}": own.terms}
        names |= {f"mask_{k}": own.mask or default.no_mask}
        names |= {f"inform_{k}": own.inform or default.no_info}
    imports = "\n".join(_import(name, function) for name, function in names.items())
    if layering is not None:
        imports += "\nfrom mesocosm.sim.layering import APART, CHANGED, COMPARED"
    text = template.HEAD.format(name=world.name, imports=imports)
    gaps = template.PLAIN if layering is None else template.LAYERED
    per_role, blocks, kernels = [template.ROLE], [*template.STEP], [template.CUDA]
    if layering is not None:
        per_role.insert(0, template.LAYER_ROLE)
        blocks.insert(0, template.LAYER_STEP)
        kernels.append(template.LAYER_CUDA)
    for k, role in enumerate(spec.all_roles):
        own_gaps = {name: gaps[name].format(k=k) for name in template.ROLE_GAPS}
        text += "".join(block.format(k=k, role=role.name, **own_gaps) for block in per_role)
    lines = _lines(spec, gaps, layered=layering is not None)
    return text + "".join(block.format(**lines) for block in blocks + kernels * cuda)


def _lines(spec: Spec, gaps: Mapping[str, str], *, layered: bool) -> dict[str, str]:
    """Write what differs from world to world: a line per role, or per field."""
    count = range(len(spec.all_roles))
    names = [f"r{k}" for k in count]
    if layered:
        names += ["dials", *(f"own{k}" for k in count)]
    roles = ", ".join(names)

    def each(line: str) -> str:
        """Write a line for every role, or once if it names none."""
        copies = count if "{k}" in line else (0,)
        return "".join(line.format(k=k, roles=roles) for k in copies)

    return {
        "roles": roles,
        "remember": _remember(spec),
        "score": each("\n    score_{k}(s, f, p, r{k}, e)"),
        "total": each("\n    total(f, r{k}, e)"),
        "keep": each("\n    keep(f, r{k}, own{k}, e)"),
        "confide": each("\n    confide(f, dials, r{k}, own{k}, e)"),
        "show": _by_role(len(count), gaps["show"]),
        "view": _by_role(len(count), "view_{k}(s, f, p, r{k}, own{k}, e, a - r{k}.meta[0])"),
        **{name: each(gaps[name]) for name in template.STEP_GAPS},
        **field_access(spec.fields),
    }


def _import(name: str, function: Rule) -> str:
    """Write the import of a rule, which must stand at module level under its own name."""
    module = sys.modules.get(function.__module__)
    if getattr(module, function.__name__, None) is not function:
        where = f"{function.__module__}.{function.__qualname__}"
        raise SpecError(f"rule {where}: must be a module-level function under its own name")
    return f"from {function.__module__} import {function.__name__} as {name}"


def _by_role(count: int, call: str) -> str:
    """Write a call for the role that agent a is of."""
    lines = []
    for k in range(count):
        test = f"a < r{k}.meta[0] + r{k}.choice.shape[1]"
        lines.append(f"    {'if' if k == 0 else 'elif'} {test}:")
        lines.append(f"        {call.format(k=k)}")
    return "\n".join(lines)


def _remember(spec: Spec) -> str:
    kept = [entry for entry in spec.fields if entry.previous]
    return "\n".join(_copy(entry) for entry in kept) or "    return"


def _copy(entry: Field) -> str:
    """Write the loops that copy one field of one env."""
    lines, indices = [], ["e"]
    for axis in range(len(entry.shape)):
        pad = "    " * (axis + 1)
        lines.append(f"{pad}for i{axis} in range(s.{entry.name}.shape[{axis + 1}]):")
        indices.append(f"i{axis}")
    at, pad = ", ".join(indices), "    " * (len(entry.shape) + 1)
    lines.append(f"{pad}s.{entry.name}{BEFORE}[{at}] = s.{entry.name}[{at}]")
    return "\n".join(lines)
