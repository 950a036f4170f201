"""The comparison of policies that played the same episodes: a table, bars, and their lives."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from mesocosm.core.spec import OUTCOMES
from mesocosm.evaluation.report.chart import Lengths, Level, bar_chart, histogram
from mesocosm.evaluation.report.svg import element, escape, number, percent
from mesocosm.evaluation.score import Scores
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.summary import Summary, summarise

TRAINED, RANDOM = "trained", "random"


class Player(NamedTuple):
    """A policy that played, and how it went."""

    scores: Scores
    privileged: bool = False


def css_class(name: str) -> str:
    """Choose the colour of a policy."""
    return name if name in (TRAINED, RANDOM) else "other"


def levels_of(players: Mapping[str, Player], role: str) -> dict[str, list[Level]]:
    """Give what the policies that did not learn reached, by column of the curve."""
    made: dict[str, list[Level]] = {"mean_return": [], "success": [], "mean_length": []}
    for name, player in players.items():
        if name == TRAINED:
            continue
        found = summarise(player.scores, role)
        for column, entry in zip(
            made, (found.total_return, found.success, found.length), strict=True
        ):
            made[column].append(Level(name, entry.value, css_class(name)))
    if not can_succeed(players):
        del made["success"]
    return made


def can_succeed(players: Mapping[str, Player]) -> bool:
    """Whether lives of this world can end in success."""
    return any(
        reason.outcome == "success"
        for player in players.values()
        for reason in player.scores.spec.reasons
    )


def draw_bars(players: Mapping[str, Player], role: str) -> list[str]:
    """Draw what each policy reached."""
    found = {name: summarise(player.scores, role) for name, player in players.items()}
    classes = {name: css_class(name) for name in found}
    success = {name: entry.success for name, entry in found.items()}
    returns = {name: entry.total_return for name, entry in found.items()}
    lengths = {name: entry.length for name, entry in found.items()}
    drawn = [
        bar_chart("Mean return of a life", returns, number, classes),
        bar_chart("Mean length of a life, in steps", lengths, number, classes),
    ]
    if can_succeed(players):
        title = "Lives that ended in success"
        drawn.insert(0, bar_chart(title, success, percent, classes, 1.0))
    return drawn


def write_table(players: Mapping[str, Player], role: str) -> str:
    """Write what each policy reached, with intervals."""
    rows = [_row(name, player, summarise(player.scores, role)) for name, player in players.items()]
    kept = [name for name in rows[0] if name != "success" or can_succeed(players)]
    cells = "".join(element("th", escape(name), scope="col") for name in kept)
    body = "".join(element("tr", "".join(row[name] for name in kept)) for row in rows)
    made = element("thead", element("tr", cells)) + element("tbody", body)
    return element("div", element("table", made), class_="wide")


def _row(name: str, player: Player, found: Summary) -> dict[str, str]:
    """Give the cells of a policy by heading."""
    ends = [f"{reason} {percent(count / found.lives)}" for reason, count in found.reasons.items()]
    if found.finished < found.episodes:
        ends.append(f"{found.episodes - found.finished:,} episodes did not end")
    named = element("b", escape(name)) + (" (reads the truth)" if player.privileged else "")
    swatch = element("i", " ", class_=f"swatch {css_class(name)}")
    return {
        "policy": element("th", swatch + named, scope="row"),
        "lives": element("td", f"{found.lives:,}", class_="number"),
        "success": _estimate(found.success, share=True),
        "return": _estimate(found.total_return),
        "length": _estimate(found.length),
        "how lives ended": element("td", escape(", ".join(ends) or "none ended")),
    }


def _estimate(entry: Estimate, *, share: bool = False) -> str:
    form = percent if share else _one_decimal
    shown = element("b", escape(form(entry.value)))
    if math.isfinite(entry.low):
        span = f"{form(entry.low)} to {form(entry.high)}"
        shown += " " + element("small", escape(span))
    return element("td", shown, class_="number")


def _one_decimal(value: float) -> str:
    return f"{value:,.1f}" if math.isfinite(value) else "-"


def draw_lives(players: Mapping[str, Player], role: str) -> str:
    """Draw how long each policy's lives were, by outcome, with a legend."""
    rows, seen = [], set[str]()
    for name, player in players.items():
        mine = player.scores.of_role(role)
        lengths: dict[str, list[int]] = {
            outcome: mine.length[mine.outcome == code].tolist()
            for code, outcome in enumerate(OUTCOMES)
            if (mine.outcome == code).any()
        }
        seen |= set(lengths)
        rows.append(Lengths(name, lengths))
    legend = "".join(
        element("span", element("i", " ", class_=f"swatch {name}") + escape(name))
        for name in OUTCOMES
        if name in seen
    )
    return histogram(rows) + (element("p", legend, class_="legend") if legend else "")
