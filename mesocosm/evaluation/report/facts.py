"""What a report says of a run in words: settings, hashes, versions, and the commands."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from mesocosm.evaluation.report.svg import element, escape

HASHES = ("config_hash", "behaviour_hash", "learning_hash")


def write_pairs(pairs: Mapping[str, object]) -> str:
    """Write names and values as a table."""
    rows = (
        element("tr", element("th", escape(name), scope="row") + element("td", code(value)))
        for name, value in pairs.items()
    )
    body = element("tbody", "".join(rows))
    return element("div", element("table", body, class_="pairs"), class_="wide")


def code(value: object) -> str:
    """Write what a person might copy."""
    return element("code", escape(value) or " ")


def flatten(data: Mapping[str, Any], lead: str = "") -> Iterator[tuple[str, str]]:
    """Give nested settings by dotted path."""
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{lead}{name}.")
        else:
            yield f"{lead}{name}", value if isinstance(value, str) else json.dumps(value)


def settings_of(about: Mapping[str, Any]) -> dict[str, str]:
    """List what decided what was learnt."""
    learning = about.get("learning")
    found = flatten(learning) if isinstance(learning, Mapping) else ()
    return {f"learning.{name}": value for name, value in found}


def hashes_of(about: Mapping[str, Any], bundles: Mapping[str, str]) -> dict[str, object]:
    """List the names of everything by its content, and the versions that made it."""
    made: dict[str, object] = {
        name.replace("_", " "): about[name] for name in HASHES if name in about
    }
    made |= {f"sha256 of {name}": digest for name, digest in bundles.items()}
    made["world"] = f"{about['world']}, version {about.get('world_version')}"
    versions = about.get("versions") or {}
    made["made with"] = ", ".join(f"{name} {value}" for name, value in versions.items())
    made["run"] = f"{about.get('started')} to {about.get('ended')}, {about.get('status')}"
    return made


def train_command(about: Mapping[str, Any], config: str, defaults: Mapping[str, Any]) -> str:
    """Write the command that trains the same again.

    Args:
        config: The preset, or the run's config file where it is no longer the preset's.
        defaults: Settings of learning that need not be said.
    """
    plan = about.get("plan") or {}
    words = ["mesocosm", "train", config, "--steps", str(plan.get("agent_steps"))]
    words += ["--seed", str(plan.get("seed"))]
    if isinstance(about.get("threads"), int):
        words += ["--threads", str(about["threads"])]
    if about.get("target") not in (None, "cpu"):
        words += ["--target", str(about["target"])]
    words += _beginning(about)
    usual = dict(flatten(defaults))
    for name, value in flatten(about.get("learning") or {}):
        if usual.get(name) != value:
            words += ["--set", f"learning.{name}={value}"]
    return shlex.join(words)


def _beginning(about: Mapping[str, Any]) -> list[str]:
    """Say from which policies it began, and which presets came before."""
    words = []
    for role, source in (about.get("from") or {}).items():
        words += ["--from", f"{role}={source['file']}"]
    for stage in about.get("curriculum") or []:
        identity = stage["config"]["identity"]
        words += ["--curriculum", f"{identity['world']}/{identity['preset']}={stage['score']:g}"]
    return words
