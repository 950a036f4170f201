"""Watch, in a browser: whose eyes one looks through, and what a person does."""

import json

import numpy as np
import pytest

from tests.web.browser.watching import (
    READ_NUMBERS,
    SEED,
    WORLDS,
    SameGame,
    at_step,
    choose_by_key,
    held,
    open_run,
    see,
    wait_until,
)

STEPS = 6


@pytest.fixture(scope="module")
def paused(server):
    """Give a function that starts a paused run of a world, a few steps in; one for each world."""
    made: dict[str, str] = {}

    def start(world):
        if world not in made:
            name = server.start(preset=WORLDS[world], seed=SEED, paused=True)
            server.post(f"runs/{name}/step", {"count": STEPS})
            server.wait_for(lambda: server.get(f"runs/{name}")["progress"]["step"] == STEPS)
            made[world] = name
        return made[world]

    return start


@pytest.fixture(scope="module")
def same():
    """Give the same game after as many steps, by world."""
    made: dict[str, SameGame] = {}

    def play(world):
        if world not in made:
            made[world] = SameGame(WORLDS[world])
            for _ in range(STEPS):
                made[world].step()
        return made[world]

    return play


def equal(held_values, received) -> bool:
    """Whether the page's numbers are, bit for bit, those that were received."""
    return np.array_equal(np.array(held_values, received.dtype), received.reshape(-1))


@pytest.mark.parametrize("world", WORLDS)
def test_page_holds_what_each_agent_received_and_nothing_else(server, visit, paused, same, world):
    game = same(world)
    page = open_run(visit(server), paused(world), STEPS)
    everything = held(page, "run.frame.value.scene.items")
    for agent in range(game.spec.num_agents):
        see(page, f"agent {agent}")
        frame = held(page, "run.frame.value")
        obs, mask, info, reward = game.received(agent)
        assert equal(frame["obs"], obs)
        assert equal(frame["mask"], mask)
        assert np.float32(frame["reward"]) == reward
        assert {name: np.array(value, info[name].dtype).tolist()
                for name, value in frame["info"].items()} == {
                    name: value.tolist() for name, value in info.items()}  # fmt: skip
        drawn = json.loads(json.dumps(game.draw(agent)["items"]))
        assert frame["scene"]["items"] == drawn != everything
    assert held(page, "[run.metrics.sorted.length, run.events.sorted.length]") == [0, 0]
    assert not held(page, "run.moments.some((moment) => moment.agents)")


