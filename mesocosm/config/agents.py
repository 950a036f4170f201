"""The `agents` section: role counts, scopes, permissions and reward attribution."""

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from mesocosm.config.glob import check_globs, closest_glob, closest_match
from mesocosm.core.errors import ConfigError, hint
from mesocosm.core.masking import mask_notes, withhold
from mesocosm.core.observation import Feature, Layout, Visibility, Withheld
from mesocosm.core.spec import Role, Spec


def fill_counts(data: dict[str, Any], spec: Spec) -> dict[str, Any]:
    """Write the role counts that core implies where the config leaves them out."""
    roles = data["agents"].get("roles", {})
    if not isinstance(roles, dict):
        return data
    filled = dict(roles)
    for role in spec.all_roles:
        given = roles.get(role.name, {})
        if isinstance(given, dict):
            filled[role.name] = {"count": role.num_agents} | given
    return data | {"agents": data["agents"] | {"roles": filled}}


def check_counts(agents: Any, spec: Spec, where: str) -> None:
    """Require the roles and counts of the config to agree with core."""
    known = {role.name: role.num_agents for role in spec.all_roles}
    for name, settings in agents.roles.items():
        if name not in known:
            raise ConfigError(f"{where}: agents.roles.{name}: no such role.{hint(name, known)}")
        if settings.count != known[name]:
            raise ConfigError(
                f"{where}: agents.roles.{name}.count: core has {known[name]} of them, got "
                f"{settings.count}; change core, set the count to {known[name]}, or leave it out"
            )
    for name in known:
        if name not in agents.roles:
            raise ConfigError(f"{where}: agents.roles.{name}: is required, got nothing")


def apply_agents(spec: Spec, agents: Any, where: str) -> Spec:
    """Give the spec with the config's scopes, permissions and attribution in it."""
    check_counts(agents, spec, where)
    roles = []
    for role in spec.all_roles:
        settings = agents.roles[role.name]
        at = f"{where}: agents.roles.{role.name}"
        scoped = _scope(role, settings, at)
        _check_published(role, scoped, spec, settings.scope, at)
        permitted = _permit(scoped, settings, at)
        roles.append(_attribute(withhold(permitted, _hidden(permitted), spec), settings, at))
    notes = [note for role in roles for note in mask_notes(role, spec)]
    return replace(spec, all_roles=tuple(roles), notes=tuple(notes))


def _scope(role: Role, settings: Any, where: str) -> Role:
    """Apply scopes to observation features and to info alike."""
    layouts = (role.observation, role.info)
    names = [entry.name for layout in layouts for entry in layout.features]
    check_globs(settings.scope, names, f"{where}.scope")
    observation, info = (_scope_layout(layout, settings.scope) for layout in layouts)
    return replace(role, observation=observation, info=info)


def _scope_layout(layout: Layout, scope: Mapping[str, Visibility]) -> Layout:
    features = tuple(
        replace(entry, visibility=closest_match(entry.name, scope, entry.visibility))
        for entry in layout.features
    )
    return replace(layout, features=features)


def _check_published(
    role: Role, scoped: Role, spec: Spec, scope: Mapping[str, Visibility], where: str
) -> None:
    """Refuse a scope that makes public what a feature reads of a private field."""
    before = (*role.observation.features, *role.info.features)
    after = (*scoped.observation.features, *scoped.info.features)
    for declared, entry in zip(before, after, strict=True):
        if entry.visibility != "public" or declared.visibility == "public":
            continue
        _require_open(entry, spec, f"{where}.scope.{closest_glob(entry.name, scope)}")


def check_blurs(spec: Spec, information: Any, where: str) -> None:
    """Refuse a blur that makes public what a feature reads of a private field."""
    if not information.is_active:
        return
    for i, blur in enumerate(information.blurs):
        at = f"{where}: layers.information.blurs.{i}.scope"
        for role in spec.all_roles:
            if blur.scope != "public" or not fnmatchcase(role.name, blur.roles):
                continue
            for entry in role.observation.features:
                if entry.visibility == "private" and fnmatchcase(entry.name, blur.features):
                    _require_open(entry, spec, at)


def _require_open(entry: Feature, spec: Spec, where: str) -> None:
    """Require that a feature which is made public reads nothing private."""
    private = {field.name for field in spec.fields if field.visibility == "private"}
    read = next((read.field for read in entry.reads if read.field in private), None)
    if read is not None:
        why = f"{entry.name} reads the private field {read}"
        raise ConfigError(f"{where}: {why}: must be private or hidden, got 'public'")


def _hidden(role: Role) -> tuple[Withheld, ...]:
    """Say what scopes hide from every member."""
    names = set()
    for layout in (role.observation, role.info):
        names |= {entry.name for entry in layout.features if entry.visibility == "hidden"}
    return (Withheld(impaired=frozenset(names)),) * role.num_agents


def _permit(role: Role, settings: Any, where: str) -> Role:
    names = [f"{part.name}.{option}" for part in role.action.choices for option in part.options]
    check_globs(settings.permissions, [*names, "*"], f"{where}.permissions")
    choices = []
    for part in role.action.choices:
        forbidden = tuple(
            k
            for k, option in enumerate(part.options)
            if k != part.noop
            and not any(fnmatchcase(f"{part.name}.{option}", glob) for glob in settings.permissions)
        )
        choices.append(replace(part, forbidden=forbidden))
    return replace(role, action=replace(role.action, choices=tuple(choices)))


def _attribute(role: Role, settings: Any, where: str) -> Role:
    check_globs(settings.attribution, [t.name for t in role.terms], f"{where}.attribution")
    terms = tuple(
        replace(term, attribution=closest_match(term.name, settings.attribution, term.attribution))
        for term in role.terms
    )
    return replace(role, terms=terms)
