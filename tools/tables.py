"""Write the generated tables of every world's README from the world's declarations."""

import sys

from mesocosm.build import load_config, presets
from mesocosm.cli.describe import description, sections
from mesocosm.cli.output import markdown
from mesocosm.worlds.registry import folder, names

BEGIN, END = "<!-- generated from {preset}: begin -->", "<!-- generated: end -->"


def current(text: str, world: str) -> str:
    """Give a README's text with its tables as the world declares them now."""
    for preset in presets(world):
        begin = BEGIN.format(preset=preset)
        if begin in text:
            before, rest = text.split(begin, 1)
            after = rest.split(END, 1)[1]
            tables = markdown(sections(description(load_config(preset))))
            text = f"{before}{begin}\n\n{tables}\n\n{END}{after}"
    return text


def main() -> int:
    """Rewrite the READMEs that are out of date."""
    for world in names():
        path = folder(world) / "README.md"
        if path.is_file():
            path.write_text(current(path.read_text(encoding="utf-8"), world), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
