"""Files of results: tables that `query` reads, and the same as JSON and for people."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from mesocosm.evaluation.arena.bout_folder import BoutFolder
from mesocosm.evaluation.arena.tables import Row
from mesocosm.evaluation.tournament.standings import Tables

MARKDOWN, DATA = "results.md", "results.json"


def write_results(folder: BoutFolder, title: str, tables: Tables) -> None:
    """Write tables into a run folder: nothing in them depends on when or how often it was ended."""
    folder.write_tables(tables)
    data = {"title": title} | {name: list(rows) for name, (_, rows) in tables.items()}
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    folder.write_file(DATA, text.encode() + b"\n")
    folder.write_file(MARKDOWN, write_markdown(title, tables).encode())


def write_markdown(title: str, tables: Tables) -> str:
    """Write tables for people."""
    blocks = [f"# {title}"]
    for name, (kinds, rows) in tables.items():
        blocks.append(f"## {name}")
        if name == "crossplay":
            blocks.append(_matrix(rows, "mean_return", "mean return of the row beside the column"))
            blocks.append(_matrix(rows, "won", "share of games that the row won"))
        else:
            blocks.append(_table(list(kinds), [[_cell(row[key]) for key in kinds] for row in rows]))
    return "\n\n".join(blocks) + "\n"


def _matrix(rows: Sequence[Row], key: str, what: str) -> str:
    names = list(dict.fromkeys(row["entrant"] for row in rows))
    cells = {(row["entrant"], row["beside"]): _cell(row[key]) for row in rows}
    lines = [[name, *(cells.get((name, other), "") for other in names)] for name in names]
    return f"{what[0].upper()}{what[1:]}:\n\n{_table(['', *names], lines)}"


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    escape: Callable[[str], str] = lambda text: text.replace("|", "\\|")  # noqa: E731
    every = [list(head), ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(map(escape, line))} |" for line in every)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
