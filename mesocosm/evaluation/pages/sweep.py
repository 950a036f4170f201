"""The sections about a sweep: every metric against the first setting, and the table."""

from collections.abc import Sequence

from mesocosm.evaluation.pages.source import Row, Source
from mesocosm.evaluation.report.document import Cell, below, grid, section, span, write_rows
from mesocosm.evaluation.sweep.dials import Dial, parse_dials, told
from mesocosm.evaluation.sweep.pictures import draw_charts
from mesocosm.evaluation.sweep.results import METRICS


def sweep_sections(source: Source) -> list[str]:
    """Write what `mesocosm sweep` found."""
    rows = source.tables["sweep"]
    dials = parse_dials(source.plan["more"]["params"])
    trained = any(row["seeds"] for row in rows)
    over = "training seeds" if trained else "episodes"
    note = f"Bands are 95 % intervals over {over}; where there is none, no method covers."
    shown = [metric for metric in METRICS if _is_known(rows, metric)]
    charts = [chart for metric in shown for chart in draw_charts(rows, dials, metric)]
    table = _table(rows, dials, shown)
    title = f"By {dials[0].path}"
    drawn = [section(title, grid(charts, "wide-charts"), note)] if charts else []
    return [*drawn, section("Every point", below(table))]


def _is_known(rows: Sequence[Row], metric: str) -> bool:
    """Whether there is anything to see: of success there is not where no life ended in it."""
    return metric != "success" or any(row[metric] for row in rows)


def _table(rows: Sequence[Row], dials: Sequence[Dial], metrics: Sequence[str]) -> str:
    head = [*(dial.path for dial in dials), "who", "role", "seeds", "episodes"]
    for metric in metrics:
        head += [metric, "95 % interval"]
    lines: list[list[Cell]] = []
    for row in rows:
        line: list[Cell] = [told(row[dial.path]) for dial in dials]
        line += [row["entrant"], row["role"], row["seeds"] or "", row["episodes"]]
        for metric in metrics:
            line += [row[metric], span(row[f"{metric}_low"], row[f"{metric}_high"])]
        lines.append([*line, row["forfeits"]])
    return write_rows([*head, "forfeits"], lines)
