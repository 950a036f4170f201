"""Power: castes with rights, priorities and effects of their own, and who may affect whom."""

from fnmatch import fnmatchcase

import numpy as np

from mesocosm.config.glob import check_globs, closest_match
from mesocosm.config.layers import Power
from mesocosm.core.errors import hint
from mesocosm.layers import dials as k
from mesocosm.layers.dials import Own
from mesocosm.layers.draft import Draft, RoleDraft, matches
from mesocosm.layers.information import is_chosen
from mesocosm.sim.frame import (
    ALLOWED_AT,
    CLAMP,
    FIRST,
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


def apply(settings: Power, draft: Draft) -> None:
    """Put agents into castes, and write down what each may do, see and affect."""
    castes = _assign(settings, draft)
    x = settings.intensity
    for entry in draft.roles:
        _permit(settings, draft, entry, castes)
        _blind(settings, draft, entry, castes)
    _strengthen(settings, draft, castes)
    priority = [float(settings.castes[name].priority) if name else 0.0 for name in castes]
    draft.tables["priority"] = np.array(priority)
    draft.switch[k.RANKED] = int(len(set(priority)) > 1)
    draft.scale[k.RANK_PROB] = x
    if draft.switch[k.RANKED] and not draft.inner.conflicts:
        what = f"{draft.inner.world} declares no conflict in which priority could count"
        raise draft.refuse("power.castes", what)
    if settings.matrix:
        draft.tables["may"] = _may(settings, draft, castes)


def _assign(settings: Power, draft: Draft) -> list[str]:
    """Give every agent the name of its caste, or nothing."""
    castes = [""] * draft.agents
    known = [entry.role.name for entry in draft.roles]
    if not settings.assign:
        raise draft.refuse("power.assign", "castes need members: name a role and its castes")
    for role, names in settings.assign.items():
        if role not in known:
            raise draft.refuse(f"power.assign.{role}", f"no such role.{hint(role, known)}")
        for name in names:
            if name not in settings.castes:
                what = f"no caste {name!r}.{hint(name, settings.castes)}"
                raise draft.refuse(f"power.assign.{role}", what)
        span = draft.roles[known.index(role)].role.span
        for i, agent in enumerate(range(span.start, span.stop)):
            castes[agent] = names[i % len(names)] if names else ""
    for name in settings.castes:
        who = [agent for agent, caste in enumerate(castes) if caste == name]
        draft.note("power", f"caste {name}", f"agents {', '.join(map(str, who)) or 'none'}")
    return castes


def _permit(settings: Power, draft: Draft, entry: RoleDraft, castes: list[str]) -> None:
    """Take from each agent a growing part of the options that its caste may not choose."""
    options = entry.options
    idle, first = set(), 0
    for part in entry.role.action.choices:
        idle.add(first + part.noop)
        first += len(part.options)
    permit = np.ones((entry.role.num_agents, len(options)), bool)
    for i in range(entry.role.num_agents):
        caste = castes[entry.role.first + i]
        if not caste:
            continue
        allowed = settings.castes[caste].permissions
        where = f"{draft.where}: layers.power.castes.{caste}.permissions"
        check_globs(allowed, [*_all_options(draft), "*"], where)
        for n, option in enumerate(options):
            banned = not any(fnmatchcase(option, glob) for glob in allowed)
            permit[i, n] = n in idle or not (banned and is_chosen(n, settings.intensity))
    if not permit.all():
        entry.tables["permit"] = permit


def _all_options(draft: Draft) -> list[str]:
    return [option for entry in draft.roles for option in entry.options]


def _blind(settings: Power, draft: Draft, entry: RoleDraft, castes: list[str]) -> None:
    """List the numbers (or feature ids of tokens) that each agent's caste never sees."""
    found: list[list[int]] = []
    tokens = entry.layout.tokens
    for i in range(entry.role.num_agents):
        caste = castes[entry.role.first + i]
        numbers: set[int] = set()
        for glob in settings.castes[caste].hidden if caste else ():
            where = f"{draft.where}: layers.power.castes.{caste}.hidden"
            if tokens:
                numbers |= {kind.id for kind in tokens.kinds if fnmatchcase(kind.name, glob)}
            else:
                numbers |= set(matches(entry.numbers, entry.layout, glob, where))
        found.append([n for n in sorted(numbers) if is_chosen(n, settings.intensity)])
    width = max((len(row) for row in found), default=0)
    table = np.full((entry.role.num_agents, width), -1, np.int32)
    for row, numbers_of_agent in zip(table, found, strict=True):
        row[: len(numbers_of_agent)] = numbers_of_agent
    entry.tables["blind"] = table


def _strengthen(settings: Power, draft: Draft, castes: list[str]) -> None:
    names = [effect.name for effect in draft.inner.effects]
    table = np.ones((draft.agents, len(names)))
    for agent, caste in enumerate(castes):
        effects = settings.castes[caste].effects if caste else {}
        check_globs(effects, names, f"{draft.where}: layers.power.castes.{caste}.effects")
        for n, name in enumerate(names):
            table[agent, n] += (closest_match(name, effects, 1.0) - 1.0) * settings.intensity
    draft.tables["multiplier"] = table


def _may(settings: Power, draft: Draft, castes: list[str]) -> np.ndarray:
    """Write the matrix of who may affect whom, by which link; agents of no caste may all."""
    links = draft.inner.links
    if not links:
        what = f"{draft.inner.world} declares no link by which agents affect each other"
        raise draft.refuse("power.matrix", what)
    names = [link.name for link in links] + [link.field for link in links]
    table = np.ones((draft.agents, draft.agents, len(links)), bool)
    for actor, row in settings.matrix.items():
        for target in (actor, *row):
            if target not in settings.castes:
                what = f"no caste {target!r}.{hint(target, settings.castes)}"
                raise draft.refuse("power.matrix", what)
        for target, globs in row.items():
            check_globs(globs, names, f"{draft.where}: layers.power.matrix.{actor}.{target}")
            for n, link in enumerate(links):
                free = any(fnmatchcase(name, g) for g in globs for name in (link.name, link.field))
                if not free and is_chosen(n, settings.intensity):
                    _forbid(table[:, :, n], castes, actor, target)
    draft.note("power", "links", "who may affect whom is restricted")
    return table


def _forbid(table: np.ndarray, castes: list[str], actor: str, target: str) -> None:
    for a, caste in enumerate(castes):
        for j, other in enumerate(castes):
            if caste == actor and other == target and a != j:
                table[a, j] = False


@rule
def bar(f: Frame, r: RoleFrame, own: Own, e: int) -> None:
    """Refuse what an agent's caste may not do, as any invalid action is handled."""
    if own.permit.shape[1] == 0:
        return
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        wrong = False
        if f.acting[e, a]:
            for n in range(r.parts.shape[0]):
                if not own.permit[i, r.parts[n, ALLOWED_AT] + f.choice[e, a, n]]:
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
def bar_mask(r: RoleFrame, own: Own, i: int, out: np.ndarray) -> None:
    """Take from a mask what the agent's caste may not do."""
    if own.permit.shape[1] == 0:
        return
    for n in range(r.parts.shape[0]):
        at = r.parts[n, MASK_AT]
        if at >= 0:
            for option in range(r.parts[n, OPTIONS]):
                allowed = own.permit[i, r.parts[n, ALLOWED_AT] + option]
                out[at + option] = out[at + option] and allowed
