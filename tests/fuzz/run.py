"""Draw many whole configs, play each, and say what was accepted, refused, covered and broken.

Usage:
    python -m tests.fuzz.run --configs 1000 --seed 0 --jobs 8 --out results.json
    python -m tests.fuzz.run --configs 200 --bounds --jobs 8 --out bounds.json
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

BOUNDS = "NUMBA_BOUNDSCHECK"
MEMORY_MB = 2048  # that one config may add
ADDRESS_SPACE = 24 << 30


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; 1 if a promise was broken or a field was never drawn."""
    options = _parse(arguments)
    if options.bounds:  # before anything imports numba, here and in the workers
        os.environ[BOUNDS] = "1"
        cache = Path(options.cache or tempfile.gettempdir()) / f"mesocosm-bounds-{os.getuid()}"
        cache.mkdir(mode=0o700, exist_ok=True, parents=True)
        os.environ["MESOCOSM_CACHE_DIR"] = str(cache)
    os.environ.setdefault("MESOCOSM_QUIET", "1")
    started = time.time()
    chosen = options.only or list(range(options.first, options.first + options.configs))
    rows = Pool(options).run(chosen)
    result = summarise(rows, options)
    result["seconds"] = round(time.time() - started, 1)
    if options.out:
        Path(options.out).write_text(json.dumps(result, indent=1, ensure_ascii=False))
    report(result)
    return 1 if result["failures"] or (result["missing"] and options.configs >= 1000) else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="index of the first config")
    parser.add_argument("--only", type=int, nargs="*", help="these indexes alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=240.0, help="seconds for one config")
    parser.add_argument("--bounds", action="store_true", help="with bounds checks")
    parser.add_argument("--draw-only", action="store_true", help="load configs, play none")
    parser.add_argument("--cache", help="folder for the code that has bounds checks")
    parser.add_argument("--out", help="results as JSON")
    return parser.parse_args(arguments)


class Pool:
    """Processes that each try one config at a time; one that hangs or dies is replaced."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.context = multiprocessing.get_context("spawn")
        self.busy: dict[Any, tuple[Any, int, float]] = {}  # connection: process, index, since
        self.rows: list[dict[str, Any]] = []

    def run(self, indexes: list[int]) -> list[dict[str, Any]]:
        """Try all of them."""
        todo = indexes[::-1]
        total = len(todo)
        for _ in range(min(self.options.jobs, total)):
            self._give(*self._start(), todo.pop())
        while self.busy:
            for ready in wait(list(self.busy), timeout=1.0):
                self._take(ready, todo)
            for late in [c for c, (_, _, t) in self.busy.items() if self._is_late(t)]:
                self._replace(late, f"hang: more than {self.options.limit:g} s", todo)
            self._progress(total)
        print()
        return sorted(self.rows, key=lambda row: row["index"])

    def _is_late(self, since: float) -> bool:
        return time.monotonic() - since > self.options.limit

    def _start(self) -> tuple[Any, Any]:
        mine, theirs = self.context.Pipe()
        settings = (self.options.seed, self.options.draw_only)
        process = self.context.Process(target=work, args=(theirs, *settings), daemon=True)
        process.start()
        theirs.close()
        return mine, process

    def _give(self, connection: Any, process: Any, index: int) -> None:
        connection.send(index)
        self.busy[connection] = (process, index, time.monotonic())

    def _take(self, connection: Any, todo: list[int]) -> None:
        process, _, _ = self.busy[connection]
        try:
            row = connection.recv()
        except (EOFError, OSError):
            process.join(5)
            self._replace(connection, f"process died with {process.exitcode}", todo)
            return
        self.rows.append(row)
        del self.busy[connection]
        if todo:
            self._give(connection, process, todo.pop())
        else:
            connection.send(None)

    def _replace(self, connection: Any, why: str, todo: list[int]) -> None:
        process, index, _ = self.busy.pop(connection)
        process.kill()
        self.rows.append({"index": index, "failures": [{"kind": "crash", "what": why}]})
        if todo:
            self._give(*self._start(), todo.pop())

    def _progress(self, total: int) -> None:
        broken = sum(bool(row.get("failures")) for row in self.rows)
        print(f"\r{len(self.rows)} of {total}, {broken} broken ", end="", flush=True)


def work(connection: Connection, seed: int, draw_only: bool) -> None:
    """Try the configs whose numbers come in."""
    import resource
    import warnings

    from tests.fuzz.trial import try_config

    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    while (index := connection.recv()) is not None:
        row = try_config(seed, index, draw_only=draw_only)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        row["mb"] = (after - before) // 1024
        if row["mb"] > MEMORY_MB:
            what = f"took {row['mb']} MB more than before"
            row["failures"].append({"kind": "memory", "what": what, "preset": row["preset"]})
        before = after
        connection.send(row)


def summarise(rows: list[dict[str, Any]], options: argparse.Namespace) -> dict[str, Any]:
    """Count what happened."""
    from tests.fuzz.field_coverage import LEAST, all_fields
    from tests.fuzz.generate import TURNS

    accepted = [row for row in rows if row.get("accepted")]
    counts = Counter(name for row in accepted for name in row["off_default"])
    covered = {name: counts[name] for name in all_fields(list(TURNS))}
    drafts: Counter[str] = Counter()
    for row in rows:
        drafts.update(row.get("drafts", {}))
    return {
        "configs": len(rows),
        "seed": options.seed,
        "bounds": options.bounds,
        "accepted": len(accepted),
        "refused": sum(bool(row.get("refused")) for row in rows),
        "refused_drafts": sum(drafts.values()),
        "fields": len(covered),
        "fields_covered": sum(count >= LEAST for count in covered.values()),
        "missing": {name: count for name, count in covered.items() if count < LEAST},
        "kinds": dict(Counter(f["kind"] for row in rows for f in row.get("failures", []))),
        "failures": [{"index": r["index"], **f} for r in rows for f in r.get("failures", [])],
        "refusals": {str(r["index"]): r["refused"] for r in rows if r.get("refused")},
        "draft_reasons": dict(drafts.most_common()),
        "coverage": covered,
        "largest_mb": sorted(((r.get("mb", 0), r["index"]) for r in rows), reverse=True)[:10],
        "slowest": sorted(((r.get("seconds", 0.0), r["index"]) for r in rows), reverse=True)[:10],
    }


def report(result: dict[str, Any]) -> None:
    """Print what a person wants to know."""
    total = max(1, result["configs"])
    print(f"{total} configs, {result['accepted']} accepted ({result['accepted'] / total:.0%}),")
    print(f"{result['refused']} refused; {result['refused_drafts']} drafts refused on the way")
    print(f"{result['fields_covered']} of {result['fields']} fields off their default in 5 or more")
    for name, count in result["missing"].items():
        print(f"  {count}  {name}")
    for failure in result["failures"]:
        print(f"FAILED {failure['index']} {failure['kind']}: {failure['what'][:200]}")
    print(f"{len(result['failures'])} failures, {result['seconds']} s")


if __name__ == "__main__":
    sys.exit(main())
