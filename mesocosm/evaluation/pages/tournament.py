"""The sections about a tournament: ratings, cross-play, seats; populations; best responses."""

from collections.abc import Sequence

from mesocosm.evaluation.pages.source import Row, Source
from mesocosm.evaluation.report.document import Cell, below, card, grid, section, span, write_rows
from mesocosm.evaluation.report.forest import Entry, colour_of, draw_forest
from mesocosm.evaluation.report.heat import Matrix, draw_heat
from mesocosm.evaluation.report.svg import element, percent
from mesocosm.evaluation.tournament.pictures import draw_shares

DEVIATIONS = 1.96  # of a normal distribution: 95 % lie within
STANDING_HEAD = ("who", "place", "rating", "uncertainty", "games", "won", "points", "mean return",
                 "forfeits", "first reason")  # fmt: skip
SEAT_HEAD = ("seat", "episodes", "mean return", "advantage", "95 % interval", "verdict", "won")
PAIRING_HEAD = ("first", "second", "round", "games", "won by the first", "bouts", "note")
MIXTURE_HEAD = ("mixture", "return of the focal", "of the other", "of all", "inequality", "gini",
                "steps", "dealings", "episodes", "forfeits")  # fmt: skip
RESPONSE_HEAD = ("against", "steps learnt", "own return", "best response's", "gain",
                 "95 % interval", "verdict", "others' return", "episodes")  # fmt: skip


def tournament_sections(source: Source) -> list[str]:
    """Write what `mesocosm tournament` found, whatever its format."""
    tables = source.tables
    if "population" in tables:
        return _population(tables["population"])
    if "response" in tables:
        return [_responses(tables["response"])]
    swiss = (source.plan.get("more") or {}).get("format") == "swiss"
    made = [_standings(tables["standing"], swiss=swiss), _crossplay(tables["crossplay"])]
    if tables["seat"]:
        made.append(_seats(tables["seat"]))
    return [*made, _pairings(tables["pairing"])]


def _share(value: float | None) -> str:
    return "-" if value is None else percent(value)


def _with_change(value: float | None, change: float | None) -> str:
    return "-" if value is None or change is None else f"{value:,.3f} ({change:+,.3f})"


def _standings(rows: Sequence[Row], *, swiss: bool) -> str:
    ratings = [
        Entry(r["entrant"], r["rating"], r["rating"] - DEVIATIONS * r["uncertainty"],
              r["rating"] + DEVIATIONS * r["uncertainty"], colour_of(k))
        for k, r in enumerate(rows)
    ]  # fmt: skip
    returns = [Entry(r["entrant"], r["mean_return"], None, None, colour_of(k))
               for k, r in enumerate(rows)]  # fmt: skip
    lines: list[list[Cell]] = [
        [r["entrant"], r["place"], r["rating"], r["uncertainty"], r["games"], _share(r["won"]),
         r["points"], r["mean_return"], r["forfeits"], r["reason"]]
        for r in rows
    ]  # fmt: skip
    forests = [
        draw_forest("Rating, with 1.96 standard errors", ratings),
        draw_forest("Mean return beside others", returns),
    ]
    note = (
        "Ratings are OpenSkill's; a newcomer has 25 ± 8.3. They rank, and say nothing about how "
        "much more somebody earns."
    )
    if swiss:
        note += " Those of like points met; whoever sat out a round has its point."
    table = below(write_rows(STANDING_HEAD, lines))
    return section("Standings", grid(forests, "two") + table, note)


def _crossplay(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(row["entrant"] for row in rows))
    maps = []
    for key, title in (
        ("mean_return", "Mean return of the row beside the column"),
        ("won", "Share of games that the row won"),
    ):
        cells = {(row["entrant"], row["beside"]): row[key] for row in rows}
        values = [[cells.get((name, other)) for other in names] for name in names]
        maps.append(draw_heat(Matrix(title, names, names, values)))
    lines: list[list[Cell]] = [
        [r["entrant"], r["beside"], r["mean_return"], span(r["low"], r["high"]), _share(r["won"]),
         r["games"], r["episodes"], r["forfeits"]]
        for r in rows
    ]  # fmt: skip
    head = ("who", "beside", "mean return", "95 % interval", "won", "games", "episodes", "forfeits")
    table = _folded("every pair with its interval", write_rows(head, lines))
    note = (
        "Of everybody beside everybody, over both orders of seats; beside itself: all seats; "
        "-: they did not meet."
    )
    return section("Cross-play", grid(maps, "two") + table, note)


def _folded(title: str, content: str) -> str:
    return below(element("details", element("summary", title) + content))


def _seats(rows: Sequence[Row]) -> str:
    entries = [Entry(r["seat"], r["advantage"], r["low"], r["high"]) for r in rows]
    drawn = draw_forest("Advantage of a seat", entries, reference=0.0)
    lines: list[list[Cell]] = [
        [r["seat"], r["episodes"], r["mean_return"], r["advantage"], span(r["low"], r["high"]),
         r["verdict"], _share(r["won"])]
        for r in rows
    ]  # fmt: skip
    note = (
        "What a seat was worth over the mean of the others in the same episodes, in pairs that "
        "met in both orders of seats; the verdict is corrected for the number of seats."
    )
    table = below(write_rows(SEAT_HEAD, lines))
    return section("Seats", grid([drawn], "two") + table, note)


def _pairings(rows: Sequence[Row]) -> str:
    lines: list[list[Cell]] = [
        [r["first"], r["second"], r["round"], r["games"], _share(r["first_won"]), r["bouts"],
         r["note"]]
        for r in rows
    ]  # fmt: skip
    return section("Pairings", _folded(f"{len(rows):,} pairings", write_rows(PAIRING_HEAD, lines)))


def _population(rows: Sequence[Row]) -> list[str]:
    first = rows[0]
    known = [r for r in rows if any(r[f"{k}_return"] is not None
                                    for k in ("focal", "other", "collective"))]  # fmt: skip
    drawn = ""
    if known:
        title = f"Returns by the share of {first['other']}"
        drawn = card(draw_shares(rows, title))
    lines: list[list[Cell]] = [
        [f"{r['others']} of {r['agents']} {r['other']}", r["focal_return"], r["other_return"],
         r["collective_return"], r["inequality"], r["gini"], r["length"], r["dealings"],
         r["episodes"], r["forfeits"]]
        for r in rows
    ]  # fmt: skip
    note = (
        f"What {first['focal']} (the focal policy) earns as {first['other']} becomes more common; "
        "every mixture is played with places rotated. Bands are 95 % intervals over episodes."
    )
    table = below(write_rows(MIXTURE_HEAD, lines))
    return [section("Population", drawn + table, note)]


def _responses(rows: Sequence[Row]) -> str:
    entries = [
        Entry(f"{r['entrant']}, {r['role']}", r["gain"], r["low"], r["high"], colour_of(k))
        for k, r in enumerate(rows)
    ]
    drawn = draw_forest("Gain of the best response", entries, reference=0.0)
    lines: list[list[Cell]] = [
        [f"{r['entrant']}, {r['role']}", r["steps"], r["own_return"], r["response_return"],
         r["gain"], span(r["low"], r["high"]), r["verdict"],
         _with_change(r["others_return"], r["others_change"]), r["episodes"]]
        for r in rows
    ]  # fmt: skip
    note = (
        "What a fresh learner gains over the entrant in the same seats, while the entrant plays "
        "all others; in brackets, what that changes for the others. A lower bound: another learner "
        "or a greater budget may gain more."
    )
    table = below(write_rows(RESPONSE_HEAD, lines))
    return section("Exploitability", grid([drawn], "two") + table, note)
