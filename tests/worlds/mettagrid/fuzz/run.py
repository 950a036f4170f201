"""Play random games in MettaGrid itself and in ours, and count the bytes that differ.

    python tests/worlds/mettagrid/fuzz/run.py --configs 100 --steps 200 --seed 0

Needs the wheel `mettagrid==0.26.22`, which `make install` brings.
The exit status is 0 only when every token, reward, success flag and ending agrees.
"""

import argparse
import json
import sys
import time
from typing import Any

import numpy as np
import random_value
from random_game import draw_config

import mesocosm as meso
from mesocosm.worlds.mettagrid.upstream import import_config


class Oracle:
    """MettaGrid itself."""

    def __init__(self, config: dict[str, Any], seed: int) -> None:
        from mettagrid.config.handler_config import Handler
        from mettagrid.config.mettagrid_config import MettaGridConfig
        from mettagrid.simulator import Simulator

        made = MettaGridConfig.model_validate(random_value.build(config))
        moves = made.game.actions.move
        moves.handlers = [Handler.model_validate(entry) for entry in moves.handlers]
        self.dump = json.loads(made.model_dump_json())
        random_value.mark(made, self.dump)
        self._simulator = Simulator()
        self._simulation = self._simulator.new_simulation(made, seed=seed)
        self.names = list(self._simulation.action_names)
        self._core = self._simulation._c_sim

    def step(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        core = self._core
        vibe = np.array([0 <= k < len(self.names) and "vibe" in self.names[k] for k in ids])
        core.actions()[:] = np.where(vibe, 0, ids)
        core.vibe_actions()[:] = np.where(vibe, ids, 0)
        core.step()
        return self.view()

    def stats(self, agents: list[str], game: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return MettaGrid's statistics: of each agent, and of the game."""
        found = self._core.get_episode_stats()
        mine = [[entry.get(name, 0.0) for name in agents] for entry in found["agent"]]
        return np.array(mine), np.array([found["game"].get(name, 0.0) for name in game])

    def view(self) -> dict[str, np.ndarray]:
        core = self._core
        return {
            "obs": core.observations(), "reward": core.rewards(),
            "success": np.array(core.action_success()),
            "terminals": core.terminals(), "truncations": core.truncations(),
        }  # fmt: skip


def same_stats(env: Any, oracle: Oracle, theirs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return our statistics of both kinds; put MettaGrid's beside its observations."""
    mine, game = ([*env.spec.state_field(name).labels] for name in ("stat", "game_stat"))
    theirs["stat"], theirs["game_stat"] = oracle.stats(mine, game)
    return {name: np.asarray(env.truth(name))[0] for name in ("stat", "game_stat")}


def play(config: dict[str, Any], steps: int, seed: int, target: str) -> tuple[int, int, str]:
    """Play one config on both sides; return steps, differences and the first of them."""
    oracle = Oracle(config, seed)
    ours = import_config(oracle.dump)
    counted = seed % 2 == 0  # keep all statistics, not only those that the game names
    mine, game = random_value.stat_names(config["game"]["resource_names"])
    if counted:
        ours["core"]["stats"] = [*mine, *(f"game.{name}" for name in game)]
    settings: dict[str, Any] = {"target": target, "seed": seed, "autoreset": "off"}
    env = meso.make(ours, {"core.overtime": True, "core.budget_info": False}, **settings)
    rng = np.random.default_rng(seed)
    step, theirs = env.reset(), oracle.view()
    wrong, first = 0, ""
    for t in range(steps + 1):
        pairs = {"obs": np.asarray(step.obs)[0]}
        if t:
            pairs |= {
                "reward": np.asarray(step.reward)[0],
                "success": np.asarray(step.info["success"])[0] != 0,
            }
        if counted and t % 20 == 0:
            pairs |= same_stats(env, oracle, theirs)
        for key, got in pairs.items():
            odd = got != theirs[key]
            if odd.any():
                wrong += int(odd.sum())
                if not first:
                    at = tuple(np.argwhere(odd)[0][:2])
                    first = f"step {t} {key} {at}: {theirs[key][at]} but {got[at]}"
        if first:
            break
        agents = len(theirs["obs"])
        ids = rng.integers(0, len(oracle.names), agents)
        stray = rng.random(agents) < 0.03
        ids[stray] = rng.choice((-1, -7, len(oracle.names), 4000), int(stray.sum()))
        theirs = oracle.step(ids.astype(np.int32))
        step = env.step(ids.astype(np.int32)[None, :, None])
    return t, wrong, first


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="compare random games with MettaGrid's own")
    parser.add_argument("--configs", type=int, default=100)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--level", type=int, default=-1, help="of handlers, 0 to 4; default: all")
    options = parser.parse_args(arguments)
    total = bad = 0
    began = time.time()
    for k in range(options.configs):
        seed = options.seed + k
        level = seed % 5 if options.level < 0 else options.level
        config = draw_config(np.random.default_rng(seed), level)
        steps, wrong, first = play(config, options.steps, seed, options.target)
        total += steps
        if wrong:
            bad += 1
            print(f"config {seed}: {first}", flush=True)
            if not options.keep_going:
                break
    spent = time.time() - began
    print(f"{k + 1} configs, {total} env-steps, {bad} configs differ, {spent:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
