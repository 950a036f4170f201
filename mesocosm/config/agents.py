"""The `agents` section: role counts, scopes, permissions and reward attribution."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from mesocosm.core.errors import ConfigError, hint
from mesocosm.core.spec import Role, Spec

Value = TypeVar("Value")


def fill_counts(data: dict[str, Any], spec: Spec) -> dict[str, Any]:
    """Write the role counts that core implies where the config leaves them out."""
    agents = dict(data["agents"])
    roles = dict(agents.get("roles") or {})
    for role in spec.all_roles:
        given = roles.get(role.name, {})
        if isinstance(given, dict):
            roles[role.name] = {"count": role.num_agents} | given
    return data | {"agents": agents | {"roles": roles}}


def check_counts(agents: Any, spec: Spec, where: str) -> None:
    """Require the roles and counts of the config to agree with core."""
    known = {role.name: role for role in spec.all_roles}
    for name, settings in agents.roles.items():
        if name not in known:
            raise ConfigError(f"{where}: agents.roles.{name}: no such role.{hint(name, known)}")
        wanted = known[name].num_agents
        if settings.count != wanted:
            raise ConfigError(
                f"{where}: agents.roles.{name}.count: core has {wanted} of them, got "
                f"{settings.count}; change core, set the count to {wanted}, or leave it out"
            )


def apply_agents(spec: Spec, agents: Any, where: str) -> Spec:
    """Give the spec with the config's scopes, permissions and attribution in it."""
    roles = []
    for role in spec.all_roles:
        settings = agents.roles[role.name]
        at = f"{where}: agents.roles.{role.name}"
        roles.append(_attribute(_permit(_scope(role, settings, at), settings, at), settings, at))
    return replace(spec, all_roles=tuple(roles))


def _last_match(name: str, globs: Mapping[str, Value], default: Value) -> Value:
    for glob, value in globs.items():
        if fnmatchcase(name, glob):
            default = value
    return default


def _check_globs(globs: Iterable[str], names: list[str], where: str) -> None:
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in names):
            raise ConfigError(f"{where}: {glob!r} matches nothing.{hint(glob, names)}")


def _scope(role: Role, settings: Any, where: str) -> Role:
    layout = role.observation
    _check_globs(settings.scope, [entry.name for entry in layout.features], f"{where}.scope")
    features = tuple(
        replace(entry, visibility=_last_match(entry.name, settings.scope, entry.visibility))
        for entry in layout.features
    )
    return replace(role, observation=replace(layout, features=features))


def _permit(role: Role, settings: Any, where: str) -> Role:
    names = [f"{part.name}.{option}" for part in role.action.choices for option in part.options]
    _check_globs(settings.permissions, [*names, "*"], f"{where}.permissions")
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
    _check_globs(settings.attribution, [t.name for t in role.terms], f"{where}.attribution")
    terms = tuple(
        replace(term, attribution=_last_match(term.name, settings.attribution, term.attribution))
        for term in role.terms
    )
    return replace(role, terms=terms)
