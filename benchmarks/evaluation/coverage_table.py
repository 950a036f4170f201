"""Write what `coverage` measured as Markdown."""

from typing import Any

from mesocosm.cli.shared.output import Section, markdown

Row = dict[str, Any]
NAMES = {"mean": "Mean", "median": "Median", "iqm": "Interquartile mean"}


def write_tables(data: dict[str, Any]) -> str:
    """Write every table, the summary first."""
    rows, required = data["rows"], data["required"]
    promised = [row for row in rows if row["promised"] and "coverage" in row]
    short = [row for row in promised if row["coverage"] < required]
    worst = min(promised, key=lambda row: row["coverage"])
    said = (
        f"Of {len(promised)} cells in which an interval is given, {len(promised) - len(short)} "
        f"cover at least {required:.0%}; the least is {worst['coverage']:.1%} ({_name(worst)}, "
        f"n = {worst['n']})."
    )
    if short:
        said += " Short: " + "; ".join(
            f"{_name(row)}, n = {row['n']}: {row['coverage']:.1%}" for row in short
        )
    lead = (
        f"`python -m benchmarks.evaluation.coverage`: {data['trials']:,} trials in each cell, seed "
        f"{data['seed']}. A cell says how often the interval covers and, after the stroke, its "
        "median width; - where none is given. Below them, of means, Student's t and the percentile "
        "bootstrap, which are not used."
    )
    sections = [_single(rows, of, True) for of in NAMES]
    sections += [
        _grouped(rows),
        _differences(rows, "difference"),
        _differences(rows, "improvement"),
    ]
    sections.append(_single(rows, "mean", False))
    return f"# Coverage of intervals\n\n{lead}\n\n{said}\n\n{markdown(sections, 2)}\n"


def _name(row: Row) -> str:
    parts = (row.get("of", row["kind"]), row["name"], "paired" if row.get("paired") else "")
    return " ".join(part for part in parts if part)


def _cell(row: Row, coverage: str = "coverage", width: str = "width") -> str:
    if coverage not in row:
        return "-"
    given = f" ({row['given']:.0%} given)" if coverage == "coverage" and row["given"] < 1 else ""
    return f"{100 * row[coverage]:.1f} / {row[width]:.3g}{given}"


def _single(rows: list[Row], of: str, promised: bool) -> Section:
    mine = [row for row in rows if row.get("of") == of and row["promised"] == promised]
    counts = sorted({row["n"] for row in mine})
    made = []
    for kind, name in dict.fromkeys((row["kind"], row["name"]) for row in mine):
        cells = [row for row in mine if (row["kind"], row["name"]) == (kind, name)]
        made.append((kind, name, "ours", *map(_cell, cells)))
        if of == "mean":
            for method in ("t", "percentile"):
                names = f"{method}_coverage", f"{method}_width"
                made.append(("", "", method, *(_cell(row, *names) for row in cells)))
    title, note = NAMES[of], ""
    if not promised:
        title = "Beyond what data can tell: values too rare to have been seen"
        note = "No method knows of a peak that the sample lacks: intervals cover less here."
    head = ("kind", "distribution", "method", *(f"n = {count}" for count in counts))
    return Section(title, head, made, note)


def _grouped(rows: list[Row]) -> Section:
    mine = [row for row in rows if row["kind"] == "grouped"]
    counts = sorted({row["n"] for row in mine})
    made = [
        (name, *(_cell(row) for row in mine if row["name"] == name))
        for name in dict.fromkeys(row["name"] for row in mine)
    ]
    note = "n counts episodes of up to 8 lives, or training seeds of 50 episodes."
    head = ("what", *(f"n = {count}" for count in counts))
    return Section("Lives that hang together, and training seeds", head, made, note)


def _differences(rows: list[Row], kind: str) -> Section:
    mine = [row for row in rows if row["kind"] == kind]
    counts = sorted({row["n"] for row in mine})
    made = []
    for name, paired in dict.fromkeys((row["name"], row["paired"]) for row in mine):
        cells = [row for row in mine if (row["name"], row["paired"]) == (name, paired)]
        mark = "" if all(row["promised"] for row in cells) else " (beyond, as below)"
        made.append((name + mark, "paired" if paired else "unpaired", *map(_cell, cells)))
    titles = {
        "difference": "Difference of means and of shares",
        "improvement": "Probability of improvement",
    }
    head = ("sides", "", *(f"n = {count}" for count in counts))
    return Section(titles[kind], head, made)
