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

FILE = "config.yaml"
PRESET_KEYS = ("identity", "preset")
PRESET = re.compile(r"[A-Za-z0-9_]+(?:/[A-Za-z0-9_-]+)?")
ARCHETYPE = re.compile(r"(?P<name>[A-Za-z0-9_-]+)(?::[0-9.]{1,20})?")
PLACE = re.compile(
    rf"(?:^|: )(?P<path>(?:{'|'.join(SECTIONS)}|learning|schema|archetypes)[\w.\-\[\]*]*): "
)


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


def differences(asked: ConfigRequest, resolved: Resolved) -> list[Difference]:
    """List what differs from the preset that a config was made of."""
    identity = resolved.config.identity
    name = asked.preset or f"{identity.world}/{identity.preset}"
    if asked.preset is None and identity.preset not in registry.presets(identity.world):
        name = identity.world
    before, now = flatten(dump(resolve(name).config)), flatten(dump(resolved.config))
    if asked.preset is None:
        before.pop(PRESET_KEYS), now.pop(PRESET_KEYS)
    return [
        Difference(path=".".join(keys), keys=keys, preset=before.get(keys), value=now.get(keys))
        for keys in dict.fromkeys([*before, *now])
        if before.get(keys) != now.get(keys)
    ]


def flatten(data: Mapping[str, Any], lead: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Give data by the keys that lead to it; lists are values."""
    made: dict[tuple[str, ...], Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and value:
            made |= flatten(value, (*lead, key))
        else:
            made[*lead, key] = value
    return made


def ways_to_write(asked: ConfigRequest, resolved: Resolved) -> dict[str, str]:
    """Write what was asked for as YAML, as a command and as Python.

    A whole config has no short command: it is kept as a file.
    """
    source = asked.preset or FILE
    words = ["mesocosm", "run", source]
    for option, names in (("--archetype", asked.archetypes), ("--variant", asked.variants)):
        words += [word for name in names for word in (option, name)]
    for path, value in asked.overrides.items():
        words += ["--set", f"{path}={json.dumps(value)}"]
    return {
        "yaml": to_yaml(resolved.config),
        "command": shlex.join(words),
        "python": _as_python(asked, source),
    }


def _as_python(asked: ConfigRequest, source: str) -> str:
    arguments = [repr(source)]
    if asked.overrides:
        rows = [f"        {path!r}: {value!r},\n" for path, value in asked.overrides.items()]
        arguments.append(f"{{\n{''.join(rows)}    }}")
    for name, values in (("archetypes", asked.archetypes), ("variants", asked.variants)):
        if values:
            arguments.append(f"{name}={values!r}")
    if len(arguments) == 1:
        return f"import mesocosm as meso\n\nenv = meso.make({source!r})\n"
    rows = [f"    {argument},\n" for argument in arguments]
    return f"import mesocosm as meso\n\nenv = meso.make(\n{''.join(rows)})\n"


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
