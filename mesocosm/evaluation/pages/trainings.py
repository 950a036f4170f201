"""Write the page about several trainings of one config: curves with bands over training seeds."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mesocosm.evaluation.pages.bands import band_words, draw_bands, middle_name, middle_of
from mesocosm.evaluation.pages.shared import changes_section
from mesocosm.evaluation.pages.source import Changes
from mesocosm.evaluation.report.chart import Format
from mesocosm.evaluation.report.compared import Player, can_succeed, draw_lives, levels_of
from mesocosm.evaluation.report.curves import Row
from mesocosm.evaluation.report.document import (
    Cell,
    Film,
    Tile,
    below,
    card,
    grid,
    heading,
    section,
    write_commands,
    write_document,
    write_films,
    write_rows,
    write_tiles,
)
from mesocosm.evaluation.report.facts import hashes_of, settings_of, write_pairs
from mesocosm.evaluation.report.forest import Entry, draw_forest
from mesocosm.evaluation.report.svg import number, percent
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.summary import Summary, summarise

HEAD = ("training", "seed", "agent-steps", "updates", "ended", "learning hash")


class Training(NamedTuple):
    """One of the trainings.

    Args:
        name: Of it in pictures; all differ.
        bundles: sha256 of its policy files, by name.
    """

    name: str
    about: Mapping[str, Any]
    curve: Sequence[Row]
    bundles: Mapping[str, str]


class Trainings(NamedTuple):
    """Everything that the page tells.

    Args:
        trained: How each training's policies played, by its name.
        rivals: How the others played.
    """

    trainings: Sequence[Training]
    trained: Mapping[str, Player]
    rivals: Mapping[str, Player]
    seed: int
    changes: Changes
    commands: Mapping[str, str]
    films: Sequence[Film] = ()
    film_note: str = ""


def write_trainings(told: Trainings) -> str:
    """Write the page."""
    about, count = told.trainings[0].about, len(told.trainings)
    title = f"{about['preset']}: what {count} trainings learnt"
    sample = next(iter(told.trained.values())).scores
    words = (
        f"{count} trainings of one config with different seeds. Then every policy played the same "
        f"{sample.num_episodes:,} episodes of seed {told.seed}, which no training saw. A claim "
        "about learning rests on the number of trainings, not of episodes."
    )
    sections = [heading(title, words)]
    roles = list(sample.spec.roles)
    for role in roles:
        sections += _role_sections(told, role, "" if len(roles) == 1 else f" of a {role}")
    sections.append(write_films("Episodes", told.films, told.film_note))
    return write_document(title, [*sections, *_facts(told)])


def _role_sections(told: Trainings, role: str, of_role: str) -> list[str]:
    curves = [[r for r in entry.curve if r["role"] == role] for entry in told.trainings]
    middle = middle_name(len(curves))
    note = f"Thin lines are single trainings, the thick one is their {middle}; "
    note += f"{band_words(len(curves))}. Level lines are what the others reached in the evaluation."
    drawn = draw_bands(curves, levels_of(told.rivals, role))
    content = grid(drawn, "wide-charts") if drawn else "<p>No life ended.</p>"
    players = {**told.trained, **told.rivals}
    lives_note = "How long lives were and how they ended, of the policies after training."
    return [
        _tiles(told, role, of_role),
        section(f"Learning curves{of_role}", content, note),
        _comparison(told, role, of_role),
        section(f"Lives{of_role}", card(draw_lives(players, role)), lives_note),
    ]


def _values(players: Mapping[str, Player], role: str, name: str) -> dict[str, Estimate]:
    found: dict[str, Summary] = {k: summarise(p.scores, role) for k, p in players.items()}
    return {k: getattr(entry, name) for k, entry in found.items()}


def _tiles(told: Trainings, role: str, of_role: str) -> str:
    name, form = ("success", percent) if can_succeed(told.trained) else ("total_return", number)
    words = "of lives end in success" if name == "success" else "mean return of a life"
    known = _known(_values(told.trained, role, name))
    count = len(known)
    made = []
    if count:
        middle = middle_of(known)
        note = f"{words}; {middle_name(count)} of {count} trainings, "
        note += f"{form(min(known))} to {form(max(known))}"
        made.append(Tile(f"after training{of_role}", form(middle.value), note, "trained"))
    for rival, found in _values(told.rivals, role, name).items():
        label = "random actions" if rival == "random" else f"scripted {rival}"
        made.append(Tile(label, form(found.value), words, "random" if rival == "random" else ""))
    return write_tiles(made)


def _known(found: Mapping[str, Estimate]) -> list[float]:
    return [entry.value for entry in found.values() if entry.value == entry.value]


def _comparison(told: Trainings, role: str, of_role: str) -> str:
    forests = []
    metrics: list[tuple[str, str, Format]] = [
        ("total_return", "Mean return of a life", number),
        ("length", "Mean length of a life, in steps", number),
    ]
    if can_succeed(told.trained):
        metrics.insert(0, ("success", "Lives that ended in success", percent))
    for name, title, form in metrics:
        found = _values(told.trained, role, name)
        entries = [Entry(k, e.value, e.low, e.high, "c0") for k, e in found.items()]
        known = _known(found)
        if known:
            entries.append(Entry(f"all: {middle_name(len(known))}", *middle_of(known), "c2"))
        entries += [Entry(k, e.value, e.low, e.high, "c4")
                    for k, e in _values(told.rivals, role, name).items()]  # fmt: skip
        forests.append(draw_forest(title, entries, form=form, missing="no life ended"))
    note = (
        "Of single policies the intervals are 95 %, over episodes; of all trainings together "
        f"{band_words(len(told.trained))}."
    )
    return section(f"Comparison{of_role}", grid(forests, "two"), note)


def _facts(told: Trainings) -> list[str]:
    rows: list[list[Cell]] = []
    for entry in told.trainings:
        about = entry.about
        steps = max((row["agent_steps"] for row in entry.curve), default=0)
        updates = max((row["update"] for row in entry.curve), default=0)
        seed = str((about.get("plan") or {}).get("seed"))
        rows.append(
            [
                entry.name,
                seed,
                steps,
                updates,
                str(about.get("status")),
                str(about.get("learning_hash")),
            ]
        )
    first = told.trainings[0].about
    return [
        section("Trainings", below(write_rows(HEAD, rows))),
        write_commands(told.commands),
        changes_section(told.changes),
        section("Policies", write_pairs(_digests(told.trainings))),
        section("Hashes and versions of the first", write_pairs(hashes_of(first, {}))),
        section("Settings of learning", write_pairs(settings_of(first))),
    ]


def _digests(trainings: Sequence[Training]) -> dict[str, str]:
    return {f"sha256 of {entry.name}, {name}": digest for entry in trainings
            for name, digest in entry.bundles.items()}  # fmt: skip
