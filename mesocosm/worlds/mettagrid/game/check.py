"""Reject games whose parts do not fit together."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from mesocosm.core.errors import hint
from mesocosm.worlds.mettagrid.game import scan

CENTRES = "an odd size has a centre"
MAX_WHOLE = 2**31 - 1  # rules hold their tables in 32 bits
MAX_NUMBER = 1e15  # sums of products of these with amounts stay far inside a float64


def check_core(core: Any) -> None:
    """Raise ValueError, with the path, for the first thing that cannot be played."""
    _check_numbers("", core.model_copy(update={"map": None}))
    _check_window(core)
    _distinct("resources", core.resources)
    _distinct("vibes", core.vibes)
    _distinct("actions.directions", core.actions.directions)
    _distinct("actions.named", core.actions.named)
    most = 1 + len(core.actions.directions) + len(core.actions.vibes)
    if len(core.actions.named) > most:
        what = f"there are {most} actions, got {len(core.actions.named)} names"
        raise ValueError(f"actions.named: {what}")
    if core.agents and len(core.agents) != core.num_agents:
        raise ValueError(f"agents: core has {core.num_agents} agents, got {len(core.agents)}")
    if len(core.seats) not in (0, core.num_agents):
        raise ValueError(f"seats: core has {core.num_agents} agents, got {len(core.seats)}")
    if core.teams and core.agents:
        raise ValueError("teams: agents are in teams or each by itself, not both")
    if core.teams and sum(team.size for team in core.teams) != core.num_agents:
        got = sum(team.size for team in core.teams)
        raise ValueError(f"teams: core has {core.num_agents} agents, got {got}")
    for path, query in scan.queries_of(core):
        _check_query(path, query)
    if core.profile == "classic" and core.end_on:
        raise ValueError("end_on: only the profile cogs ends so")
    if core.profile == "classic" and (
        core.obs.territory or core.territories or any(kind.controls for kind in core.kinds)
    ):
        raise ValueError("obs.territory: only the profile cogs has territory")
    _check_classic(core)
    for path, names, known, what in _mentions(core):
        for name in names:
            if name not in known:
                raise ValueError(f"{path}: no {what} named {name!r}.{hint(name, list(known))}")
    _check_map(core)


def _check_window(core: Any) -> None:
    """Reject windows without a centre, and what does not go with their shape or profile."""
    if core.obs.width % 2 == 0 or core.obs.height % 2 == 0:
        got = f"{core.obs.width} by {core.obs.height}"
        raise ValueError(f"obs: width and height must be odd ({CENTRES}), got {got}")
    if core.obs.radius is not None and not core.has_round_window:
        raise ValueError("obs.radius: needs a window of obs.shape disc, got a rectangle")
    if core.is_classic and core.obs.goal_scope == "cogs":
        raise ValueError("obs.goal_scope: only the profile cogs shows goals on cells, got 'cogs'")


def _check_numbers(path: str, value: Any) -> None:
    """Reject numbers that rules could not hold."""
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in type(value).model_fields}
    if isinstance(value, dict | tuple):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            _check_numbers(f"{path}.{key}".lstrip("."), part)
    elif isinstance(value, int | float):
        most = MAX_NUMBER if isinstance(value, float) else MAX_WHOLE
        if abs(value) > most:
            raise ValueError(f"{path}: must be between {-most:.10g} and {most:.10g}, got {value}")


def _check_query(path: str, query: Any) -> None:
    """Reject a query that lacks what it begins with."""
    if query.kind == "tag" and not query.tag:
        raise ValueError(f"{path}.tag: a query by tag needs one")
    if query.kind != "tag" and query.source is None:
        raise ValueError(f"{path}.source: a query of kind {query.kind!r} needs one")
    if query.kind == "closure" and query.candidates is None:
        raise ValueError(f"{path}.candidates: a closure needs some")


def is_agent(name: str) -> bool:
    """Whether a map's name is a place for an agent."""
    return name == "agent" or name.startswith("agent.")


