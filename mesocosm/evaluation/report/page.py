"""Put a report together: one page that needs nothing but itself."""

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
from mesocosm.evaluation.report.document import (
    Film,
    Tile,
    card,
    grid,
    heading,
    section,
    write_commands,
    write_document,
    write_films,
    write_tiles,
)
from mesocosm.evaluation.report.facts import hashes_of, settings_of, write_pairs
from mesocosm.evaluation.report.style import STYLE
from mesocosm.evaluation.report.svg import number, percent, sheet
from mesocosm.evaluation.summary import Summary, summarise


class Report(NamedTuple):
    """Everything a report tells.

    Args:
        about: What run.json says.
        curve: Rows of the training's table.
        players: Who played the evaluation, by name; `trained` is the one that learnt.
        seed: Of the episodes of the evaluation.
        bundles: sha256 of the policy files, by name.
        commands: What to type to make everything again, by purpose.
        films: Of a typical life, and of others.
        film_note: Why there are none.
        more: Sections about the config and the files.
    """

    about: Mapping[str, Any]
    curve: Sequence[Row]
    players: Mapping[str, Player]
    seed: int
    bundles: Mapping[str, str]
    commands: Mapping[str, str]
    films: Sequence[Film] = ()
    film_note: str = ""
    more: Sequence[str] = ()


def write_page(report: Report) -> str:
    """Write the report as one HTML page."""
    roles = roles_of(report.curve) or list(_any(report.players).scores.spec.roles)
    sections = [_heading(report)]
    for role in roles:
        sections += _role_sections(report, role, alone=len(roles) == 1)
    sections.append(
        write_films("A typical life after training", report.films[:1], report.film_note)
    )
    sections.append(write_films("The best and the worst life", report.films[1:]))
    sections += _fact_sections(report)
    return write_document(f"{report.about['preset']}: a training", sections)


def write_curve_picture(report: Report) -> str:
    """Write the curves alone as one SVG file, for other pages to show."""
    drawn = []
    for role in roles_of(report.curve):
        rows = [row for row in report.curve if row["role"] == role]
        panels = draw_curves(rows, levels_of(report.players, role))
        drawn += [panels[k : k + 2] for k in range(0, len(panels), 2)]
    return sheet(drawn, STYLE, f"{report.about['preset']}: learning curve")


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
    return heading(f"{about['preset']}: what was learnt", words)


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
    bars = grid(draw_bars(report.players, role), "three")
    return [
        _tiles(report.players, role, alone=alone),
        section(f"Learning curve{of_role}", grid(curves, "two"), note),
        section(f"Comparison{of_role}", table + bars, "Intervals are 95 %, over episodes."),
        section(
            f"Lives{of_role}",
            card(draw_lives(report.players, role)),
            "How long lives were and how they ended; the tallest column of each row says its "
            "share.",
        ),
    ]


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
        made.append(Tile(label, large, small, name if name in (TRAINED, RANDOM) else ""))
    return write_tiles(made)


def _fact_sections(report: Report) -> list[str]:
    return [
        write_commands(report.commands),
        section("Hashes and versions", write_pairs(hashes_of(report.about, report.bundles))),
        section("Settings of learning", write_pairs(settings_of(report.about))),
        *report.more,
    ]
