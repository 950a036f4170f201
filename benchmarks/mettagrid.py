"""Measure our mettagrid beside MettaGrid itself: same game, same run, equal bytes.

`python -m benchmarks.mettagrid` prints the table. It needs the wheel `mettagrid==0.26.22`.
"""

import argparse
import json
import statistics
import time

import numpy as np

import mesocosm as meso
from mesocosm.worlds.mettagrid.game.maps import AGENT_CELL, layouts
from mesocosm.worlds.mettagrid.upstream import import_config

SCENES = ("mettagrid/arena24", "mettagrid/arena100", "mettagrid/walls24")
CHARS = {"wall": "#", "empty": ".", AGENT_CELL: "@", "extractor": "E", "chest": "C"}
NUM_ACTIONS = 64
CHECKED = 200


def their_config(preset):
    """Write a preset's first map as a config of MettaGrid."""
    core = meso.load_config(preset).core
    rows = [[CHARS[name] for name in row] for row in layouts(core)[0]]
    legend = {"#": "wall", ".": "empty", "@": "agent.agent", "E": "extractor", "C": "chest"}
    agent = {
        "inventory": {"initial": dict(core.agent.inventory.initial)},
        "rewards": {
            name: {
                "reward": {
                    "values": [{"item": item, "scope": "agent"} for item in entry.weights],
                    "weights": list(entry.weights.values()),
                }
            }
            for name, entry in core.agent.rewards.items()
        },
    }
    obs = core.obs
    return {
        "game": {
            "resource_names": list(core.resources),
            "num_agents": core.num_agents,
            "max_steps": 0,
            "obs": {
                "width": obs.width,
                "height": obs.height,
                "num_tokens": obs.num_tokens,
                "token_value_base": obs.token_value_base,
            },
            "agent": agent,
            "agents": [agent] * core.num_agents,
            "actions": {"change_vibe": {"enabled": False, "vibes": []}},
            "objects": {name: _their_object(name, entry) for name, entry in core.objects.items()},
            "map_builder": {
                "type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config",
                "map_data": rows,
                "char_to_map_name": legend,
            },
        }
    }


def _their_object(name, entry):
    made = {"name": name, "pydantic_type": "wall" if entry.kind == "wall" else "object"}
    made["inventory"] = {"initial": dict(entry.inventory.initial)}
    for handler in entry.on_use:
        filters = [
            {"filter_type": "resource", "target": x.who, "resources": dict(x.resources)}
            for x in handler.filters
        ]
        mutations = [_their_mutation(x) for x in handler.mutations]
        made["on_use_handler"] = {"name": "use", "filters": filters, "mutations": mutations}
    return made


def _their_mutation(entry):
    if entry.kind == "resource_delta":
        return {
            "mutation_type": "resource_delta",
            "target": entry.who,
            "deltas": dict(entry.resources),
        }
    return {
        "mutation_type": "resource_transfer",
        "from_target": entry.who,
        "to_target": entry.to,
        "resources": dict(entry.resources),
    }


class Theirs:
    """The program's core, without its Python layers."""

    def __init__(self, config):
        from mettagrid import Simulator
        from mettagrid.config.mettagrid_config import MettaGridConfig

        made = MettaGridConfig.model_validate(config)
        self.dump = json.loads(made.model_dump_json())
        self._simulator = Simulator()
        self._simulation = self._simulator.new_simulation(made, seed=0)
        self.core = self._simulation._c_sim
        self.actions = self.core.actions()
        self.agents = len(self.actions)

    def play(self, drawn, steps):
        core, given = self.core, self.actions
        for k in range(steps):
            given[:] = drawn[k % NUM_ACTIONS]
            core.step()


def check_bytes(theirs, config, drawn):
    """Play both side by side; raise if any byte, reward or success flag differs."""
    env = meso.make(config, seed=0)
    step = env.reset()
    for k in range(CHECKED):
        same = (np.asarray(step.obs)[0] == theirs.core.observations()).all()
        if k:
            same &= (np.asarray(step.reward)[0] == theirs.core.rewards()).all()
        if not same:
            raise SystemExit(f"step {k}: the bytes differ")
        row = drawn[k % NUM_ACTIONS]
        theirs.actions[:] = row
        theirs.core.step()
        step = env.step(row[None, :, None])


