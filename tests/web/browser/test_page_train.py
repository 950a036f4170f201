"""Train: start, follow, stop; the curve grows, the policy plays beside it, faults say why."""

import re
import shutil

import pytest
from playwright.sync_api import expect

expect.set_options(timeout=120_000)  # a worker that learns begins with imports and compiling
SMALL = {"num_envs": "4", "horizon": "32"}
LEARNING = {f"learning.{name}": int(value) for name, value in SMALL.items()}


def open_form(visitor, preset):
    page = visitor.open("train")
    page.get_by_label("Preset", exact=True).select_option(preset)
    expect(page.get_by_label("horizon", exact=True)).to_be_visible()
    return page


def start(page, steps, **settings):
    page.get_by_label("Agent-steps").fill(str(steps))
    for name, value in settings.items():
        page.get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Start training").click()
    page.wait_for_url(re.compile(r"#/train/train-"))
    return page.url.rsplit("/", 1)[1]


def badge(page):
    return page.locator(".train-head .badge")


def table_of(page, title):
    """Open the table below a chart; give its rows."""
    chart = page.locator("figure.chart").filter(has_text=title)
    chart.locator("summary").click(timeout=120_000)
    return chart.locator("tbody tr")


@pytest.mark.parametrize(
    ("preset", "steps"),
    [("commons/default", 16_000), ("townlet/L0", 12_000)],
    ids=["commons", "townlet"],
)
def test_curve_grows_while_the_policy_plays_beside_it(compiled_server, visit, preset, steps):
    visitor = visit(compiled_server)
    page = open_form(visitor, preset)
    name = start(page, steps, **SMALL)
    rows = table_of(page, "Entropy")
    expect(rows.nth(2)).to_be_visible()
    seen = rows.count()
    assert badge(page).inner_text() == "running"
    expect(rows.nth(seen + 1)).to_be_visible()
    expect(page.get_by_label("Progress")).to_contain_text("a second")
    step = page.locator(".beside-step")
    expect(page.locator(".train-beside canvas").first).to_be_visible()
    first = int(step.inner_text(timeout=120_000))
    expect(step).not_to_have_text(str(first))
    expect(badge(page)).to_have_text("finished")
    told = compiled_server.get(f"trainings/{name}/metrics")["rows"]
    expect(rows).to_have_count(len(told))
    shown = float(rows.last.locator("td").last.inner_text())
    assert shown == pytest.approx(told[-1]["entropy"], rel=0.01)
    visitor.picture("finished wide light")
    assert visitor.faults() == []


def test_stopped_training_says_so_and_keeps_its_curve(compiled_server, visit):
    visitor = visit(compiled_server, theme="dark")
    page = open_form(visitor, "commons/default")
    name = start(page, 50_000_000, **SMALL)
    rows = table_of(page, "Entropy")
    expect(rows.nth(1)).to_be_visible()
    visitor.picture("running wide dark")
    page.get_by_role("button", name="Stop").click()
    expect(badge(page)).to_have_text("stopped")
    assert compiled_server.get(f"trainings/{name}")["status"] == "stopped"
    assert rows.count() >= 2


def test_refused_setting_shows_its_message_at_its_field(compiled_server, visit):
    visitor = visit(compiled_server)
    page = open_form(visitor, "commons/default")
    page.get_by_label("gamma", exact=True).fill("2")
    field = page.locator(".field").filter(has=page.get_by_label("gamma", exact=True))
    expect(field.get_by_role("alert")).to_contain_text("less than 1")
    expect(page.get_by_label("gamma", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Start training").click()
    expect(field.get_by_role("alert")).to_contain_text("less than 1")
    assert page.url.endswith("#/train")
    visitor.picture("refused")
    page.get_by_label("gamma", exact=True).fill("0.9")
    expect(field.get_by_role("alert")).to_have_count(0)


def test_training_that_crashes_says_why(compiled_server, visit):
    visitor = visit(compiled_server)
    page = open_form(visitor, "commons/default")
    start(page, 1000, num_envs="16777216", horizon="4096")
    expect(badge(page)).to_have_text("crashed")
    expect(page.get_by_role("alert")).to_contain_text("lower learning.num_envs")
    visitor.picture("crashed")


@pytest.fixture(scope="module")
def recorded(compiled_server):
    """Give a training that only the runs folder knows, as after another start of the server."""
    asked = {"preset": "commons", "steps": 4_000, "learning": LEARNING}
    name = compiled_server.post("trainings", asked)["id"]
    compiled_server.wait_for(
        lambda: compiled_server.get(f"trainings/{name}")["status"] == "finished", seconds=120.0
    )
    shutil.copytree(compiled_server.settings.runs / name, compiled_server.settings.runs / "earlier")
    return "earlier"


def test_recorded_training_shows_its_curve(compiled_server, visit, recorded):
    visitor = visit(compiled_server, size="narrow", theme="dark")
    page = visitor.open(f"train/{recorded}")
    rows = table_of(page, "Entropy")
    told = compiled_server.get(f"replays/{recorded}/tables/learning")["rows"]
    expect(rows).to_have_count(len(told))
    expect(page.locator(".train-beside canvas").first).to_be_visible()
    expect(page.locator(".train-beside")).to_contain_text("Learnt for")
    visitor.picture("narrow dark")
    assert visitor.faults() == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360


def test_trainings_are_listed_and_lead_to_a_comparison(compiled_server, visit, recorded):
    visitor = visit(compiled_server, size="narrow")
    page = visitor.open("train")
    page.get_by_label(f"Compare {recorded}").check()
    visitor.picture("list narrow light")
    assert visitor.faults() == []
    page.get_by_role("link", name="Compare 1 chosen").click()
    page.wait_for_url(re.compile(rf"#/compare\?runs={recorded}"))
    expect(page.get_by_role("heading", name="Trainings")).to_be_visible()


def test_chart_is_moved_through_by_keyboard(compiled_server, visit, recorded):
    page = visit(compiled_server).open(f"train/{recorded}")
    told = compiled_server.get(f"replays/{recorded}/tables/learning")["rows"]
    chart = page.locator("figure.chart").filter(has_text="Entropy")
    chart.locator(".chart-room").focus()
    page.keyboard.press("Home")
    expect(chart.locator(".chart-at")).to_have_text(f"at {told[0]['agent_steps']:,}")
    shown = float(chart.locator(".chart-legend b").inner_text())
    assert shown == pytest.approx(told[0]["entropy"], rel=0.01)
    page.keyboard.press("End")
    expect(chart.locator(".chart-at")).to_have_text(f"at {told[-1]['agent_steps']:,}")
    chart.locator(".chart-legend button").click()
    expect(chart.locator(".chart-legend button")).to_have_attribute("aria-pressed", "false")
