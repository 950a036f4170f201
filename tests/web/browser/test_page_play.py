"""Playing, in a browser: from the link that `mesocosm play` prints, and by keyboard alone."""

from types import SimpleNamespace

import pytest

from tests.web.browser.watching import WORLDS, at_step, choose_by_key, held, wait_until
from tests.web.playing import playing

MOST_TABS = 150
FOCUSED = "document.activeElement?.matches(%r)"


@pytest.mark.parametrize("world", ["commons", "townlet"])
def test_link_of_mesocosm_play_lets_a_person_act_by_keys(visit, tmp_path, world):
    with playing(tmp_path / "runs", WORLDS[world]) as link:
        visitor = visit(SimpleNamespace(settings=SimpleNamespace(port=int(link[2]))))
        page = visitor.page
        page.goto(link[0].removeprefix("Open "))
        for step in range(4):
            page.wait_for_selector(at_step(step))
            page.wait_for_selector("text=The run waits for what you do")
            choose_by_key(page, step)
        page.wait_for_selector(at_step(4))
        assert held(page, "run.mine.value") == []  # a request took it, not this stream
        page.reload()  # the run goes on waiting for its person
        page.wait_for_selector(at_step(4))
        page.wait_for_selector("text=The run waits for what you do")
        visitor.picture("waits")
        page.keyboard.press("e")
        page.click("text=Release it")
        wait_until(page, "Number(document.querySelector('.moment').dataset.step) > 4")


def tab_to(page, selector):
    """Press Tab until an element has the focus."""
    for _ in range(MOST_TABS):
        if page.evaluate(FOCUSED % selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no {selector} within {MOST_TABS} tabs of the keyboard")


def test_keyboard_alone_leads_from_the_gallery_to_playing_an_agent(server, visit):
    page = visit(server).open()
    page.wait_for_selector('.card[data-preset="commons/default"]')
    tab_to(page, '[aria-label="Watch commons/default"]')
    page.keyboard.press("Enter")
    page.wait_for_selector(".agents tbody tr")
    assert page.evaluate(FOCUSED % "main")  # so that Tab goes on from the top of the run
    page.keyboard.press("Space")
    page.wait_for_selector(".play:has-text('Play')")
    page.keyboard.press("n")
    page.wait_for_selector(".received .long")
    assert held(page, "run.perspective.value") == "agent 0"
    tab_to(page, ".take")
    page.keyboard.press("Space")
    page.wait_for_selector("text=The run waits for what you do")
    before = held(page, "run.frame.value.step")
    for k in range(3):
        choose_by_key(page, k)
        page.wait_for_selector(at_step(before + k + 1))
    tab_to(page, ".release")
    page.keyboard.press("Enter")
    page.wait_for_selector(".take")
    name = held(page, "run.name")
    server.wait_for(lambda: server.get(f"runs/{name}")["progress"]["taken"] == [])
    assert page.evaluate(FOCUSED % ".take")  # what took the place of the button
    page.keyboard.press("e")
    page.wait_for_selector(".agents tbody tr")
    page.keyboard.press("p")
    wait_until(page, f"Number(document.querySelector('.moment').dataset.step) > {before + 3}")
    server.post(f"runs/{name}/stop")
