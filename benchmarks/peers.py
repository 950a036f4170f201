"""Measure other libraries' environments the way ours are measured: random actions, one thread.

Every peer runs in a process of its own, pinned to one core: `python -m benchmarks.peers NAME`.
"""

import contextlib
import importlib.metadata
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUM_ACTIONS = 64
MAX_SECONDS = 300
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


def mpe2(effort):
    """MPE simple_spread through PettingZoo's parallel API, three agents, one env."""
    from mpe2 import simple_spread_v3

    env = simple_spread_v3.parallel_env(N=3)
    env.reset(seed=0)
    names = list(env.agents)
    for name in names:
        env.action_space(name).seed(0)
    drawn = [{n: int(env.action_space(n).sample()) for n in names} for _ in range(NUM_ACTIONS)]

    def play(steps):
        for k in range(steps):
            if not env.agents:
                env.reset()
            env.step(drawn[k % NUM_ACTIONS])

    row = env.observation_space(names[0])
    return rate(play, effort, agents=3) | {"observation_bytes": row.shape[0] * row.dtype.itemsize}


def jaxmarl(effort):
    """JaxMARL's MPE simple_spread, three agents, 1,024 envs, jitted before the clock starts."""
    import io

    import jax

    with contextlib.redirect_stdout(io.StringIO()):  # it greets
        import jaxmarl as library
    env, size, key = library.make("MPE_simple_spread_v3"), 1024, jax.random.PRNGKey(0)
    keys = jax.random.split(key, size)
    obs, state = jax.jit(jax.vmap(env.reset))(keys)
    step = jax.jit(jax.vmap(env.step))
    drawn = [_jax_actions(jax, env, size, k) for k in range(8)]

    def play(steps):
        now, seen = state, obs
        for k in range(steps):
            seen, now, *_ = step(keys, now, drawn[k % 8])
        jax.block_until_ready(seen)

    row = next(iter(obs.values()))
    measured = rate(play, effort, agents=3, num_envs=size)
    return measured | {"observation_bytes": row.shape[-1] * row.dtype.itemsize}


def _jax_actions(jax, env, size, number):
    keys = jax.random.split(jax.random.PRNGKey(number), env.num_agents)
    pairs = zip(keys, env.agents, strict=True)
    return {name: jax.random.randint(key, (size,), 0, 5) for key, name in pairs}


def mettagrid(effort):
    """MettaGrid's C++ core without its Python layers: 24 agents on a 40 x 40 map, 11 x 11 seen."""
    import numpy as np
    from mettagrid import Simulator
    from mettagrid.builder.envs import make_arena
    from mettagrid.map_builder.random_map import RandomMapBuilder

    shape = {"width": 40, "height": 40, "border_width": 1}
    board = RandomMapBuilder.Config(agents=24, objects={"wall": 64}, seed=0, **shape)
    config = make_arena(24, map_builder=board)
    config.game.obs.num_tokens = 200
    config.game.max_steps = 0  # no end: starting again costs it milliseconds
    simulation = Simulator().new_simulation(config, seed=0)
    core, count = simulation._c_sim, len(simulation.action_names)
    given, rng = core.actions(), np.random.default_rng(0)
    drawn = [rng.integers(0, count, 24).astype(given.dtype) for _ in range(NUM_ACTIONS)]

    def play(steps):
        for k in range(steps):
            given[:] = drawn[k % NUM_ACTIONS]
            core.step()

    return rate(play, effort, agents=24) | {"observation_bytes": core.observations()[0].nbytes}


PEERS = {"mpe2": mpe2, "jaxmarl": jaxmarl, "mettagrid": mettagrid}


def rate(play, effort, *, agents, num_envs=1):
    """Time a play of enough steps, again and again; the first one is not counted."""
    steps = 1
    play(1)
    while _time(play, steps).wall < effort.seconds:
        steps *= 2
    seconds = statistics.median(_time(play, steps).cpu for _ in range(effort.repeats))
    return {
        "num_envs": num_envs,
        "num_agents": agents,
        "steps": steps,
        "agent_steps_per_cpu_second": agents * num_envs * steps / seconds,
    }


def _time(play, steps):
    from mesocosm.bench import Timing

    cpu, wall = time.process_time(), time.perf_counter()
    play(steps)
    return Timing(time.process_time() - cpu, time.perf_counter() - wall)


def measure(name, effort):
    """Measure one peer in a process of its own; say in one line why not, where it cannot be."""
    about = {"name": name, "what": PEERS[name].__doc__.strip()}
    if importlib.util.find_spec(name) is None:
        return about | {"status": "not installed"}
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        about["version"] = importlib.metadata.version(name)
    command = [sys.executable, "-m", "benchmarks.peers", name, json.dumps(effort)]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD},
            capture_output=True,
            text=True,
            timeout=MAX_SECONDS,
            check=False,
        )
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            return about | {"status": f"failed: {said[-1][:200]}"}
        return about | {"status": "measured"} | json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return about | {"status": f"failed: not done after {MAX_SECONDS} s"}


def main(name, effort):
    """Be the process that measures one peer."""
    from mesocosm.bench import Effort

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(json.dumps(PEERS[name](Effort(*json.loads(effort)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
