"""Measure what a sampled agent-step costs in RLlib: its own per-env path, and our batched one.

    python -m benchmarks.rllib_sampling [--num-envs 256] [--steps 16] [--rounds 5]

Both play the same envs with the same networks, in one process and without Ray's transport.
"""

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

import mesocosm
from mesocosm.adapters.rllib import RllibEnv, RllibRunner, module_specs, role_of

PRESET = "townlet/L7"
RUNNERS = {"per env": MultiAgentEnvRunner, "batched": RllibRunner}


def make_runner(kind: str, num_envs: int, steps: int) -> Any:
    """Make a runner that samples so many steps of all envs at a time."""
    spec = mesocosm.config_spec(PRESET)
    config = (
        PPOConfig()
        .environment(RllibEnv, env_config={"source": PRESET}, disable_env_checking=True)
        .env_runners(
            env_runner_cls=RUNNERS[kind],
            num_env_runners=0,
            num_envs_per_env_runner=num_envs,
            rollout_fragment_length=steps,
        )
        .multi_agent(policies=set(spec.roles), policy_mapping_fn=role_of)
        .rl_module(rl_module_spec=module_specs(spec))
        .debugging(seed=1)
    )
    return RUNNERS[kind](config=config)


def clock(runner: Any, agent_steps: int) -> float:
    """Give the CPU microseconds of a sampled agent-step."""
    begun = time.process_time()
    runner.sample()
    runner.get_metrics()
    return (time.process_time() - begun) / agent_steps * 1e6


def clock_raw(num_envs: int, steps: int) -> float:
    """Give those of the raw env, which plays and does no more."""
    env = mesocosm.make(PRESET, num_envs=num_envs)
    step = env.reset(seed=1)
    noop = next(iter(env.spec.roles.values())).action.noop(step.reward.shape)
    begun = time.process_time()
    for _ in range(steps):
        env.step(noop)
    return (time.process_time() - begun) / (steps * step.reward.size) * 1e6


def measure(num_envs: int, steps: int, rounds: int) -> dict[str, Any]:
    """Measure both in turns."""
    agents = mesocosm.config_spec(PRESET).num_agents
    runners = {kind: make_runner(kind, num_envs, steps) for kind in RUNNERS}
    found: dict[str, list[float]] = {kind: [] for kind in RUNNERS} | {"raw env": []}
    for kind, runner in runners.items():
        clock(runner, 1)
        print(kind, "is warm", flush=True)
    for _ in range(rounds):
        for kind, runner in runners.items():
            found[kind].append(clock(runner, num_envs * steps * agents))
        found["raw env"].append(clock_raw(num_envs, steps))
    made = {kind: round(statistics.median(values), 2) for kind, values in found.items()}
    ratios = [a / b for a, b in zip(found["per env"], found["batched"], strict=True)]
    return {
        "preset": PRESET,
        "num_envs": num_envs,
        "steps": steps,
        "microseconds per agent-step": made,
        "per env / batched": {
            "median": round(statistics.median(ratios), 2),
            "least": round(min(ratios), 2),
            "greatest": round(max(ratios), 2),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=256)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/adapters"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    found = measure(given.num_envs, given.steps, given.rounds)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "rllib-sampling.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
