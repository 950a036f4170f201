"""Print for people and for programs: tables, JSON, Markdown."""

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

UNWRAPPED = 1000


class Section(NamedTuple):
    """A titled table: drawn on a terminal, or written as Markdown."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    note: str = ""


def console(*, stderr: bool = False) -> Console:
    """Make a console that prints what it is given; only a terminal wraps lines."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else UNWRAPPED
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def progress_bar(unit: str) -> Progress:
    """Make a bar on stderr for what takes a while."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    out = console(stderr=True)
    if not out.is_terminal:
        out.width = 80
    return Progress(*columns, TextColumn(unit), TimeRemainingColumn(), console=out)


def say(text: str) -> None:
    """Tell the person something that is no part of the result."""
    print(text, file=sys.stderr, flush=True)


def to_json_value(value: Any) -> Any:
    """Turn what JSON cannot say into text."""
    if isinstance(value, dict):
        return {str(key): to_json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def print_json(value: Any) -> None:
    """Print data as JSON that every parser reads."""
    print(json.dumps(to_json_value(value), indent=2, ensure_ascii=False, allow_nan=False))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Draw rows under a heading (or under none), without lines."""
    made = Table(*head, box=None, pad_edge=False, header_style="bold", show_header=any(head))
    for row in rows:
        made.add_row(*row)
    out = console()
    if out.is_terminal:
        out.print(made)
        return
    with out.capture() as drawn:
        out.print(made)
    # a file or a pipe gets no padding at the ends of lines
    print("\n".join(line.rstrip() for line in drawn.get().splitlines()))


def print_sections(sections: Iterable[Section]) -> None:
    """Draw sections on the terminal."""
    out = console()
    for k, section in enumerate(sections):
        if k:
            out.print()
        out.print(section.title, style="bold cyan")
        if section.note:
            out.print(section.note)
        if section.rows:
            print_table(section.head, section.rows)


def markdown(sections: Iterable[Section], level: int = 3) -> str:
    """Write sections as Markdown."""
    blocks = []
    for section in sections:
        blocks.append(f"{'#' * level} {section.title}")
        if section.note:
            blocks.append(section.note)
        if section.rows:
            lines = [section.head, tuple("---" for _ in section.head), *section.rows]
            blocks.append("\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines))
    return "\n\n".join(blocks)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def size_text(num_bytes: float) -> str:
    """Write a number of bytes for people."""
    for unit in ("B", "KiB", "MiB"):
        if num_bytes < 1024:
            return f"{num_bytes:.0f} {unit}" if unit == "B" else f"{num_bytes:.1f} {unit}"
        num_bytes /= 1024
    return f"{num_bytes:.1f} GiB"


def rate_text(value: float) -> str:
    """Write a rate with three digits: 1.23M."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g}{unit}"
    return f"{value:.3g}"
