"""Measure what each adapter adds to the raw env: CPU time per agent-step, beside it.

`python -m benchmarks.adapters --out benchmarks/results/adapters/overhead.json` is a full run,
`--quick` a check that everything can be measured, `--before FOLDER` puts the adapters of another
checkout beside those of one env. An entry gives what plays one step of all agents with actions
drawn beforehand; its ratio is that of its CPU time per agent-step to the raw env's, round by round.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import mesocosm as meso

PRESET, NUM_ENVS, NUM_DRAWN = "townlet/L7", 256, 16
LIMIT = 2.0  # times the raw env: the most that a batched adapter may cost
SINGLE = "one env"  # adapters that have no batch are compared with a raw env of one


def draw(num_envs):
    """Draw the actions of all agents, `[env, agent]`, for a few steps."""
    role = next(iter(meso.config_spec(PRESET).roles.values()))
    rng = np.random.default_rng(0)
    options = len(role.action.choices[0].options)
    return rng.integers(0, options, (NUM_DRAWN, num_envs, role.num_agents)).astype(np.int32)


def raw(num_envs=NUM_ENVS):
    env, actions = meso.make(PRESET, num_envs=num_envs), draw(num_envs)
    env.reset(seed=0)
    return lambda k: env.step(actions[k % NUM_DRAWN])


def gymnasium_rows():
    from mesocosm.adapters import GymRowsEnv

    env, actions = GymRowsEnv(PRESET, num_envs=NUM_ENVS), draw(NUM_ENVS).reshape(NUM_DRAWN, -1)
    env.reset(seed=0)
    return lambda k: env.step(actions[k % NUM_DRAWN])


def gymnasium_vector():
    """One agent is controlled, and a policy that does nothing plays the others."""
    from mesocosm.adapters import GymVectorEnv

    env = GymVectorEnv(PRESET, num_envs=NUM_ENVS, policies={"resident": "noop"})
    actions = draw(NUM_ENVS)[:, :, 0]
    env.reset(seed=0)
    return lambda k: env.step(actions[k % NUM_DRAWN])


def sb3():
    from mesocosm.adapters import SB3VecEnv

    env, actions = SB3VecEnv(PRESET, num_envs=NUM_ENVS), draw(NUM_ENVS).reshape(NUM_DRAWN, -1)
    env.reset()
    return lambda k: env.step(actions[k % NUM_DRAWN])


def pufferlib():
    from mesocosm.adapters import PufferEnv

    env, actions = PufferEnv(PRESET, num_envs=NUM_ENVS), draw(NUM_ENVS).reshape(NUM_DRAWN, -1)
    env.reset(seed=0)
    return lambda k: env.step(actions[k % NUM_DRAWN])


def torchrl():
    import torch

    from mesocosm.adapters import TorchRLEnv

    torch.set_num_threads(1)  # what is copied is too small for several
    env, actions = TorchRLEnv(PRESET, num_envs=NUM_ENVS), torch.from_numpy(draw(NUM_ENVS)).long()
    now = [env.reset(seed=0)]

    def play(k):
        now[0]["resident", "action"] = actions[k % NUM_DRAWN]
        _, now[0] = env.step_and_maybe_reset(now[0])

    return play


def pettingzoo_parallel():
    from mesocosm.adapters import ZooParallelEnv

    env, drawn = ZooParallelEnv(PRESET), draw(1)[:, 0].tolist()
    env.reset(seed=0)
    names = env.possible_agents
    actions = [dict(zip(names, row, strict=True)) for row in drawn]

    def play(k):
        if len(env.agents) < len(names):
            env.reset()
        return env.step(actions[k % NUM_DRAWN])

    return play


def pettingzoo_aec():
    from mesocosm.adapters import ZooAECEnv

    env, drawn = ZooAECEnv(PRESET), draw(1)[:, 0].tolist()
    env.reset(seed=0)

    def play(k):
        if any(env.terminations.values()) or any(env.truncations.values()):
            env.reset()
        for action in drawn[k % NUM_DRAWN]:
            env.step(action)

    return play


def rllib_env():
    """Play one env; what RLlib makes of it, and the batched path, has `rllib_sampling`."""
    from mesocosm.adapters import RllibEnv

    env, drawn = RllibEnv(PRESET), draw(1)[:, 0].tolist()
    shown = [env.reset(seed=0)[0]]
    actions = [dict(zip(env.possible_agents, row, strict=True)) for row in drawn]

    def play(k):
        if len(shown[0]) < len(env.possible_agents):
            env.reset()
        shown[0], _, terminateds, truncateds, _ = env.step(actions[k % NUM_DRAWN])
        if any(terminateds.values()) or any(truncateds.values()):
            shown[0] = {}

    return play


# by name: whether it has a batch, and what makes the function that plays a step
ADAPTERS = {
    "gymnasium rows": (True, gymnasium_rows),
    "gymnasium vector": (True, gymnasium_vector),
    "sb3": (True, sb3),
    "pufferlib": (True, pufferlib),
    "torchrl": (True, torchrl),
    "pettingzoo parallel": (False, pettingzoo_parallel),
    "pettingzoo aec": (False, pettingzoo_aec),
    "rllib env": (False, rllib_env),
}


def clock(play, steps):
    """Give the CPU seconds of a step."""
    start = time.process_time()
    for k in range(steps):
        play(k)
    return (time.process_time() - start) / steps


def open_play(name, make):
    """Make what plays a step; None, and a word on why, where its library is not installed."""
    try:
        return make()
    except ImportError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return None


def measure(names, *, steps, rounds):
    """Play the raw env and the adapters in turns; give seconds per agent-step by round."""
    agents = meso.config_spec(PRESET).num_agents
    chosen = {name: ADAPTERS[name] for name in names}
    plays = {"raw": (True, raw), SINGLE: (False, lambda: raw(1)), **chosen}
    made = {name: play for name in plays if (play := open_play(name, plays[name][1]))}
    found = {name: [] for name in made}
    for turn in range(rounds + 1):
        for name, play in made.items():
            batch, scale = (NUM_ENVS, 1) if plays[name][0] else (1, 32)
            spent = clock(play, steps * scale) / (batch * agents)
            if turn:  # the first one warms up
                found[name].append(spent)
    return found


def describe(found, before):
    """Give medians, and ratios round by round."""
    rows = []
    for name, spent in found.items():
        beside = found[SINGLE if name in ADAPTERS and not ADAPTERS[name][0] else "raw"]
        row = {
            "adapter": name,
            "ns_per_agent_step": 1e9 * statistics.median(spent),
            "ratio": statistics.median(a / b for a, b in zip(spent, beside, strict=True)),
            "rounds_ns": [1e9 * value for value in spent],
        }
        if name in before:
            pairs = zip(before[name], spent, strict=True)
            row["times_before"] = statistics.median(old / new for old, new in pairs)
            row["before_ns"] = [1e9 * value for value in before[name]]
        rows.append(row)
    return rows


def measure_before(folder, given, names):
    """Measure the adapters of another checkout, by this file, in a process of its own."""
    command = [sys.executable, __file__, "--plain", "--steps", str(given.steps)]
    command += ["--rounds", "1", "--only", *names]
    done = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return json.loads(done.stdout)


def in_turns(given, names):
    """Measure here and there in turns, so that a noisy minute hits both."""
    singles = [name for name in names if not ADAPTERS[name][0]]
    found, before = {}, {}
    for _ in range(given.rounds):
        for name, values in measure(names, steps=given.steps, rounds=1).items():
            found.setdefault(name, []).extend(values)
        for name, values in measure_before(given.before, given, singles).items():
            before.setdefault(name, []).extend(values)
    return found, {name: before[name] for name in singles if name in before}


def show(rows):
    """Print a table."""
    print(f"{PRESET}, {NUM_ENVS} envs, all agents; CPU time, medians")
    print(f"{'adapter':22}{'ns per agent-step':>20}{'times the raw env':>20}{'times as fast':>16}")
    for row in rows:
        old = f"{row['times_before']:.2f}" if "times_before" in row else ""
        print(f"{row['adapter']:22}{row['ns_per_agent_step']:20.1f}{row['ratio']:20.2f}{old:>16}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=ADAPTERS, default=list(ADAPTERS))
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="two short rounds")
    parser.add_argument("--before", type=Path, help="a checkout to compare single envs with")
    parser.add_argument("--plain", action="store_true", help="print seconds as JSON, and no more")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.quick:
        given.steps, given.rounds = 3, 2
    if given.plain:
        print(json.dumps(measure(given.only, steps=given.steps, rounds=given.rounds)))
        return
    if given.before is None:
        found, before = measure(given.only, steps=given.steps, rounds=given.rounds), {}
    else:
        found, before = in_turns(given, given.only)
    rows = describe(found, before)
    show(rows)
    if given.out is not None:
        about = {"preset": PRESET, "num_envs": NUM_ENVS, "steps": given.steps, "rows": rows}
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
