"""Put a report together: one page that needs nothing but itself."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mesocosm.evaluation.report.compared import (
    RANDOM,
    TRAINED,
    Player,
    can_succeed,
    draw_bars,
    draw_lives,
    levels_of,
    write_table,
)
from mesocosm.evaluation.report.curves import Row, draw_curves, roles_of
from mesocosm.evaluation.report.facts import code, hashes_of, settings_of, write_pairs
from mesocosm.evaluation.report.style import STYLE
from mesocosm.evaluation.report.svg import element, escape, number, percent, sheet
from mesocosm.evaluation.summary import Summary, summarise


class Film(NamedTuple):
    """A film of one life, as a GIF."""

    data: bytes
    caption: str


class Report(NamedTuple):
    """Everything a report tells.

    Args:
        about: What run.json says.
        curve: Rows of the training's table.
        players: Who played the evaluation, by name; `trained` is the one that learnt.
        seed: Of the episodes of the evaluation.
        bundles: sha256 of the policy files, by name.
        commands: What to type to make everything again, by purpose.
    """

    about: Mapping[str, Any]
    curve: Sequence[Row]
    players: Mapping[str, Player]
    seed: int
    bundles: Mapping[str, str]
    commands: Mapping[str, str]
    film: Film | None = None


def write_page(report: Report) -> str:
    """Write the report as one HTML page."""
    preset = escape(report.about["preset"])
    head = element("meta", charset="utf-8")
    head += element("meta", name="viewport", content="width=device-width, initial-scale=1")
    head += element("meta", name="color-scheme", content="light dark")
    head += element("title", f"{preset}: a training") + element("style", STYLE)
    roles = roles_of(report.curve) or list(_any(report.players).scores.spec.roles)
    sections = [_heading(report)]
    for role in roles:
        sections += _role_sections(report, role, alone=len(roles) == 1)
    if report.film is not None:
        sections.append(_film_section(report.film))
    sections += _fact_sections(report)
    body = element("main", "".join(sections))
    return f"<!DOCTYPE html>\n{element('html', element('head', head) + _body(body), lang='en')}\n"


def write_curve_picture(report: Report) -> str:
    """Write the curves alone as one SVG file, for other pages to show."""
    drawn = []
    for role in roles_of(report.curve):
        rows = [row for row in report.curve if row["role"] == role]
        panels = draw_curves(rows, levels_of(report.players, role))
        drawn += [panels[k : k + 2] for k in range(0, len(panels), 2)]
    return sheet(drawn, STYLE, f"{report.about['preset']}: learning curve")


def _body(content: str) -> str:
    return element("body", content)


def _any(players: Mapping[str, Player]) -> Player:
    return next(iter(players.values()))


def _heading(report: Report) -> str:
    about = report.about
    steps = max((row["agent_steps"] for row in report.curve), default=0)
    updates = max((row["update"] for row in report.curve), default=0)
    episodes = _any(report.players).scores.num_episodes
    words = (
        f"{number(steps)} agent-steps in {updates:,} updates, seed {about['plan']['seed']}. "
        f"Then every policy played the same {episodes:,} episodes of seed {report.seed}, which "
        f"the training never saw; actions are drawn, not the most probable ones."
    )
    title = element("h1", escape(f"{about['preset']}: what was learnt"))
    return element("header", title + element("p", escape(words)))


def _section(title: str, content: str, note: str = "") -> str:
    said = element("p", escape(note), class_="note") if note else ""
    return element("section", element("h2", escape(title)) + said + content)


def _role_sections(report: Report, role: str, *, alone: bool) -> list[str]:
    of_role = "" if alone else f" of a {role}"
    rows = [row for row in report.curve if row["role"] == role]
    curves = draw_curves(rows, levels_of(report.players, role))
    note = (
        "Dots are single updates, the line averages over stretches of the training: all lives that "
        "ended in them, at first only short ones. Dashed lines are what the others reached in the "
        "evaluation."
    )
    table = write_table(report.players, role)
    bars = _grid(draw_bars(report.players, role), "three")
    return [
        _tiles(report.players, role, alone=alone),
        _section(f"Learning curve{of_role}", _grid(curves, "two"), note),
        _section(f"Comparison{of_role}", table + bars, "Intervals are 95 %, over episodes."),
        _section(
            f"Lives{of_role}",
            element("div", draw_lives(report.players, role), class_="card"),
            "How long lives were and how they ended; the tallest column of each row says its "
            "share.",
        ),
    ]


def _grid(drawings: Sequence[str], class_: str) -> str:
    cards = "".join(element("div", drawn, class_="card") for drawn in drawings)
    return element("div", cards, class_=f"grid {class_}")


def _tiles(players: Mapping[str, Player], role: str, *, alone: bool) -> str:
    """Say in large figures what learning changed."""
    made = []
    for name, player in players.items():
        found: Summary = summarise(player.scores, role)
        label = {TRAINED: "after training", RANDOM: "random actions"}.get(name, f"scripted {name}")
        label = label if alone else f"{role}: {label}"
        large, small = number(found.total_return.value), "mean return of a life"
        if can_succeed(players):
            small = f"success; return {large}"
            large = percent(found.success.value)
        content = element("span", escape(label)) + element("strong", escape(large))
        made.append(
            element("div", content + element("small", escape(small)), class_=f"tile {name}")
        )
    return element("div", "".join(made), class_="tiles")


def _film_section(film: Film) -> str:
    source = "data:image/gif;base64," + base64.b64encode(film.data).decode("ascii")
    shown = element("img", src=source, alt=film.caption)
    caption = element("figcaption", escape(film.caption))
    return _section("A typical life after training", element("figure", shown + caption))


def _fact_sections(report: Report) -> list[str]:
    commands = "".join(
        element("p", escape(purpose), class_="note") + element("pre", code(command))
        for purpose, command in report.commands.items()
    )
    return [
        _section("Make it again", commands),
        _section("Hashes and versions", write_pairs(hashes_of(report.about, report.bundles))),
        _section("Settings of learning", write_pairs(settings_of(report.about))),
    ]
