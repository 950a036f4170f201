"""Write the README's tables from what they state: benchmarks/results, and docs/comparison.md.

`python tools/readme_tables.py`. No figure in these tables is typed by hand.
"""

import json
import re
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mesocosm.cli.shared.output import rate_text

ROOT = Path(__file__).parent.parent
PAGE, COMPARISON = ROOT / "README.md", ROOT / "docs" / "comparison.md"
RESULTS = "benchmarks/results"
END = "<!-- generated: end -->"
MARKED = re.compile(rf"(<!-- generated (\w+): begin -->).*?{re.escape(END)}", re.DOTALL)
HEADING, CELLS = re.compile(r"^### (.+)$"), re.compile(r"^\| (.+?) \| (.+?) \| (.+) \|$")
COGS_VS_CLIPS = "cogs vs clips"
NUM_SLOWEST = 3
BATCHED = {
    "gymnasium vector": "Gymnasium vector",
    "pufferlib": "PufferLib",
    "gymnasium rows": "Gymnasium rows",
    "sb3": "Stable-Baselines3",
    "torchrl": "TorchRL",
}
SINGLE = {
    "pettingzoo parallel": "PettingZoo parallel",
    "pettingzoo aec": "PettingZoo AEC",
    "rllib env": "RLlib",
}
Row = tuple[str, ...]


def read(name: str) -> Any:
    """Read a file of results."""
    return json.loads((ROOT / RESULTS / name).read_text(encoding="utf-8"))


def table(head: Row, rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def link(name: str) -> str:
    """Link to a file of results by its name."""
    return f"[{name}]({RESULTS}/{name})"


def same_games() -> str:
    """Lay out the speed beside MettaGrid: its own game, then random ones, the slowest by name."""
    whole = read("mettagrid.json")
    found, ended = whole["games"], len(whole["skipped"])
    named = next(row for row in found if row["game"] == COGS_VS_CLIPS)
    drawn = sorted((row for row in found if row is not named), key=lambda row: float(row["ratio"]))
    middle = statistics.median(row["ratio"] for row in drawn)
    alone = statistics.median(row["single_ratio"] for row in drawn)
    rows = [_game("Cogs vs Clips, the game of MettaGrid's own replay", named)]
    rows.append((f"{len(drawn)} random scripted games, median", "", "", *_times(middle, alone)))
    for place, row in enumerate(drawn[:NUM_SLOWEST]):
        name = "the slowest of them for us" if place == 0 else "the next"
        rows.append(_game(f"{name}: {row['agents']} agents, {_size(row)}", row))
    rows.append(_game("the fastest of them for us", drawn[-1]))
    rows.append((f"left out: {ended} more, which end MettaGrid's process", "", "", "", ""))
    return table(("same game, same bytes, same run", "MettaGrid", "ours", "times", "one env"), rows)


def _game(name: str, row: dict[str, Any]) -> Row:
    speeds = rate_text(row["theirs"]), rate_text(row["ours"])
    return (name, *speeds, *_times(row["ratio"], row["single_ratio"]))


def _times(ratio: float, alone: float) -> Row:
    return f"{ratio:.1f} ×", f"{alone:.1f} ×"


def _size(row: dict[str, Any]) -> str:
    things, size = row["does"].split(", ")[:2]
    return f"{things}, {size}"


def others() -> str:
    """Lay out training, adapters, starts and GPUs, a line each with its file."""
    rows = [_training(), _batched(), _single(), _starts(), _gpu_starts(), _gpu()]
    return table(("what", "measured", "file"), rows)


def _training() -> Row:
    found = read("learning/speed-2.json")["found"]
    middle = {kind: statistics.median(run["wall"] for run in runs) for kind, runs in found.items()}
    ours, script, rllib = (middle[kind] for kind in ("ours", "script", "rllib"))
    text = (
        f"{rate_text(ours)} agent-steps/s; a single-file script with the same network "
        f"{rate_text(script)} ({ours / script:.1f} ×); RLlib's PPO {rate_text(rllib)} "
        f"({ours / rllib:.0f} ×, one run)"
    )
    return "training `townlet/L3`, two cores", text, link("learning/speed-2.json")


def _batched() -> Row:
    return (
        "adapter beside the raw env, 256 envs",
        _adapters(BATCHED),
        link("adapters/overhead.json"),
    )


def _single() -> Row:
    return "adapter beside the raw env, one env", _adapters(SINGLE), link("adapters/overhead.json")


def _adapters(names: dict[str, str]) -> str:
    ratios = {row["adapter"]: row["ratio"] for row in read("adapters/overhead.json")["rows"]}
    return ", ".join(f"{name} {_ratio(ratios[key])}" for key, name in names.items())


def _ratio(value: float) -> str:
    return f"{value:.2g} ×" if value < 10 else f"{value:.0f} ×"


def _starts() -> Row:
    found = read("compile.json").values()
    plain = [row["plain"] for row in found]
    layered = [row["layered"] for row in found if row["layered"]]
    warm = [row["warm"] for row in found]
    text = (
        f"cold {min(plain):.0f} to {max(plain):.0f} CPU-seconds by world, with layers "
        f"{min(layered):.0f} to {max(layered):.0f}; from then on {min(warm):.1f} to {max(warm):.1f}"
    )
    return "first env of a fresh process", text, link("compile.json")


def _gpu_starts() -> Row:
    found = read("gpu.json")["compile"]
    cold, warm = ([row[kind] for row in found] for kind in ("seconds", "warm_seconds"))
    text = (
        f"cold {min(cold):.0f} to {max(cold):.0f} seconds by world; "
        f"from then on {min(warm):.1f} to {max(warm):.1f}"
    )
    return "the same on a GPU", text, link("gpu.json")


def _gpu() -> Row:
    found = read("gpu.json")
    rates = {
        (row["preset"], row["num_envs"]): rate_text(row["agent_steps_per_s"])
        for row in found["speed"]
        if "preset" in row
    }
    named = [
        ("townlet/L3", 524288),
        ("mettagrid/arena24", 32768),
        ("island/standard", 8192),
        ("commons/default", 1),
    ]
    text = ", ".join(f"{name} {rates[name, n]} ({n:,} env{'s'[: n > 1]})" for name, n in named)
    return f"agent-steps/s on one {found['device']}", text, link("gpu.json")


def matrix() -> str:
    """Lay out docs/comparison.md: a line for each of its rows, a column for each project."""
    found: dict[str, dict[str, str]] = {}
    for line in COMPARISON.read_text(encoding="utf-8").partition("## Row by row")[2].splitlines():
        if heading := HEADING.match(line):
            found[heading[1]] = {}
        elif (cells := CELLS.match(line)) and cells[1] not in {"project", "---"}:
            found[list(found)[-1]][cells[1]] = cells[2]
    projects = list(next(iter(found.values())))
    rows = [
        (f"[{name}](docs/comparison.md#{_anchor(name)})", *(cells[who] for who in projects))
        for name, cells in found.items()
    ]
    return table(("", *projects), rows)


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


PARTS = {"games": same_games, "speed": others, "matrix": matrix}


def current(text: str) -> str:
    """Give the page's text with its tables as they should be."""
    return MARKED.sub(lambda found: f"{found[1]}\n\n{PARTS[found[2]]()}\n\n{END}", text)


def main() -> int:
    """Rewrite the page."""
    PAGE.write_text(current(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
