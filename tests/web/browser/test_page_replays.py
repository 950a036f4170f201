"""Replays in a browser: find, open, scrub, prove and film recorded runs of every world."""

import io
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import mesocosm
from mesocosm.telemetry.pictures.drawing import MARGIN
from tests.web.browser.conftest import WAIT_MILLISECONDS
from tests.web.conftest import free_port

WORLDS = ("commons", "island", "mettagrid", "townlet")
STEPS = 12
SEED = 5
EXPECT = {"timeout": WAIT_MILLISECONDS}


@pytest.fixture(scope="module")
def recorded(server):
    """Record some steps of every world; gives names of recordings by world."""
    asked = {"speed": 0, "steps": STEPS, "seed": SEED}
    made = {world: server.post("runs", asked | {"preset": world})["id"] for world in WORLDS}
    for run in made.values():
        server.wait_for(lambda run=run: server.get(f"runs/{run}")["status"] == "finished")
    return made


def open_replay(visitor, name, **query):
    """Open a recording, and wait for the picture of its step."""
    text = "&".join(f"{key}={value}" for key, value in query.items())
    visitor.open(f"replays/{name}?{text}" if text else f"replays/{name}")
    expect(visitor.page.get_by_label("Step", exact=True).last).to_have_value(
        str(query.get("step", 0)), **EXPECT
    )
    expect(visitor.page.locator(".player canvas[role=img]")).to_be_visible(**EXPECT)
    return visitor.page


def session_of(server, name):
    """Give the session in which a recording is being played."""
    found = [run for run in server.get("runs") if (run["recording"] or {}).get("name") == name]
    return next(run["id"] for run in reversed(found) if run["status"] != "stopped")


def at_step(page, step):
    expect(page.locator(".player [role=status]").first).to_contain_text(
        re.compile(rf"^step {step} "), **EXPECT
    )


def seek(server, name, step):
    """Go to a moment through the public API alone."""
    run = mesocosm.open_run(Path(server.settings.runs) / name)
    visit = run.visit(env=0, step=step, target="python")
    return visit, next(iter(visit)).view


@pytest.mark.parametrize("world", WORLDS)
def test_scrubbing_shows_the_moment_that_the_public_api_goes_to(server, recorded, visit, world):
    visitor = visit(server)
    page = open_replay(visitor, recorded[world], step=3)
    slider = page.get_by_label("Step", exact=True).first
    slider.fill("9")
    at_step(page, 9)
    page.get_by_role("button", name="One step back").click()
    at_step(page, 8)
    page.get_by_label("Perspective").first.select_option("agent 0")
    page.wait_for_url(re.compile(r"step=8&perspective=agent"))
    frame = server.get(
        f"runs/{session_of(server, recorded[world])}/frame", params={"perspective": "agent 0"}
    )
    moment, view = seek(server, recorded[world], 8)
    role = moment.env.spec.role_of(0)
    obs = view.obs if len(moment.env.spec.roles) == 1 else view.obs[role.name]
    assert np.array_equal(np.array(frame["obs"], np.float32), obs[0, 0].astype(np.float32).ravel())
    caption = page.locator(".player .caption")
    expect(caption).to_have_text(frame["scene"]["caption"] or "")
    page.get_by_label("Perspective").first.select_option("everything")
    found = server.get(f"runs/{session_of(server, recorded[world])}/frame")
    scene = moment.env.world.scene(moment.truth(), moment.env.config.core)
    assert found["scene"]["caption"] == scene.caption
    visitor.picture(f"{world} wide light")
    assert visitor.faults() == []


def test_link_to_a_step_outlives_the_session_that_played_it(server, recorded, visit):
    visitor = visit(server)
    page = open_replay(visitor, recorded["commons"], step=4, perspective="agent%202")
    page.get_by_role("button", name="One step on").click()
    at_step(page, 5)
    page.get_by_role("button", name="Copy link to this step").click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith(f"#/replays/{recorded['commons']}?step=5&perspective=agent+2")
    assert "token" not in link
    before = session_of(server, recorded["commons"])
    page.goto("about:blank")  # who leaves the page stops what it played
    server.wait_for(lambda: server.get(f"runs/{before}")["status"] == "stopped")
    page.goto(link)
    at_step(page, 5)
    expect(page.get_by_label("Perspective").first).to_have_value("agent 2")


