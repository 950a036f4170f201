"""Tables of what was learnt, from the raw runs of `experiments`."""

import json
import statistics
from pathlib import Path
from typing import Any

from benchmarks.learning.experiments import EXPERIMENTS, SCRIPTED

FOLDER = Path("benchmarks/results/learning")
PAGE = Path("docs/learning.md")
BEGIN = "<!-- generated from benchmarks/results/learning: begin -->\n"
END = "<!-- generated: what is learnt, end -->"
HEAD = (
    "| trained | steps | seeds | success | collapsed | return | beside | life | beginnings |",
    "|---|---|---|---|---|---|---|---|---|",
)
SCRIPTED_HEAD = ("| preset | policy | success | return | life |", "|---|---|---|---|---|")
LABELS = {
    "L3": "L3, 20 M",
    "L3 long": "L3, 100 M",
    "L3 large": "L3, 32,768 envs on one GPU, 300 M",
    "L5 no memory": "L5, no memory, 100 M",
    "L5 gru": "L5, GRU, 100 M",
    "L5 gru after L4": "L5, GRU, 100 M of which the first on L4",
    "Q L0": "L0, Q-learning",
    "Q L1": "L1, Q-learning",
    "commons sanction": "commons, with sanctions",
    "commons no sanction": "commons, without sanctions",
}


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    """Give the runs of an experiment, by seed."""
    stem = name.replace(" ", "-").replace("/", "-")
    runs = [json.loads(path.read_text()) for path in folder.glob(f"{stem}-[0-9].json")]
    return sorted(runs, key=lambda run: run["seed"])


def spread(values: list[float], form: str) -> str:
    """Write a median and a range."""
    middle = form.format(statistics.median(values))
    return f"{middle} ({form.format(min(values))} to {form.format(max(values))})"


def own(found: dict[str, Any]) -> dict[str, Any]:
    """Find the part of the only role."""
    return next(part for part in found.values() if isinstance(part, dict))


def scripted(folder: Path) -> dict[str, dict[str, Any]]:
    """Give what scripted policies reached, by preset."""
    made = {}
    for preset in SCRIPTED:
        path = folder / f"scripted-{preset.replace('/', '-')}.json"
        if path.is_file():
            made[preset] = json.loads(path.read_text())
    return made


def trained_rows(folder: Path) -> list[str]:
    """Write a row for every experiment."""
    known, made = scripted(folder), []
    for name, experiment in EXPERIMENTS.items():
        runs = read(folder, name)
        if not runs:
            continue
        parts = [own(run["evaluations"][-1]) for run in runs]
        returns = [part["total_return"][0] for part in parts]
        reference = SCRIPTED[experiment.preset][-1]
        wanted = own(known[experiment.preset][reference])["total_return"][0]
        beginnings = {run["evaluations"][-1]["beginnings"] for run in runs}
        steps = statistics.median(run["evaluations"][-1]["agent_steps"] for run in runs)
        cells = [
            LABELS.get(name, name),
            f"{steps / 1e6:,.0f} M",
            f"{len(runs)}",
            spread([100 * part["success"][0] for part in parts], "{:.1f}") + " %",
            spread([100 * part["endings"].get("collapse", 0.0) for part in parts], "{:.0f}") + " %"
            if "commons" in name
            else "",
            spread(returns, "{:.1f}"),
            f"{100 * statistics.median(returns) / wanted:.0f} % of {reference}",
            spread([part["length"][0] for part in parts], "{:.0f}"),
            " or ".join(map(str, sorted(beginnings))),
        ]
        made.append("| " + " | ".join(cells) + " |")
    return made


def scripted_rows(folder: Path) -> list[str]:
    """Write a row for every scripted policy."""
    made = []
    for preset, policies in scripted(folder).items():
        for name, found in policies.items():
            part = own(found)
            low, high = part["total_return"][1:3]
            made.append(
                f"| {preset} | {name} | {100 * part['success'][0]:.1f} % "
                f"| {part['total_return'][0]:.1f} ({low:.1f} to {high:.1f}) "
                f"| {part['length'][0]:.0f} |"
            )
    return made


def write_into(page: Path, lines: list[str]) -> None:
    """Put a table into a page, between its marks."""
    text = page.read_text()
    before, rest = text.split(BEGIN)
    page.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END + rest.split(END)[1])


def main() -> None:
    folder = FOLDER / "learnt"
    trained, by_script = [*HEAD, *trained_rows(folder)], [*SCRIPTED_HEAD, *scripted_rows(folder)]
    lines = [
        "# What is learnt",
        "",
        "Sampled actions on 1,000 episodes of seeds that nobody trained on; median over training",
        "seeds and, in brackets, their range. Written by `python -m benchmarks.learning.table`",
        "from `learnt/`, which `python -m benchmarks.learning.experiments all` makes.",
        "",
        *trained,
        "",
        "Scripted policies on the same episodes, with 95 % intervals over episodes (greedy of",
        "townlet and forager of mettagrid read the truth):",
        "",
        *by_script,
    ]
    (FOLDER / "learnt.md").write_text("\n".join(lines) + "\n")
    write_into(PAGE, trained)


if __name__ == "__main__":
    main()
