"""Play a config in MettaGrid itself and in ours, and say where they first differ.

python tests/worlds/mettagrid/probes/compare.py FILE... [--seeds 5] [--steps 150] [--target python]
"""

import argparse
import json
import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import mesocosm as meso
from mesocosm.config.validate import validate
from mesocosm.worlds.mettagrid import WORLD
from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.plan import plan
from mesocosm.worlds.mettagrid.upstream import import_config

FOLDER = Path(__file__).parent
EVERY = 10  # steps between looks at statistics and objects


def read_probe(path: Path) -> tuple[dict[str, Any], int]:
    """Return a probe's config and its seed."""
    data = json.loads(path.read_text())
    return data.get("config", data), data.get("seed", 5)


def play_wheel(jobs: list[tuple[dict[str, Any], list[int]]], steps: int) -> list[dict[str, Any]]:
    """Play configs with some seeds each in MettaGrid, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "jobs.json", Path(folder) / "out.pickle"
        made = [
            {"config": config, "runs": [(seed, steps) for seed in seeds], "every": EVERY}
            for config, seeds in jobs
        ]
        file.write_text(json.dumps(made))
        command = [sys.executable, str(FOLDER / "wheel.py"), str(file), str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-3:])
            raise RuntimeError(f"MettaGrid ended with {done.returncode}: {tail}")
        return list(pickle.loads(out.read_bytes()))  # noqa: S301


def all_stat_names(run: dict[str, Any]) -> list[str]:
    """Name all statistics that an episode had, as our config names them."""
    mine: set[str] = set()
    game: set[str] = set()
    for stats, _ in run["checks"].values():
        game |= set(stats["game"])
        mine |= {name for entry in stats["agent"] for name in entry if not _is_by_id(name)}
    return [*sorted(mine), *(f"game.{name}" for name in sorted(game))]


def _is_by_id(name: str) -> bool:
    """Whether a statistic names the invalid id, which our rules never see."""
    return name.startswith("action.invalid_index.")


def our_stats(env: Any) -> dict[str, Any]:
    """Return our statistics, as MettaGrid returns its own."""
    mine, game = (env.spec.state_field(name).labels for name in ("stat", "game_stat"))
    stat, all_ = (np.asarray(env.truth(name))[0].tolist() for name in ("stat", "game_stat"))
    rows = [dict(zip(mine, row, strict=False)) for row in stat]
    return {"agent": rows, "game": dict(zip(game, all_, strict=False))}


def our_objects(env: Any, core: Any, unlisted: set[int]) -> list[tuple[Any, ...]]:
    """List what is on our map, as `wheel.list_objects` does, without agents removed there."""
    made, truth = plan(core), env.truth
    names = made.ids.tag_names()
    row, col, vibe = (np.asarray(truth(name))[0] for name in ("row", "col", "vibe"))
    amount, tag = (np.asarray(truth(name))[0] for name in ("amount", "tag"))
    found = []
    for k in range(made.num_things):
        if row[k] >= 0 and k not in unlisted:
            kind = made.kinds[made.kind_of[k]]
            held = tuple((r, int(x)) for r, x in enumerate(amount[k]) if x)
            tags = tuple(j for j in range(len(names)) if int(tag[k, j // 63]) >> j % 63 & 1)
            found.append((int(row[k]), int(col[k]), kind.name, held, tags, int(vibe[k])))
    return sorted([*found, *_our_ground(np.asarray(truth("ground"))[0], made, core)])


def _our_ground(ground: np.ndarray, made: Any, core: Any) -> list[tuple[Any, ...]]:
    """List what never changes."""
    base = ground.reshape(made.height + 2 * PAD, made.width + 2 * PAD)[PAD:-PAD, PAD:-PAD]
    found = []
    for r, c in np.argwhere(base > 0).tolist():
        kind = made.kinds[int(made.kind_of[made.num_things + int(base[r, c]) - 1])]
        held = kind.entry.inventory.initial
        amounts = sorted((core.resources.index(name), x) for name, x in held.items() if x)
        found.append((r, c, kind.name, tuple(amounts), kind.tags, kind.entry.vibe))
    return found


def same_stats(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Compare statistics; return the first that differs."""
    both = [*zip(ours["agent"], theirs["agent"], strict=True), (ours["game"], theirs["game"])]
    for k, (mine, its) in enumerate(both):
        for name, value in mine.items():
            if not np.array_equal(value, its.get(name, 0.0), equal_nan=True):
                return f"stat {name} of {k}: {its.get(name, 0.0)} but {value}"
        kept = {name for name, value in its.items() if value and not _is_by_id(name)}
        lost = sorted(kept - set(mine))
        if lost:
            return f"stat {lost[0]} of {k}: {its[lost[0]]} but not kept"
    return ""


