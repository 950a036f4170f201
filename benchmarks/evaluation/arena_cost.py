"""What an arena of scripted policies costs, beside `mesocosm run` of the same episodes.

Both play one lineup in as many envs, to the end of the longest episode, which is where the run
stops; whatever the run begins anew in envs that are done is in its time, and not in the arena's.
The run's time is what it says itself, without starting and compiling; the arena's is that of the
whole bout, loading and summing up included. The median of several turns, taken alternately.
"""

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.written import number, table, write
from mesocosm.build import make
from mesocosm.cli.shared.play import play
from mesocosm.cli.shared.players import make_players
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.resolve import resolve

GAMES: dict[str, tuple[dict[str, str], int]] = {  # who plays, and envs
    "commons": ({"harvester": "steady", "harvester[1]": "greedy", "harvester[3]": "greedy"}, 256),
    "commons/wardens": ({"harvester": "steady", "warden": "steady"}, 256),
    "townlet/L7": ({"resident": "greedy"}, 16),
    "island/skirmish": ({"legacy": "rush", "dynasty": "turtle"}, 8),
    "mettagrid/arena24": ({"cog": "random"}, 16),
}
TURNS, ENOUGH = 5, 1.3


def lineup(names: dict[str, str], spec: Any) -> tuple[list[str], tuple[int, ...]]:
    """Give the entrants and who plays which agent."""
    texts = list(dict.fromkeys(names.values()))
    made = []
    for role in spec.roles.values():
        for k in range(role.num_agents):
            made.append(texts.index(names.get(f"{role.name}[{k}]", names[role.name])))
    return texts, tuple(made)


def measure(preset: str) -> dict[str, Any]:
    names, num_envs = GAMES[preset]
    resolved = resolve(preset)
    texts, seats = lineup(names, resolved.spec)
    conditions = Conditions((resolved,), Episodes(num_envs))
    arena = Arena(conditions, parse_entrants(texts, resolved.spec))
    steps, seed = arena.play(seats).steps, conditions.episodes.env_seed
    env = make(resolved, num_envs=num_envs, seed=seed, autoreset="off")
    players = make_players(names, resolved.spec).policies
    play(env, players, steps=2, seed=seed, advance=lambda: None)
    ours, theirs = [], []
    for _ in range(TURNS):
        start = time.perf_counter()
        arena.play(seats)
        ours.append(time.perf_counter() - start)
        theirs.append(play(env, players, steps=steps, seed=seed, advance=lambda: None).seconds)
    ratio = statistics.median(ours) / statistics.median(theirs)
    agent_steps = int(np.sum(arena.bouts[0].lives["length"]))
    return {
        "preset": preset,
        "envs": num_envs,
        "steps": steps,
        "agent-steps": agent_steps,
        "arena s": statistics.median(ours),
        "run s": statistics.median(theirs),
        "ratio": ratio,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("presets", nargs="*", default=list(GAMES))
    parser.add_argument("--out", type=Path, default=None, help="Folder of the results.")
    asked = parser.parse_args()
    found = [measure(preset) for preset in asked.presets]
    lines = [
        [e["preset"], str(e["envs"]), str(e["steps"]), f"{e['agent-steps']:,}",
         number(e["arena s"], 3), number(e["run s"], 3), number(e["ratio"])]
        for e in found
    ]  # fmt: skip
    made = table(list(found[0]), lines)
    print(made)
    write("arena_cost", "What an arena costs", [__doc__ or "", made], found, asked.out)
    worst = max(entry["ratio"] for entry in found)
    if worst >= ENOUGH:
        raise SystemExit(f"an arena must cost less than {ENOUGH} of a run, got {worst:.2f}")


if __name__ == "__main__":
    main()
