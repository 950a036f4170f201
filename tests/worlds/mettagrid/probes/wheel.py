"""Play games in MettaGrid itself, in a process of its own, and write down all they show.

    python wheel.py JOBS.json OUT.pickle

A job has `config`, `runs` (pairs of a seed and steps) and `every` (steps between looks at
statistics and objects). MettaGrid may abort the process on a bad game.
"""

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

STRAY_SHARE, ANY_SHARE, KEEP_SHARE = 0.025, 0.15, 0.5


def draw_actions(names: list[str], agents: int, steps: int, seed: int) -> np.ndarray:
    """Draw mostly moves: an agent often does what it did last, rarely what does not exist."""
    rng = np.random.default_rng(seed)
    moves = [k for k, name in enumerate(names) if name.startswith("move_")] or [0]
    made = np.zeros((steps, agents), np.int32)
    last = rng.choice(moves, agents)
    for row in made:
        last = np.where(rng.random(agents) < KEEP_SHARE, last, rng.choice(moves, agents))
        anything = rng.integers(0, len(names), agents)
        row[:] = np.where(rng.random(agents) < ANY_SHARE, anything, last)
        stray = rng.choice((-1, len(names), 300), agents)
        row[:] = np.where(rng.random(agents) < STRAY_SHARE, stray, row)
    return made


def read_model(config: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return MettaGrid's config object and its dump, as users hand it in."""
    from mettagrid.config.mettagrid_config import MettaGridConfig

    model = MettaGridConfig.model_validate(config)
    return model, json.loads(model.model_dump_json())


def list_objects(core: Any) -> list[tuple[Any, ...]]:
    """List what is on the map: cell, type, amounts, tags, vibe, agent or -1."""
    made = [
        (entry["r"], entry["c"], entry["type_name"], tuple(sorted(entry["inventory"].items())),
         tuple(sorted(entry["tag_ids"])), entry.get("vibe", 0), entry.get("agent_id", -1))
        for entry in core.grid_objects().values()
    ]  # fmt: skip
    return sorted(made)


def look(core: Any) -> dict[str, np.ndarray]:
    """Copy what a step shows."""
    return {
        "obs": core.observations().copy(), "reward": core.rewards().copy(),
        "success": np.array(core.action_success()), "terminated": core.terminals().copy(),
        "truncated": core.truncations().copy(),
    }  # fmt: skip


def play(model: Any, seed: int, steps: int, every: int) -> dict[str, Any]:
    """Play one episode."""
    from mettagrid.simulator import Simulator

    simulator = Simulator()
    simulation = simulator.new_simulation(model, seed=seed)
    core, names = simulation._c_sim, list(simulation.action_names)
    actions = draw_actions(names, len(core.rewards()), steps, seed)
    frames, checks = [look(core)], {0: (core.get_episode_stats(), list_objects(core))}
    for t, ids in enumerate(actions, 1):
        vibe = np.array([0 <= k < len(names) and names[k].startswith("change_vibe") for k in ids])
        core.actions()[:] = np.where(vibe, 0, ids)
        core.vibe_actions()[:] = np.where(vibe, ids, 0)
        core.step()
        frames.append(look(core))
        over = bool(frames[-1]["terminated"].all() or frames[-1]["truncated"].all())
        if t % every == 0 or t == steps or over:
            checks[t] = (core.get_episode_stats(), list_objects(core))
        if over:
            break
    return {"seed": seed, "names": names, "actions": actions, "frames": frames, "checks": checks}


def main(jobs: str, out: str) -> None:
    """Play the runs of all jobs, and write what they showed."""
    made = []
    for job in json.loads(Path(jobs).read_text()):
        model, dump = read_model(job["config"])
        runs = [play(model, seed, steps, job["every"]) for seed, steps in job["runs"]]
        made.append({"dump": dump, "runs": runs})
    Path(out).write_bytes(pickle.dumps(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