def same_objects(ours: list[Any], theirs: list[Any]) -> str:
    """Compare what is on the map: cells, amounts, tags and vibes."""
    here, there = (Counter((*x[:2], *x[3:6]) for x in found) for found in (ours, theirs))
    for entry in sorted((here - there) | (there - here)):
        side = "only in MettaGrid" if there[entry] > here[entry] else "only in ours"
        return f"object {entry[:2]}: {entry[2:]} {side}"
    return ""


def find_removed(objects: list[Any], num_agents: int, vanished: set[int]) -> tuple[set[int], str]:
    """Return the agents that MettaGrid took off the map, and who did not vanish in ours."""
    removed = set(range(num_agents)) - {entry[-1] for entry in objects}
    odd = sorted(removed - vanished)
    return removed, f"agent {odd[0]} vanished in MettaGrid only" if odd else ""


def compare_frame(step: Any, theirs: dict[str, np.ndarray], first: bool) -> str:
    """Compare one step; return the first difference."""
    pairs = {"obs": np.asarray(step.obs)[0]}
    if not first:
        pairs["reward"] = np.asarray(step.reward)[0]
        pairs["success"] = np.asarray(step.info["success"])[0] != 0
        pairs["terminated"] = np.asarray(step.terminated)[0]
        pairs["truncated"] = np.asarray(step.truncated)[0]
    for key, got in pairs.items():
        odd = (got != theirs[key]) & ~(np.isnan(got) & np.isnan(theirs[key]))
        if odd.any():
            at = tuple(int(x) for x in np.argwhere(odd)[0][:2])
            return f"{key} {at}: {theirs[key][at]} but {got[at]}"
    return ""


def compare_run(
    ours: dict[str, Any], run: dict[str, Any], target: str, counted: bool
) -> tuple[int, str]:
    """Play a recorded episode in ours; return the steps and the first difference."""
    config = ours | {"core": dict(ours["core"])}
    if counted:
        config["core"]["stats"] = all_stat_names(run)
    made = {"target": target, "seed": run["seed"], "autoreset": "off"}
    env = meso.make(config, {"core.budget_info": False}, **made)
    core = validate(config, WORLD, "probe").core
    step, silent = env.reset(), len(env.spec.roles["cog"].action.choices) - 1
    vanished: set[int] = set()  # which agents ever did: MettaGrid may never list them again
    for t, theirs in enumerate(run["frames"]):
        if t:
            ids = run["actions"][t - 1][None, :, None]
            step = env.step(np.pad(ids, ((0, 0), (0, 0), (0, silent))))
        first = compare_frame(step, theirs, t == 0)
        gone = np.flatnonzero(np.asarray(env.truth("vanished"))[0])
        vanished |= {int(k) for k in gone if k < env.spec.num_agents}
        if not first and t in run["checks"]:
            stats, objects = run["checks"][t]
            first = same_stats(our_stats(env), stats) if counted else ""
            removed, odd = find_removed(objects, env.spec.num_agents, vanished)
            first = first or odd or same_objects(our_objects(env, core, removed), objects)
        if first:
            return t, f"seed {run['seed']} step {t} {first}"
    return len(run["frames"]) - 1, ""


def compare_wheel(wheel: dict[str, Any], target: str = "python") -> tuple[int, list[str]]:
    """Play what MettaGrid played; return the steps that were equal, and the differences.

    In every second run all statistics are kept, in the others only those that the game names.
    """
    ours = import_config(wheel["dump"])
    total, wrong = 0, []
    for k, run in enumerate(wheel["runs"]):
        played, first = compare_run(ours, run, target, k % 2 == 0)
        total += played
        wrong += [first] if first else []
    return total, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="compare configs with MettaGrid itself")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--target", default="python")
    options = parser.parse_args()
    bad = 0
    for path in options.files:
        config, seed = read_probe(path)
        seeds = [seed + k for k in range(options.seeds)]
        try:
            wheel = play_wheel([(config, seeds)], options.steps)[0]
            steps, wrong = compare_wheel(wheel, options.target)
        except Exception as error:
            steps, wrong = 0, [f"{type(error).__name__}: {error}"[:300]]
        bad += bool(wrong)
        said = (
            f"{len(wrong)} of {len(seeds)} seeds: {wrong[0]}" if wrong else f"{steps} steps equal"
        )
        print(f"{path.stem}: {said}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
