"""Checks that the same play gives the same bytes: seeds, batches, snapshots, autoresets."""

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

from mesocosm.sim.engine import Engine
from mesocosm.testing.case import Case
from mesocosm.testing.play import by_role, differing, outputs, wild_actions

Script = dict[tuple[int, int, int], dict[str, Any]]  # actions by (env, episode, time)


def repeats(case: Case) -> None:
    """The same config, seed and actions give the same bytes; seed 0 is a seed."""
    first, second = case.make(), case.make(seed=case.seed + 1)
    case.require_equal("determinism", case.play(first), case.play(second), "two runs")
    made, reset = case.make(seed=0), case.make(seed=5)
    made.reset()
    reset.reset(seed=0)
    case.require_same_state("seeding", made, reset, "make(seed=0) and reset(seed=0)")
    made.reset()
    case.require((made.episode == 1).all(), "seeding", "reset() does not go to episode 1")
    reset.reset(seed=0)
    case.require((reset.episode == 0).all(), "seeding", "reset(seed) does not go to episode 0")


PLAY_ALONE = """
import json, sys
from mesocosm.testing.case import Case
case = Case(sys.argv[1], target="python", num_envs=1)
env = case.make()
case.play(env, steps=8)
print(json.dumps(env.digest()))
"""


def repeats_in_another_process(case: Case) -> None:
    """The same episode is played in another process: nothing is drawn when modules are loaded.

    Tried once for a world, with its default preset.
    """
    preset = case.preset.rpartition("/")[2]
    env = case.make(target="python", num_envs=1)
    if case.overrides or preset != env.world.default_preset:
        return
    case.play(env, steps=8)
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    command = [sys.executable, "-c", PLAY_ALONE, case.preset]
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": "random"}
    done = subprocess.run(  # noqa: S603 (our own command)
        command, env=environment, capture_output=True, text=True, check=False
    )
    case.require(done.returncode == 0, "determinism", f"in another process: {done.stderr[-200:]}")
    other = json.loads(done.stdout.splitlines()[-1])
    odd = [key for key, value in env.digest().items() if other[key] != value]
    case.require(not odd, "determinism", f"another process plays otherwise: {odd[:3]}")


def batches_are_independent(case: Case) -> None:
    """A batch of n equals n batches of 1, with any number of threads."""
    whole = case.make()
    rng = np.random.default_rng(case.seed)
    singles = [case.make(num_envs=1, first_env=e) for e in range(case.num_envs)]
    threaded = case.make(threads=2) if case.target == "cpu" else case.make()
    steps = [env.reset() for env in (whole, threaded, *singles)]
    for t in range(case.steps):
        actions = by_role(whole, wild_actions(whole, rng))
        steps[0] = whole.step(_select_envs(whole, actions, slice(None)))
        steps[1] = threaded.step(_select_envs(whole, actions, slice(None)))
        kept, other = outputs(whole, steps[0]), outputs(threaded, steps[1])
        case.require(not differing(kept, other), "threads", f"two threads differ at step {t}")
        for e, env in enumerate(singles):
            alone = outputs(env, env.step(_select_envs(env, actions, slice(e, e + 1))))
            part = {key: value[e : e + 1] for key, value in kept.items()}
            odd = differing(part, alone)
            case.require(
                not odd, "batch equality", f"env {e} differs alone at step {t} in {odd[:3]}"
            )


def _select_envs(env: Engine, actions: dict[str, object], part: slice) -> object:
    """Cut the actions of some envs out of a batch."""
    cut = {
        name: type(value)(*(x[part] for x in value)) if isinstance(value, tuple) else value[part]  # type: ignore[index]
        for name, value in actions.items()
    }
    return cut if len(cut) > 1 else next(iter(cut.values()))


