"""A batch bound to the rules that play it: what every function of `mesocosm.sim.step` gets."""

from typing import Any, NamedTuple

from mesocosm.core.errors import SpecError
from mesocosm.core.spec import BEFORE, Field, Spec
from mesocosm.core.world import RoleRules, Rule, World
from mesocosm.sim import default, element
from mesocosm.sim.handles import Hooks

COPY = (element.copy_scalar, element.copy_row, element.copy_table, element.copy_cube)
READ = (element.read_scalar, element.read_row, element.read_table, element.read_cube)
WRITE = (element.write_scalar, element.write_row, element.write_table, element.write_cube)


class BoundRules(NamedTuple):
    """The rules of a world that concern no single role, defaults included."""

    reset: Rule
    transition: Rule
    ending: Rule
    rebuild: Rule
    turn: Rule
    sees: Rule


class BoundRole(NamedTuple):
    """A role's buffers and rules, and what layers have of it (None without layers)."""

    r: Any
    layers: Any
    observe: Rule
    terms: Rule
    mask: Rule
    inform: Rule


class BoundField(NamedTuple):
    """A field of the state, and how its numbers are reached."""

    name: str
    number: int
    now: Any
    before: Any  # None where it is not declared `previous`
    copy: Rule
    read: Rule
    write: Rule


class BoundQuantity(NamedTuple):
    """A quantity, and the rules that read and write it."""

    number: int  # its `COLUMN_FIELD`: below 0, since it is no field
    read: Rule
    write: Rule


class BoundBatch(NamedTuple):
    """The arrays of a batch and all rules that work on them."""

    s: Any
    f: Any
    p: Any
    roles: tuple[BoundRole, ...]
    layers: Any  # None without layers
    rules: BoundRules
    hooks: Any  # `Hooks`; None without layers
    previous: tuple[BoundField, ...]
    malleable: tuple[BoundField, ...]
    quantities: tuple[BoundQuantity, ...]


def bind(world: World, spec: Spec, hooks: Hooks | None, arguments: tuple[Any, ...]) -> BoundBatch:
    """Bind a batch, `s, f, p, r..., layers, role layers...`, to its world's rules and its hooks."""
    s, f, p, *rest = arguments
    roles, count = spec.all_roles, len(spec.all_roles)
    layers, of_roles = (None, [None] * count) if hooks is None else (rest[count], rest[count + 1 :])
    rules = world.rules
    fields = [_bind_field(entry, k, s) for k, entry in enumerate(spec.fields)]
    return BoundBatch(
        s=s,
        f=f,
        p=p,
        roles=tuple(
            _bind_role(rules.roles[role.name], rest[k], of_roles[k]) for k, role in enumerate(roles)
        ),
        layers=layers,
        rules=BoundRules(
            reset=rules.reset,
            transition=rules.transition,
            ending=rules.ending,
            rebuild=rules.rebuild or default.no_rebuild,
            turn=rules.turn or default.no_turn,
            sees=rules.sees or default.no_sight,
        ),
        hooks=hooks,
        previous=tuple(entry for entry in fields if entry.before is not None),
        malleable=tuple(entry for entry in fields if spec.fields[entry.number].malleable),
        quantities=tuple(
            BoundQuantity(-1 - k, entry.read, entry.write)
            for k, entry in enumerate(rules.quantities.values())
        ),
    )


def _bind_role(rules: RoleRules, r: Any, layers: Any) -> BoundRole:
    return BoundRole(
        r=r,
        layers=layers,
        observe=rules.observe,
        terms=rules.terms,
        mask=rules.mask or default.no_mask,
        inform=rules.inform or default.no_info,
    )


def _bind_field(entry: Field, number: int, s: Any) -> BoundField:
    rank = len(entry.shape)
    if rank >= len(COPY) and (entry.previous or entry.malleable):
        what = f"a previous or malleable field has at most {len(COPY) - 1} axes, got {rank}"
        raise SpecError(f"field {entry.name!r}: {what}")
    rank = min(rank, len(COPY) - 1)
    return BoundField(
        name=entry.name,
        number=number,
        now=getattr(s, entry.name),
        before=getattr(s, entry.name + BEFORE) if entry.previous else None,
        copy=COPY[rank],
        read=READ[rank],
        write=WRITE[rank],
    )
