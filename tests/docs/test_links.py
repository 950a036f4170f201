"""Links between the project's pages lead to files and headings that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").rglob("*.md")),
    *sorted((ROOT / "mesocosm" / "worlds").glob("*/README.md")),
]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
INDEX = ROOT / "docs" / "README.md"


def links(text):
    """Return the targets of a page's links that are not addresses on the web."""
    return [link for link in LINK.findall(CODE.sub("", text)) if "://" not in link]


def anchors(text):
    """Return the names that a page's headings have in links, as GitHub makes them."""
    found = []
    for heading in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.append(f"{name}-{found.count(name)}" if name in found else name)
    return found


def broken(page, text):
    """Return the links of a page that lead nowhere."""
    wrong = []
    for link in links(text):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (
            anchor and (target.suffix != ".md" or anchor not in anchors(target.read_text()))
        ):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_of_a_page_lead_to_files_and_headings(page):
    assert broken(page, page.read_text()) == []


def test_a_link_to_a_missing_file_or_heading_is_reported():
    text = (
        "[a](docs/none.md) [b](docs/runs.md#no-such) [c](docs/runs.md#tables) [d](https://x.org/y)"
    )
    assert broken(ROOT / "README.md", text) == ["docs/none.md", "docs/runs.md#no-such"]


def test_anchors_of_headings_are_those_of_github():
    text = "# A `code` [link](x.md), two\n```sh\n# no heading\n```\n## Same\n## Same\n"
    assert anchors(text) == ["a-code-link-two", "same", "same-1"]


def test_the_index_of_the_documentation_links_to_every_page():
    linked = {
        (INDEX.parent / link.partition("#")[0]).resolve() for link in links(INDEX.read_text())
    }
    pages = set((ROOT / "docs").rglob("*.md")) - {INDEX}
    assert pages - linked == set()
