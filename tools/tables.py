"""Write the generated tables of every world's README from the world's declarations."""

import re
import sys
from pathlib import Path

from mesocosm.build import config_spec, presets
from mesocosm.cli.describe import description, sections
from mesocosm.cli.runs import level_sections
from mesocosm.cli.shared.output import markdown
from mesocosm.core.errors import unknown
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


def main() -> int:
    """Rewrite the READMEs that are out of date."""
    RUNS_PAGE.write_text(levels(RUNS_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    for world in names():
        path = folder(world) / "README.md"
        if path.is_file():
            path.write_text(current(path.read_text(encoding="utf-8"), world), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
