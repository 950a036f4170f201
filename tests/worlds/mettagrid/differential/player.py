"""Play games in ours.

    python -m tests.worlds.mettagrid.differential.player

reads one JSON request a line (`out`, `seed`, `steps`, `target`), takes the config and the actions
that the oracle left, and answers each with one line.
"""

import json
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.upstream import import_config
from tests.worlds.mettagrid.differential.build import make_config
from tests.worlds.mettagrid.differential.names import Json
from tests.worlds.mettagrid.differential.trace import Trace, is_checked, load

TAG_BITS = 62  # in one word


def make_env(request: Json, dump: Json, theirs: Json) -> Any:
    """Return our game of a dump, with every statistic that the wheel reported."""
    drawn = json.loads(Path(request["config"]).read_text())
    ours = import_config(dump if request["json"] else make_config(drawn))
    own, game = list_stats(theirs)
    ours["core"]["stats"] = [*own, *(f"game.{name}" for name in game)]
    options: Json = {"core.overtime": request["overtime"], "core.budget_info": False}
    if request["split"]:
        options["core.actions.layout"] = "split"
    settings: Json = {"target": request["target"], "seed": request["seed"], "autoreset": "off"}
    return meso.make(ours, options, **settings)


def list_stats(theirs: Json) -> tuple[list[str], list[str]]:
    """Return the names of all statistics that the wheel ever reported."""
    own: set[str] = set()
    game: set[str] = set()
    for found in theirs["stats"].values():
        game |= set(found["game"])
        for entry in found["agent"]:
            own |= set(entry)
    return sorted(own), sorted(game)


def list_objects(env: Any, dump: Json, theirs: list[Any], vanished: set[int]) -> list[Any]:
    """Return everything on the map, as the oracle lists it.

    Args:
        vanished: Agents that ever vanished; the wheel lists only those that it did not remove.

    Where things can be removed, the wheel does not list those that the same handler put back onto
    a cell, although agents see them there.
    """
    truth = {name: np.asarray(env.truth(name))[0] for name in
             ("row", "col", "amount", "held", "vibe", "tag")}  # fmt: skip
    labels = next(kind for kind in env.spec.events if kind.name == "use").targets
    objects = dump["game"]["objects"].values()
    names = {entry["map_name"] or entry["name"]: entry["name"] for entry in objects}
    num_agents = env.spec.num_agents
    removed = vanished - {one[3] for one in theirs}
    listed = {(one[0], one[1]) for one in theirs}
    removes = '"remove_source_when_empty": true' in json.dumps(dump)
    found = []
    for slot, label in enumerate(labels):
        if truth["row"][slot] < 0 or slot in removed:
            continue
        kind = label.rsplit(" ", 1)[0]
        agent = slot if slot < num_agents else -1
        words = truth["tag"][slot]
        tags = [
            k for k in range(TAG_BITS * len(words)) if words[k // TAG_BITS] >> (k % TAG_BITS) & 1
        ]
        held = {str(k): int(v) for k, v in enumerate(truth["amount"][slot]) if v}
        place = int(truth["row"][slot]), int(truth["col"][slot])
        if removes and place not in listed and (agent >= 0 or not held):
            continue
        found.append([
            *place,
            "agent" if agent >= 0 else names.get(kind, kind), agent, int(truth["vibe"][slot]), tags,
            held,
        ])  # fmt: skip
    return sorted([*found, *list_ground(env, dump, theirs, found)], key=lambda one: one[:2])


def list_ground(env: Any, dump: Json, theirs: list[Any], found: list[Any]) -> list[Any]:
    """Return what never changes; each number of ground stands for one thing of the wheel's."""
    ground = np.asarray(env.truth("ground"))[0]
    if not ground.any():
        return []
    shape = find_shape(dump, theirs, len(ground))
    pad = shape[2]
    grid = ground.reshape(shape[0] + 2 * pad, shape[1] + 2 * pad)
    known = {(one[0], one[1]): one for one in theirs}
    meaning: dict[int, Any] = {}
    cells = []
    for r, c in np.argwhere(grid):
        place, number = (int(r) - pad, int(c) - pad), int(grid[r, c])
        if number not in meaning and place in known:
            meaning[number] = known[place][2:]
        cells.append([*place, *(meaning.get(number) or [f"ground {number}", -1, 0, [], {}])])
    return cells


def find_shape(dump: Json, theirs: list[Any], size: int) -> tuple[int, int, int]:
    """Return the height and width of the map, and the margin around it."""
    builder = dump["game"]["map_builder"]
    if "map_data" in builder:
        height, width = len(builder["map_data"]), len(builder["map_data"][0])
    else:
        height, width = builder["height"], builder["width"]
    for pad in range(40):
        if (height + 2 * pad) * (width + 2 * pad) == size:
            return height, width, pad
    raise ValueError(f"a map of {height} x {width} is not in {size} cells of ground")


def read_stats(env: Any) -> Json:
    own, game = (env.spec.state_field(name).labels for name in ("stat", "game_stat"))
    values = np.asarray(env.truth("stat"))[0]
    shared = np.asarray(env.truth("game_stat"))[0]
    return {
        "agent": [{n: float(v) for n, v in zip(own, row, strict=False)} for row in values],
        "game": {n: float(v) for n, v in zip(game, shared, strict=False)},
    }


def join_actions(env: Any, first: np.ndarray, second: np.ndarray, split: bool) -> np.ndarray:
    """Return one step's ids in the columns that our game has."""
    columns = len(env.spec.all_roles[0].action.choices)
    ids = np.zeros((1, len(first), columns), np.int32)
    ids[0, :, 0] = first
    if split:
        ids[0, :, 1] = second
    else:
        ids[0, :, 0] = np.where(second != 0, second, first)
    return ids


def play(request: Json) -> Json:
    """Play one game and leave its trace."""
    out = Path(request["out"])
    dump = json.loads((out / "dump.json").read_text())
    arrays, notes = load(out / "wheel1")
    env = make_env(request, dump, notes)
    steps = len(arrays["obs"]) - 1
    with np.load(out / "actions.npz", allow_pickle=False) as found:
        first, second = found["first"], found["second"]
    trace = Trace()
    step = env.reset()
    vanished: set[int] = set()
    for t in range(steps + 1):
        if t:
            step = env.step(join_actions(env, first[t - 1], second[t - 1], request["split"]))
        trace.add({
            "obs": np.asarray(step.obs)[0], "reward": np.asarray(step.reward)[0],
            "success": np.asarray(step.info["success"])[0] != 0,
            "terminals": np.asarray(step.terminated)[0],
            "truncations": np.asarray(step.truncated)[0],
        })  # fmt: skip
        gone = np.flatnonzero(np.asarray(env.truth("vanished"))[0])
        vanished |= {int(k) for k in gone if k < env.spec.num_agents}
        if is_checked(t, request["steps"]) and str(t) in notes["stats"]:
            trace.stats[str(t)] = read_stats(env)
            trace.objects[str(t)] = list_objects(env, dump, notes["objects"][str(t)], vanished)
    trace.save(out / "ours")
    return {"status": "played"}


def answer(request: Json) -> Json:
    try:
        return play(request)
    except ConfigError as error:
        return {"status": "refused", "why": str(error)[:600]}
    except Exception:
        return {"status": "error", "why": traceback.format_exc()[-1500:]}


def serve() -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    serve()
