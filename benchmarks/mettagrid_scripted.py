"""Measure random scripted games, and Cogs vs Clips, beside MettaGrid itself: equal bytes first.

    python -m benchmarks.mettagrid_scripted [--games 50] [--num-envs 64] [--out FILE]

Games are drawn from MettaGrid's config classes. Each is played by both
sides in turns, from the first step of fresh episodes, with the same kind of actions; figures are
agent-steps per CPU-second of that process. It needs the wheel `mettagrid==0.26.22`.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.rule_sets import SCRIPTED, rules_for
from mesocosm.worlds.mettagrid.upstream import import_config

COGS_VS_CLIPS = "cogs vs clips"
EPISODE = 256  # steps that are played of an episode
CHECKED = 100
RESULTS = Path(__file__).parent / "results" / "mettagrid.json"


class Theirs:
    """MettaGrid's core, without its Python layers."""

    def __init__(self, made):
        self._made = made
        self.begin(0)

    def begin(self, seed):
        from mettagrid.simulator import Simulator

        simulator = Simulator()
        self._kept = simulator, simulator.new_simulation(self._made, seed=seed)
        self.names = list(self._kept[1].action_names)
        self.core = self._kept[1]._c_sim
        self.first, self.second = self.core.actions(), self.core.vibe_actions()
        self.agents = len(self.first)

    def play(self, first, second):
        for k in range(len(first)):
            self.step(first[k], second[k])

    def step(self, first, second):
        self.first[:] = first
        self.second[:] = second
        self.core.step()


class Ours:
    """A batch of the same game."""

    def __init__(self, config, num_envs):
        options = {"core.overtime": True, "core.budget_info": False}
        self.env = meso.make(config, options, num_envs=num_envs, autoreset="off")
        self.num_envs, self.agents = num_envs, self.env.spec.num_agents
        self._role = next(iter(self.env.spec.roles.values()))

    def actions(self, ids):
        """Write ids [step, env, agent] as actions."""
        made = self._role.action.noop(ids.shape).astype(np.int32)
        made[..., 0] = ids
        return made

    def play(self, actions):
        for row in actions:
            self.env.step(row)


def load_game(name):
    """Return MettaGrid's config of a game, for its side and for ours."""
    from tests.worlds.mettagrid.differential.build import make_config
    from tests.worlds.mettagrid.differential.draw_game import draw_game

    if name == COGS_VS_CLIPS:
        from benchmarks.shipped.cogs_vs_clips import their_config

        drawn = their_config()
    else:
        drawn = draw_game(int(name), tame=True)
    drawn["game"]["max_steps"] = 0
    made = make_config(drawn)
    return made, made


def draw_ids(rng, shape, names):
    """Draw actions [step, ..]: mostly moves, kept with even chances, else anything."""
    moves = [k for k, name in enumerate(names) if name.startswith("move_")] or [0]
    ids = rng.choice(moves, shape)
    ids = np.where(rng.random(shape) < 0.15, rng.integers(0, len(names), shape), ids)
    for t in range(1, shape[0]):
        ids[t] = np.where(rng.random(shape[1:]) < 0.5, ids[t - 1], ids[t])
    return ids.astype(np.int32)


def split_ids(ids, names):
    """Return both of MettaGrid's buffers."""
    vibes = np.array(["change_vibe" in name for name in names])[ids]
    return np.where(vibes, 0, ids), np.where(vibes, ids, 0)


def find_difference(theirs, config, ids):
    """Play both side by side; say what differs first, if anything does."""
    one = Ours(config, 1)
    step = one.env.reset(seed=0)
    actions, (first, second) = one.actions(ids[:, None]), split_ids(ids, theirs.names)
    for t in range(CHECKED + 1):
        if (np.asarray(step.obs)[0] != theirs.core.observations()).any():
            return f"observations at step {t}"
        if t and (np.asarray(step.reward)[0] != theirs.core.rewards()).any():
            return f"rewards at step {t}"
        theirs.step(first[t], second[t])
        step = one.env.step(actions[t])
    return ""


def clock(play, *given):
    began = time.process_time()
    play(*given)
    return time.process_time() - began


def their_seconds(theirs, ids, seconds):
    """Return CPU-seconds per agent-step over fresh episodes."""
    first, second = split_ids(ids, theirs.names)
    spent, seed = 0.0, 0
    while spent < seconds:
        theirs.begin(seed)
        spent += clock(theirs.play, first, second)
        seed += 1
    return spent / (seed * ids.size)


def our_seconds(ours, actions, seconds):
    """Return CPU-seconds per agent-step over fresh episodes."""
    spent, seed = 0.0, 0
    while spent < seconds:
        ours.env.reset(seed=seed)
        spent += clock(ours.play, actions)
        seed += 1
    return spent / (seed * len(actions) * ours.num_envs * ours.agents)


def fill_seconds(size):
    """Return the CPU-seconds of writing a buffer of this many bytes: the floor."""
    buffer = np.zeros(size, np.uint8)
    buffer.fill(255)
    return statistics.median(clock(buffer.fill, k) for k in range(9))


