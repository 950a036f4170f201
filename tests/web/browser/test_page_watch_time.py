"""Watch, in a browser: going through time, and what goes wrong."""

from dataclasses import replace

import pytest

from tests.web.browser.watching import SEED, WORLDS, at_step, held, open_run, see, wait_until
from tests.web.conftest import make_settings, next_of

STALL_SECONDS = 3


@pytest.fixture(scope="module")
def recorded(server):
    """A recorded run of commons, 30 steps long."""
    name = server.start(preset="commons", seed=SEED, speed=0, steps=30)
    server.wait_for(lambda: server.get(f"runs/{name}")["status"] == "finished")
    return name


def test_replay_goes_to_steps_by_slider_event_and_link(server, visit, recorded):
    replay = server.start(f"replays/{recorded}/open", step=0)
    page = open_run(visit(server), replay, 0)
    page.locator(".scrub").fill("12")
    page.wait_for_selector(at_step(12))
    page.keyboard.press(".")
    page.wait_for_selector(at_step(13))
    event = page.locator(".event").first
    step = int(event.locator(".when").inner_text())
    event.click()
    page.wait_for_selector(at_step(step))
    wait_until(page, f"location.hash.endsWith('step={step}')")
    page.evaluate(f"location.hash = '#/watch/{replay}?step=7&perspective=agent+2'")
    page.wait_for_selector(at_step(7))
    page.wait_for_selector(".received .long")
    assert held(page, "run.frame.value.perspective") == "agent 2"
    assert page.locator(".take").count() == 0
    server.post(f"runs/{replay}/stop")


def test_live_run_is_forked_from_a_step_of_its_past(server, visit):
    name = server.start(preset="commons", seed=SEED, paused=True, record=False)
    server.post(f"runs/{name}/step", {"count": 9})
    visitor = visit(server)
    page = open_run(visitor, name, 9)
    page.locator(".scrub").fill("4")
    page.click("text=Fork from step 4")
    page.wait_for_selector("dialog[open]")
    page.wait_for_selector("dialog option:text-is('noop')", state="attached")
    page.locator("dialog select").first.select_option("noop")
    visitor.picture("dialogue")
    assert visitor.faults() == []
    page.click("dialog .main")
    page.wait_for_selector(f"text=forked from {name}")
    page.wait_for_selector(at_step(4))
    made = held(page, "run.name")
    assert server.get(f"runs/{made}")["policies"]["harvester"] == "noop"
    for run in (name, made):
        server.post(f"runs/{run}/stop")


@pytest.mark.parametrize("world", WORLDS)
def test_crashed_run_says_why(server, visit, world):
    asked = {"preset": WORLDS[world], "speed": 20, "record": False}
    name = server.post("runs", asked | {"policies": {"": "given/raises"}})["id"]
    visitor = visit(server, "narrow" if world == "island" else "wide")
    page = visitor.open(f"watch/{name}")
    page.wait_for_selector(".crash")
    words = page.locator(".crash").inner_text()
    assert "act raised ValueError: no idea what to do" in words
    assert "not recorded" in words
    assert page.locator(".watch-head .badge").inner_text() == "crashed"
    assert page.locator(".transport button:enabled").count() == 0
    visitor.picture("crash")
    assert visitor.faults() == []


def test_run_that_ended_unwatched_leads_to_its_recording_and_waits_for_nothing(
    server, visit, recorded
):
    page = visit(server).open(f"watch/{recorded}")
    page.wait_for_selector("text=This run has finished")
    page.wait_for_selector("text=No picture is kept")
    assert page.locator(f".notices a[href='#/replays/{recorded}']").is_visible()
    assert page.locator(".loading, .fault").count() == 0


def test_run_that_never_was_is_said_to_be_gone_and_nothing_else(server, visit):
    page = visit(server).open("watch/nobody-began-this")
    page.wait_for_selector("text=This run is gone")
    page.wait_for_selector("text=Begin a new run")
    assert page.locator(".watch-body, .loading").count() == 0


def test_broken_connection_finds_the_run_again_and_keeps_what_was_taken_over(server, visit):
    name = server.start(preset="commons", seed=SEED, paused=True, record=False)
    page = open_run(visit(server), name, 0)
    see(page, "agent 3")
    page.click(".take")
    page.wait_for_selector(".acting")
    held(page, "run.stream.socket.close()")
    page.wait_for_selector("text=Reconnecting")
    page.wait_for_selector("text=Reconnecting", state="detached")
    server.wait_for(lambda: server.get(f"runs/{name}")["progress"]["taken"] == [3])
    server.post(f"runs/{name}/stop")


def test_restarted_server_says_that_the_run_is_gone_and_leads_to_its_recording(
    restarted, visit, tmp_path
):
    settings = make_settings(tmp_path / "runs")
    first = restarted(settings)
    name = first.start(preset="commons", seed=SEED, paused=True)
    first.post(f"runs/{name}/step", {"count": 5})
    visitor = visit(first)
    page = open_run(visitor, name, 5)
    page.evaluate("document.querySelector('main').dataset.same = 'yes'")
    second = restarted(replace(settings))
    page.wait_for_selector("text=This run is gone")
    assert page.locator(f"a[href='#/replays/{name}']").first.is_visible()
    visitor.picture("gone")
    assert visitor.faults() == []
    page.click("text=Go on from its last step")
    page.click("dialog .main")
    page.wait_for_selector("text=forked from")
    page.wait_for_selector(at_step(5))
    assert page.evaluate("document.querySelector('main').dataset.same") == "yes"  # no reload
    second.wait_for(lambda: len([r for r in second.get("runs") if r["kind"] == "run"]) == 1)


def test_stalled_tab_slows_nobody_and_catches_up(server, visit):
    name = server.start(preset="commons", seed=SEED, speed=30, record=False)
    page = open_run(visit(server), name)
    page.evaluate(
        f"setTimeout(() => {{ const end = Date.now() + {STALL_SECONDS * 1000};"
        "while (Date.now() < end); document.title = 'awake'; }, 0)"
    )
    before = server.get(f"runs/{name}")["progress"]["step"]
    with server.stream(name) as other:
        while next_of(other, "frame")["step"] < before + 30 * (STALL_SECONDS - 1):
            pass
    wait_until(page, "document.title === 'awake'")
    now = server.get(f"runs/{name}")["progress"]["step"]
    wait_until(page, f"Number(document.querySelector('.moment').dataset.step) >= {now}")
    assert held(page, "run.moments.length") <= 512
    server.post(f"runs/{name}/stop")


def test_list_without_runs_says_what_to_do_next(restarted, visit, tmp_path):
    visitor = visit(restarted(make_settings(tmp_path / "runs")), "narrow", "dark")
    page = visitor.open("watch")
    page.wait_for_selector("text=Nothing is running")
    assert page.locator("a:text-is('Choose a world')").get_attribute("href") == "#/gallery"
    visitor.picture("empty")
    assert visitor.faults() == []
