"""Load on the server: many clients watch one paced run while others go on.

    python -m benchmarks.web_load --out benchmarks/results/web_load

Phases of equal length follow one another on the same runs: nobody watches, one client watches run
0, all clients watch it, and all do while one more has stalled. In each, the CPU time of run 0's
worker per step, the memory of the server and of all workers, how often a frame was encoded, and
every frame that came are taken. What has to hold is listed at the end; the exit status is 1 if
something does not. `--seconds 10` is a quick look, whose memory and CPU time say little.
"""

import argparse
import asyncio
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.request import Request, urlopen

import psutil
from websockets.asyncio.client import connect

TOKEN = "web-load-" + "x" * 20
PHASES = ("unwatched", "one client", "all clients", "all and one stalled")
MOST_GROWTH = 0.10  # of the worker's CPU time per step, against one client
MOST_SLOPE = 1.0  # MiB a minute that memory may grow by
MOST_ENCODED = 1.1  # frames per step: a newcomer is shown one at once


@dataclass
class Phase:
    """What was measured while so many clients watched."""

    name: str
    clients: int
    seconds: float
    steps: int
    other_steps: list[int]
    cpu_ms_per_step: float
    server_cpu_share: float
    server_mib: list[float]
    workers_mib: list[float]
    server_slope: float  # MiB a minute
    workers_slope: float
    frames: int
    encoded: int
    torn: int
    unordered: int
    fewest_frames_of_a_client: int
    most_frames_of_a_client: int


Moment = tuple[int, int]  # step of the run, and number of the episode


@dataclass
class Seen:
    """The frames that clients got."""

    counts: dict[int, int] = field(default_factory=dict)
    digests: dict[Moment, str] = field(default_factory=dict)
    last: dict[int, Moment] = field(default_factory=dict)  # by client
    torn: int = 0
    unordered: int = 0

    def take(self, client: int, data: bytes) -> None:
        if not data.startswith(b'{"type":"frame"'):
            return
        self.counts[client] = self.counts.get(client, 0) + 1
        try:
            frame = json.loads(data)
        except ValueError:
            self.torn += 1
            return
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        # the end of an episode and the beginning of the next are moments of one step
        moment = (frame["step"], frame["episode"])
        self.torn += self.digests.setdefault(moment, digest) != digest
        self.unordered += moment < self.last.get(client, (-1, -1))
        self.last[client] = moment


class Api:
    def __init__(self, port):
        self.port = port

    def call(self, method, path, data=None):
        body = None if data is None else json.dumps(data).encode()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        asked = Request(f"http://127.0.0.1:{self.port}/api/{path}", body, headers, method=method)
        with urlopen(asked, timeout=60) as answer:  # noqa: S310 (our own address)
            return json.load(answer)

    def progress(self, run):
        return self.call("GET", f"runs/{run}")["progress"]


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start_server(port, runs, target):
    command = [sys.executable, "-m", "mesocosm.cli", "serve", "--port", str(port), "--runs", runs]
    environment = os.environ | {"MESOCOSM_TOKEN": TOKEN}
    started = subprocess.Popen(
        [*command, "--target", target], env=environment, stdout=subprocess.DEVNULL
    )
    api = Api(port)
    for _ in range(600):
        try:
            api.call("GET", "server")
            return started, api
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def start_runs(api, asked):
    made = {"preset": asked.preset, "speed": asked.speed, "record": False, "target": asked.target}
    names = [api.call("POST", "runs", made | {"seed": k})["id"] for k in range(asked.runs)]
    for name in names:
        while api.call("GET", f"runs/{name}")["status"] == "starting":
            time.sleep(0.2)
        found = api.call("GET", f"runs/{name}")
        if found["status"] != "running":
            raise SystemExit(f"{name}: {found['status']}: {found['error']}")
    return names


async def watch(api, run, number, seen):
    address = f"ws://127.0.0.1:{api.port}/api/streams/{run}?token={TOKEN}"
    async with connect(address, proxy=None, max_size=None, compression=None) as stream:
        async for message in stream:
            seen.take(number, message if isinstance(message, bytes) else message.encode())