@pytest.mark.parametrize("world", WORLDS)
def test_list_shows_every_number_by_name(server, visit, paused, same, world):
    game = same(world)
    page = open_run(visit(server), paused(world), STEPS)
    see(page, "agent 0")
    page.fill(".received input", "obs.")
    page.wait_for_selector("[data-entry]")
    shown = page.evaluate(READ_NUMBERS)
    obs, _, _, _ = game.received(0)
    flat = obs.reshape(-1)
    tokens = game.spec.role_of(0).observation.tokens
    listed = [k for k in range(flat.size) if tokens is None or flat[k // 3 * 3] != tokens.empty]
    assert sorted(shown) == sorted(f"obs:{k}" for k in listed)
    assert equal([shown[f"obs:{k}"] for k in listed], flat[listed])


def test_switch_of_perspective_leaves_nothing_of_the_truth_in_the_document(server, visit, paused):
    page = open_run(visit(server), paused("commons"), STEPS)
    page.wait_for_selector(".event")
    words = page.locator(".event").first.inner_text().split(maxsplit=1)[1]
    page.click(".pick >> nth=3")
    page.wait_for_selector(".agent-card")
    assert words in page.content()
    see(page, "agent 1")
    assert words not in page.content()
    assert page.locator(".agents, .events, .agent-card").count() == 0
    see(page, "everything")
    page.wait_for_selector(".event")  # what was let go is asked for again
    assert words in page.content()


def choose_by_click(page, k):
    """Click one of the options that are allowed."""
    options = page.locator(".acting .part").first.locator(".option:enabled")
    options.nth(k % options.count()).click()
    if page.locator(".act-form").count():
        page.click(".act-form button[type=submit]")


@pytest.mark.parametrize("world", WORLDS)
def test_person_plays_20_steps_by_keys_and_by_clicks(server, visit, world):
    name = server.start(preset=WORLDS[world], seed=SEED, paused=True, record=False)
    game = SameGame(WORLDS[world])
    visitor = visit(server)
    page = open_run(visitor, name, 0)
    see(page, "agent 0")
    page.click(".take")
    page.wait_for_selector("text=The run waits for what you do")
    for level in page.locator(".acting input[type=range]").all():
        level.fill("0.5")  # who does nothing may be out before the 20th step
    for k in range(20):
        (choose_by_key if k < 10 else choose_by_click)(page, k)
        page.wait_for_selector(at_step(k + 1))
        did = held(page, "run.frame.value.action")
        game.step({0: (did["choice"], did["level"])})
    obs, mask, _, _ = game.received(0)
    frame = held(page, "run.frame.value")
    assert equal(frame["obs"], obs)
    assert equal(frame["mask"], mask)
    assert not frame["terminated"]
    visitor.picture("played")
    page.click(".release")
    server.wait_for(lambda: server.get(f"runs/{name}")["progress"]["taken"] == [])
    server.post(f"runs/{name}/stop")


def test_agent_that_is_out_offers_no_actions(server, visit):
    name = server.start(preset="commons", seed=SEED, paused=True, record=False)
    server.post(f"runs/{name}/step", {"count": 25})  # agent 0 starves meanwhile
    page = open_run(visit(server), name, 25)
    see(page, "agent 0")
    page.click(".take")
    page.wait_for_selector("text=This agent is out until the next episode")
    assert page.locator(".acting button").count() == 0
    server.post(f"runs/{name}/stop")


@pytest.mark.parametrize("world", WORLDS)
def test_number_lights_its_place_and_thing_shows_its_numbers(server, visit, paused, world):
    page = open_run(visit(server), paused(world), STEPS)
    see(page, "agent 0")
    dark = page.evaluate("document.querySelector('.scene canvas').toDataURL()")
    entry, left, top = page.evaluate("""async () => {
      const { current } = await import('/watch/store.js');
      const { boxOf, field, findPlaces, fitView } = await import('/scene/index.js');
      const canvas = document.querySelector('.scene canvas');
      const scene = current.run.frame.value.scene;
      const item = scene.items.findLast((one) => one[0] === 'bars'
        && field(one, 'source', [])[0]?.startsWith('obs:'))
        ?? scene.items.findLast((one) => field(one, 'source', [])[0]?.startsWith('obs:'));
      const [x, y, wide, high] = boxOf(item);
      const view = fitView(scene, canvas.clientWidth, canvas.clientHeight);
      const place = canvas.getBoundingClientRect();
      return [field(item, 'source')[0], place.left + (x + wide / 2 - view.x) * view.scale,
        place.top + (y + high / 2 - view.y) * view.scale];
    }""")
    page.mouse.click(left, top)
    page.wait_for_selector(".number-row.marked")
    first = entry.removeprefix("obs:").split("-")[0]
    assert any(
        first in text.removeprefix("obs:").split("-")
        for text in held(page, "run.picked.value.source")
    )
    row = page.locator(".number-row.marked").last
    row.hover()
    assert held(page, "run.highlight.value.entry")
    wait_until(page, f"document.querySelector('.scene canvas').toDataURL() !== '{dark}'")


def test_run_list_leads_to_a_run_and_an_empty_one_says_what_to_do(server, visit, paused):
    name = paused("commons")
    visitor = visit(server)
    page = visitor.open("watch")
    page.click(f"a:text-is('{name}')")
    page.wait_for_selector(at_step(STEPS))
    assert "#/watch/" in page.url


def test_shortcuts_steer_but_not_while_somebody_types(server, visit):
    name = server.start(preset="commons", seed=SEED, paused=True, record=False)
    page = open_run(visit(server), name, 0)
    page.keyboard.press(".")
    page.wait_for_selector(at_step(1))
    page.keyboard.press("n")
    page.wait_for_selector(".received input")
    page.fill(".received input", "")
    page.locator(".received input").press(".")
    page.locator("main").focus()
    page.keyboard.press("]")
    server.wait_for(lambda: server.get(f"runs/{name}")["progress"]["speed"] == 10)
    assert server.get(f"runs/{name}")["progress"]["step"] == 1
    page.keyboard.press("?")
    page.wait_for_selector("#shortcuts:popover-open")
    server.post(f"runs/{name}/stop")


def test_bundle_shows_how_probable_it_found_each_option(server, visit):
    policies = {"": "trained/harvester"}
    name = server.start(preset="commons", seed=SEED, paused=True, record=False, policies=policies)
    server.post(f"runs/{name}/step", {"count": 2})
    visitor = visit(server)
    page = open_run(visitor, name, 2)
    page.click(".pick >> nth=0")
    page.wait_for_selector(".agent-card .chances")
    shares = page.locator(".agent-card .chances >> nth=0").locator("td.number").all_inner_texts()
    assert sum(float(share.rstrip(" %")) for share in shares) == pytest.approx(100, abs=0.3)
    visitor.picture("probabilities")
    server.post(f"runs/{name}/stop")


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("size", "theme"), [("wide", "light"), ("narrow", "dark")])
def test_pictures_have_no_serious_fault(server, visit, paused, world, size, theme):
    visitor = visit(server, size, theme)
    page = open_run(visitor, paused(world), STEPS)
    page.wait_for_selector(".agents tbody tr")
    visitor.picture("everything")
    faults = visitor.faults()
    wide = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(wide) <= 0
    see(page, "agent 0")
    visitor.picture("agent")
    assert faults + visitor.faults() == []
    assert page.evaluate(wide) <= 0
