"""Configs that clients send: checked, compared with their preset, and written in other ways."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from mesocosm.config.identity import dump, to_yaml
from mesocosm.config.schema import SECTIONS
from mesocosm.core.errors import ConfigError, MesocosmError, short
from mesocosm.core.spec import Role, Spec
from mesocosm.layers.archetypes import archetype_names
from mesocosm.resolve import Resolved, resolve
from mesocosm.web.models.config import ConfigRequest, Difference, Problem
from mesocosm.worlds import registry

PRESET = re.compile(r"[A-Za-z0-9_]+(?:/[A-Za-z0-9_-]+)?")
ARCHETYPE = re.compile(r"(?P<name>[A-Za-z0-9_-]+)(?::[0-9.]{1,20})?")
PLACE = re.compile(rf"(?:^|: )(?P<path>(?:{'|'.join(SECTIONS)}|schema|archetypes)[\w.\-\[\]*]*): ")


def resolve_request(asked: ConfigRequest) -> Resolved:
    """Resolve what a client asked for; no path is followed that it names."""
    if (asked.preset is None) == (asked.config is None):
        raise ConfigError("config: give a preset or a config, one of the two")
    source: Any = asked.config
    if asked.preset is not None:
        if PRESET.fullmatch(asked.preset) is None:
            raise ConfigError(f"preset: must be world or world/preset, got {short(asked.preset)}")
        source = asked.preset
    else:
        check_archetypes((asked.config or {}).get("archetypes", ()))
    check_archetypes(asked.archetypes)
    return resolve(source, asked.overrides or None, asked.archetypes, asked.variants)


def check_archetypes(asked: Any) -> None:
    """Refuse archetypes that are files, and names that there are not."""
    for text in (asked,) if isinstance(asked, str) else asked if isinstance(asked, list) else ():
        match = ARCHETYPE.fullmatch(text) if isinstance(text, str) else None
        if match is None or match["name"] not in archetype_names():
            known = ", ".join(archetype_names())
            raise ConfigError(
                f"archetypes: must be names such as 'fog:0.5', got {short(text)}. "
                f"Available: {known}"
            )


def find_problems(error: MesocosmError) -> list[Problem]:
    """Say of each problem at which field of a config it is; "" is nowhere in particular."""
    known = getattr(error, "problems", ())
    if known:
        return [Problem(path=path, message=why) for path, why in known]
    text = " ".join(str(error).split())
    match = PLACE.search(text)
    if match is None:
        return [Problem(path="", message=text)]
    return [Problem(path=match["path"], message=text[match.end() :])]


def differences(resolved: Resolved) -> list[Difference]:
    """List what differs from the preset that a config was made of."""
    identity = resolved.config.identity
    name = f"{identity.world}/{identity.preset}"
    if identity.preset not in registry.presets(identity.world):
        name = identity.world
    before, now = flatten(dump(resolve(name).config)), flatten(dump(resolved.config))
    paths = dict.fromkeys([*before, *now])
    return [
        Difference(path=path, preset=before.get(path), value=now.get(path))
        for path in paths
        if before.get(path) != now.get(path) and path != "identity.preset"
    ]


def flatten(data: Mapping[str, Any], lead: str = "") -> dict[str, Any]:
    """Give data by dotted path; lists are values."""
    made: dict[str, Any] = {}
    for key, value in data.items():
        path = f"{lead}{key}"
        if isinstance(value, dict) and value:
            made |= flatten(value, f"{path}.")
        else:
            made[path] = value
    return made


def ways_to_write(resolved: Resolved, changes: list[Difference]) -> dict[str, str]:
    """Write a config as YAML, as a command and as Python."""
    identity = resolved.config.identity
    name = f"{identity.world}/{identity.preset}"
    changed = {change.path: change.value for change in changes}
    sets = " ".join(f"--set {shlex.quote(f'{k}={json.dumps(v)}')}" for k, v in changed.items())
    code = f"import mesocosm as meso\n\nenv = meso.make({name!r}"
    code += f", {changed!r})\n" if changed else ")\n"
    return {
        "yaml": to_yaml(resolved.config),
        "command": f"mesocosm run {name} {sets}".strip(),
        "python": code,
    }


def sentence(world: str, preset: str) -> str:
    """Say in a sentence what a preset is: as its file does, or by what is in it."""
    lines = []
    for line in registry.preset_files(world)[preset].read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    said = " ".join(lines)
    if said:
        first, dot, _ = said.partition(". ")
        return first + dot.strip()
    spec = resolve(f"{world}/{preset}").spec
    who = ", ".join(f"{role.num_agents} {name}" for name, role in spec.roles.items())
    return f"{registry.find(world).summary.rstrip('.')}: {who}."


def describe_roles(spec: Spec) -> list[dict[str, Any]]:
    """Say what each role sees, does and earns."""
    return [_describe_role(role) for role in spec.roles.values()]


def _describe_role(role: Role) -> dict[str, Any]:
    return {
        "name": role.name,
        "first": role.first,
        "num_agents": role.num_agents,
        "meaning": role.meaning,
        "dtype": role.observation.dtype,
        "shape": list(role.observation.shape),
        "features": role.observation.rows(),
        "tokens": _describe_tokens(role),
        "info": role.info.rows(),
        "parts": role.action.rows(),
        "mask_size": role.action.mask_size,
        "terms": [
            {"name": t.name, "low": t.low, "high": t.high, "meaning": t.meaning} for t in role.terms
        ],
    }


def _describe_tokens(role: Role) -> dict[str, Any] | None:
    """Say how to read a row of tokens, if an observation is one."""
    tokens = role.observation.tokens
    if tokens is None:
        return None
    return {
        "empty": tokens.empty,
        "anywhere": tokens.anywhere,
        "places": list(tokens.places),
        "kinds": {
            str(kind.id): {"name": kind.name, "high": kind.high, "labels": list(kind.labels)}
            for kind in tokens.kinds
        },
    }


def run_about(resolved: Resolved) -> dict[str, Any]:
    """Say what a session plays."""
    identity = resolved.config.identity
    return {
        "world": identity.world,
        "preset": f"{identity.world}/{identity.preset}",
        "num_agents": resolved.spec.num_agents,
    }
