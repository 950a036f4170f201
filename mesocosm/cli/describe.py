"""The `describe` command: what agents see, do, earn and are told, and the truth behind it."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from mesocosm.cli.shared.options import (
    Archetypes,
    AsJson,
    Sets,
    Source,
    Variants,
    resolve_source,
)
from mesocosm.cli.shared.output import (
    Section,
    console,
    markdown,
    print_json,
    print_sections,
)
from mesocosm.config.identity import config_hash
from mesocosm.core.policy import GENERIC_POLICIES
from mesocosm.core.spec import Role
from mesocosm.resolve import Resolved
from mesocosm.worlds import registry

FEATURE_HEAD = ("offset", "size", "name", "range", "unit", "visibility", "reads", "meaning")
PART_HEAD: tuple[str, ...] = ("part", "kind", "values", "no-op", "unit", "used with", "meaning")
USED_WITH = PART_HEAD.index("used with")
INVALID = {
    "noop": "the agent does nothing instead",
    "clamp": "levels are cut to their range, invalid options become the no-op",
    "penalty": "the agent does nothing and pays {penalty:g} reward",
}
MOST_OPTIONS = 60  # longer lists are shortened
HOW = {True: "truncates", False: "terminates"}
TURNS = {
    "simultaneous": "all agents act at once",
    "fixed": "agents act one after the other, in order",
    "state": "the state of the world says who acts next",
}


def describe(
    source: Source,
    as_json: AsJson = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of text.")
    ] = False,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
) -> None:
    """Show what each role sees, does and earns, and how episodes end."""
    resolved = resolve_source(source, assignments, archetypes, variants)
    data = description(resolved)
    if as_json:
        print_json(data)
    elif as_markdown:
        print(markdown(sections(data)))
    else:
        out = console()
        out.print(f"{data['preset']}: {data['summary']}", style="bold")
        out.print(f"made of {resolved.provenance.text}; config {data['config_hash']}\n")
        print_sections(sections(data))


def description(resolved: Resolved) -> dict[str, Any]:
    """Gather everything that is declared about a config, as plain data."""
    spec, world, identity = resolved.spec, resolved.world, resolved.config.identity
    return {
        "preset": f"{identity.world}/{identity.preset}",
        "world": world.name,
        "version": world.version,
        "summary": world.summary,
        "config_hash": config_hash(resolved.config),
        "provenance": resolved.provenance.data(),
        "num_agents": spec.num_agents,
        "turns": spec.turns,
        "invalid": {"handling": spec.invalid, "penalty": spec.invalid_penalty},
        "policies": [
            *sorted({**GENERIC_POLICIES, **world.policies}),
            *registry.trained_files(world.name),
        ],
        "mission_variants": sorted(world.mission_variants),
        "roles": {name: _role(role) for name, role in spec.roles.items()},
        "reasons": [asdict(entry) for entry in spec.reasons],
        "events": [asdict(entry) for entry in spec.events],
        "max_events": spec.max_events,
        "conflicts": [asdict(entry) for entry in spec.conflicts],
        "tunables": [asdict(entry) for entry in spec.tunables],
        "effects": [asdict(entry) for entry in spec.effects],
        "links": [asdict(entry) for entry in spec.links],
        "quantities": [asdict(entry) for entry in spec.quantities],
        "state": [asdict(entry) for entry in spec.fields],
        "layers": [entry._asdict() for entry in spec.notes],
        "layer_state": [asdict(entry) for entry in spec.layer_fields],
    }


def _role(role: Role) -> dict[str, Any]:
    layout, low_high = role.observation, role.reward_bounds
    return {
        "num_agents": role.num_agents,
        "meaning": role.meaning,
        "body": role.body,
        "respawn": role.respawn,
        "observation": {"dtype": layout.dtype, "shape": list(layout.shape), "size": layout.size}
        | {"features": layout.rows()},
        "action": {"mask_size": role.action.mask_size, "parts": role.action.rows()},
        "reward": {"bounds": list(low_high), "terms": [asdict(term) for term in role.terms]},
        "info": {"dtype": role.info.dtype, "features": role.info.rows()},
        "events": list(role.events),
    }


def sections(data: dict[str, Any]) -> list[Section]:
    """Arrange a description as tables."""
    made = [_overview(data)]
    for name, role in data["roles"].items():
        made += _role_sections(name, role)
    ends = [
        (entry["name"], entry["outcome"], HOW[entry["truncates"]], entry["meaning"])
        for entry in data["reasons"]
    ]
    events = [(entry["name"], entry["sentence"]) for entry in data["events"]]
    fields = ("name", "dtype", "shape", "scope", "range", "unit", "visibility", "kind", "meaning")
    if data["layers"]:
        notes = [(entry["layer"], entry["what"], entry["how"]) for entry in data["layers"]]
        made.append(Section("Active layers", ("layer", "on what", "how"), notes))
    return [
        *made,
        Section("Endings", ("reason", "outcome", "how", "meaning"), ends),
        Section("Events", ("kind", "sentence"), events),
        Section("Handles", ("name", "kind", "range", "meaning"), _handles(data)),
        Section("State", fields, [_field(entry) for entry in data["state"] + data["layer_state"]]),
    ]


def _overview(data: dict[str, Any]) -> Section:
    handling = INVALID[data["invalid"]["handling"]].format(**data["invalid"])
    rows = [
        ("world", f"{data['world']}, version {data['version']}"),
        ("agents", ", ".join(f"{role['num_agents']} {k}" for k, role in data["roles"].items())),
        ("turns", f"{data['turns']}: {TURNS[data['turns']]}"),
        ("invalid actions", f"{data['invalid']['handling']}: {handling}"),
        *(
            ("conflict", f"{c['name']} over {c['resource']}: {c['rule']}")
            for c in data["conflicts"]
        ),
        ("policies", ", ".join(data["policies"])),
    ]
    if data["mission_variants"]:
        rows.append(("mission variants", ", ".join(data["mission_variants"])))
    return Section("Overview", ("what", "value"), rows)


def _role_sections(name: str, role: dict[str, Any]) -> list[Section]:
    seen, earned = role["observation"], role["reward"]
    shape = "x".join(map(str, seen["shape"]))
    low, high = earned["bounds"]
    keys = ("name", "range", "timing", "attribution", "meaning")
    terms = [
        tuple(term[key] if key != "range" else _range(term["low"], term["high"]) for key in keys)
        for term in earned["terms"]
    ]
    respawn = ", its slot is used again" if role["respawn"] else ""
    about = f"{role['meaning'] or name}; when it ends, its body is {role['body']}{respawn}"
    made = [
        Section(
            f"{name}: observation", FEATURE_HEAD, _features(seen["features"]),
            f"{about}. {seen['dtype']} [{shape}]",
        ),
        *(_entries(name, row) for row in seen["features"] if row["glosses"]),
        _action_section(name, role),
        *_mask_sections(name, role),
        Section(
            f"{name}: reward", ("term", "range", "timing", "attribution", "meaning"), terms,
            f"the terms sum to a reward in {_range(low, high)} per step",
        ),
    ]  # fmt: skip
    if role["info"]["features"]:
        made.append(Section(f"{name}: info", FEATURE_HEAD, _features(role["info"]["features"])))
    return made


def _entries(name: str, row: dict[str, Any]) -> Section:
    """List the labelled entries of a feature that says what each of them means."""
    pairs = zip(row["labels"], row["glosses"], strict=True)
    lines = [(str(k), label, gloss) for k, (label, gloss) in enumerate(pairs)]
    return Section(f"{name}: entries of {row['name']}", ("entry", "name", "meaning"), lines)


def _range(low: float, high: float) -> str:
    return f"{low:g}..{high:g}"


def _features(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """List features; what has no numbers under this config is left out."""
    return [_feature(row) for row in rows if row["size"]]


def _feature(row: dict[str, Any]) -> tuple[str, ...]:
    head = (str(row["offset"]), str(row["size"]), row["name"], _range(*row["range"]))
    return (*head, row["unit"], row["visibility"], " ".join(row["reads"]), row["meaning"])


def _shorten(options: list[str]) -> list[str]:
    if len(options) <= MOST_OPTIONS:
        return options
    return [*options[:3], "..", options[-1], f"({len(options)} options)"]


def _action_section(name: str, role: dict[str, Any]) -> Section:
    """List the parts of an action, and with which others they count, where that is declared."""
    head, lines = PART_HEAD, [_part(row) for row in role["action"]["parts"]]
    if not any(line[USED_WITH] for line in lines):
        head, *lines = [row[:USED_WITH] + row[USED_WITH + 1 :] for row in (head, *lines)]
    return Section(f"{name}: action", head, lines, f"mask of {role['action']['mask_size']} options")


def _part(row: dict[str, Any]) -> tuple[str, ...]:
    name, kind, meaning = row["part"], row["kind"], row["meaning"]
    use = _use(row)
    if kind == "level":
        return name, kind, _range(*row["range"]), f"{row['noop']:g}", row["unit"], use, meaning
    options = [
        f"({option})" if k in row["forbidden"] else option
        for k, option in enumerate(row["options"])
    ]
    options = _shorten(options)
    notes = " (not masked)" if not row["masked"] else ""
    notes += " (in brackets: not permitted)" if row["forbidden"] else ""
    return name, kind, " ".join(options) + notes, row["options"][row["noop"]], "", use, meaning


def _use(row: dict[str, Any]) -> str:
    """Say with which earlier choices a part counts."""
    used_with = row["used_with"].items()
    return ", ".join(f"{name}: {' '.join(_shorten(options))}" for name, options in used_with)


def _mask_sections(name: str, role: dict[str, Any]) -> list[Section]:
    lines = [line for row in role["action"]["parts"] for line in _mask(row)]
    note = "what decides whether an option is allowed; the no-op always is"
    return [Section(f"{name}: mask", ("part", "options", "reads"), lines, note)] if lines else []


def _mask(row: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Say what the mask of a part reads, with options that read the same in one line."""
    if not row.get("masked"):
        return []
    noop, by_reads = row["options"][row["noop"]], dict[str, list[str]]()
    for option, reads in row["option_reads"].items():
        by_reads.setdefault(" ".join(reads), []).append(option)
    lines = [(" ".join(_shorten(options)), reads) for reads, options in by_reads.items()]
    if {*row["options"]} - {noop, *row["option_reads"]}:
        lines.append(("others" if lines else "all", " ".join(row["reads"])))
    return [(row["part"], options, reads or "nothing") for options, reads in lines]