def _distinct(path: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{path}: {name!r} stands twice")
        seen.add(name)


def _mentions(core: Any) -> Iterator[tuple[str, Iterable[str], Iterable[str], str]]:
    """List every name that must be one of a set: path, names, what is known, what it is."""
    resources, vibes = core.resources, core.vibes
    yield "actions.vibes", core.actions.vibes, vibes, "vibe"
    for key in ("noop", "move", "vibe"):
        for end in (f"{key}_required", f"{key}_cost"):
            yield f"actions.{end}", getattr(core.actions, end), resources, "resource"
    yield from _fights(core)
    yield "map.objects", core.map.objects, core.objects, "object"
    loud = core.talk.broadcast_resource
    yield "talk.broadcast_resource", (loud,) if loud else (), resources, "resource"
    yield from _handlers(core)
    yield "land", core.land, core.territories, "territory"
    for path, kind in scan.kinds_of(core):
        yield from _agent(path, kind, resources, vibes)
        yield from _controls(path, kind, core)
    told = {f"values.{name}": x for name, x in core.obs.values.items()}
    for name, reward in (told | {"radius": core.obs.radius}).items():
        if reward is not None:
            yield f"obs.{name}.weights", reward.weights, resources, "resource"
            yield from _value(f"obs.{name}.value", reward.value, resources)
    for name, thing in core.objects.items():
        path = f"objects.{name}"
        yield from _inventory(f"{path}.inventory", thing.inventory, resources)
        yield from _controls(path, thing, core)
        for k, protocol in enumerate(thing.protocols):
            yield from _protocol(f"{path}.protocols.{k}", protocol, resources, vibes)
        yield f"{path}.vibe_transfers", thing.vibe_transfers, vibes, "vibe"
        for vibe, change in thing.vibe_transfers.items():
            yield f"{path}.vibe_transfers.{vibe}", change, resources, "resource"
    if core.clipper is not None:
        for k, protocol in enumerate(core.clipper.unclipping):
            yield from _protocol(f"clipper.unclipping.{k}", protocol, resources, vibes)


def _controls(path: str, entry: Any, core: Any) -> Iterator[Any]:
    for k, control in enumerate(entry.controls):
        at = f"{path}.controls.{k}.territory"
        yield at, (control.territory,), core.territories, "territory"


def _agent(path: str, kind: Any, resources: Any, vibes: Any) -> Iterator[Any]:
    yield from _inventory(f"{path}.inventory", kind.inventory, resources)
    for vibe, back in kind.inventory.regen.items():
        yield f"{path}.inventory.regen", (vibe,), vibes, "vibe"
        yield f"{path}.inventory.regen.{vibe}", back, resources, "resource"
    yield f"{path}.damage.threshold", kind.damage.threshold, resources, "resource"
    yield f"{path}.damage.resources", kind.damage.resources, resources, "resource"
    for name, reward in kind.rewards.items():
        yield f"{path}.rewards.{name}.weights", reward.weights, resources, "resource"
        yield from _value(f"{path}.rewards.{name}.value", reward.value, resources)


def _check_classic(core: Any) -> None:
    """Reject what only the classic profile has elsewhere, and what does not fit in it."""
    if core.profile != "classic":
        only = "only the profile classic has"
        if core.clipper is not None:
            raise ValueError(f"clipper: {only} clipping")
        for name, thing in core.objects.items():
            if thing.start_clipped:
                raise ValueError(f"objects.{name}.start_clipped: {only} clipping")
        for kind in core.kinds:
            if kind.damage.threshold:
                raise ValueError(f"agent.damage: {only} harm")
    else:
        _check_handlers(core)
    if core.clipper is not None and not core.clipper.unclipping:
        raise ValueError("clipper.unclipping: at least one protocol must unclip")
    for k, kind in enumerate(core.kinds):
        both = set(kind.damage.threshold) & set(kind.damage.resources)
        if both:
            path = f"agents.{k}" if core.agents else "agent"
            name = sorted(both)[0]
            raise ValueError(f"{path}.damage: {name!r} cannot be both threshold and loss")
    _distinct("actions.transfers", [entry.vibe for entry in core.actions.transfers])


def _check_handlers(core: Any) -> None:
    """Refuse handlers and queries in the classic profile, which has none."""
    found = [path for path, _ in scan.handlers_of(core)]
    found += [path for path, _ in scan.queries_of(core)]
    if found:
        raise ValueError(f"{found[0]}: only the profile cogs has handlers and queries")


def _fights(core: Any) -> Iterator[tuple[str, Iterable[str], Iterable[str], str]]:
    attack, resources, vibes = core.actions.attack, core.resources, core.vibes
    yield "actions.attack.vibes", attack.vibes, vibes, "vibe"
    yield "actions.attack.vibe_bonus", attack.vibe_bonus, vibes, "vibe"
    for key in ("cost", "defense", "armor", "weapons", "actor_delta", "target_delta", "loot"):
        yield f"actions.attack.{key}", getattr(attack, key), resources, "resource"
    for k, entry in enumerate(core.actions.transfers):
        at = f"actions.transfers.{k}"
        yield f"{at}.vibe", (entry.vibe,), vibes, "vibe"
        for key in ("required", "actor", "target"):
            yield f"{at}.{key}", getattr(entry, key), resources, "resource"


def _protocol(
    path: str, protocol: Any, resources: Iterable[str], vibes: Iterable[str]
) -> Iterator[tuple[str, Iterable[str], Iterable[str], str]]:
    yield f"{path}.vibes", protocol.vibes, vibes, "vibe"
    yield f"{path}.inputs", protocol.inputs, resources, "resource"
    yield f"{path}.outputs", protocol.outputs, resources, "resource"


def _inventory(
    path: str, inventory: Any, resources: Iterable[str]
) -> Iterator[tuple[str, Iterable[str], Iterable[str], str]]:
    yield f"{path}.initial", inventory.initial, resources, "resource"
    for name, limit in inventory.limits.items():
        yield f"{path}.limits.{name}.resources", limit.resources, resources, "resource"
        yield f"{path}.limits.{name}.modifiers", limit.modifiers, resources, "resource"


def _value(
    path: str, value: Any, resources: Iterable[str]
) -> Iterator[tuple[str, Iterable[str], Iterable[str], str]]:
    """List the resources that an expression names."""
    if value is not None:
        names = (value.resource,) if value.kind in ("inventory", "query_inventory") else ()
        yield f"{path}.resource", names, resources, "resource"
        for k, part in enumerate(value.of):
            yield from _value(f"{path}.of.{k}", part, resources)


def _handlers(core: Any) -> Iterator[tuple[str, Iterable[str], Iterable[str], str]]:
    """List the names in handlers and queries."""
    resources, vibes = core.resources, core.vibes
    for path, entry in scan.conditions_of(core):
        yield f"{path}.resources", entry.resources, resources, "resource"
        yield f"{path}.vibe", (entry.vibe,) if entry.kind == "vibe" else (), vibes, "vibe"
        yield from _value(f"{path}.value", entry.value, resources)
        yield from _value(f"{path}.least", entry.least, resources)
    for path, entry in scan.changes_of(core):
        for key in ("resources", "defense", "armor", "weapons"):
            yield f"{path}.{key}", getattr(entry, key), resources, "resource"
        vibe = (entry.vibe,) if entry.kind == "change_vibe" and entry.vibe else ()
        yield f"{path}.vibe", vibe, vibes, "vibe"
        yield f"{path}.vibe_bonus", entry.vibe_bonus, vibes, "vibe"
        given = (entry.resource,) if entry.resource else ()
        yield f"{path}.resource", given, resources, "resource"
        yield from _value(f"{path}.source", entry.source, resources)
        yield from _value(f"{path}.reach_value", entry.reach_value, resources)
        yield f"{path}.gift_stats", entry.gift_stats, resources, "resource"
        made = entry.kind in ("spawn_object", "raycast_spawn") and entry.object
        yield f"{path}.object", (entry.object,) if made else (), core.objects, "object"
        yield f"{path}.names", entry.names, resources, "resource"
    for path, query in scan.queries_of(core):
        yield from _value(f"{path}.reach_value", query.reach_value, resources)
        yield from _value(f"{path}.most_value", query.most_value, resources)
    for path, entry in scan.handlers_of(core):
        yield f"{path}.presence", getattr(entry, "presence", ()), resources, "resource"
    for name, event in core.events.items():
        named = (event.fallback,) if event.fallback else ()
        yield f"events.{name}.fallback", named, core.events, "event"


def _check_map(core: Any) -> None:
    area = core.map
    if area.kind == "ascii":
        _check_rows(core)
        return
    least = 2 * max(area.border, 1) + 1
    if area.kind == "maze" and min(area.width, area.height) < least:
        got = f"{area.width} by {area.height}"
        raise ValueError(f"map: a maze needs {least} by {least} cells with its walls, got {got}")
    inner = (area.width - 2 * area.border) * (area.height - 2 * area.border)
    need = core.num_agents + sum(area.objects.values())
    if area.width <= 2 * area.border or area.height <= 2 * area.border or need > inner:
        raise ValueError(f"map: {need} agents and objects need room inside the border, got {inner}")
    if (area.border or area.kind != "random") and "wall" not in core.objects:
        raise ValueError("map: a border needs an object named 'wall'")


def _check_rows(core: Any) -> None:
    rows, legend = core.map.rows, core.map.legend
    if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
        raise ValueError("map.rows: an ascii map needs rows of one length")
    if len(rows) > 256 or len(rows[0]) > 256:
        raise ValueError(f"map.rows: at most 256 by 256, got {len(rows)} by {len(rows[0])}")
    for char in sorted(set("".join(rows))):
        if char not in legend:
            raise ValueError(f"map.rows: {char!r} is not in the legend.{hint(char, list(legend))}")
        name = legend[char]
        if name != "empty" and not is_agent(name) and name not in core.objects:
            raise ValueError(f"map.legend.{char}: no object named {name!r}")
    spawns = sum(is_agent(legend[c]) for row in rows for c in row)
    if spawns != core.num_agents:
        raise ValueError(f"map.rows: {core.num_agents} agents need as many places, got {spawns}")
