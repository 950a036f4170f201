"""A grid for the terminal."""

from collections.abc import Mapping

import numpy as np

from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.plan import Plan, plan
from mesocosm.worlds.mettagrid.compile.stats import names_of, stats_written
from mesocosm.worlds.mettagrid.config import Core

THING_LETTERS = "EXCAHBDFGIJKLMNOPQRSTUVWYZ"


def symbols(core: Core, made: Plan) -> dict[str, str]:
    """Give every type of thing a letter; one that stands in the map as text keeps that."""
    found = {name: char for char, name in core.map.legend.items() if not char.isdigit()}
    found |= {"wall": "#"}
    names = [kind.name for kind in made.kinds if kind.name not in ("agent", *found)]
    left = [letter for letter in THING_LETTERS if letter not in found.values()]
    for name in names:
        first = name[:1].upper()
        letter = first if first in left else (left[0] if left else "?")
        if letter in left:
            left.remove(letter)
        found[name] = letter
    return found


def cells(truth: Mapping[str, np.ndarray], core: Core) -> np.ndarray:  # str [row, col]
    """Write what is on each cell as one character."""
    made = plan(core)
    letter = symbols(core, made)
    grid = np.full((made.height, made.width), ".", dtype="<U1")
    base = truth["ground"].reshape(made.height + 2 * PAD, made.width + 2 * PAD)
    for r, c in np.argwhere(base[PAD:-PAD, PAD:-PAD] > 0):
        slot = made.num_things + int(base[r + PAD, c + PAD]) - 1
        grid[r, c] = letter[made.kinds[int(made.kind_of[slot])].name]
    for k in range(made.num_things - 1, -1, -1):
        r, c = int(truth["row"][k]), int(truth["col"][k])
        if r >= 0 and c >= 0:
            name = made.kinds[int(made.kind_of[k])].name
            grid[r, c] = str(k % 10) if k < core.num_agents else letter[name]
    return grid


def headline(truth: Mapping[str, np.ndarray], core: Core) -> str:
    """Say what is played, how far it is, and how the statistics stand that handlers write."""
    end = f" of {core.max_steps}" if core.max_steps else ""
    line = f"mettagrid ({core.profile}), step {int(truth['clock'])}{end}"
    kept = [name for name, scope in sorted(stats_written(core)) if scope == "game"]
    columns = [(name, names_of(core).column(name, "game")) for name in kept]
    shown = [f"{name} {truth['game_stat'][k]:g}" for name, k in columns if k >= 0]
    return ", ".join([line, *shown])


def text(truth: Mapping[str, np.ndarray], core: Core) -> str:
    """Write one frame: the map, and one line for every cog."""
    lines = [headline(truth, core)]
    lines += ["".join(row) for row in cells(truth, core)]
    for a in range(core.num_agents):
        vibe = int(truth["vibe"][a])
        name = core.vibes[vibe] if vibe < len(core.vibes) else str(vibe)
        pairs = zip(core.resources, truth["amount"][a].tolist(), strict=True)
        held = ", ".join(f"{name} {amount}" for name, amount in pairs if amount) or "nothing"
        said = words(truth, core, a)
        lines.append(f"{a:3d} {name:10s} {held}" + (f'  "{said}"' if said else ""))
    return "\n".join(lines)


def words(truth: Mapping[str, np.ndarray], core: Core, a: int) -> str:
    """Return what a cog says."""
    if not core.talk.enabled or int(truth["silent_until"][a]) <= int(truth["clock"]):
        return ""
    return message_text(truth["speech"][a])


def message_text(characters: np.ndarray) -> str:
    """Return a message as text: what stands before the first zero."""
    text = "".join(chr(int(x)) for x in characters).partition("\0")[0]
    return text.encode("utf-8", errors="replace").decode("utf-8")
