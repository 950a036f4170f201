import re
from xml.etree import ElementTree as ET

import pytest

from mesocosm.core.spec import OUTCOMES
from mesocosm.evaluation.report.compared import Player
from mesocosm.evaluation.report.page import write_curve_picture, write_page
from mesocosm.evaluation.report.style import STYLE
from mesocosm.evaluation.report.svg import number, percent
from mesocosm.evaluation.summary import summarise
from tests.evaluation.report.report_samples import (
    NO_LIFE,
    curve_row,
    make_report,
    no_scores,
    some_scores,
)

VOID = {"meta", "img"}


def parse(page):
    """Read a page as strictly as XML is read."""
    doctype, _, rest = page.partition("\n")
    assert doctype == "<!DOCTYPE html>"
    return ET.fromstring(rest)  # noqa: S314 (our own)


def texts(root, tag):
    return ["".join(found.itertext()) for found in root.iter(tag)]


@pytest.mark.parametrize("preset", ["townlet/L3", "commons", "commons/wardens"])
def test_page_is_well_formed_and_needs_nothing_else(preset):
    page = write_page(make_report(preset))
    root = parse(page)
    assert "http" not in page
    assert {found.tag for found in root.iter()}.isdisjoint({"script", "link", "iframe", "object"})
    for found in root.iter():
        for name in ("src", "href", "data", "action"):
            assert found.get(name, "data:").startswith("data:")
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    for found in root.iter():  # what HTML, unlike XML, does not let close itself
        if found.tag in ("div", "span", "td", "th", "i", "b", "p", "section", "pre", "code"):
            assert "".join(found.itertext()) or len(found), found.tag
        if found.tag in VOID:
            assert not len(found)


def test_both_colour_schemes_have_every_colour_that_is_used():
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")
    used = set(re.findall(r"var\((--\w+)\)", STYLE))
    in_dark = dark.partition("}\n}")[0]
    assert used <= set(re.findall(r"(--\w+):", light))
    assert used <= set(re.findall(r"(--\w+):", in_dark))
    assert {f"--{name}" for name in OUTCOMES} <= used


def test_names_are_escaped():
    evil = "<script>alert('&')</script>"
    players = {
        evil: Player(some_scores("townlet/L3")),
        "trained": Player(some_scores("townlet/L3")),
    }
    report = make_report(players=players, about={"preset": evil, "learning": {evil: evil}})
    page = write_page(report._replace(commands={evil: evil}, bundles={evil: evil}))
    assert "<script" not in page
    assert evil in " ".join(texts(parse(page), "h1"))


def test_table_says_what_the_lives_say():
    report = make_report()
    table = next(parse(write_page(report)).iter("tbody"))
    assert len(table) == 3
    for row, (name, player) in zip(table, report.players.items(), strict=True):
        found = summarise(player.scores, "resident")
        head, lives, success, earned, length, _ = ("".join(cell.itertext()) for cell in row)
        assert head.split() == [name, *(["(reads", "the", "truth)"] if player.privileged else [])]
        assert lives == f"{found.lives:,}"
        spans = f"{percent(found.success.low)} to {percent(found.success.high)}"
        assert success == f"{percent(found.success.value)} {spans}"
        for said, entry in ((earned, found.total_return), (length, found.length)):
            assert said == f"{entry.value:,.1f} {entry.low:,.1f} to {entry.high:,.1f}"


def test_bars_and_levels_say_what_the_lives_say():
    report = make_report()
    words = texts(parse(write_page(report)), "text")
    for name, player in report.players.items():
        found = summarise(player.scores, "resident")
        assert percent(found.success.value) in words
        assert number(found.total_return.value) in words
        if name != "trained":
            assert f"{name} {number(found.total_return.value)}" in words


def test_histogram_counts_every_life():
    report = make_report()
    for name, player in report.players.items():
        shown = [
            re.fullmatch(rf"{name}, .* steps: ([\d,]+) (\w+)", words)
            for words in texts(parse(write_page(report)), "title")
        ]
        counts = [int(found[1].replace(",", "")) for found in shown if found]
        assert sum(counts) == len(player.scores.env)


def test_every_role_has_its_curves_and_its_table():
    root = parse(write_page(make_report("commons/wardens")))
    titles = texts(root, "h2")
    for role in ("harvester", "warden"):
        for section in ("Learning curve", "Comparison", "Lives"):
            assert f"{section} of a {role}" in titles


def test_training_in_which_no_life_ended_is_told():
    curve = [curve_row(k, "resident", **NO_LIFE) for k in (1, 2)]
    players = {name: Player(no_scores("townlet/L3")) for name in ("random", "trained")}
    root = parse(write_page(make_report(curve=curve, players=players)))
    words = texts(root, "text")
    assert words.count("nothing to show: no life ended") == 3
    assert words.count("no life ended") >= 2
    assert "3 episodes did not end" in texts(root, "td")


def test_training_without_a_single_update_is_told():
    root = parse(write_page(make_report(curve=[])))
    words = texts(root, "text")
    assert words.count("nothing to show: no life ended") == 3
    assert words.count("nothing to show: no update was noted") == 1


@pytest.mark.parametrize(("preset", "panels"), [("townlet/L3", 4), ("commons/wardens", 6)])
def test_curves_alone_are_one_picture(preset, panels):
    root = ET.fromstring(write_curve_picture(make_report(preset)))  # noqa: S314 (our own)
    inner = [found for found in root if found.tag.endswith("svg")]
    assert len(inner) == panels
    assert len({(found.get("x"), found.get("y")) for found in inner}) == panels  # none on another
    width, height = (float(part) for part in root.get("viewBox").split()[2:])
    for found in inner:
        assert float(found.get("x")) + float(found.get("width")) <= width
        assert float(found.get("y")) + float(found.get("height")) <= height


def test_film_is_inside_the_page():
    page = write_page(make_report())
    assert 'src="data:image/gif;base64,R0lGODlh"' in page


def test_success_is_left_out_where_no_life_can_end_in_it():
    report = make_report("commons")
    spec = report.players["trained"].scores.spec
    assert all(reason.outcome != "success" for reason in spec.reasons)
    assert "success" not in texts(parse(write_page(report)), "th")
    assert "Lives that ended in success" not in write_page(report)
    assert "Lives that ended in success" in write_page(make_report("townlet/L3"))
