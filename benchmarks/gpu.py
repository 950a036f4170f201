"""Prove on a real GPU that cpu and cuda give equal bits, and measure the cuda target.

Run on a machine with a GPU, one part at a time or all:

    python benchmarks/gpu.py compile equality sharing speed --out benchmarks/results/gpu.json
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

for name, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, name):  # numba 0.68 still asks numpy 2.5 for these
        setattr(np, name, getattr(np, new))

import mesocosm as meso  # noqa: E402
from mesocosm.core.action import Action  # noqa: E402
from mesocosm.testing.play import differing, outputs, wild_actions  # noqa: E402

TARGETS = ("cpu", "cuda")  # that python equals cpu is shown without a GPU
TIMED = {
    "commons/default": (1, 1024, 16384, 131072),
    "townlet/L3": (131072, 524288),
    "townlet/L5": (131072,),
    "townlet/L7": (131072,),
    "mettagrid/arena24": (8192, 32768),
    "mettagrid/network": (8192,),
    "island/standard": (1024, 8192),
}
COMPILED = ("commons/default", "townlet/L3", "island/standard", "mettagrid/arena24")
COMPILED += ("mettagrid/assembly", "mettagrid/network", "townlet/plague")
MODES = ("same_step", "next_step", "off")


def short_episodes(preset):
    """Let episodes end within the run, where the world has such parameters."""
    core = type(meso.load_config(preset).core).model_fields
    wanted = {"max_steps": 40, "upkeep": 0.9}
    return {f"core.{name}": value for name, value in wanted.items() if name in core}


def compare(preset, mode, num_envs, steps):
    """Play one preset on every target with the same actions; count differing outputs."""
    overrides = short_episodes(preset)
    envs = {
        target: meso.make(
            preset, overrides, num_envs=num_envs, target=target, seed=11, autoreset=mode
        )
        for target in TARGETS
    }
    seen = {target: outputs(env, env.reset()) for target, env in envs.items()}
    rng, different, compared, episodes = np.random.default_rng(5), [], 0, 0
    for t in range(steps + 1):
        digests = {target: env.digest() for target, env in envs.items()}
        for target in TARGETS[1:]:
            compared += len(seen[target]) + len(digests[target])
            different += [(t, target, k) for k in differing(seen["cpu"], seen[target])]
            different += [
                (t, target, k) for k, v in digests[target].items() if v != digests["cpu"][k]
            ]
        actions = wild_actions(envs["cpu"], rng)
        seen = {target: outputs(env, env.step(actions)) for target, env in envs.items()}
        episodes += int(seen["cpu"]["episode_over"].sum())
    violations = int(envs["cuda"].violations.sum())
    head = {"preset": preset, "autoreset": mode, "num_envs": num_envs, "steps": steps}
    tail = {"outputs_compared": compared, "episodes_ended": episodes, "violations": violations}
    return head | tail | {"different": different[:20], "num_different": len(different)}


def sharing():
    """Check that torch, JAX and CuPy read the env's memory without a copy."""
    env = meso.make("commons", num_envs=64, target="cuda", seed=1)
    step = env.reset()
    host, found = np.asarray(step.obs), {}
    import torch

    tensor = torch.from_dlpack(step.obs)
    found["torch.from_dlpack"] = bool((tensor.cpu().numpy() == host).all())
    found["torch zero copy"] = tensor.data_ptr() == step.obs.__cuda_array_interface__["data"][0]
    found["torch.as_tensor"] = bool(
        (torch.as_tensor(step.obs, device="cuda").cpu().numpy() == host).all()
    )
    strided = torch.from_dlpack(step.reward)
    found["torch reward"] = bool((strided.cpu().numpy() == np.asarray(step.reward)).all())
    choice = torch.ones((64, 6, 2), dtype=torch.int64, device="cuda")
    level = torch.full((64, 6, 2), 0.5, device="cuda")
    level[::7], level[::5], choice[::3] = float("nan"), float("inf"), 2**40
    env.step(Action(choice, level))
    again = meso.make("commons", num_envs=64, target="cpu", seed=1)
    again.reset()
    again.step(Action(choice.cpu().numpy(), level.cpu().numpy()))
    found["torch actions"] = env.digest() == again.digest()
    found["zero copy sees the step"] = bool(
        (tensor.cpu().numpy() == np.asarray(env._step.obs)).all()
    )
    for name in ("cupy", "jax"):
        try:
            found[name] = _shared_with(name, step, env)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"[:200]
    return found


