"""The gallery: every preset with a picture, found by words, watched with one click."""

import re

import pytest
from playwright.sync_api import expect

DRAWN_MILLISECONDS = 60_000  # one worker draws a world, the default preset first
WORLDS = ("commons", "island", "mettagrid", "townlet")
# How many colours a canvas shows.
COLOURS = """canvas => {
  const {width, height} = canvas;
  if (!width || !height) return 0;
  const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const found = new Set();
  for (let k = 0; k < data.length; k += 52) {
    found.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
  }
  return found.size;
}"""
PIXELS = """canvas => {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let sum = 0;
  for (let k = 0; k < data.length; k++) sum = (sum * 31 + data[k]) % 1000000007;
  return sum;
}"""


def card_of(page, preset):
    return page.locator(f'.card[data-preset="{preset}"]')


def painted(page, preset):
    """Wait until the picture of a preset is painted; give its canvas."""
    card = card_of(page, preset)
    card.scroll_into_view_if_needed()
    canvas = card.locator("canvas")
    canvas.wait_for(timeout=DRAWN_MILLISECONDS)
    handle = canvas.element_handle()
    page.wait_for_function(f"canvas => ({COLOURS})(canvas) > 8", arg=handle, polling=200)
    return canvas


def test_gallery_shows_every_preset_that_the_server_lists(server, visit):
    page = visit(server).open()
    listed = server.get("presets")
    expect(page.locator(".card[data-preset]")).to_have_count(len(listed))
    for preset in listed:
        card = card_of(page, preset["name"])
        expect(card).to_contain_text(preset["sentence"], ignore_case=True)
        world, name = preset["name"].split("/")
        expect(card.get_by_role("link", name="Configure")).to_have_attribute(
            "href", f"#/configure/{world}/{name}"
        )
        expect(card.get_by_role("link", name="Train")).to_have_attribute(
            "href", re.compile(rf"#/train\?preset={world}%2F{name}$")
        )


@pytest.mark.parametrize("world", WORLDS)
def test_thumbnails_are_painted_and_watch_starts_a_run(server, visit, world):
    visitor = visit(server, theme="dark" if world == "island" else "light")
    page = visitor.open("gallery")
    presets = server.get(f"presets?world={world}")
    default = next(preset["name"] for preset in presets if preset["default"])
    page.get_by_label("Search worlds and presets").fill(f"{world}/")
    expect(page.locator(".card[data-preset]")).to_have_count(len(presets))
    painted(page, default)
    painted(page, next(preset["name"] for preset in presets if not preset["default"]))
    visitor.picture(world)
    card = card_of(page, default)
    with page.expect_response(lambda answer: answer.url.endswith("/api/runs")) as asked:
        card.get_by_role("button", name=f"Watch {default}").click()
    run = asked.value.json()
    assert run["preset"] == default
    page.wait_for_url(f"**/#/watch/{run['id']}")
    server.follow("runs", run["id"])
    found = server.get(f"runs/{run['id']}")
    assert (found["status"], found["error"]) == ("running", "")
    server.post(f"runs/{run['id']}/stop")


def test_thumbnail_moves_while_it_is_pointed_at(server, visit):
    page = visit(server).open()
    canvas = painted(page, "commons/default")
    handle = canvas.element_handle()
    before = page.evaluate(PIXELS, handle)
    card = card_of(page, "commons/default")
    card.hover()
    expect(card.locator("[data-moving=yes]")).to_have_count(1)
    page.wait_for_function(f"([canvas, old]) => ({PIXELS})(canvas) !== old", arg=[handle, before])
    page.get_by_role("heading", level=1).hover()
    expect(card.locator("[data-moving=no]")).to_have_count(1)
    page.wait_for_function(f"([canvas, old]) => ({PIXELS})(canvas) === old", arg=[handle, before])


def test_search_narrows_and_says_how_many(server, visit):
    visitor = visit(server)
    page = visitor.open()
    field = page.get_by_label("Search worlds and presets")
    field.fill("fog")
    names = [
        preset["name"]
        for preset in server.get("presets")
        if "fog" in f"{preset['name']} {preset['sentence']}".lower()
    ]
    expect(page.locator(".card[data-preset]")).to_have_count(len(names))
    for name in names:
        expect(card_of(page, name)).to_be_visible()
    field.fill("nothing is called like this")
    page.get_by_role("button", name="Show all presets").click()
    expect(page.locator(".card[data-preset]")).to_have_count(len(server.get("presets")))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_gallery_has_no_serious_fault(server, visit, size, theme):
    visitor = visit(server, size=size, theme=theme)
    page = visitor.open()
    painted(page, "commons/default")
    assert visitor.faults() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.picture(f"{size} {theme}")