def measure(name, num_envs, seconds, repeats):
    """Measure one game on both sides, in turns."""
    made, dump = load_game(name)
    try:
        config = import_config(dump)
    except ConfigError as error:
        return {"game": name, "skipped": f"refused: {error}"[:160]}
    theirs = Theirs(made)
    ours = Ours(config, num_envs)
    core = ours.env.config.core
    if rules_for(core) is not SCRIPTED:
        return {"game": name, "skipped": "is not scripted"}
    rng = np.random.default_rng(0)
    ids = draw_ids(rng, (EPISODE, theirs.agents), theirs.names)
    odd = find_difference(theirs, config, ids)
    if odd:
        return {"game": name, "skipped": f"differs: {odd}"}
    actions = ours.actions(draw_ids(rng, (EPISODE, num_envs, theirs.agents), theirs.names))
    alone = Ours(config, 1)
    single = alone.actions(ids[:, None])
    rows = [
        (
            their_seconds(theirs, ids, seconds),
            our_seconds(ours, actions, seconds),
            our_seconds(alone, single, seconds),
        )
        for _ in range(repeats)
    ]
    theirs_s, ours_s, single_s = (statistics.median(row[k] for row in rows) for k in range(3))
    size = 3 * core.obs.num_tokens
    floor = fill_seconds(size * num_envs * theirs.agents) / (num_envs * theirs.agents)
    return {
        "game": name,
        "agents": theirs.agents,
        "bytes": size,
        "theirs": 1 / theirs_s,
        "ours": 1 / ours_s,
        "single": 1 / single_s,
        "ratio": statistics.median(row[0] / row[1] for row in rows),
        "single_ratio": statistics.median(row[0] / row[2] for row in rows),
        "of_bandwidth": floor / ours_s,
        "does": describe(core),
    }


def describe(core):
    """Say in a few words what a game has."""
    from mesocosm.worlds.mettagrid.compile.bytecode.script import script_of
    from mesocosm.worlds.mettagrid.compile.plan import plan

    made, script = plan(core), script_of(core)
    parts = {
        "things": made.num_things,
        "map": f"{made.height}x{made.width}",
        "window": f"{core.obs.height}x{core.obs.width}",
        "rows": len(script.bytecode),
        "lists": script.num_lists,
        "areas": script.num_areas,
        "events": len(core.events),
        "teams": len(core.territories),
    }
    return ", ".join(f"{value} {key}" for key, value in parts.items() if value)


def run_games(names, options):
    """Measure games in new processes, which MettaGrid may abort; give each result in turn."""
    waiting = list(names)
    while waiting:
        command = [sys.executable, "-m", "benchmarks.mettagrid_scripted", "--only", *waiting]
        command += ["--num-envs", str(options.num_envs), "--seconds", str(options.seconds)]
        command += ["--repeats", str(options.repeats)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as child:
            for line in child.stdout:
                if line.startswith("{"):
                    waiting.pop(0)
                    yield json.loads(line)
            child.wait()
        if waiting:
            yield {"game": waiting.pop(0), "skipped": f"ends the process ({child.returncode})"}


def show(found):
    print(
        f"| {found['game']} | {found['agents']} | {found['bytes']} | {found['theirs']:,.0f} "
        f"| {found['ours']:,.0f} | {found['ratio']:.1f} | {found['single_ratio']:.1f} "
        f"| {found['of_bandwidth']:.0%} | {found['does']} |",
        flush=True,
    )


def summarise(rows):
    ratios = [row["ratio"] for row in rows]
    worst, best = (pick(rows, key=lambda row: row["ratio"]) for pick in (min, max))
    print(
        f"\n{len(rows)} games: median {statistics.median(ratios):.1f} x, "
        f"worst {worst['ratio']:.1f} x (game {worst['game']}: {worst['does']}), "
        f"best {best['ratio']:.1f} x (game {best['game']})"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first game's seed")
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--only", nargs="+", help="measure these games here, and print JSON")
    options = parser.parse_args()
    if options.only:
        for name in options.only:
            found = measure(name, options.num_envs, options.seconds, options.repeats)
            print(json.dumps(found), flush=True)
        return
    print("| game | agents | bytes | MettaGrid | ours | ratio | one env | of bandwidth | has |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    rows, skipped, seed = [], [], options.first
    names = (COGS_VS_CLIPS, *(str(k) for k in range(seed, seed + 4 * options.games)))
    results = run_games(names, options)
    while sum(row["game"] != COGS_VS_CLIPS for row in rows) < options.games:
        found = next(results, None)
        if found is None:
            break
        if "skipped" in found:
            skipped.append(found)
        else:
            rows.append(found)
            show(found)
    results.close()
    summarise([row for row in rows if row["game"] != COGS_VS_CLIPS])
    for found in skipped:
        if "not scripted" not in found["skipped"]:
            print(f"not measured: {found['game']}: {found['skipped']}")
    options.out.write_text(json.dumps({"games": rows, "skipped": skipped}, indent=1) + "\n")


if __name__ == "__main__":
    main()
