"""Sections that pages of every kind have: lives, entrants, config, hashes, files."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mesocosm.core.spec import OUTCOMES
from mesocosm.evaluation.pages.source import Changes, Row, Source
from mesocosm.evaluation.report.chart import Lengths, histogram
from mesocosm.evaluation.report.document import (
    card,
    grid,
    section,
    write_commands,
    write_films,
    write_rows,
)
from mesocosm.evaluation.report.facts import hashes_of, write_pairs
from mesocosm.evaluation.report.forest import draw_boxes
from mesocosm.evaluation.report.svg import clip, element, escape

MOST_ROWS = 16  # of a picture of lives
MOST_FILES = 200  # that are listed one by one
BOXES_NOTE = "The middle half of all lives, their median, and the line that nine tenths lie on."


def entrants_of(source: Source) -> list[str]:
    """Name everybody who was planned to play."""
    found = source.plan.get("entrants") or []
    return [str(entry.get("name")) for entry in found if isinstance(entry, Mapping)]


def lives_sections(rows: Sequence[Row], order: Sequence[str]) -> list[str]:
    """Show how long lives were, how they ended and what they earned, by role and by who lived.

    Args:
        rows: Of the table of lives.
        order: Of names; others follow.
    """
    made = []
    for preset, role in dict.fromkeys((row["preset"], row["role"]) for row in rows):
        mine = [row for row in rows if (row["preset"], row["role"]) == (preset, role)]
        there = dict.fromkeys(row["entrant"] for row in mine)
        names = [name for name in dict.fromkeys([*order, *there]) if name in there]
        title = f"Lives of a {role}" + (f" on {preset}" if _count(rows, "preset") > 1 else "")
        note = "How long lives were and how they ended; the tallest column of each row says its "
        note += "share. " + BOXES_NOTE
        if len(names) > MOST_ROWS:
            note += f" The first {MOST_ROWS} of {len(names)} are shown."
        made.append(section(title, _lives(mine, names[:MOST_ROWS]), note))
    return made


def _count(rows: Sequence[Row], column: str) -> int:
    return len({row[column] for row in rows})


def _lives(rows: Sequence[Row], names: Sequence[str]) -> str:
    by_name: dict[str, dict[str, list[int]]] = {name: {} for name in names}
    returns: dict[str, list[float]] = {name: [] for name in names}
    for row in rows:
        if row["entrant"] in by_name:
            by_name[row["entrant"]].setdefault(row["outcome"], []).append(int(row["length"]))
            returns[row["entrant"]].append(float(row["total_return"]))
    shown = [
        Lengths(clip(name), {o: found[o] for o in OUTCOMES if o in found})
        for name, found in by_name.items()
    ]
    drawn = card(histogram(shown) + legend(o for found in by_name.values() for o in found))
    return drawn + grid([draw_boxes("Return of a life", returns, "return")], "two below")


def legend(outcomes: Iterable[str]) -> str:
    """Say which colour an outcome has."""
    seen = set(outcomes)
    made = "".join(
        element("span", element("i", " ", class_=f"swatch {name}") + escape(name))
        for name in OUTCOMES
        if name in seen
    )
    return element("p", made, class_="legend") if made else ""


def fact_sections(source: Source) -> list[str]:
    """Say what the run was, down to the hashes of everything, and how to make it again."""
    made = [write_films("Episodes", source.films, source.film_note)]
    made += [write_commands(source.commands), changes_section(source.changes)]
    made.append(section("Hashes and versions", write_pairs(hashes_of(source.about, {}))))
    policies = list(policy_rows(source))
    if policies:
        head = ("who", "role", "policy", "sha256")
        made.append(section("Policies", write_rows(head, policies)))
    return [*made, files_section(source.files)]


def policy_rows(source: Source) -> Iterable[Sequence[str]]:
    """List what everybody played with, with the sha256 of what is a file."""
    for entry in source.plan.get("entrants") or []:
        for role, about in (entry.get("roles") or {}).items():
            told = about.get("error") or about.get("path") or about.get("name") or entry.get("text")
            if about.get("privileged"):
                told = f"{told} (reads the truth)"
            yield str(entry.get("name")), str(role), str(told), str(about.get("sha256", "-"))


def changes_section(changes: Changes) -> str:
    """Show how the config differs from its preset."""
    title = f"What differs from {changes.preset}"
    if changes.why:
        return section(title, element("p", escape(changes.why)))
    if not changes.found:
        return section(title, element("p", "Nothing: the preset was played as it is."))
    rows = [tuple(change) for change in changes.found]
    return section(title, write_rows(("setting", "preset", "here"), rows))


def files_section(files: Mapping[str, str]) -> str:
    """List the run's files with their sha256."""
    shown = dict(list(files.items())[:MOST_FILES])
    left = len(files) - len(shown)
    more = f"; {left:,} more are in the run's own list" if left else ""
    summary = element("summary", escape(f"sha256 of {len(shown):,} files{more}"))
    return section("Files", element("details", summary + write_pairs(shown)))


def forfeits_section(rows: Sequence[Mapping[str, Any]]) -> str:
    """Say who forfeited which bout, and why; nothing if nobody did."""
    found = [(row["bout"], row["lineup"], row["forfeits"]) for row in rows if row["forfeits"]]
    if not found:
        return ""
    told = [(f"bout {number}", lineup, why) for number, lineup, why in found]
    return section("Forfeits", write_rows(("", "lineup", "who, when and why"), told))
