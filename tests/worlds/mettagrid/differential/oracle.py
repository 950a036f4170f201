"""Play games in MettaGrid itself, each in a process of its own that may die.

    python -m tests.worlds.mettagrid.differential.oracle

reads one JSON request a line (`config`, `seed`, `steps`, `out`) and answers each with one line.
Every game is played twice, with other garbage in fresh memory and at other addresses.
"""

import ctypes
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.worlds.mettagrid.differential.actions import draw_actions
from tests.worlds.mettagrid.differential.build import make_config, read_config
from tests.worlds.mettagrid.differential.names import Json
from tests.worlds.mettagrid.differential.trace import Trace, is_checked

M_PERTURB = -6
PATIENCE_S = 60.0


def disturb(run: int) -> list[bytearray]:
    """Fill fresh memory with garbage and move what is allocated next."""
    ctypes.CDLL(None).mallopt(M_PERTURB, (0, 0xA5, 0x3C)[run])
    rng = np.random.default_rng(run)
    junk = [bytearray(int(size)) for size in rng.integers(16, 5000, 3000 * run)]
    return junk[::3]


def list_objects(simulation: Any) -> list[Any]:
    """Return everything on the map: place, type, agent, vibe, tags, inventory."""
    found = []
    for entry in simulation.grid_objects().values():
        held = {str(k): int(v) for k, v in entry["inventory"].items()}
        found.append([
            int(entry["r"]), int(entry["c"]), entry["type_name"], entry.get("agent_id", -1),
            int(entry.get("vibe", 0)), sorted(int(k) for k in entry["tag_ids"]), held,
        ])  # fmt: skip
    return sorted(found, key=lambda one: one[:2])


def note(trace: Trace, simulation: Any, t: int, steps: int) -> None:
    core = simulation._c_sim
    trace.add({
        "obs": core.observations(), "reward": core.rewards(),
        "success": np.array(core.action_success(), bool),
        "terminals": core.terminals(), "truncations": core.truncations(),
    })  # fmt: skip
    if is_checked(t, steps):
        stats = core.get_episode_stats()
        trace.stats[str(t)] = {
            "game": dict(stats["game"]),
            "agent": [dict(a) for a in stats["agent"]],
        }
        trace.objects[str(t)] = list_objects(simulation)


def play(request: Json, run: int) -> None:
    """Play one game and leave its trace."""
    from mettagrid.simulator import Simulator

    out = Path(request["out"])
    trace = Trace()
    steps, seed = request["steps"], request["seed"]
    drawn = json.loads(Path(request["config"]).read_text())
    made = make_config(drawn)
    dump = made.model_dump(mode="json")
    (out / "dump.json").write_text(json.dumps(dump))
    if request["json"]:
        made = read_config(dump)
    simulation = Simulator().new_simulation(made, seed=seed)
    trace.told["started"] = True
    names = list(simulation.action_names)
    trace.told |= {"names": names, "agents": int(simulation._c_sim.observations().shape[0])}
    first, second = draw_actions(names, trace.told["agents"], steps, seed, split=request["split"])
    np.savez(out / "actions.npz", first=first, second=second)
    note(trace, simulation, 0, steps)
    for t in range(1, steps + 1):
        simulation._c_sim.actions()[:] = first[t - 1]
        simulation._c_sim.vibe_actions()[:] = second[t - 1]
        try:
            simulation.step()
        except Exception as error:
            trace.told["raised"] = f"{type(error).__name__}: {error}"[:300]
            break
        note(trace, simulation, t, steps)
    trace.save(out / f"wheel{run}")


def play_in_child(request: Json, run: int) -> str:
    """Play one game in a forked process; return how that ended."""
    out = Path(request["out"])
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            junk = disturb(run)
            play(request, run)
            code = 0 if junk is not None else 1
        except BaseException as error:
            (out / f"error{run}.txt").write_text(f"{type(error).__name__}: {error}"[:2000])
        finally:
            os._exit(code)
    began = time.time()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.time() - began > PATIENCE_S:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return "hangs"
        time.sleep(0.002)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    if os.WEXITSTATUS(status):
        path = out / f"error{run}.txt"
        return "error " + (path.read_text() if path.exists() else "unknown")
    return "played"


def serve() -> None:
    """Answer requests until there are no more."""
    import logging

    import mettagrid.simulator  # noqa: F401  (once, before any fork)

    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        request = json.loads(line)
        runs = [play_in_child(request, run) for run in request.get("runs", (1, 2))]
        print(json.dumps({"runs": runs}), flush=True)


if __name__ == "__main__":
    serve()