def stall(api, run):
    """Open a stream and never read from it."""
    made = socket.create_connection(("127.0.0.1", api.port))
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.sendall(
        f"GET /api/streams/{run}?token={TOKEN} HTTP/1.1\r\nHost: 127.0.0.1:{api.port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    return made


def find_workers(server):
    return [p for p in server.children() if "spawn_main" in " ".join(p.cmdline())]


def slope(samples, seconds):
    """Give the slope of a line through equally distant samples, per minute."""
    if len(samples) < 2:
        return 0.0
    middle, mean = (len(samples) - 1) / 2, sum(samples) / len(samples)
    over = sum((k - middle) * (x - mean) for k, x in enumerate(samples))
    under = sum((k - middle) ** 2 for k in range(len(samples)))
    return round(over / under * (len(samples) - 1) / seconds * 60, 3)


async def measure(api, server, names, name, clients, seconds):
    seen = Seen()
    stalled = stall(api, names[0]) if name.endswith("stalled") else None
    tasks = [asyncio.create_task(watch(api, names[0], k, seen)) for k in range(clients)]
    await asyncio.sleep(1.0)
    call = asyncio.to_thread
    workers = find_workers(server)
    before = [await call(api.progress, run) for run in names]
    cpu, begun = sum(server.cpu_times()[:2]), time.monotonic()
    memory = {"server": [], "workers": []}
    while time.monotonic() - begun < seconds:
        await asyncio.sleep(min(2.0, seconds / 5))
        memory["server"].append(server.memory_info().rss / 2**20)
        memory["workers"].append(sum(p.memory_info().rss for p in workers) / 2**20)
    after = [await call(api.progress, run) for run in names]
    lasted = time.monotonic() - begun
    used = sum(server.cpu_times()[:2]) - cpu
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if stalled is not None:
        stalled.close()
    steps = [b["step"] - a["step"] for a, b in zip(before, after, strict=True)]
    spent = after[0]["cpu_seconds"] - before[0]["cpu_seconds"]
    return Phase(
        name, clients, round(lasted, 1), steps[0], steps[1:],
        round(1000 * spent / max(steps[0], 1), 4), round(used / lasted, 3),
        [round(x, 1) for x in memory["server"]], [round(x, 1) for x in memory["workers"]],
        slope(memory["server"], lasted), slope(memory["workers"], lasted),
        sum(seen.counts.values()), after[0]["frames_encoded"] - before[0]["frames_encoded"],
        seen.torn, seen.unordered, min(seen.counts.values(), default=0),
        max(seen.counts.values(), default=0),
    )  # fmt: skip


def find_checks(phases):
    """Say what has to hold, and whether it does."""
    _, one, many, stalled = phases
    watched = (one, many, stalled)
    growth = many.cpu_ms_per_step / max(one.cpu_ms_per_step, 1e-9) - 1
    change = stalled.cpu_ms_per_step / max(many.cpu_ms_per_step, 1e-9) - 1
    slopes = [(p.server_slope, p.workers_slope) for p in watched]
    steepest = max(max(pair) for pair in slopes)
    fewer = stalled.fewest_frames_of_a_client / max(many.fewest_frames_of_a_client, 1)
    encoded = max(p.encoded / max(p.steps, 1) for p in watched)
    bad = sum(p.torn + p.unordered for p in watched)
    return [
        (f"CPU time per step grows by < 10 % from one client to all: {100 * growth:+.1f} %",
         growth < MOST_GROWTH),
        (f"frames are encoded once for all clients: {encoded:.2f} per step",
         encoded <= MOST_ENCODED),
        (f"memory is flat: at most {steepest:+.2f} MiB a minute", steepest <= MOST_SLOPE),
        (f"every frame is whole, in order, and the same for all: {bad} are not", bad == 0),
        (f"a stalled client changes nothing: CPU {100 * change:+.1f} %, frames of the slowest "
         f"other client {100 * (fewer - 1):+.1f} %", change < MOST_GROWTH and fewer > 0.9),
    ]  # fmt: skip


def report(phases, asked):
    one = phases[1].cpu_ms_per_step
    lines = [
        f"# {asked.clients} clients on one of {asked.runs} runs of {asked.preset}",
        "",
        f"{asked.speed:g} steps per second each, target {asked.target}, "
        f"{asked.seconds:g} seconds per phase.",
        "",
        "| watched by | CPU per step of the worker | against one client | frames | encoded | "
        "torn | server memory, first to last | all workers | server CPU | steps, those of others |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for phase in phases:
        growth = f"{100 * (phase.cpu_ms_per_step / one - 1):+.1f} %" if one else "-"
        server, workers = phase.server_mib, phase.workers_mib
        lines.append(
            f"| {phase.name} ({phase.clients}) | {phase.cpu_ms_per_step:.3f} ms | {growth} | "
            f"{phase.frames:,} | {phase.encoded:,} | {phase.torn + phase.unordered} | "
            f"{server[0]:.0f} to {server[-1]:.0f} MiB ({phase.server_slope:+.2f} a minute) | "
            f"{workers[0]:.0f} to {workers[-1]:.0f} MiB ({phase.workers_slope:+.2f}) | "
            f"{100 * phase.server_cpu_share:.0f} % | "
            f"{phase.steps}, {min(phase.other_steps, default=0)} to "
            f"{max(phase.other_steps, default=0)} |"
        )
    lines.append("")
    lines += [f"- {'holds' if holds else 'FAILS'}: {words}" for words, holds in find_checks(phases)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--speed", type=float, default=10.0)
    parser.add_argument("--preset", default="commons")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        started, api = start_server(free_port(), folder, asked.target)
        try:
            names = start_runs(api, asked)
            server = psutil.Process(started.pid)
            counts = (0, 1, asked.clients, asked.clients)
            phases = [
                asyncio.run(measure(api, server, names, name, count, asked.seconds))
                for name, count in zip(PHASES, counts, strict=True)
            ]
        finally:
            started.terminate()
            started.wait(30)
    text = report(phases, asked)
    print(text)
    if asked.out is not None:
        data = {"asked": vars(asked) | {"out": None}, "phases": [asdict(x) for x in phases]}
        asked.out.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
        asked.out.with_suffix(".md").write_text(text)
    sys.exit(not all(holds for _, holds in find_checks(phases)))


if __name__ == "__main__":
    main()
