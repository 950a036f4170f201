from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mesocosm.core.errors import RunError
from mesocosm.evaluation.arena.summary import RESULT, VERDICT
from mesocosm.evaluation.arena.tables import BOUT
from mesocosm.evaluation.match import play_match
from mesocosm.evaluation.pages.evaluation import write_evaluation
from mesocosm.evaluation.pages.match import read_series, write_match
from mesocosm.evaluation.pages.source import (
    Changes,
    Source,
    evaluation_command,
    find_changes,
    source_words,
)
from mesocosm.evaluation.sweep.dials import Dial
from mesocosm.evaluation.sweep.results import kinds_of
from mesocosm.evaluation.tournament.exploitability import RESPONSE
from mesocosm.evaluation.tournament.population import POPULATION
from mesocosm.evaluation.tournament.standings import CROSSPLAY, PAIRING, SEAT, STANDING
from mesocosm.telemetry.run_folder import RunFolder

EVIL = "<script>&"
ABOUT = {
    "preset": "commons/default",
    "world": "commons",
    "config_hash": "c0ffee",
    "versions": {},
    "provenance": {"source": "nowhere/x"},
}


def unknown_row(kinds, **known):
    """A row of which nothing is known but names."""
    empty = {"text": EVIL, "int64": 0, "float64": None}
    return {name: empty[kind] for name, (kind, _) in kinds.items()} | known


def make_source(kind, tables, **more):
    entrants = [{"name": EVIL, "text": EVIL, "roles": {EVIL: {"error": EVIL}}}]
    plan = {"episodes": 3, "seed": 0, "entrants": entrants, "more": more}
    bout = unknown_row(BOUT)
    return Source(
        ABOUT | {"kind": kind, "plan": plan},
        {"bout": [bout], "episode_agents": []} | tables,
        Changes("commons/default", (), ""),
        {EVIL: "ab" * 32},
        {EVIL: EVIL},
        film_note="No films.",
    )


TABLES = [
    ("evaluate", {"result": [unknown_row(RESULT)], "verdict": [unknown_row(VERDICT)]}, {}),
    (
        "tournament",
        {
            "standing": [unknown_row(STANDING, rating=25.0, uncertainty=8.3)],
            "crossplay": [unknown_row(CROSSPLAY)],
            "pairing": [unknown_row(PAIRING)],
            "seat": [unknown_row(SEAT)],
        },
        {"format": "swiss"},
    ),
    ("tournament", {"population": [unknown_row(POPULATION, agents=6)]}, {"format": "population"}),
    ("tournament", {"response": [unknown_row(RESPONSE)]}, {"format": "best-response"}),
    (
        "sweep",
        {"sweep": [unknown_row(kinds_of([Dial("core.x", (1, 2))])) | {"core.x": 1.0}]},
        {"params": ["core.x=1,2"]},
    ),
]


@pytest.mark.parametrize(("kind", "tables", "more"), TABLES)
def test_page_of_which_nothing_is_known_is_whole_and_safe(kind, tables, more):
    page = write_evaluation(make_source(kind, tables, **more))
    assert "<script" not in page
    root = ET.fromstring(page.partition("\n")[2])  # noqa: S314 (our own)
    for found in root.iter():  # what HTML, unlike XML, does not let close itself
        if found.tag in ("div", "span", "td", "th", "p", "section", "details", "tbody"):
            assert "".join(found.itertext()) or len(found), found.tag
    assert "ab" * 32 in page
    assert "Forfeits" in page


def test_changes_name_what_is_not_as_the_preset_has_it():
    from mesocosm.config.identity import dump
    from mesocosm.resolve import resolve

    configs = [dump(resolve("commons", {"core.max_steps": n}).config) for n in (7, 8)]
    found = find_changes(configs)
    assert [tuple(change) for change in found.found] == [("core.max_steps", "200", "7, 8")]
    assert find_changes([dump(resolve("commons").config)]).found == []
    configs[0]["identity"]["preset"] = "gone"
    assert "gone" in find_changes(configs).why


def test_command_names_the_file_where_the_preset_is_another_by_now():
    assert source_words(ABOUT, Path("runs/a/config.yaml")) == ["runs/a/config.yaml"]
    about = ABOUT | {"kind": "evaluate", "target": "python"}
    about["plan"] = {"episodes": 3, "seed": 1, "num_envs": 2, "limit": 2.5, "record": True,
                     "presets": ["w/a", "w/b"],
                     "more": {"entrants": ["a b"], "rotate": True, "policies": ["noop"],
                              "seats": ["x[0]"]}}  # fmt: skip
    assert evaluation_command(about, Path("r")) == (
        "mesocosm evaluate r/config.yaml 'a b' --policy noop --seat 'x[0]' --on w/b --rotate "
        "--episodes 3 --seed 1 --num-envs 2 --limit 2.5 --record --target python"
    )


def test_single_match_has_a_page_with_seats_as_players(tmp_path):
    players = {"harvester[0,2,4]": "steady", "harvester[1,3,5]": "noop"}
    play_match(
        "commons", players, {"core.max_steps": 9}, seed=1, target="python", out=tmp_path / "m"
    )
    about = RunFolder(tmp_path / "m").read()
    series = read_series(about, "m")
    assert series.programs == players
    page = write_match(Source(about, {}, Changes("x"), {"a": "b"}, {"c": "d"}), series)
    assert "harvester[0,2,4] (steady)" in page


@pytest.mark.parametrize("match", [{}, {"games": [{}]}, {"games": [7]}, {"games": []}])
def test_match_that_cannot_be_read_is_one_error(match):
    with pytest.raises(RunError, match=r"^m: "):
        read_series({"match": match}, "m")