def clock(play, steps, repeats):
    """Give the median CPU seconds of playing so many steps."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        play(steps)
        times.append(time.process_time() - began)
    return statistics.median(times)


def measure(preset, *, num_envs, seconds, repeats):
    """Measure one scene on both sides, in turns, and give agent-steps per CPU second."""
    theirs = Theirs(their_config(preset))
    config = import_config(theirs.dump)
    config["core"]["budget_info"] = False
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 5, (NUM_ACTIONS, theirs.agents)).astype(np.int32)
    check_bytes(theirs, config, drawn)
    env = meso.make(config, num_envs=num_envs, seed=0)
    batch = rng.integers(0, 5, (NUM_ACTIONS, num_envs, theirs.agents, 1)).astype(np.int32)
    env.reset()

    def ours(steps):
        for k in range(steps):
            env.step(batch[k % NUM_ACTIONS])

    def enough(play, unit):
        steps = 1
        while clock(play, steps, 1) < seconds:
            steps *= 2
        return steps, steps * unit

    their_steps, their_count = enough(lambda n: theirs.play(drawn, n), theirs.agents)
    our_steps, our_count = enough(ours, theirs.agents * num_envs)
    pairs = [
        (clock(lambda n: theirs.play(drawn, n), their_steps, 1), clock(ours, our_steps, 1))
        for _ in range(repeats)
    ]
    their_rate = their_count / statistics.median(a for a, _ in pairs)
    our_rate = our_count / statistics.median(b for _, b in pairs)
    ratio = statistics.median((our_count / b) / (their_count / a) for a, b in pairs)
    fill_rate = theirs.agents * num_envs / fill_seconds(np.asarray(env.reset().obs), repeats)
    name = preset if num_envs > 1 else f"{preset}, one env"
    return {
        "preset": name,
        "theirs": their_rate,
        "ours": our_rate,
        "ratio": ratio,
        "floor": our_rate / fill_rate,
    }


def fill_seconds(obs, repeats):
    """Give the CPU seconds of filling all observations with one byte: no step writes faster."""
    room, times = np.empty_like(obs), 1000
    return clock(lambda n: [room.fill(k & 255) for k in range(n)], times, repeats) / times


def measure_zoo(preset, *, seconds, repeats):
    """Measure both sides' PettingZoo wrappers on one env, in turns."""
    from mettagrid import Simulator
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.envs.pettingzoo_env import MettaGridPettingZooEnv

    from mesocosm.adapters import ZooParallelEnv

    made = MettaGridConfig.model_validate(their_config(preset))
    theirs = MettaGridPettingZooEnv(Simulator(), made)
    config = import_config(json.loads(made.model_dump_json()))
    config["core"]["budget_info"] = False
    pairs = [[], []]
    envs = (theirs, ZooParallelEnv(config))
    counts = []
    for env in envs:
        env.reset(seed=0)
        names, rng = list(env.agents), np.random.default_rng(0)
        drawn = [{n: int(rng.integers(0, 5)) for n in names} for _ in range(NUM_ACTIONS)]
        counts.append((env, drawn, len(names)))

    def play(env, drawn, steps):
        for k in range(steps):
            env.step(drawn[k % NUM_ACTIONS])

    steps = 8
    while clock(lambda n: play(counts[0][0], counts[0][1], n), steps, 1) < seconds:
        steps *= 2
    for _ in range(repeats):
        for side, (env, drawn, agents) in enumerate(counts):
            spent = clock(lambda n, env=env, drawn=drawn: play(env, drawn, n), steps, 1)
            pairs[side].append(steps * agents / spent)
    rates = [statistics.median(side) for side in pairs]
    ratio = statistics.median(b / a for a, b in zip(*pairs, strict=True))
    name = f"{preset} through PettingZoo"
    return {"preset": name, "theirs": rates[0], "ours": rates[1], "ratio": ratio}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("presets", nargs="*", default=SCENES)
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    print("| scene | MettaGrid, agent-steps per CPU second | ours | ratio | of a plain fill |")
    print("| --- | --- | --- | --- | --- |")
    effort = {"seconds": options.seconds, "repeats": options.repeats}
    jobs = [
        lambda name=name: measure(name, num_envs=options.num_envs, **effort)
        for name in options.presets
    ]
    jobs.append(lambda: measure(options.presets[0], num_envs=1, **effort))
    jobs.append(lambda: measure_zoo(options.presets[0], **effort))
    for job in jobs:
        found = job()
        rates = f"{found['theirs']:,.0f} | {found['ours']:,.0f} | {found['ratio']:.1f}"
        floor = f"{found['floor']:.0%}" if "floor" in found else ""
        print(f"| {found['preset']} | {rates} | {floor} |", flush=True)


if __name__ == "__main__":
    main()
