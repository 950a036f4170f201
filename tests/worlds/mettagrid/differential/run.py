"""Play random games in MettaGrid and in ours, and tell where they differ.

    python -m tests.worlds.mettagrid.differential.run --games 1000 --steps 150 --seed 0 --jobs 2
        --out results.json [--only SEED] [--target cpu|python]

Needs the wheel `mettagrid==0.26.22`, which `make install` brings. The exit status is 0 only when
no game differs and everything that a config can say was drawn.
"""

import argparse
import json
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.worlds.mettagrid.differential import coverage
from tests.worlds.mettagrid.differential.actions import is_split
from tests.worlds.mettagrid.differential.compare import (
    cut_at_end,
    find_difference,
    same_files,
)
from tests.worlds.mettagrid.differential.draw_game import draw_game
from tests.worlds.mettagrid.differential.names import Json
from tests.worlds.mettagrid.differential.prune import prune
from tests.worlds.mettagrid.differential.trace import KEYS, load
from tests.worlds.mettagrid.differential.worker import Worker

ORACLE_PATIENCE_S = 150.0
PLAYER_PATIENCE_S = 300.0
UNCOUNTED = r"^action\.invalid_index\."  # one statistic for each invalid id: ours counts them all
NO_KEPT_MEMORY = "glibc.malloc.tcache_count=0"  # or what is handed out again keeps its bytes
NOT_KEPT = ("has", "fired", "told")  # of each game; the coverage counts them


class Arena:
    """Both sides, ready to play one game after the other."""

    def __init__(
        self, target: str, folder: Path, ignored: str = UNCOUNTED, *, twice: bool = True
    ) -> None:
        self._oracle = Worker("oracle", GLIBC_TUNABLES=NO_KEPT_MEMORY)
        self._player = Worker("player")
        self._target, self._folder, self._ignored = target, folder, ignored
        self._runs = (1, 2) if twice else (1,)  # the wheel's, to see whether it equals itself

    def play(self, config: Json, seed: int, steps: int) -> Json:
        """Play a config on both sides and classify it."""
        out = self._folder / f"game{seed}"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        (out / "config.json").write_text(json.dumps(config))
        request = {
            "config": str(out / "config.json"), "out": str(out), "seed": seed, "steps": steps,
            "target": self._target, "split": is_split(seed, config), "json": seed % 4 == 2,
            "overtime": seed % 3 == 1, "runs": self._runs,
        }  # fmt: skip
        try:
            return self._classify(request, out)
        finally:
            shutil.rmtree(out, ignore_errors=True)

    def _classify(self, request: Json, out: Path) -> Json:
        runs = self._oracle.ask(request, ORACLE_PATIENCE_S)["runs"]
        if any(run.startswith("error") for run in runs):
            return {"status": "wheel_invalid", "why": runs[0][:300]}
        if any(run != "played" for run in runs):
            return {"status": "wheel_crashes", "why": str(runs)[:300]}
        odd = same_files(out / "wheel1", out / f"wheel{self._runs[-1]}")
        if odd:
            return {"status": "wheel_differs", "why": odd}
        theirs = load(out / "wheel1")
        found: Json = {"fired": coverage.list_fired(theirs[1]), "told": theirs[1]["told"]}
        answer = self._player.ask(request, PLAYER_PATIENCE_S)
        if answer["status"] != "played":
            return found | answer
        keys = KEYS
        if request["overtime"]:
            keys = KEYS[:3]  # our game does not tell endings that it plays on after
        else:
            theirs = cut_at_end(theirs)
        first = find_difference(theirs, load(out / "ours"), keys, self._ignored)
        found["steps"] = len(theirs[0]["obs"]) - 1
        if first is None:
            return found | {"status": "equal"}
        return found | {"status": "differs", "first": first}

    def close(self) -> None:
        self._oracle.close()
        self._player.close()


def play_all(options: argparse.Namespace, seeds: list[int]) -> dict[int, Json]:
    """Play all seeds, several at once."""
    results: dict[int, Json] = {}
    waiting = list(reversed(seeds))

    def work(number: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            arena = Arena(options.target, Path(folder), options.ignore)
            while waiting:
                seed = waiting.pop()
                config = draw_game(seed, options.steps, tame=options.tame)
                began = time.time()
                found = play_pruned(arena, config, seed, options)
                found["seconds"] = round(time.time() - began, 2)
                found["has"] = coverage.list_features(config)
                results[seed] = found
                report(seed, found)
            arena.close()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def play_pruned(arena: Arena, config: Json, seed: int, options: argparse.Namespace) -> Json:
    """Play a game; if asked, without what is refused, which is then noted."""
    refused: list[str] = []
    last: Json = {}
    while True:
        found = arena.play(config, seed, options.steps)
        if refused and found["status"].startswith("wheel"):
            found = last
            break
        last = found
        if found["status"] != "refused" or not options.prune or len(refused) > 40:
            break
        refused.append(found["why"])
        rest = prune(config, found["why"].split(":")[0])
        if rest is None:
            break
        config = rest
    if options.keep is not None and found["status"] in ("differs", "error", "crash"):
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / f"{seed}.json").write_text(json.dumps({"config": config, "seed": seed}))
    return found | ({"refused": refused} if refused else {})


def report(seed: int, found: Json) -> None:
    if found["status"] != "equal":
        more: Any = found.get("first") or str(found.get("why", ""))
        print(f"{seed} {found['status']}: {str(more)[-360:]}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="compare random games with MettaGrid's own")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--prune", action="store_true", help="play the rest of refused games")
    parser.add_argument("--tame", action="store_true", help="only what is named and known")
    parser.add_argument("--ignore", default=UNCOUNTED, help="statistics not to compare")
    parser.add_argument("--keep", type=Path, help="folder for configs that differ")
    parser.add_argument("--only", type=int, default=None)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args(arguments)
    seeds = list(range(options.seed, options.seed + options.games))
    if options.only is not None:
        seeds = [options.only]
    began = time.time()
    results = play_all(options, seeds)
    counts = Counter(found["status"] for found in results.values())
    holes = coverage.find_holes(results) if options.only is None else []
    print(f"{dict(counts)} in {time.time() - began:.0f} s; not covered: {holes}")
    if options.out is not None:
        told = {"counts": counts, "holes": holes, "coverage": coverage.count(results)}
        games = {
            seed: {key: x for key, x in results[seed].items() if key not in NOT_KEPT}
            for seed in sorted(results)
        }
        options.out.write_text(json.dumps(told | {"games": games}, indent=1) + "\n")
    wrong = sum(counts[key] for key in ("differs", "error", "crash"))
    return 1 if wrong or holes else 0


if __name__ == "__main__":
    sys.exit(main())
