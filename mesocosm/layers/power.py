"""Power: castes with rights, priorities and effects of their own, and who may affect whom."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.config.glob import check_globs, closest_glob, matching
from mesocosm.config.layers import Caste, Power
from mesocosm.core.errors import hint
from mesocosm.core.spec import EventKind, Link
from mesocosm.layers.blurs import is_chosen, twin_numbers
from mesocosm.layers.draft import Draft, RoleDraft, numbers_of
from mesocosm.layers.information import shown_names
from mesocosm.sim.event import emit
from mesocosm.sim.frame import (
    ALLOWED_AT,
    CLAMP,
    ENFORCED,
    FIRST,
    FIRST_OPTION,
    HANDLING,
    IDLE,
    MASK_AT,
    OPTIONS,
    REST,
    Frame,
    RoleFrame,
)
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import refuse

ALL = Caste().permissions
BARRED = EventKind("barred", "agent {actor} may not do {target}", target="thing")


class PowerArrays(NamedTuple):
    """Who comes first, and how much effect agents have."""

    barred_kind: int  # the event of an option that a caste may not choose
    is_ranked: bool  # whether castes differ in priority
    rank_prob: float  # in which part of the steps priority counts
    priority: Annotated[np.ndarray, "float64 [agent]"]
    multiplier: Annotated[np.ndarray, "float64 [agent, effect]"]


class PowerRole(NamedTuple):
    """What castes may do and see."""

    permit: Annotated[np.ndarray, "bool [member or 0, ..]"]  # which options; empty: all
    # numbers of a row, or feature ids of tokens, that are never seen; -1: none
    unseen: Annotated[np.ndarray, "int32 [member or 0, ..]"]
    untold: Annotated[np.ndarray, "int32 [member or 0, ..]"]  # numbers of info; -1: none


def declare(settings: Power, draft: Draft) -> None:
    """Put agents into castes, and write down what each may do, see and affect."""
    castes = _assign(settings, draft)
    bans = False
    for entry in draft.roles:
        _permit(settings, draft, entry, castes)
        _hide(settings, entry, castes)
        bans |= "permit" in entry.tables
    if bans:
        event = replace(BARRED, targets=draft.option_names)
        draft.numbers["barred kind"] = draft.add_event(event, per_step=draft.agents)
    _refuse_idle_permissions(settings, draft, castes)
    _check_hidden(settings, draft, castes)
    _strengthen(settings, draft, castes)
    _rank(settings, draft, castes)
    if settings.matrix:
        draft.frame["may"] = _may(settings, draft, castes)
    if not settings.matrix and all(caste == Caste() for caste in settings.castes.values()):
        what = "do nothing: no caste differs from having none, and there is no matrix"
        raise draft.refuse("power.castes", what)


def _assign(settings: Power, draft: Draft) -> list[str]:
    """Give every agent the name of its caste, or nothing."""
    castes = [""] * draft.agents
    known = [entry.role.name for entry in draft.roles]
    if not settings.assign:
        raise draft.refuse("power.assign", "castes need members: name a role and its castes")
    for role, names in _by_role(settings, draft).items():
        path = f"power.assign.{role}"
        if role not in known:
            raise draft.refuse(path, f"no such role.{hint(role, known)}")
        for name in names:
            if name not in settings.castes:
                raise draft.refuse(path, f"no caste {name!r}.{hint(name, settings.castes)}")
        span = draft.roles[known.index(role)].role.span
        if not names or span.start == span.stop:
            what = "no caste is named" if not names else f"there is no {role} here"
            raise draft.refuse(path, f"does nothing: {what}")
        for i, agent in enumerate(range(span.start, span.stop)):
            castes[agent] = names[i % len(names)]
    for name in settings.castes:
        who = [agent for agent, caste in enumerate(castes) if caste == name]
        if not who:
            what = "does nothing: no agent has this caste (layers.power.assign says who does)"
            raise draft.refuse(f"power.castes.{name}", what)
        draft.note("power", f"caste {name}", f"agents {', '.join(map(str, who))}")
    return castes


def _by_role(settings: Power, draft: Draft) -> dict[str, tuple[str, ...]]:
    """Give each role its castes; under a glob the count goes on from one role to the next."""
    found = dict(settings.assign)
    counts = dict.fromkeys(settings.assign, 0)
    for role in (entry.role for entry in draft.roles):
        glob = closest_glob(role.name, settings.assign)
        if glob is not None and role.num_agents:
            found.pop(glob, None)
            names = settings.assign[glob]
            start = counts[glob] % max(len(names), 1)
            found[role.name] = names[start:] + names[:start]
            counts[glob] += role.num_agents
    return found


def _refuse_idle_permissions(settings: Power, draft: Draft, castes: list[str]) -> None:
    """Refuse permissions that leave a caste everything."""
    for name, caste in settings.castes.items():
        own = [entry for entry in draft.roles if name in castes[entry.role.span]]
        if caste.permissions != ALL and not any(
            banned_options(caste.permissions, entry) for entry in own
        ):
            what = f"do nothing: they forbid {name} no option"
            raise draft.refuse(f"power.castes.{name}.permissions", what)


def _rank(settings: Power, draft: Draft, castes: list[str]) -> None:
    """Say who goes first; a priority must set some agents before others, and count somewhere."""
    priority = [float(settings.castes[name].priority) if name else 0.0 for name in castes]
    draft.tables["priority"] = np.array(priority)
    for name, caste in settings.castes.items():
        path = f"power.castes.{name}.priority"
        if caste.priority != 0 and len(set(priority)) == 1:
            what = f"does nothing: every agent has priority {caste.priority}"
            raise draft.refuse(path, what)
        if caste.priority != 0 and not any(entry.ordered for entry in draft.inner.conflicts):
            what = f"{draft.inner.world} declares no conflict that is decided by an order of agents"
            raise draft.refuse(path, what)


def _permit(settings: Power, draft: Draft, entry: RoleDraft, castes: list[str]) -> None:
    """Take from each agent a growing part of the options that its caste may not choose."""
    options = entry.options
    permit = np.ones((entry.role.num_agents, len(options)), bool)
    for i in range(entry.role.num_agents):
        caste = castes[entry.role.first + i]
        if not caste:
            continue
        allowed = settings.castes[caste].permissions
        where = f"{draft.where}: layers.power.castes.{caste}.permissions"
        check_globs(allowed, [*_all_options(draft), "*"], where)
        for n in banned_options(allowed, entry):
            permit[i, n] = not is_chosen(n, settings.intensity)
    if not permit.all():
        entry.tables["permit"] = permit
        entry.is_changed = True


def banned_options(allowed: tuple[str, ...], entry: RoleDraft) -> set[int]:
    """List the options of a role that no glob allows; to do nothing is always allowed."""
    names = enumerate(entry.options)
    banned = {n for n, name in names if not any(fnmatchcase(name, glob) for glob in allowed)}
    return banned - idle_options(entry)


def idle_options(entry: RoleDraft) -> set[int]:
    """List the options by which a role does nothing."""
    idle, first = set(), 0
    for part in entry.role.action.choices:
        idle.add(first + part.noop)
        first += len(part.options)
    return idle


def _all_options(draft: Draft) -> list[str]:
    return [option for entry in draft.roles for option in entry.options]


def _hide(settings: Power, entry: RoleDraft, castes: list[str]) -> None:
    """List the numbers (or feature ids of tokens) that each agent's caste never sees or is told."""
    info = entry.role.info
    twins = twin_numbers(entry.layout, info)
    unseen: list[list[int]] = []
    untold: list[list[int]] = []
    for i in range(entry.role.num_agents):
        caste = castes[entry.role.first + i]
        globs = settings.castes[caste].hidden if caste else ()
        seen = {n for glob in globs for n in _seen_by(entry, glob)}
        told = {n for glob in globs for n in numbers_of(info, glob)}
        unseen.append([n for n in sorted(seen) if is_chosen(n, settings.intensity)])
        kept = {n for n in told if is_chosen(twins.get(n, n), settings.intensity)}
        untold.append(sorted(kept | set(info.about_row() if unseen[-1] else ())))
    for name, found in (("unseen", unseen), ("untold", untold)):
        width = max((len(row) for row in found), default=0)
        table = np.full((entry.role.num_agents, width), -1, np.int32)
        for row, numbers in zip(table, found, strict=True):
            row[: len(numbers)] = numbers
        entry.tables[name] = table
        entry.is_changed |= width > 0


