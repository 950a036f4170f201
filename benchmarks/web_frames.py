"""Frames in the browser: how soon the first picture is there, and how many follow in a second.

    python -m benchmarks.web_frames --out benchmarks/results/web_frames

A real server and the system's Chromium on loopback. First picture: from the navigation to the
first painted scene, with the server warm and the page's files in the browser's cache, the median of
some visits. Frames: townlet with 64 agents and a mettagrid of 60 x 60, played so fast that a frame
is always due; frames that came, frames that were painted, and the time each took. The worker's
own share is measured by itself: the time of a step, of drawing the scene, and of encoding it.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

from benchmarks.web_load import TOKEN, free_port, start_server
from mesocosm.web.workers.frames import FrameMaker
from mesocosm.web.workers.live import LiveGame
from mesocosm.web.workers.plan import EVERYTHING, PlayPlan

FIRST_SECONDS, LEAST_FRAMES = 1.0, 30.0
CASES = {
    "townlet, 64 agents": {"preset": "townlet/L7", "overrides": {"core.num_agents": 64}},
    "mettagrid, 60 x 60, 100 agents": {"preset": "mettagrid/arena100"},
}
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
COUNTS = """async () => {
  const { drawn } = await import('/scene/painter.js');
  const { current } = await import('/watch/store.js');
  return { now: performance.now(), painted: drawn.count, paint_ms: drawn.milliseconds,
    received: current.run.received.frames, step: current.run.frame.value?.step ?? 0 };
}"""
PAINTED = "async () => (await import('/scene/painter.js')).drawn.count > 0 && performance.now()"


def first_picture(page, address, visits):
    """Give the milliseconds from each navigation to the first painted scene."""
    found = []
    for _ in range(visits + 1):  # the first fills the cache
        page.goto("about:blank")
        page.goto(address, wait_until="commit")
        painted = False
        while not painted:
            try:
                painted = page.evaluate(PAINTED)
            except Exception as error:
                if "context" not in str(error):
                    raise
        found.append(painted)
    return found[1:]


def frames(page, seconds):
    """Count what came and what was painted over some seconds."""
    page.wait_for_timeout(2000)
    before, busy = page.evaluate(COUNTS), browser_seconds()
    page.wait_for_timeout(1000 * seconds)
    after, busy_after = page.evaluate(COUNTS), browser_seconds()
    took = (after["now"] - before["now"]) / 1000
    painted = after["painted"] - before["painted"]
    return {
        "seconds": took,
        "steps_per_second": (after["step"] - before["step"]) / took,
        "received_per_second": (after["received"] - before["received"]) / took,
        "painted_per_second": painted / took,
        "browser_cpu_ms": 1000 * (busy_after - busy) / max(painted, 1),
        "paint_ms": (after["paint_ms"] - before["paint_ms"]) / max(painted, 1),
    }


def browser_seconds():
    """Give the CPU time that this process's browser has taken so far."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "chrom" in process.name():
                total += sum(process.cpu_times()[:2])
    return total


def worker_times(config, target, steps=60):
    """Give the CPU time of one step, and of one frame, of the same game in this process."""
    game = LiveGame(PlayPlan(target=target, config=config, seed=0))
    maker = FrameMaker(game)
    game.advance()
    stepping = making = size = 0.0
    for _ in range(steps):
        begun = time.process_time()
        game.advance()
        stepped = time.process_time()
        size = len(maker.make(EVERYTHING, []))
        stepping += stepped - begun
        making += time.process_time() - stepped
    return {
        "step_ms": 1000 * stepping / steps,
        "frame_ms": 1000 * making / steps,
        "frame_kib": size / 1024,
    }


def measure(page, api, asked):
    """Measure every case."""
    made = {}
    for name, case in CASES.items():
        begin = case | {"speed": asked.speed, "record": False, "target": asked.target}
        run = api.call("POST", "runs", begin)["id"]
        while api.call("GET", f"runs/{run}")["status"] == "starting":
            time.sleep(0.2)
        address = f"http://127.0.0.1:{api.port}/#/watch/{run}?token={TOKEN}"
        config = api.call("GET", f"runs/{run}")["config"]
        api.call("POST", f"runs/{run}/pause")
        times = first_picture(page, address, asked.visits)
        api.call("POST", f"runs/{run}/resume")
        counted = frames(page, asked.seconds)
        api.call("POST", f"runs/{run}/stop")
        made[name] = {"first_ms": times, **counted, **worker_times(config, asked.target)}
    return made


def report(made, load):
    lines = [
        "| | first picture, median (most) | frames painted / s | received / s | steps / s "
        "| paint | browser, CPU per frame | worker, CPU per step | per frame | frame |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, case in made.items():
        first = case["first_ms"]
        cells = (
            name,
            f"{statistics.median(first):.0f} ms ({max(first):.0f} ms)",
            f"{case['painted_per_second']:.1f}",
            f"{case['received_per_second']:.1f}",
            f"{case['steps_per_second']:.0f}",
            f"{case['paint_ms']:.1f} ms",
            f"{case['browser_cpu_ms']:.0f} ms",
            f"{case['step_ms']:.2f} ms",
            f"{case['frame_ms']:.1f} ms",
            f"{case['frame_kib']:.0f} KiB",
        )
        lines.append(f"| {' | '.join(cells)} |")
    fast = all(statistics.median(c["first_ms"]) < 1000 * FIRST_SECONDS for c in made.values())
    fluent = all(c["painted_per_second"] >= LEAST_FRAMES for c in made.values())
    lines += [
        "",
        f"First picture under {FIRST_SECONDS:g} s: {'yes' if fast else 'NO'}. "
        f"At least {LEAST_FRAMES:g} frames per second: {'yes' if fluent else 'NO'}.",
        f"Chromium without a GPU, {os.cpu_count()} cores, load average {load:.1f} at the start.",
    ]
    if load > (os.cpu_count() or 1):
        lines.append(
            "The machine was busy with other work: frames per second and milliseconds of pictures "
            "are what was left of it; CPU times hold."
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--speed", type=float, default=120.0)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        started, api = start_server(free_port(), folder, asked.target)
        try:
            path = f"/usr/bin/{asked.chromium}"
            browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            made = measure(page, api, asked)
            browser.close()
        finally:
            started.terminate()
            started.wait(30)
    text = report(made, load)
    print(text)
    if asked.out is not None:
        data = {"load": load, "speed": asked.speed, "cases": made}
        asked.out.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
        asked.out.with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