def _handles(data: dict[str, Any]) -> list[tuple[str, ...]]:
    tunables = [
        (t["name"], "tunable", f"{_range(t['low'], t['high'])}, now {t['value']:g}", t["meaning"])
        for t in data["tunables"]
    ]
    effects = [(e["name"], "effect", "1 at baseline", e["meaning"]) for e in data["effects"]]
    links = [(e["name"], "link", f"changes {e['field']}", e["meaning"]) for e in data["links"]]
    columns = [
        (e["name"], "malleable", _range(e["low"], e["high"]), e["meaning"])
        for e in data["state"]
        if e["malleable"]
    ]
    amounts = [
        (f"{e['name']}.{label}", "quantity", _range(0.0, high), e["meaning"])
        for e in data["quantities"]
        for label, high in zip(e["labels"], e["high"], strict=True)
    ]
    return [*tunables, *effects, *links, *columns, *amounts]


def _field(entry: dict[str, Any]) -> tuple[str, ...]:
    kind = "derived" if entry["derived"] else "truth"
    kind += ", exposed" if entry["exposed"] else ""
    shape = "x".join(map(str, entry["shape"]))
    head = (entry["name"], entry["dtype"], shape, entry["scope"])
    tail = (entry["unit"], entry["visibility"], kind, entry["meaning"])
    return (*head, _range(entry["low"], entry["high"]), *tail)