def test_link_to_a_step_and_an_open_page_outlive_the_server(
    server, recorded, visit, restarted, tmp_path
):
    shutil.copytree(Path(server.settings.runs) / recorded["commons"], tmp_path / "kept")
    first = restarted(replace(server.settings, runs=tmp_path, port=free_port()))
    visitor = visit(first)
    page = open_replay(visitor, "kept", step=4, perspective="agent%202")
    page.get_by_role("button", name="One step on").click()
    at_step(page, 5)
    page.get_by_role("button", name="Copy link to this step").click()
    link = page.evaluate("navigator.clipboard.readText()")
    instance = first.get("server")["instance"]
    second = restarted(first.settings)
    assert second.get("server")["instance"] != instance
    second.wait_for(lambda: any(run["status"] == "paused" for run in second.get("runs")))
    page.get_by_role("button", name="One step on").click()  # the page that stayed open goes on
    at_step(page, 6)
    page.goto("about:blank")
    page.goto(link)
    at_step(page, 5)
    expect(page.get_by_label("Perspective").first).to_have_value("agent 2")
    played = second.get(
        f"runs/{session_of(second, 'kept')}/frame", params={"perspective": "agent 2"}
    )
    _, view = seek(second, "kept", 5)
    assert np.array_equal(
        np.array(played["obs"], np.float32), view.obs[0, 2].astype(np.float32).ravel()
    )


def test_playing_goes_to_the_end_and_begins_anew_there(server, recorded, visit):
    page = open_replay(visit(server), recorded["commons"])
    page.get_by_label("Speed").select_option("20")
    page.get_by_role("button", name="Play", exact=True).click()
    at_step(page, STEPS)
    page.get_by_label("Speed").select_option("0.5")
    page.get_by_role("button", name="Play again").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(**EXPECT)
    assert int(page.get_by_label("Step", exact=True).last.input_value()) < STEPS


def test_fork_begins_a_run_at_the_step_and_goes_to_watch(server, recorded, visit):
    page = open_replay(visit(server), recorded["commons"], step=6)
    page.get_by_role("button", name="Fork from this step").click()
    page.wait_for_url(re.compile("#/watch/fork-"))
    name = page.evaluate("location.hash").split("/")[2].partition("?")[0]
    server.follow("runs", name)
    run = server.get(f"runs/{name}")
    assert (run["kind"], run["progress"]["step"], run["forked_from"]["step"]) == ("run", 6, 6)
    server.post(f"runs/{name}/stop")


@pytest.mark.parametrize("world", WORLDS)
def test_badge_turns_to_verified(server, recorded, visit, world):
    page = visit(server).open(f"replays/{recorded[world]}")
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.locator(".proof .badge")).to_have_text("verified", **EXPECT)
    expect(page.locator(".proof")).to_contain_text(f"All {STEPS} steps")
    page.get_by_role("link", name="All replays").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=recorded[world]))
    expect(row.locator(".badge-verified")).to_be_visible()


def test_recording_with_another_state_shows_where_it_differs(server, visit):
    folder = Path(server.settings.runs) / "cheated"
    env = mesocosm.make("commons", target="python", seed=SEED, autoreset="off")
    with mesocosm.record(env, folder):
        env.reset()
        for step in range(4):
            if step == 2:  # somebody becomes rich, and no rule did it
                env.set_state("wealth", env.state("wealth") + 1.0)
            env.step(env.spec.roles["harvester"].action.noop((1, env.spec.num_agents)))
    visitor = visit(server)
    page = visitor.open("replays/cheated")
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.locator(".proof .badge")).to_have_text("differs", **EXPECT)
    expect(page.locator(".differences")).to_contain_text("after step 2, in")
    expect(page.locator(".differences")).to_contain_text("wealth")
    assert visitor.faults() == []
    visitor.picture("differs")


