"""Write the generated tables of every world's README from the world's declarations."""

import re
import sys

from mesocosm.build import load_config, presets
from mesocosm.cli.describe import description, sections
from mesocosm.cli.output import markdown
from mesocosm.core.errors import unknown
from mesocosm.worlds.registry import folder, names

END = "<!-- generated: end -->"
MARKED = re.compile(rf"(<!-- generated from (\S+): begin -->).*?{re.escape(END)}", re.DOTALL)


def current(text: str, world: str) -> str:
    """Give a README's text with its tables as the presets that its markers name declare them."""

    def write(found: re.Match[str]) -> str:
        begin, preset = found.groups()
        if preset not in presets(world):
            raise unknown(f"preset of {world}", preset, presets(world))
        return f"{begin}\n\n{markdown(sections(description(load_config(preset))))}\n\n{END}"

    return MARKED.sub(write, text)


def main() -> int:
    """Rewrite the READMEs that are out of date."""
    for world in names():
        path = folder(world) / "README.md"
        if path.is_file():
            path.write_text(current(path.read_text(encoding="utf-8"), world), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