def _seen_by(entry: RoleDraft, glob: str) -> list[int]:
    """Give the numbers of a row, or the feature ids of tokens, that a glob names."""
    if entry.layout.tokens:
        kinds = entry.layout.tokens.kinds
        return [kind.id for kind in kinds if fnmatchcase(kind.name, glob)]
    return numbers_of(entry.layout, glob)


def _check_hidden(settings: Power, draft: Draft, castes: list[str]) -> None:
    """Refuse a glob that names nothing that any member of the caste is shown or told."""
    for name, caste in settings.castes.items():
        entries = [entry for entry in draft.roles if name in castes[entry.role.span]]
        for glob in caste.hidden if entries else ():
            if not any(_seen_by(e, glob) or numbers_of(e.role.info, glob) for e in entries):
                names = sorted({shown for entry in entries for shown in shown_names(entry)})
                matching(glob, names, f"{draft.where}: layers.power.castes.{name}.hidden")


def _strengthen(settings: Power, draft: Draft, castes: list[str]) -> None:
    names = [effect.name for effect in draft.inner.effects]
    table = np.ones((draft.agents, len(names)))
    for caste, entry in settings.castes.items():
        path = f"power.castes.{caste}.effects"
        if entry.effects and not names:
            raise draft.refuse(path, f"{draft.inner.world} declares no effect here")
        row = draft.values_of(names, entry.effects, 1.0, path)
        for agent, name in enumerate(castes):
            if name == caste:
                table[agent] = [1.0 + (value - 1.0) * settings.intensity for value in row]
    draft.tables["multiplier"] = table


