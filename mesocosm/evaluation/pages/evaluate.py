"""The sections about an evaluation: who did how well, the verdicts, and transfer."""

from collections.abc import Sequence

from mesocosm.evaluation.pages.shared import entrants_of
from mesocosm.evaluation.pages.source import Row, Source
from mesocosm.evaluation.report.document import Cell, below, grid, section, span, write_rows
from mesocosm.evaluation.report.forest import Entry, colour_of, draw_forest
from mesocosm.evaluation.report.heat import Matrix, draw_heat
from mesocosm.evaluation.report.svg import percent

HEAD = ("who", "preset", "role", "mean return", "95 % interval", "median", "middle half", "success",
        "steps of a life", "invalid", "episodes", "forfeits")  # fmt: skip
VERDICT_HEAD = ("who", "preset", "role", "verdict", "difference", "95 % interval", "p",
                "chance to be better", "episodes", "needed for 5 %")  # fmt: skip


def evaluate_sections(source: Source) -> list[str]:
    """Write what `mesocosm evaluate` found."""
    rows, verdicts = source.tables["result"], source.tables["verdict"]
    names = entrants_of(source)
    made = [_returns(rows, names)]
    if verdicts:
        made.append(_verdicts(verdicts, names))
    if len({row["preset"] for row in rows}) > 1:
        made.append(_transfer(rows))
    return made


def _who(row: Row) -> str:
    turn = row["group"] in (row["entrant"], "as given")
    return str(row["entrant"]) if turn else f"{row['entrant']} (beside {row['group']})"


def _colour(names: Sequence[str], name: str) -> str:
    return colour_of(names.index(name)) if name in names else "c4"


def _returns(rows: Sequence[Row], names: Sequence[str]) -> str:
    forests, several = [], len({row["preset"] for row in rows}) > 1
    for preset, role in dict.fromkeys((row["preset"], row["role"]) for row in rows):
        entries = [
            Entry(_who(r), r["mean_return"], r["low"], r["high"], _colour(names, r["entrant"]))
            for r in rows
            if (r["preset"], r["role"]) == (preset, role)
        ]
        title = f"Mean return of a {role}" + (f", {preset}" if several else "")
        forests.append(draw_forest(title, entries))
    lines: list[list[Cell]] = [
        [_who(r), r["preset"] if several else "", r["role"], r["mean_return"],
         span(r["low"], r["high"]),
         r["median_return"], r["iqm_return"],
         "-" if r["success"] is None else percent(r["success"]), r["mean_length"],
         r["violations"], r["episodes"], r["forfeits"]]
        for r in rows
    ]  # fmt: skip
    note = (
        "What an agent earned in an episode, on average. Intervals are 95 %, over episodes; where "
        "there is none, no method covers: too few episodes, or all are equal."
    )
    table = write_rows(HEAD, lines)
    return section("Returns", grid(forests, "two") + below(table), note)


def _verdicts(rows: Sequence[Row], names: Sequence[str]) -> str:
    entries = [
        Entry(_label(rows, r), r["difference"], r["low"], r["high"], _colour(names, r["entrant"]))
        for r in rows
    ]
    baseline, several = rows[0]["baseline"], len({row["preset"] for row in rows}) > 1
    title = f"Mean return over {baseline}'s, episode by episode"
    lines: list[list[Cell]] = [
        [r["entrant"], r["preset"] if several else "", r["role"], r["verdict"], r["difference"],
         span(r["low"], r["high"]), _chance(r["p"]),
         "-" if r["improvement"] is None else percent(r["improvement"]), r["episodes"],
         r["needed"] or "-"]
        for r in rows
    ]  # fmt: skip
    note = (
        f"Everybody beside {baseline}, who was named first, in the same seats of the same "
        "episodes; p is corrected for all rows (Holm). The last column says how many episodes "
        "would show a difference of 5 %."
    )
    drawn = grid([draw_forest(title, entries, reference=0.0)], "two")
    return section("Verdicts", drawn + below(write_rows(VERDICT_HEAD, lines)), note)


def _chance(p: float | None) -> str:
    return "-" if p is None else "below 0.001" if p < 0.001 else f"{p:.3f}"


def _label(rows: Sequence[Row], row: Row) -> str:
    """Name a comparison by what tells it from the others."""
    parts = [str(row["entrant"])]
    for key in ("role", "preset"):
        if len({entry[key] for entry in rows}) > 1:
            parts.append(str(row[key]))
    return ", ".join(parts)


def _transfer(rows: Sequence[Row]) -> str:
    """Draw who earned what on which preset."""
    presets = list(dict.fromkeys(row["preset"] for row in rows))
    maps = []
    for role in dict.fromkeys(row["role"] for row in rows):
        own = [row for row in rows if row["role"] == role]
        names = list(dict.fromkeys(map(_who, own)))
        cells = {(_who(row), row["preset"]): row["mean_return"] for row in own}
        values = [[cells.get((name, preset)) for preset in presets] for name in names]
        title = f"Mean return of a {role}, by preset"
        maps.append(draw_heat(Matrix(title, names, presets, values, by_column=True)))
    note = "Colours compare within a preset: returns of two presets may not have one scale."
    return section("Transfer", grid(maps, "two"), note)