def _shared_with(name, step, env):
    if name == "cupy":
        import cupy

        return bool((cupy.asarray(step.obs).get() == np.asarray(env._step.obs)).all())
    import jax

    return bool((np.asarray(jax.dlpack.from_dlpack(step.obs)) == np.asarray(env._step.obs)).all())


def copy_rate():
    """Measure device-to-device copy bandwidth in bytes read plus written per second."""
    import torch

    source = torch.rand(1 << 28, device="cuda")
    target = torch.empty_like(source)
    times = []
    for _ in range(20):
        torch.cuda.synchronize()
        start = time.perf_counter()
        target.copy_(source)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return 2 * source.numel() * 4 / float(np.median(times))


def speed(preset, num_envs, rate):
    """Time steps with device-resident actions."""
    env = meso.make(preset, num_envs=num_envs, target="cuda", seed=3)
    step = env.reset()
    env.step(wild_actions(env, np.random.default_rng(0)))
    driver, times = env.driver, []
    for _ in range(5):
        driver.run()
    for _ in range(60):
        start = time.perf_counter()
        driver.run()
        times.append(time.perf_counter() - start)
    seconds, agents = float(np.median(times)), env.spec.num_agents * num_envs
    handed = [step.obs, step.reward, step.terminated, step.truncated, step.mask]
    arrays = [x for part in handed for x in (part.values() if isinstance(part, dict) else [part])]
    written = sum(int(np.prod(x.shape)) * x.dtype.itemsize for x in arrays)
    return {
        "preset": preset,
        "num_envs": num_envs,
        "us_per_step": seconds * 1e6,
        "agent_steps_per_s": agents / seconds,
        "bytes_out_per_agent_step": written / agents,
        "fraction_of_copy_rate_for_outputs": written / seconds / rate,
    }


COLD = """
import time, resource, sys
sys.path.insert(0, "benchmarks")
import gpu
start, cpu = time.perf_counter(), time.process_time()
gpu.meso.make(sys.argv[1], num_envs=256, target="cuda", seed=3).reset()
print(time.perf_counter() - start, time.process_time() - cpu)
"""


def compile_time(preset):
    """Make an env in a new process with an empty cache: seconds, and CPU-seconds."""
    with tempfile.TemporaryDirectory() as cache:
        for which in ("cold", "warm"):
            done = subprocess.run(
                [sys.executable, "-c", COLD, preset],
                env={**os.environ, "MESOCOSM_CACHE_DIR": cache, "MESOCOSM_QUIET": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                return {"preset": preset, "error": done.stderr[-400:]}
            wall, cpu = map(float, done.stdout.split())
            if which == "cold":
                found = {"preset": preset, "seconds": wall, "cpu_seconds": cpu}
        return found | {"warm_seconds": wall}


def run_compile(options):
    return [compile_time(preset) for preset in COMPILED if fnmatchcase(preset, options.presets)]


def run_equality(options):
    presets = [name for name in meso.presets() if fnmatchcase(name, options.presets)]
    return [
        compare(preset, mode, options.num_envs, options.steps)
        for preset in presets
        for mode in MODES
    ]


def run_sharing(options):
    return [sharing()]


def run_speed(options):
    rate = copy_rate()
    found = [{"copy_bytes_per_s": rate}]
    for preset in (name for name in TIMED if fnmatchcase(name, options.presets)):
        found += [speed(preset, num_envs, rate) for num_envs in TIMED[preset]]
    return found


PARTS = {
    "compile": run_compile,
    "equality": run_equality,
    "sharing": run_sharing,
    "speed": run_speed,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--presets", default="*", help="glob over world/preset")
    options = parser.parse_args()
    from numba import cuda

    device = str(cuda.get_current_device().name)
    result = {"device": device, "python": platform.python_version(), "numpy": np.__version__}
    for part in options.parts:
        result[part] = PARTS[part](options)
        for found in result[part]:
            print({key: value for key, value in found.items() if key != "different"}, flush=True)
        options.out.write_text(json.dumps(result, indent=1, default=str))
    bad = sum(found["num_different"] for found in result.get("equality", []))
    if "equality" in result:
        print("equal on every preset" if not bad else f"{bad} outputs differ")
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
