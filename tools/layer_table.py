"""Find out what each setting of each layer does to each world, and write the table of it.

Usage: python tools/layer_table.py [WORLD ...]; without worlds only the table is written anew.
"""

import json
import re
import sys
from pathlib import Path

from mesocosm.testing.effects import setting_effects
from mesocosm.testing.trials import setting_names

DOCS = Path(__file__).parent.parent / "docs"
CELLS, PAGE = DOCS / "layer-settings.json", DOCS / "layers.md"
TABLE = re.compile(r"(<!-- settings: begin -->).*?(<!-- settings: end -->)", re.DOTALL)
NOTHING = "nothing"
LONGEST = 70


def measure(world: str) -> dict[str, str]:
    """Say of every setting what it changes in a world, or why it is refused."""
    cells = {}
    for effect in setting_effects(world):
        refused = f"refused: {short(effect.refusal)}" if effect.refusal else NOTHING
        cells[effect.setting] = ", ".join(effect.changes) or refused
        print(f"{world} {effect.setting}: {cells[effect.setting]}", file=sys.stderr, flush=True)
    return cells


def short(reason: str) -> str:
    """Cut a refusal to what fits into a table."""
    text = re.sub(r"^layers[^:]*: ", "", reason).partition(", got ")[0]
    text = text.replace("does nothing: ", "").partition(". ")[0]
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " .."


def table(cells: dict[str, dict[str, str]]) -> str:
    """Write the cells as Markdown."""
    worlds = sorted(cells)
    lines = [f"| setting | {' | '.join(worlds)} |", "|---" * (len(worlds) + 1) + "|"]
    for setting in setting_names():
        row = [cells.get(world, {}).get(setting, "") for world in worlds]
        lines.append(f"| `{setting}` | {' | '.join(row)} |")
    return "\n".join(lines)


def main(worlds: list[str]) -> int:
    """Measure the worlds that are named, and write the table."""
    cells = json.loads(CELLS.read_text()) if CELLS.is_file() else {}
    for world in worlds:
        made = measure(world)
        cells = json.loads(CELLS.read_text()) if CELLS.is_file() else {}
        cells[world] = made
        CELLS.write_text(json.dumps(cells, indent=1) + "\n")
    text = PAGE.read_text(encoding="utf-8")
    made_table = table(cells)
    PAGE.write_text(TABLE.sub(lambda found: f"{found[1]}\n\n{made_table}\n\n{found[2]}", text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