def _may(settings: Power, draft: Draft, castes: list[str]) -> np.ndarray:
    """Write the matrix of who may affect whom, by which link; agents of no caste may all."""
    links = draft.restrict_links("power.matrix")
    names = [link.name for link in links] + [link.field for link in links]
    table = np.ones((draft.agents, draft.agents, len(links)), bool)
    for actor, row in settings.matrix.items():
        for target in (actor, *row):
            if target not in settings.castes:
                what = f"no caste {target!r}.{hint(target, settings.castes)}"
                raise draft.refuse("power.matrix", what)
        if not row:
            raise draft.refuse(f"power.matrix.{actor}", "does nothing: it names no target caste")
        for target, globs in row.items():
            path = f"power.matrix.{actor}.{target}"
            check_globs(globs, names, f"{draft.where}: layers.{path}")
            kept = [n for n, link in enumerate(links) if not _is_free(link, globs)]
            pairs = _pairs(castes, actor, target)
            if not kept or not pairs:
                what = "every link is free" if not kept else "there are no two such agents"
                raise draft.refuse(path, f"does nothing: {what}")
            for n in kept:
                for a, j in pairs:
                    table[a, j, n] &= not is_chosen(n, settings.intensity)
    draft.note("power", "links", "who may affect whom is restricted")
    return table


def _is_free(link: Link, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs for name in (link.name, link.field))


def _pairs(castes: list[str], actor: str, target: str) -> list[tuple[int, int]]:
    """List the agents of one caste with those of another that they may affect or not."""
    return [
        (a, j)
        for a, caste in enumerate(castes)
        for j, other in enumerate(castes)
        if caste == actor and other == target and a != j
    ]


