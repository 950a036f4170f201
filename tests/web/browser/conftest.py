"""A real browser on a real server; every test leaves pictures of what a person would see."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from tests.web.conftest import RunningServer, make_settings

PICTURES = Path(os.environ.get("MESOCOSM_SCREENSHOTS", "build/screenshots"))
SIZES = {"wide": (1280, 800), "narrow": (360, 740)}
WAIT_MILLISECONDS = 30_000
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SERIOUS = ("serious", "critical")


def find_chromium() -> str:
    """Give the system's Chromium, which `make test` installs."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    raise LookupError("no Chromium on the PATH: make browser installs it")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=find_chromium(), args=OPTIONS)
        yield made
        made.close()


@pytest.fixture(scope="module")
def compiled_server(tmp_path_factory):
    """Give a server whose worlds run compiled, as a person's would."""
    from dataclasses import replace

    runs = tmp_path_factory.mktemp("runs")
    made = RunningServer(replace(make_settings(runs), target="cpu", spares=1))
    yield made
    made.close()


class Visitor:
    """A person with a browser: opens places, takes pictures, and notes what went wrong."""

    def __init__(self, context: BrowserContext, server: RunningServer, name: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(WAIT_MILLISECONDS)
        self.server, self.name = server, name
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", self._note_request)
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _note_request(self, request: Request) -> None:
        self.requests.append(request.url)

    def open(self, place: str = "") -> Page:
        """Open a place of the page, with the token."""
        self.page.goto(self.server.settings.link_to(place))
        return self.page

    def picture(self, what: str) -> Path:
        """Take a picture of the whole page."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{self.name}-{re.sub(r'[^a-z0-9]+', '-', what.lower())}.png"
        self.page.evaluate("scrollTo(0, 0)")  # else what sticks to the top is in the middle
        self.page.screenshot(path=path, full_page=True)
        return path

    def faults(self) -> list[str]:
        """Give the serious faults of accessibility that axe-core finds now."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{fault['id']}: {node['html'][:200]}"
            for fault in found
            if fault["impact"] in SERIOUS
            for node in fault["nodes"]
        ]

    def foreign(self) -> list[str]:
        """Give the requests that left the page's own origin."""
        own = self.server.settings.port
        prefixes = (f"http://127.0.0.1:{own}/", f"ws://127.0.0.1:{own}/", "data:", "blob:")
        return [url for url in self.requests if not url.startswith(prefixes)]


@pytest.fixture
def visit(browser, request):
    """Give a function that makes visitors, of a size and in a theme."""
    contexts: list[BrowserContext] = []
    visitors: list[Visitor] = []

    def make(server: RunningServer, size: str = "wide", theme: str = "light") -> Visitor:
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        visitors.append(Visitor(context, server, request.node.name.replace("test_", "")))
        return visitors[-1]

    yield make
    foreign = [url for visitor in visitors for url in visitor.foreign()]
    errors = [error for visitor in visitors for error in visitor.errors]
    for context in contexts:
        context.close()
    assert not foreign, foreign
    assert not errors, errors