def test_damaged_recording_says_what_is_damaged(server, recorded, visit):
    runs = Path(server.settings.runs)
    shutil.copytree(runs / recorded["commons"], runs / "damaged")
    path = runs / "damaged" / "replay.meso"
    data = bytearray(path.read_bytes())
    data[len(data) * 3 // 4] ^= 0xFF
    path.write_bytes(data)
    page = visit(server).open("replays/damaged")
    expect(page.locator(".player .fault")).to_contain_text("damaged", **EXPECT)
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.locator(".proof .badge")).to_have_text("differs", **EXPECT)
    expect(page.locator(".differences")).to_contain_text("replay.meso")


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_film_is_saved_with_the_frames_that_were_asked_for(server, recorded, visit, kind):
    visitor = visit(server)
    page = open_replay(visitor, recorded["commons"])
    film = page.locator(".film")
    film.get_by_label("Perspective").select_option("everything" if kind == "gif" else "agent 1")
    film.get_by_label("From step").fill("2")
    film.get_by_label("From step").blur()
    film.get_by_label("To step").fill("10")
    film.get_by_label("To step").blur()
    film.get_by_label("Show every").fill("2")
    film.get_by_label("Show every").blur()
    film.get_by_label("Size").select_option("240")
    film.get_by_label("Format").select_option(kind)
    film.get_by_role("button", name="Make film").click()
    with page.expect_download(timeout=WAIT_MILLISECONDS) as download:
        film.get_by_role("link", name="Save").click(timeout=WAIT_MILLISECONDS)
    assert download.value.suggested_filename.endswith(f".{kind}")
    image = Image.open(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert image.format == kind.upper()
    assert image.n_frames == 5  # steps 2, 4, 6, 8, 10
    assert image.width <= 240 + 2 * MARGIN
    visitor.picture(f"film {kind}")
    assert visitor.faults() == []


def test_mp4_is_offered_where_it_can_be_written(server, recorded, visit):
    page = open_replay(visit(server), recorded["commons"])
    option = page.locator(".film option[value=mp4]")
    if "mp4" in server.get(f"replays/{recorded['commons']}")["film_formats"]:
        expect(option).to_be_enabled()
    else:
        expect(option).to_be_disabled()
        expect(page.locator(".film")).to_contain_text("MP4 needs ffmpeg")


def test_list_is_filtered_sorted_and_leads_to_recordings(server, recorded, visit):
    visitor = visit(server)
    page = visitor.open("replays")
    rows = page.locator(".recordings tbody tr")
    expect(rows.first).to_be_visible(**EXPECT)
    assert rows.count() >= len(WORLDS)
    page.get_by_label("Filter").fill("townlet finished")
    expect(rows).to_have_count(1)
    assert "filter=townlet" in page.evaluate("location.hash")
    page.get_by_label("Filter").fill("no such run")
    expect(page.locator("section.replays")).to_contain_text("No recorded run has “no such run”")
    page.get_by_label("Filter").fill("default")
    page.get_by_role("button", name="Preset").click()
    shown = rows.locator("td:nth-child(3)").all_inner_texts()
    assert shown == sorted(shown)
    page.get_by_role("button", name="Preset").click()
    assert rows.locator("td:nth-child(3)").all_inner_texts() == sorted(shown, reverse=True)
    assert visitor.faults() == []
    visitor.picture("list wide light")
    page.get_by_label("Filter").fill("")
    page.get_by_role("link", name=recorded["island"]).click()
    expect(page.get_by_role("heading", name=recorded["island"])).to_be_visible(**EXPECT)


def test_tables_are_read_page_by_page(server, recorded, visit):
    page = open_replay(visit(server), recorded["townlet"])
    tables = page.locator(".tables")
    for name in server.get(f"replays/{recorded['townlet']}")["tables"]:
        button = tables.get_by_role("button", name=name, exact=True)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        found = server.get(f"replays/{recorded['townlet']}/tables/{name}", params={"most": 25})
        if not found["total"]:
            expect(tables).to_contain_text("The table has no rows")
            continue
        expect(tables.locator("tbody tr")).to_have_count(len(found["rows"]), **EXPECT)
        expect(tables.get_by_role("status")).to_have_text(
            f"rows 1 to {len(found['rows'])} of {found['total']:,}"
        )


@pytest.mark.parametrize(
    ("size", "theme"), [("narrow", "light"), ("narrow", "dark"), ("wide", "dark")]
)
def test_pages_fit_in_narrow_and_wide_light_and_dark(server, recorded, visit, size, theme):
    visitor = visit(server, size=size, theme=theme)
    page = open_replay(visitor, recorded["townlet"], step=10)
    assert visitor.faults() == []
    visitor.picture(f"recording {size} {theme}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="All replays").click()
    expect(page.locator(".recordings tbody tr").first).to_be_visible(**EXPECT)
    assert visitor.faults() == []
    visitor.picture(f"list {size} {theme}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_unknown_and_hostile_names_are_refused_on_the_page(server, visit):
    visitor = visit(server)
    for name in ("nobody", "..%2F..%2Fetc", "a~..~b", "%3Cimg%20src=x%3E"):
        visitor.page.goto("about:blank")
        visitor.open(f"replays/{name}")
        expect(visitor.page.get_by_role("alert")).to_contain_text("no ", **EXPECT)
        assert visitor.page.locator("main img").count() == 0


def test_thousand_runs_are_listed_fast_and_by_pages(server, recorded, visit):
    runs = Path(server.settings.runs)
    (runs / "many").mkdir()
    source = runs / recorded["commons"]
    for k in range(1000):
        place = runs / "many" / f"run-{k}"
        place.mkdir()
        for name in ("run.json", "files.json"):
            (place / name).write_bytes((source / name).read_bytes())
    try:
        server.get("replays")
        assert server.http.get("/api/replays").elapsed.total_seconds() < 2.0
        page = visit(server).open("replays")
        expect(page.locator(".recordings tbody tr")).to_have_count(50, **EXPECT)
        expect(page.get_by_role("navigation", name="Pages")).to_contain_text("Page 1 of 20")
        page.get_by_role("button", name="Next page").click()
        expect(page.get_by_role("navigation", name="Pages")).to_contain_text("Page 2 of 20")
        assert json.loads(
            page.evaluate(
                "JSON.stringify(performance.getEntriesByType('resource')"
                ".filter(x => x.name.includes('/api/replays')).length)"
            )
        )
    finally:
        shutil.rmtree(runs / "many")
