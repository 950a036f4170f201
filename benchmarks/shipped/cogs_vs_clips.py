"""Play Cogs vs Clips, the game of the wheel's replay `default`, in MettaGrid and in ours.

    python -m benchmarks.shipped.cogs_vs_clips [--steps 400] [--seeds 20] [--target cpu]

It needs the wheel `mettagrid==0.26.22`. Every token, reward, success flag and ending of each step
is compared, and every 25 steps all statistics and objects. Five more games, which count what runs,
tell what was covered. The exit status is 0 only when nothing differs.
"""

import argparse
import sys
import time

from benchmarks.shipped import beside
from benchmarks.shipped.catalogue import NAMES, Json, dumped, root
from benchmarks.shipped.counters import PREFIX, handlers_of, with_counters
from mesocosm.worlds.mettagrid.upstream import import_config, import_replay
from mesocosm.worlds.mettagrid.upstream.migrate import migrate
from mesocosm.worlds.mettagrid.upstream.replay import read_replay

REPLAY = "nim/mettascope/data/replays/default.json.z"
SCRIPTED = ("errands", "raids")  # in turns
COUNTED = (("random", 0), ("errands", 1), ("raids", 1), ("raids", 2), ("raids", 3))


def their_config() -> Json:
    """Return the game as the wheel plays it today: migrated, on the replay's grid."""
    found = read_replay(root() / REPLAY)
    config, _ = migrate(found.config)
    config["game"]["map_builder"] = {"type": NAMES, "map_data": found.grid}
    return dumped(config)


def play_all(options: argparse.Namespace) -> int:
    """Play every seed with every walker; return how many games differ."""
    theirs = their_config()
    made = import_replay(root() / REPLAY)
    print("; ".join(f"migrated: {entry}" for entry in made.migrations))
    player, wrong = beside.Player(), 0
    for seed in range(options.seeds):
        for walker in ("random", SCRIPTED[seed % 2]):
            job = beside.Job(theirs, made.config, options.steps, seed, walker, options.target)
            began = time.time()
            found = beside.play(job, player)
            wrong += found["status"] != "equal"
            told = found.get("first") or found.get("why") or found.get("raised") or ""
            spent = time.time() - began
            print(f"seed {seed} {walker}: {found['status']} {told} ({spent:.0f} s)", flush=True)
    return wrong


def cover(options: argparse.Namespace) -> int:
    """Play games that count what runs; print what was covered, return how many differ."""
    theirs = dumped(with_counters(their_config()))
    ours = import_config(theirs)
    known = {path for path, _ in handlers_of(their_config()["game"], ())}
    ran: set[str] = set()
    stats: set[str] = set()
    wrong = 0
    player = beside.Player()
    for walker, seed in COUNTED:
        job = beside.Job(theirs, ours, options.steps, seed, walker, options.target)
        found = beside.play(job, player)
        wrong += found["status"] != "equal"
        print(f"with counters, {walker}: {found['status']} {found.get('first', '')}", flush=True)
        names = {name.removeprefix("game.") for name in found.get("stats", [])}
        ran |= {name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX)}
        stats |= {name for name in names if not name.startswith(PREFIX)}
    used = {path.split(".")[1] for path in ran if path.startswith("objects.")}
    everything = {path.split(".")[1] for path in known if path.startswith("objects.")}
    print(f"objects used: {len(used)} of {len(everything)}: {', '.join(sorted(used))}")
    print(f"handlers that ran: {len(ran & known)} of {len(known)}; never ran:")
    print("\n".join(f"  {path}" for path in sorted(known - ran)))
    print(f"statistics that were not 0: {len(stats)}: {', '.join(sorted(stats))}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--target", default="cpu")
    options = parser.parse_args()
    wrong = cover(options) + play_all(options)
    games = len(COUNTED) + 2 * options.seeds
    print(f"{games} games of {options.steps} steps, 32 agents: {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
