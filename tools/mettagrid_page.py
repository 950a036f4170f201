"""Write the numbers of docs/mettagrid.md from what was measured: no figure there is typed by hand.

`python tools/mettagrid_page.py`. Results come from `python -m benchmarks.mettagrid_scripted`,
`python -m benchmarks.shipped --out benchmarks/results/shipped` and
`python -m tests.worlds.mettagrid.differential.run --out benchmarks/results/differential.json`.
"""

import json
import re
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.shipped.__main__ import verdict
from mesocosm.build import load_config
from mesocosm.cli.shared.output import Section, markdown, rate_text
from mesocosm.worlds.registry import preset_files

ROOT = Path(__file__).parent.parent
PAGE, RESULTS = ROOT / "docs" / "mettagrid.md", ROOT / "benchmarks" / "results"
END = "<!-- generated: end -->"
MARKED = re.compile(rf"(<!-- generated (\w+): begin -->).*?{re.escape(END)}", re.DOTALL)
COGS_VS_CLIPS = "cogs vs clips"
EQUAL = {
    "equal": "equal in every byte",
    "differs": "differ",
    "wheel_differs": "the wheel differs from itself",
    "wheel_crashes": "the wheel crashes",
    "wheel_invalid": "the wheel refuses it",
    "refused": "refused, with a path",
}


def read(name: str) -> Any:
    """Read a file of results, or None if it was not measured yet."""
    path = RESULTS / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def missing(name: str) -> str:
    """Say that there are no figures yet."""
    return f"Not measured yet: no `benchmarks/results/{name}`."


def fuzz() -> str:
    """Lay out what the random games gave."""
    found = read("differential.json")
    if found is None:
        return missing("differential.json")
    counts, games = found["counts"], found.get("games", {})
    played = sum(entry.get("steps", 0) for entry in games.values())
    rows = [(EQUAL.get(key, key), f"{count:,}") for key, count in counts.items()]
    if played:
        rows.append(("steps compared", f"{played:,}"))
    rows.append(("what a config can say and none of them said", ", ".join(found["holes"]) or "-"))
    return table(("random games", "number"), rows)


def shipped() -> str:
    """Lay out what became of the games inside the wheel."""
    found = read("shipped.json")
    if found is None:
        return missing("shipped.json")
    counts = Counter(verdict(entry) for entry in found)
    rows = [(name, f"{count}") for name, count in sorted(counts.items())]
    return table(("games, maps and replays inside the wheel", "number"), rows)


def speed() -> str:
    """Lay out the speed, scripted games first."""
    found = read("mettagrid.json")
    if found is None:
        return missing("mettagrid.json")
    drawn = [row for row in found["games"] if row["game"] != COGS_VS_CLIPS]
    named = [row for row in found["games"] if row["game"] == COGS_VS_CLIPS]
    rows = [_speed(row["game"], row) for row in named]
    if drawn:
        by_ratio = sorted(drawn, key=lambda row: float(row["ratio"]))
        middle = statistics.median(row["ratio"] for row in drawn)
        rows.append((f"{len(drawn)} random scripted games, median", "", "", f"{middle:.1f}", ""))
        rows += [_speed("the slowest of them", by_ratio[0])]
        rows += [_speed("the fastest of them", by_ratio[-1])]
    rows += [_speed(row["preset"], row) for row in found.get("scenes", [])]
    head = ("game", "MettaGrid", "ours", "times", "times, one env")
    return table(head, rows)


def _speed(name: str, row: dict[str, Any]) -> tuple[str, ...]:
    one = row.get("single_ratio")
    alone = "" if one is None else f"{one:.1f}"
    return (name, rate_text(row["theirs"]), rate_text(row["ours"]), f"{row['ratio']:.1f}", alone)


def preset_table() -> str:
    """Lay out the presets by the comments that their files begin with."""
    rows = []
    for name, path in sorted(preset_files("mettagrid").items()):
        core = load_config(f"mettagrid/{name}").core
        first = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        rows.append((f"`mettagrid/{name}`", core.profile, f"{core.num_agents}", first))
    return table(("preset", "profile", "cogs", "what it is"), rows)


def table(head: tuple[str, ...], rows: list[Any]) -> str:
    """Write a table without a title."""
    return markdown([Section("", head, rows)]).partition("\n\n")[2]


PARTS = {"fuzz": fuzz, "shipped": shipped, "speed": speed, "presets": preset_table}


def current(text: str) -> str:
    """Give the page's text with its figures as they were measured."""
    return MARKED.sub(lambda found: f"{found[1]}\n\n{PARTS[found[2]]()}\n\n{END}", text)


def main() -> int:
    """Rewrite the page."""
    PAGE.write_text(current(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
