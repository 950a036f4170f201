"""Import every game, map and replay of MettaGrid's wheel, play it beside the wheel, write a table.

    python -m benchmarks.shipped [TEXT ...] [--steps 200] [--out benchmarks/results/shipped]

Only entries whose names contain one of the texts are played, if there are texts. It needs the wheel
`mettagrid==0.26.22`. The exit status is 0 only when nothing that was imported differs.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from benchmarks.shipped import beside
from benchmarks.shipped.catalogue import NAMES, Entry, Json, dumped, entries
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.upstream import Imported, import_replay, read_config
from mesocosm.worlds.mettagrid.upstream.migrate import migrate
from mesocosm.worlds.mettagrid.upstream.replay import read_replay

WALKERS = ("random", "errands")
COLUMNS = ("name", "agents", "map", "import", "steps", "result")


def row(entry: Entry, options: argparse.Namespace, walkers: tuple[str, ...]) -> Json:
    """Import an entry, play it, and tell what came of it."""
    made: Json = dict.fromkeys(COLUMNS, "") | {"name": entry.name}
    if entry.why:
        return made | {"import": "-", "result": entry.why}
    try:
        theirs, ours = take(entry, made)
    except ConfigError as error:
        told = str(error).removeprefix(f"{entry.replay}: ")
        return made | {"import": "refused", "result": told}
    except Exception as error:
        return made | {"import": "-", "result": f"the wheel cannot build it: {error}"[:200]}
    rows = ours.game.map.rows
    made |= {"agents": ours.game.num_agents, "map": f"{len(rows)} x {len(rows[0])}"}
    made["import"] = made["import"] or "imported"
    if ours.game.profile == "classic":
        return made | {"result": "the wheel no longer plays the classic version"}
    for seed, walker in enumerate(walkers):
        job = beside.Job(theirs, ours.config, options.steps, seed, walker, options.target)
        found = beside.play(job)
        made["steps"] = f"{made['steps']} + {found.get('steps', 0)}".removeprefix(" + ")
        told = [
            found["status"],
            found.get("first") or found.get("why") or found.get("raised") or "",
        ]
        made["result"] = ": ".join(filter(None, told))
        if found["status"] != "equal":
            break
    if made["steps"] == "0":
        made["steps"] = ""
    return made


def take(entry: Entry, made: Json) -> tuple[Json, Imported]:
    """Return the config that the wheel plays, and ours."""
    if entry.replay is None:
        config = entry.make()
        return config, read_config(config)
    ours = import_replay(entry.replay)
    names = [f"{applied.name} {applied.places}" for applied in ours.migrations]
    made["import"] = "; ".join(["imported", *names])
    if ours.game.profile == "classic":
        return {}, ours
    found = read_replay(entry.replay)
    config, _ = migrate(found.config)
    config["game"]["map_builder"] = {"type": NAMES, "map_data": found.grid}
    return dumped(config), ours


def table(rows: list[Json]) -> str:
    """Write the rows as Markdown, after how many there are of each result."""
    counts = Counter(verdict(entry) for entry in rows)
    lines = [f"{count} {what}" for what, count in sorted(counts.items())]
    lines = ["# What MettaGrid's wheel ships, imported and played beside it", "", *lines, ""]
    lines += [f"| {' | '.join(COLUMNS)} |", "|" + " --- |" * len(COLUMNS)]
    for entry in rows:
        cells = (str(entry[key]).replace("|", "/") for key in COLUMNS)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def verdict(entry: Json) -> str:
    """Name what came of an entry in a word or two."""
    if entry["import"] in ("refused", "-"):
        return "refused" if entry["import"] == "refused" else "no game by itself"
    status = str(entry["result"]).split(":")[0]
    return status if status in ("equal", "differs", "crashed", "failed") else "imported only"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--out", type=Path, default=None, help="without a suffix")
    options = parser.parse_args()
    rows: list[Json] = []
    for k, entry in enumerate(entries()):
        if options.texts and not any(text in entry.name for text in options.texts):
            continue
        walkers = WALKERS[k % 2 : k % 2 + 1] if entry.name.startswith("dcss") else WALKERS
        rows.append(row(entry, options, walkers))
        print(" | ".join(str(rows[-1][key])[:200] for key in COLUMNS), flush=True)
        if options.out is not None:  # each time, so that a run that is stopped leaves something
            options.out.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")
            options.out.with_suffix(".md").write_text(table(rows))
    counts = Counter(verdict(entry) for entry in rows)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["differs"] or counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
