"""How fast training is: ours, a single-file script, and RLlib, in turns on one machine.

The network, the epochs and the minibatches are the same. RLlib plays in runners of its own and
needs an environment of its own (`--rllib PYTHON`), in which Mesocosm's base is installed too.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MODULE = "benchmarks.learning.speed"
PRESET = "townlet/L3"
UPDATES = 30
RLLIB_SECONDS = 40.0
KINDS = ("ours", "script", "rllib")


def cpu_seconds(others: Sequence[int] = ()) -> float:
    """Give the processor time of this process and of others, without that of children."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    ticks = 0
    for pid in others:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return used.ru_utime + used.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def measure_ours(threads: int) -> dict[str, Any]:
    """Train as `mesocosm train` does."""
    from mesocosm.learning.open_training import Plan, open_trainer
    from mesocosm.learning.presets import settings_for
    from mesocosm.resolve import resolve

    resolved = resolve(PRESET)
    plan = Plan(resolved, (), steps=10**9, seed=1, target="cpu", threads=threads)
    trainer, _ = open_trainer(plan, settings_for(resolved.spec))
    others = trainer.ranks.pids
    for _ in range(3):
        trainer.advance()
    begun, used = time.perf_counter(), cpu_seconds(others)
    parts = [trainer.advance().seconds for _ in range(UPDATES)]
    played = UPDATES * trainer.steps_per_update
    seconds, spent = time.perf_counter() - begun, cpu_seconds(others) - used
    trainer.close()
    shares = [sum(column) / seconds for column in zip(*parts, strict=True)]
    return {"wall": played / seconds, "cpu": played / spent, "shares": shares}


def measure_script(threads: int) -> dict[str, Any]:
    """Train as a script of one file does, with the same settings."""
    import torch

    import mesocosm
    from benchmarks.learning.single_file_ppo import measure
    from mesocosm.learning.presets import settings_for

    torch.set_num_threads(threads)
    found = measure(PRESET, settings_for(mesocosm.config_spec(PRESET)), UPDATES // 2)
    return {"wall": found.wall, "cpu": found.cpu}


def measure_rllib(threads: int) -> dict[str, Any]:
    """Train with RLlib's PPO; one runner per core."""
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.tune.registry import register_env

    from mesocosm.adapters.gymnasium import GymEnv

    ray.init(include_dashboard=False, object_store_memory=300 << 20, num_cpus=threads + 1)
    register_env("town", lambda _: GymEnv(PRESET))
    model = DefaultModelConfig(
        fcnet_hiddens=[64, 64], fcnet_activation="relu", vf_share_layers=False
    )
    config = (
        PPOConfig()
        .environment("town")
        .env_runners(num_env_runners=threads, num_envs_per_env_runner=16)
        .training(
            train_batch_size_per_learner=8192, minibatch_size=4096, num_epochs=1, gamma=0.9995
        )
        .rl_module(model_config=model)
    )
    algorithm = config.build_algo()
    algorithm.train()
    played, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < RLLIB_SECONDS:
        result = algorithm.train()
        played += int(result["env_runners"]["num_env_steps_sampled"])
    speed = played / (time.perf_counter() - begun)
    algorithm.stop()
    ray.shutdown()
    return {"wall": speed, "agent_steps": played}


def measure_in_turns(given: argparse.Namespace) -> dict[str, Any]:
    """Run each in processes of their own, one after the other, again and again."""
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for turn in range(given.turns):
        for kind in KINDS:
            if kind == "rllib" and (given.rllib is None or turn >= given.rllib_turns):
                continue
            python = given.rllib if kind == "rllib" else sys.executable
            command = [
                python,
                "-m",
                "benchmarks.learning.speed",
                "--only",
                kind,
                "--threads",
                str(given.threads),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found[kind].append(json.loads(done.stdout.strip().splitlines()[-1]))
            print(turn, kind, found[kind][-1], flush=True)
    return {"preset": PRESET, "threads": given.threads, "found": found}


def table(data: dict[str, Any]) -> str:
    """Write medians and ranges by the clock, and medians per second of processor time."""
    lines = [
        f"Agent-steps trained per second, {data['preset']}, {data['threads']} threads; medians.",
        "",
        "| trainer | runs | by the clock | range | ours is | per processor second | ours is |",
        "|---|---|---|---|---|---|---|",
    ]
    ours = {key: _median(data["found"]["ours"], key) for key in ("wall", "cpu")}
    for kind, runs in data["found"].items():
        if runs:
            walls = sorted(run["wall"] for run in runs)
            cells = [kind, str(len(runs)), f"{_median(runs, 'wall'):,.0f}"]
            cells += [f"{walls[0]:,.0f} to {walls[-1]:,.0f}"]
            cells += [f"{ours['wall'] / _median(runs, 'wall'):.2f} x"]
            known = all("cpu" in run for run in runs)
            cells += [f"{_median(runs, 'cpu'):,.0f}" if known else "-"]
            cells += [f"{ours['cpu'] / _median(runs, 'cpu'):.2f} x" if known else "-"]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _median(runs: list[dict[str, Any]], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rllib", help="the Python of an environment with Ray")
    parser.add_argument("--rllib-turns", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/learning"))
    given = parser.parse_args()
    if given.only:
        print(json.dumps(globals()[f"measure_{given.only}"](given.threads)))
        return
    data = measure_in_turns(given)
    given.out.mkdir(parents=True, exist_ok=True)
    name = f"speed-{given.threads}"
    (given.out / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")
    (given.out / f"{name}.md").write_text(table(data))
    print(table(data))


if __name__ == "__main__":
    main()
