"""Masks that would tell what is withheld: which options are shown as allowed whatever holds."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from mesocosm.core.action import Choice
from mesocosm.core.observation import Read, Withheld
from mesocosm.core.spec import Note, Role, Spec

MOST_NAMED = 6  # options in a note


def merge_withheld(first: Withheld, second: Withheld) -> Withheld:
    """Join what is withheld from one agent for two reasons."""
    return Withheld(
        first.obs | second.obs, first.info | second.info, first.impaired | second.impaired
    )


def withhold(
    role: Role, withheld: tuple[Withheld, ...], spec: Spec, permit: np.ndarray | None = None
) -> Role:
    """Give a role of which each member is denied something, with masks that do not tell it.

    Args:
        spec: Says what fields are computed from.
        permit: Which options of all parts each member may choose at all.
    """
    before = role.withheld or (Withheld(),) * len(withheld)
    merged = tuple(merge_withheld(*pair) for pair in zip(before, withheld, strict=True))
    if not any(any(entry) for entry in merged):
        return role
    known: dict[Withheld, dict[int, tuple[str, ...]]] = {}
    opened = []
    for i, entry in enumerate(merged):
        if entry not in known:
            known[entry] = telling_options(role, entry, spec)
        allowed = _permitted(role, permit[i]) if permit is not None and permit.size else None
        opened.append(tuple(k for k in known[entry] if allowed is None or k in allowed))
    shown_open = tuple(opened) if any(opened) else ()
    return replace(role, withheld=merged, shown_open=shown_open)


def fields_behind(reads: Iterable[Read], spec: Spec) -> set[str]:
    """Name the fields that are read, and those that they are computed from."""
    names = {read.field for read in reads}
    derived = [entry for entry in spec.fields if entry.name in names]
    return names | {source for entry in derived for source in entry.sources}


def telling_options(role: Role, withheld: Withheld, spec: Spec) -> dict[int, tuple[str, ...]]:
    """Find the entries of a mask that depend on what an agent is not truly shown, and on which.

    Everything that may be read of a field, by whomever, includes the agent's own part of it. So two
    reads of one field always overlap, and so do reads of what is computed from one field.
    """
    features = (*role.observation.features, *role.info.features)
    impaired = [entry for entry in features if entry.name in withheld.impaired]
    fields = fields_behind((read for entry in impaired for read in entry.reads), spec)
    found: dict[int, tuple[str, ...]] = {}
    for part in role.action.choices:
        if part.masked:
            first = role.action.mask_offset(part.name)
            for k in range(len(part.options)):
                common = fields_behind(part.reads_of(k), spec) & fields
                if common:
                    found[first + k] = tuple(sorted(common))
    return found


def _permitted(role: Role, permit: np.ndarray) -> set[int]:
    """List the entries of a mask that one member may choose at all."""
    found, at, first = set(), 0, 0
    for part in role.action.choices:
        if part.masked:
            found |= {at + k for k in range(len(part.options)) if permit[first + k]}
            at += len(part.options)
        first += len(part.options)
    return found


def mask_notes(role: Role, spec: Spec) -> list[Note]:
    """Say which masks are opened, and because of what."""
    why = {entry: telling_options(role, entry, spec) for entry in set(role.withheld)}
    parts = [part for part in role.action.choices if part.masked]
    found = [_note(role, part, why) for part in parts] if role.shown_open else []
    return [note for note in found if note is not None]


def _note(role: Role, part: Choice, why: dict[Withheld, dict[int, tuple[str, ...]]]) -> Note | None:
    """Say which options of one part are opened, to how many, and because of which fields."""
    first = role.action.mask_offset(part.name)
    options: set[int] = set()
    fields: set[str] = set()
    members = 0
    for withheld, opened in zip(role.withheld, role.shown_open, strict=True):
        mine = {k for k in opened if first <= k < first + len(part.options)}
        fields |= {name for k in mine for name in why[withheld][k]}
        options |= mine
        members += bool(mine)
    if not options:
        return None
    some = "" if members == role.num_agents else f" to {members} of {role.num_agents}"
    names = [part.options[k - first] for k in sorted(options)]
    names = names[:MOST_NAMED] + [".."] * (len(names) > MOST_NAMED)
    how = f"{', '.join(names)}: shown as allowed{some} where {', '.join(sorted(fields))} is hidden"
    return Note("information", f"{role.name}: mask of {part.name}", how)