def snapshots_continue(case: Case) -> None:
    """A snapshot continues bit for bit, here and in an env made with another seed."""
    env, other = case.make(), case.make(seed=case.seed + 13)
    case.play(env, steps=case.steps // 2)
    saved = env.save()
    rng = np.random.default_rng(1)
    script = [wild_actions(env, rng) for _ in range(case.steps // 2)]
    first = [outputs(env, env.step(actions)) for actions in script]
    env.load(saved)
    other.load(saved)
    for name, again in (("the same env", env), ("another env", other)):
        second = [outputs(again, again.step(actions)) for actions in script]
        case.require_equal("snapshot", first, second, f"continuing in {name}")
    case.require_same_state("snapshot", env, other, "after loading")


def autoresets_agree(case: Case) -> None:
    """The three autoreset modes play the same episodes and show the same last observations."""
    script: Script = {}
    modes = {mode: case.make(autoreset=mode) for mode in ("same_step", "next_step", "off")}
    told = {mode: _episodes(case, env, script) for mode, env in modes.items()}
    for mode in ("next_step", "off"):
        for key, lines in told["same_step"].items():
            other = told[mode].get(key, [])
            count = min(len(lines), len(other))
            same = lines[:count] == other[:count]
            case.require(same, "autoreset", f"{mode} plays (env, episode) {key} differently")
        case.require(any(key[1] == 1 for key in told[mode]), "autoreset", "no second episode")


def _episodes(case: Case, env: Engine, script: Script) -> dict[tuple[int, int], list[bytes]]:
    """Play actions that depend on (env, episode, time) alone; return what each step showed."""
    told: dict[tuple[int, int], list[bytes]] = {}
    env.reset(seed=case.seed)
    for _ in range(case.horizon):
        f = env.driver.f
        episode, t, waiting = (env.copy(array) for array in (f.episode, f.t, f.finished))
        if episode.min() >= 2:
            break
        if env.autoreset == "off" and waiting.any():
            env.reset(envs=waiting)
            continue
        step = env.step(_scripted(env, script, episode, t))
        found = outputs(env, step)
        for e in range(env.num_envs):
            if not waiting[e]:
                line = _shown_bytes(env, found, e, over=bool(found["episode_over"][e]))
                told.setdefault((e, int(episode[e])), []).append(line)
    return told


def _shown_bytes(env: Engine, found: dict[str, np.ndarray], e: int, *, over: bool) -> bytes:
    """Concatenate what one env was shown in a step."""
    shown = "final_obs" if over else "obs"
    keys = ("reward", "terminated", "truncated", "reason", "outcome")
    rows = [found[f"{key}.{role}"][e].tobytes() for role in env.spec.roles for key in keys]
    return b"".join([*rows, *(found[f"{shown}.{role}"][e].tobytes() for role in env.spec.roles)])


def _scripted(env: Engine, script: Script, episode: np.ndarray, t: np.ndarray) -> object:
    """Choose actions by (env, episode, time) alone; the script keeps what was chosen."""
    parts = []
    for key in zip(range(env.num_envs), episode.tolist(), t.tolist(), strict=True):
        if key not in script:
            rng = np.random.default_rng(key)
            script[key] = {
                name: role.action.sample(rng, (1, role.num_agents))
                for name, role in env.spec.roles.items()
            }
        parts.append(script[key])
    made: dict[str, object] = {}
    for name in env.spec.roles:
        first = parts[0][name]
        rows = [part[name] for part in parts]
        if isinstance(first, tuple):
            made[name] = type(first)(*(np.concatenate(x) for x in zip(*rows, strict=True)))
        else:
            made[name] = np.concatenate(rows)
    return made if len(made) > 1 else next(iter(made.values()))


def invalid_actions_are_handled(case: Case) -> None:
    """Any value of an action is taken, counted, and handled the same way every time."""
    first, second = case.make(autoreset="off"), case.make(autoreset="off")
    for env in (first, second):
        rng = np.random.default_rng(3)
        env.reset(seed=case.seed)
        for _ in range(min(case.steps, 8)):
            env.step(wild_actions(env, rng, odd=1.0))
    case.require_same_state("invalid actions", first, second, "playing only invalid actions")
    acted = first.violations.sum()
    case.require(acted > 0, "invalid actions", "none were counted")
