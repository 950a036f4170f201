"""Leave out names that a game of MettaGrid does not have, as MettaGrid itself does.

A filter about something unknown is none: everything passes it. Its negation lets nothing pass, and
among alternatives it does not count.
"""

from typing import Any, NamedTuple

CONDITIONS = ("filters", "edges", "inner")
NEVER: dict[str, Any] = {"kind": "any_of", "inner": []}


class Known(NamedTuple):
    """The names of a game."""

    resources: frozenset[str]
    vibes: frozenset[str]
    tags: frozenset[str]


def leave_out_unknown(core: dict[str, Any]) -> None:
    """Leave out of a core section what names nothing."""
    known = Known(frozenset(core["resources"]), frozenset(core["vibes"]), frozenset(_tags(core)))
    _settle(core, known)
    for entry in (core["agent"], *core["agents"], *core["objects"].values()):
        _settle_inventory(entry["inventory"], known.resources)
    for event in core["events"].values():
        if event["fallback"] not in core["events"]:
            event["fallback"] = ""


def _tags(core: dict[str, Any]) -> set[str]:
    """Return the tags of a game."""
    found = {*core["tags"], *(entry["tag"] for entry in core["materialized"])}
    for name, entry in core["objects"].items():
        found |= {*entry["tags"], f"type:{entry['type'] or name}"}
    for entry in core["agents"] or [core["agent"]]:
        found |= {*entry["tags"], f"type:{entry['type']}"}
    return found


def _settle(section: Any, known: Known) -> None:
    """Leave out what names nothing, in all conditions and changes of a section."""
    if isinstance(section, list):
        for entry in section:
            _settle(entry, known)
    elif isinstance(section, dict):
        for key in CONDITIONS:
            if isinstance(section.get(key), list):
                section[key] = _settle_conditions(section[key], known)
        if section.get("kind") == "remove_tags_with_prefix" and not _begins(section, known):
            section |= {"kind": "resource_delta", "resources": {}}  # nothing is done
        elif section.get("kind") == "change_vibe" and section["vibe"] not in known.vibes:
            section["vibe"] = ""
        for entry in section.values():
            _settle(entry, known)


def _begins(change: dict[str, Any], known: Known) -> bool:
    return any(tag.startswith(change["prefix"]) for tag in known.tags)


def _settle_conditions(conditions: list[Any], known: Known) -> list[Any]:
    made = []
    for given in conditions:
        kind, entry = given.get("kind"), given
        if kind == "resource":
            named = {name: x for name, x in given["resources"].items() if name in known.resources}
            entry = given | {"resources": named}
        means = kind != "resource" or bool(entry["resources"])
        means &= kind != "vibe" or entry["vibe"] in known.vibes
        means &= kind != "tag" or entry["tag"] in known.tags
        if means:
            made.append(entry)
        elif entry.get("negate"):
            made.append(dict(NEVER))
    return made


def _settle_inventory(inventory: dict[str, Any], resources: frozenset[str]) -> None:
    if not inventory:  # a wall's
        return
    inventory["initial"] = {k: x for k, x in inventory["initial"].items() if k in resources}
    limits = {}
    for name, limit in inventory["limits"].items():
        shared = [x for x in limit["resources"] if x in resources]
        bonus = {k: x for k, x in limit["modifiers"].items() if k in resources}
        if shared or not limit["resources"]:
            limits[name] = limit | {"resources": shared, "modifiers": bonus}
    inventory["limits"] = limits
