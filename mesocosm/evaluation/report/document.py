"""The frame of every report: one HTML page of sections that needs nothing but itself."""

import base64
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mesocosm.evaluation.report.facts import code
from mesocosm.evaluation.report.style import STYLE
from mesocosm.evaluation.report.svg import element, escape

Cell = str | float | int | None


class Film(NamedTuple):
    """A film of one episode or life, as a GIF."""

    data: bytes
    caption: str
    title: str = ""


class Tile(NamedTuple):
    """A large figure with what it is of."""

    label: str
    value: str
    note: str
    class_: str = ""


def write_document(title: str, sections: Sequence[str]) -> str:
    """Write a page."""
    head = element("meta", charset="utf-8")
    head += element("meta", name="viewport", content="width=device-width, initial-scale=1")
    head += element("meta", name="color-scheme", content="light dark")
    head += element("title", escape(title)) + element("style", STYLE)
    body = element("body", element("main", "".join(sections)))
    return f"<!DOCTYPE html>\n{element('html', element('head', head) + body, lang='en')}\n"


def heading(title: str, words: str) -> str:
    """Begin a page: its title, and what it is about."""
    return element("header", element("h1", escape(title)) + element("p", escape(words)))


def section(title: str, content: str, note: str = "") -> str:
    """Put content under a title."""
    said = element("p", escape(note), class_="note") if note else ""
    return element("section", element("h2", escape(title)) + said + content)


def grid(drawings: Sequence[str], class_: str) -> str:
    """Put drawings side by side, as far as there is room."""
    cards = "".join(card(drawn) for drawn in drawings)
    return element("div", cards, class_=f"grid {class_}")


def card(content: str) -> str:
    """Put content on a card of its own."""
    return element("div", content, class_="card")


def below(content: str) -> str:
    """Leave room above content."""
    return element("div", content, class_="below")


def write_tiles(tiles: Sequence[Tile]) -> str:
    """Write large figures side by side."""
    made = []
    for tile in tiles:
        content = element("span", escape(tile.label)) + element("strong", escape(tile.value))
        content += element("small", escape(tile.note) or " ")
        made.append(element("div", content, class_=f"tile {tile.class_}".strip()))
    return element("div", "".join(made), class_="tiles")


def write_rows(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Write a table; the first cell of a row names it; a column without a word is left out."""
    kept = [k for k in range(len(head)) if not k or any(row[k] != "" for row in rows)]
    head, rows = [head[k] for k in kept], [[row[k] for k in kept] for row in rows]
    cells = "".join(element("th", escape(name) or " ", scope="col") for name in head)
    body = "".join(element("tr", _row(row)) for row in rows)
    made = element("thead", element("tr", cells)) + (element("tbody", body) if body else "")
    return element("div", element("table", made), class_="wide")


def _row(row: Sequence[Cell]) -> str:
    first, *rest = row
    made = element("th", escape(_shown(first)) or " ", scope="row")
    for cell in rest:
        words = escape(_shown(cell)) or " "
        is_number = isinstance(cell, int | float)
        made += element("td", words, class_="number") if is_number else element("td", words)
    return made


def _shown(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return "-"
    if isinstance(cell, float):
        return f"{cell:,.3f}" if abs(cell) < 1000 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def span(low: float | None, high: float | None, digits: int = 3) -> str:
    """Write an interval."""
    return "-" if low is None or high is None else f"{low:,.{digits}f} to {high:,.{digits}f}"


def write_films(title: str, films: Sequence[Film], note: str = "") -> str:
    """Show films, each with its caption; nothing if there is neither film nor note."""
    if not films and not note:
        return ""
    figures = []
    for film in films:
        source = "data:image/gif;base64," + base64.b64encode(film.data).decode("ascii")
        named = element("b", escape(film.title)) + " " if film.title else ""
        caption = element("figcaption", named + escape(film.caption))
        alt = f"{film.title}: {film.caption}" if film.title else film.caption
        figures.append(element("figure", element("img", src=source, alt=alt) + caption))
    class_ = "films" if len(films) > 1 else "film"
    shown = element("div", "".join(figures), class_=class_) if figures else ""
    return section(title, shown, note)


def write_commands(commands: Mapping[str, str]) -> str:
    """List what to type, by purpose."""
    made = "".join(
        element("p", escape(purpose), class_="note") + element("pre", code(command))
        for purpose, command in commands.items()
    )
    return section("Make it again", made)
