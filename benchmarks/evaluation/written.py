"""Write the tables of a benchmark, and the figures that they are made from."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "evaluation"
PICTURES = ROOT / "docs" / "pictures"


def write(name: str, title: str, parts: Sequence[str], data: Any, out: Path | None = None) -> None:
    """Write NAME.md and NAME.json into the folder of results, or into another."""
    folder = out or RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    made = f"Made by `python -m benchmarks.evaluation.{name}`."
    text = "\n\n".join([f"# {title}", *(part.strip() for part in parts), made])
    (folder / f"{name}.md").write_text(text + "\n")
    (folder / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [list(head), ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """Write a value with its 95 % interval."""
    if low is None or high is None:
        return number(value)
    return f"{number(value)} ({number(low)} to {number(high)})"
