"""Train through adapters, and compare the last evaluation of each seed with its first.

    python -m benchmarks.adapter_training [NAME ...] [--preset P] [--steps N] [--seeds 1 2 3 4 5]

Every policy is evaluated on the raw env, in the same episodes of a seed that no training saw, so
that all libraries are measured alike. Writes the table and all returns into
benchmarks/results/adapters; a run replaces the rows of what it trained and keeps the others.
"""

import argparse
import json
import math
import os
import statistics
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import mesocosm

TRAININGS = {
    "SB3 PPO": "benchmarks.trainings.sb3:train_ppo",
    "SB3 MaskablePPO": "benchmarks.trainings.sb3:train_maskable_ppo",
    "PufferLib vector": "benchmarks.trainings.pufferlib:train",
    "PufferLib trainer": "benchmarks.trainings.puffer_trainer:train",
    "RLlib PPO": "benchmarks.trainings.rllib:train_stock",
    "train --engine rllib": "benchmarks.trainings.rllib:train_command",
    "CleanRL-style file": "benchmarks.trainings.single_files:train_cleanrl",
    "JAX by DLPack": "benchmarks.trainings.single_files:train_jax",
    "TorchRL PPO": "benchmarks.trainings.torchrl:train_ppo",
    "BenchMARL MAPPO": "benchmarks.trainings.benchmarl:train_mappo",
    "BenchMARL QMIX": "benchmarks.trainings.benchmarl:train_qmix",
    "BenchMARL MASAC": "benchmarks.trainings.benchmarl:train_masac",
}
FOLDER = Path(__file__).parent / "results" / "adapters"
EVALUATION_SEED, NUM_EPISODES = 90_001, 256
# Student's t for an interval of 95 %, by degrees of freedom
T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365}


def evaluate(preset, act):
    """Play one episode in each of many envs; give the mean return of every agent's slot."""
    env = mesocosm.make(preset, num_envs=NUM_EPISODES, seed=EVALUATION_SEED, autoreset="off")
    (role,) = env.spec.roles.values()
    lead = (NUM_EPISODES, role.num_agents)
    total, step = np.zeros(lead), env.reset()
    while not step.episode_over.all():
        rows = [part.reshape(-1, *part.shape[2:]).copy() for part in (step.obs, step.mask)]
        step = env.step(np.asarray(act(*rows)).reshape(*lead, -1).astype(np.int32))
        total += step.reward
    return total.mean(axis=1).round(3).tolist()


def run(name, preset, seed, num_steps):
    """Train once; give the evaluations and what it took."""
    module, _, function = TRAININGS[name].partition(":")
    train, probes, spent = getattr(import_module(module), function), [], [0.0]

    def probe(agent_steps, act):
        began = time.process_time()
        probes.append({"agent_steps": int(agent_steps), "returns": evaluate(preset, act)})
        spent[0] += time.process_time() - began

    began = time.process_time()
    train(preset, seed, num_steps, probe)
    return {
        "name": name,
        "preset": preset,
        "seed": seed,
        "cpu_seconds": round(time.process_time() - began - spent[0], 1),
        "probes": probes,
    }


def summarise(runs):
    """Give the row of a table for one training: means over seeds, with intervals."""
    first, last = ([statistics.fmean(r["probes"][k]["returns"]) for r in runs] for k in (0, -1))
    gains = [after - before for before, after in zip(first, last, strict=True)]
    steps = runs[0]["probes"][-1]["agent_steps"]
    low, high = interval(gains)
    return {
        "training": runs[0]["name"],
        "preset": runs[0]["preset"],
        "seeds": len(runs),
        "agent-steps": f"{steps:,}",
        "first": f"{statistics.fmean(first):.1f}",
        "last": f"{statistics.fmean(last):.1f}",
        "gain (95 %)": f"{statistics.fmean(gains):.1f} ({low:.1f} to {high:.1f})",
        "least gain of a seed": f"{min(gains):.1f}",
        "CPU-seconds": f"{statistics.fmean(r['cpu_seconds'] for r in runs):.0f}",
    }


def interval(values):
    """Give a 95 % interval of the mean of independent values, by Student's t."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return -math.inf, math.inf
    half = T[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return mean - half, mean + half


def table(runs):
    """Write the rows as Markdown."""
    groups: dict = {}
    for entry in runs:
        groups.setdefault((entry["name"], entry["preset"]), []).append(entry)
    rows = [summarise(group) for group in groups.values()]
    lines = ["| " + " | ".join(rows[0]) + " |", "| " + " | ".join("---" for _ in rows[0]) + " |"]
    return "\n".join([*lines, *("| " + " | ".join(map(str, r.values())) + " |" for r in rows)])


def keep(fresh, folder):
    """Put runs into the folder's file in place of older ones of the same training and seed."""
    path = folder / "training.json"
    known = json.loads(path.read_text()) if path.exists() else []
    new = {(entry["name"], entry["preset"]) for entry in fresh}
    runs = [entry for entry in known if (entry["name"], entry["preset"]) not in new] + fresh
    order = list(TRAININGS)
    runs.sort(key=lambda entry: (order.index(entry["name"]), entry["preset"], entry["seed"]))
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(runs, indent=None, separators=(",", ":")) + "\n")
    title, about = __doc__.splitlines()[0], f"Returns are means of {NUM_EPISODES} episodes."
    text = f"# {title}\n\n{about} CPU-seconds are the main process's.\n\n{table(runs)}\n"
    (folder / "training.md").write_text(text)
    return text


def belongs_here(name):
    """Say whether this is the environment of a training; BenchMARL has one of its own."""
    return name.startswith("BenchMARL") == (find_spec("benchmarl") is not None)


def main(given=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", help=f"of {', '.join(TRAININGS)}; all of this environment if none"
    )
    parser.add_argument("--preset", default="townlet/L1")
    parser.add_argument("--steps", type=int, default=600_000, help="agent-steps of each training")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--out", type=Path, default=FOLDER)
    args = parser.parse_args(given)
    unknown = set(args.names) - set(TRAININGS)
    if unknown:
        parser.error(f"no training named {sorted(unknown)}; there are {', '.join(TRAININGS)}")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # small networks gain nothing from more
    for name in args.names or filter(belongs_here, TRAININGS):
        fresh = []
        for seed in args.seeds:
            fresh.append(run(name, args.preset, seed, args.steps))
            means = [f"{statistics.fmean(p['returns']):.1f}" for p in fresh[-1]["probes"]]
            print(f"{name}, seed {seed}: {' → '.join(means)}", flush=True)
        text = keep(fresh, args.out)
    print(text)


if __name__ == "__main__":
    main()
