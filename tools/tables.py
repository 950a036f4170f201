"""Write the generated tables of every world's README from the world's declarations."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from mesocosm.build import config_spec, presets
from mesocosm.cli.describe import description, sections
from mesocosm.cli.runs import level_sections
from mesocosm.cli.shared.output import markdown
from mesocosm.config.section import Section
from mesocosm.core.errors import unknown
from mesocosm.learning.settings import LearningSettings
from mesocosm.resolve import resolve
from mesocosm.worlds.registry import folder, names

END = "<!-- generated: end -->"
MARKED = re.compile(rf"(<!-- generated from (\S+): begin -->).*?{re.escape(END)}", re.DOTALL)


def current(text: str, world: str) -> str:
    """Give a README's text with its tables as the presets that its markers name declare them."""

    def write(found: re.Match[str]) -> str:
        begin, preset = found.groups()
        if preset not in presets(world):
            raise unknown(f"preset of {world}", preset, presets(world))
        return f"{begin}\n\n{markdown(sections(description(resolve(preset))))}\n\n{END}"

    return MARKED.sub(write, text)


RUNS = re.compile(rf"(<!-- generated from the code: begin -->).*?{re.escape(END)}", re.DOTALL)
RUNS_PAGE = Path(__file__).parent.parent / "docs" / "runs.md"


def levels(text: str) -> str:
    """Give the page about runs with the columns of every table as the code declares them."""
    made = markdown(level_sections(config_spec("commons/wardens")))
    return RUNS.sub(lambda found: f"{found[1]}\n\n{made}\n\n{END}", text)


SETTINGS = re.compile(rf"(<!-- generated from the settings: begin -->).*?{END}", re.DOTALL)
LEARNING_PAGE = RUNS_PAGE.with_name("learning.md")


def settings(text: str) -> str:
    """Give the page about learning with every setting as the code declares it."""
    lines = ["| setting | default | what it is |", "| --- | --- | --- |"]
    for name, default, meaning in _fields(LearningSettings, ""):
        lines.append(f"| `{name}` | `{default}` | {meaning} |")
    made = "\n".join(lines)
    return SETTINGS.sub(lambda found: f"{found[1]}\n\n{made}\n\n{END}", text)


def _fields(section: type[Section], lead: str) -> Iterator[tuple[str, str, str]]:
    for name, field in section.model_fields.items():
        if isinstance(field.default, Section):
            yield from _fields(type(field.default), f"{lead}{name}.")
        else:
            yield f"{lead}{name}", json.dumps(field.default), str(field.description)


def main() -> int:
    """Rewrite the READMEs that are out of date."""
    page = LEARNING_PAGE
    page.write_text(settings(page.read_text(encoding="utf-8")), encoding="utf-8")
    RUNS_PAGE.write_text(levels(RUNS_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    for world in names():
        path = folder(world) / "README.md"
        if path.is_file():
            path.write_text(current(path.read_text(encoding="utf-8"), world), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