def allocate(draft: Draft) -> PowerArrays:
    """Write down what castes are worth."""
    agents = draft.agents
    priority = draft.tables.get("priority", np.zeros(agents))
    return PowerArrays(
        barred_kind=draft.numbers.get("barred kind", 0),
        is_ranked=len(set(priority.tolist())) > 1,
        rank_prob=draft.layers.power.intensity,
        priority=priority,
        multiplier=draft.tables.get("multiplier", np.ones((agents, len(draft.inner.effects)))),
    )


def allocate_role(entry: RoleDraft) -> PowerRole:
    """Write down what the castes of a role may do and see."""
    members, tables = entry.role.num_agents, entry.tables
    return PowerRole(
        permit=tables.get("permit", np.ones((members, 0), np.bool_)),
        unseen=tables.get("unseen", np.zeros((members, 0), np.int32)),
        untold=tables.get("untold", np.zeros((members, 0), np.int32)),
    )


@rule
def apply_multipliers(f: Frame, power: PowerArrays, e: int, a: int) -> None:
    """Make an agent's effects as powerful as its caste is."""
    for n in range(f.effect.shape[2]):
        f.effect[e, a, n] = power.multiplier[a, n]


@rule
def sort_by_priority(f: Frame, power: PowerArrays, e: int) -> None:
    """Let higher castes go first; among equals the order stays."""
    for i in range(1, f.order.shape[1]):
        a = f.order[e, i]
        j = i
        while j > 0 and power.priority[f.order[e, j - 1]] < power.priority[a]:
            f.order[e, j] = f.order[e, j - 1]
            j -= 1
        f.order[e, j] = a


@rule
def refuse_forbidden(f: Frame, r: RoleFrame, power: PowerRole, kind: int, e: int) -> None:
    """Refuse what an agent's caste may not do, as any invalid action is handled."""
    if power.permit.shape[1] == 0:
        return
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        wrong = False
        if f.acting[e, a]:
            for n in range(r.parts.shape[0]):
                option = r.parts[n, ALLOWED_AT] + f.choice[e, a, n]
                if is_masked_ban(r, power, e, i, n):
                    given = r.parts[n, ALLOWED_AT] + r.choice[e, i, n]
                    emit(f, e, kind, a, r.meta[FIRST_OPTION] + given, 0.0)
                if not power.permit[i, option]:
                    emit(f, e, kind, a, r.meta[FIRST_OPTION] + option, 0.0)
                    f.choice[e, a, n] = r.parts[n, IDLE]
                    wrong = True
        if wrong:
            refuse(f, r, e, a)
            if f.control[HANDLING] != CLAMP:
                for n in range(r.parts.shape[0]):
                    f.choice[e, a, n] = r.parts[n, IDLE]
                for n in range(r.bounds.shape[0]):
                    f.level[e, a, n] = r.bounds[n, REST]


@rule
def is_masked_ban(r: RoleFrame, power: PowerRole, e: int, i: int, n: int) -> bool:
    """Whether an agent chose what its mask had taken from its caste, and so was refused before."""
    given = r.choice[e, i, n]
    if r.parts[n, MASK_AT] < 0 or r.parts[n, ENFORCED] == 0:
        return False
    if given < 0 or given >= r.parts[n, OPTIONS]:
        return False
    return not power.permit[i, r.parts[n, ALLOWED_AT] + given]


@rule
def mask_forbidden(r: RoleFrame, power: PowerRole, i: int, out: np.ndarray) -> None:
    """Take from a mask what the agent's caste may not do."""
    if power.permit.shape[1] == 0:
        return
    for n in range(r.parts.shape[0]):
        at = r.parts[n, MASK_AT]
        if at >= 0:
            for option in range(r.parts[n, OPTIONS]):
                allowed = power.permit[i, r.parts[n, ALLOWED_AT] + option]
                out[at + option] = out[at + option] and allowed
