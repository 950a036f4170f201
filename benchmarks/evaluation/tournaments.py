"""A tournament of eight policies, killed twice, beside the same one left alone.

Of the eight one crashes, one is slow and one answers nonsense; the last two are programs in
processes of their own. The tables of both must be equal, byte for byte, and what the five sound
ones earned beside each other must be what they earn in a tournament without the other three.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.evaluation.written import write

ROGUES = "benchmarks/evaluation/entrants/rogues.py"  # from the root of the checkout
BROKEN = [
    f"crashes={ROGUES}:Crashes",
    f"slow=program:{ROGUES}:IsSlow",
    f"nonsense=program:{ROGUES}:AnswersNonsense",
]
GAMES: dict[str, tuple[list[str], int]] = {  # entrants that are sound, episodes of a bout
    "commons": (["steady", "greedy", "oracle", "random", "noop"], 50),
    "island/skirmish": (["engage_all", "rush", "escort", "turtle", "noop"], 20),
}
LIMIT = "1.0"


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "mesocosm.cli", "tournament", *words]


def run(words: list[str], kill_after: int | None = None, folder: Path | None = None) -> float:
    """Run a tournament to its end, or kill it once its folder has some bouts; give the seconds."""
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while process.poll() is None:
        time.sleep(0.02)
        done = len(list(folder.glob("checkpoints/bout-*.json"))) if folder is not None else 0
        if kill_after is not None and done >= kill_after:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            return time.perf_counter() - start
    if process.returncode != 0:
        raise SystemExit(process.stderr.read().decode() if process.stderr else "failed")
    return time.perf_counter() - start


def tables(folder: Path) -> dict[str, bytes]:
    paths = [*folder.glob("tables/*/*.parquet"), folder / "results.md", folder / "results.json"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(paths)}


def play(preset: str, home: Path) -> dict[str, Any]:
    """Play one preset three times: alone, killed twice, and without the broken ones."""
    sound, episodes = GAMES[preset]
    options = ["--episodes", str(episodes), "--limit", LIMIT, "--seed", "7"]
    entrants = [*sound, *BROKEN]
    whole, cut, few = home / "whole", home / "cut", home / "few"
    seconds = run(command(preset, *entrants, *options, "--out", str(whole)))
    kills = (11, 37)
    run(command(preset, *entrants, *options, "--out", str(cut)), kills[0], cut)
    run(command("--resume", str(cut)), kills[1], cut)
    run(command("--resume", str(cut)))
    run(command(preset, *sound, *options, "--out", str(few)))
    data = json.loads((whole / "results.json").read_text())
    alone = json.loads((few / "results.json").read_text())
    cells = {(row["entrant"], row["beside"]): row for row in data["crossplay"]}
    harmed = [row for row in alone["crossplay"] if cells[row["entrant"], row["beside"]] != row]
    one, two = tables(whole), tables(cut)
    return {
        "preset": preset,
        "episodes per bout": episodes,
        "bouts": len(list(whole.glob("checkpoints/bout-*.json"))),
        "killed after bouts": list(kills),
        "files compared": len(one),
        "files that differ": sorted(name for name in one if one[name] != two.get(name)),
        "cells of the sound": len(alone["crossplay"]),
        "cells that the broken changed": len(harmed),
        "seconds": round(seconds, 1),
        "markdown": (whole / "results.md").read_text(),
        "tables": data,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("presets", nargs="*", default=list(GAMES))
    parser.add_argument("--out", type=Path, default=None, help="Folder of the results.")
    asked = parser.parse_args()
    found = []
    for preset in asked.presets:
        with tempfile.TemporaryDirectory() as home:
            found.append(play(preset, Path(home)))
        last = {key: value for key, value in found[-1].items() if key not in ("markdown", "tables")}
        print(json.dumps(last))
    keys = [key for key in found[0] if key not in ("markdown", "tables")]
    lines = [f"| {' | '.join(keys)} |", f"| {' | '.join('---' for _ in keys)} |"]
    lines += [f"| {' | '.join(str(entry[key]) for key in keys)} |" for entry in found]
    parts = [__doc__ or "", "\n".join(lines)]
    parts += [entry["markdown"].replace("\n## ", "\n### ").replace("# ", "## ", 1)
              for entry in found]  # fmt: skip
    write("tournaments", "Tournaments, killed twice", parts, found, asked.out)
    if any(e["files that differ"] or e["cells that the broken changed"] for e in found):
        raise SystemExit("the tables differ")


if __name__ == "__main__":
    main()
