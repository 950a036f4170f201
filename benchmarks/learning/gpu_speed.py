"""How fast training is on one GPU: env, network and learning on the device, by observation kind.

`python -m benchmarks.learning.gpu_speed --out benchmarks/results/learning/speed-gpu` trains with
the settings of the experiments `L3 large` and `L5 gru`, several times each; compiling is aside.
"""

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import torch

import mesocosm
from benchmarks.learning.experiments import EXPERIMENTS, settings_of
from mesocosm.learning.trainer import Trainer

CASES = {"L3, MLP": ("L3 large", 60, 25e6), "L5, GRU": ("L5 gru", 60, 4e6)}  # updates, wanted
WARM_UP = 8
HEAD = "| trained | runs | agent-steps/s | range | wanted | env | inference | learning |"


def measure(name: str, updates: int, seed: int) -> dict[str, Any]:
    """Train once; count from the update at which everything is compiled."""
    experiment = EXPERIMENTS[name]
    settings = settings_of(experiment)
    env = mesocosm.make(
        experiment.preset, experiment.core, num_envs=settings.num_envs, target="cuda"
    )
    trainer = Trainer(env, settings, steps=10**9, seed=seed)
    for _ in range(WARM_UP):
        trainer.advance()
    torch.cuda.synchronize()
    begun = time.perf_counter()
    parts = [trainer.advance().seconds for _ in range(updates)]
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begun
    trainer.close()
    shares = [sum(column) / seconds for column in zip(*parts, strict=True)]
    speed = updates * trainer.steps_per_update / seconds
    return {"seed": seed, "agent_steps_per_second": speed, "shares": shares}


def row(name: str, runs: list[dict[str, Any]], wanted: float) -> str:
    """Write medians and the range of one case."""
    speeds = [run["agent_steps_per_second"] / 1e6 for run in runs]
    shares = [
        statistics.median(column) for column in zip(*(r["shares"] for r in runs), strict=True)
    ]
    cells = [name, str(len(runs)), f"{statistics.median(speeds):.2f} M"]
    cells += [f"{min(speeds):.2f} to {max(speeds):.2f} M", f"{wanted / 1e6:.0f} M"]
    return "| " + " | ".join([*cells, *(f"{100 * share:.0f} %" for share in shares)]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/learning/speed-gpu"))
    given = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in CASES}
    for turn in range(given.turns):
        for name, (experiment, updates, _) in CASES.items():
            found[name].append(measure(experiment, updates, turn + 1))
            print(name, found[name][-1], flush=True)
    lines = [HEAD, "|---|---|---|---|---|---|---|---|"]
    lines += [row(name, runs, CASES[name][2]) for name, runs in found.items()]
    device = torch.cuda.get_device_name()
    data = {"device": device, "torch": torch.__version__, "found": found}
    given.out.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n")
    head = f"# Training speed on one {device}\n\nPython 3.12, torch {torch.__version__}.\n\n"
    given.out.with_suffix(".md").write_text(head + "\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
