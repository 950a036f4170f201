"""Measure what recording costs, how large a replay is, and how fast one verifies."""

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

import mesocosm as meso
from mesocosm.bench import draw_actions
from mesocosm.telemetry.replay.resimulate import verify

LEVELS = ("episode", "step", "agent", "event")
NAMES = ("off", "episode + event", "replay alone", "summaries", "everything")


def overrides(name):
    """Give the settings of one way to record."""
    on = {"off": (), "episode + event": ("episode", "event"), "replay alone": ()}.get(name, LEVELS)
    made = {f"instrumentation.{level}.enabled": level in on for level in LEVELS}
    if name == "everything":
        made |= {f"instrumentation.{level}.verbosity": "full" for level in LEVELS}
    replay = name in ("replay alone", "everything", "summaries")
    return made | {"instrumentation.artefacts.replay": replay}


class Course:
    """Plays the same steps again and again, recorded in one way."""

    def __init__(self, preset, num_envs, name, steps):
        self.name, self.steps = name, steps
        self.env = meso.make(preset, overrides(name), num_envs=num_envs)
        self.actions = draw_actions(self.env)

    def time(self, folder):
        """Give the CPU seconds of all steps, writing included; the reset is not timed."""
        env = self.env
        recorder = None if self.name == "off" else meso.record(env, folder)
        env.reset(seed=0)
        start = time.process_time()
        for k in range(self.steps):
            env.step(self.actions[k % len(self.actions)])
        if recorder is not None:
            recorder.close()
        return time.process_time() - start


def rounds(courses, repeats, root):
    """Time every course in turns, so that a noisy minute hits them all."""
    found = {course.name: [] for course in courses}
    for k in range(repeats):
        for course in courses:
            found[course.name].append(course.time(root / f"{course.name} {k}"))
    return found


def verification(folder, steps, repeats):
    """Compare the CPU time of verifying with that of playing the same steps plainly."""
    run = meso.open_run(folder)
    plain_env = run.make()
    actions = [
        o.actions
        for o in run.replay.operations(dict(plain_env.spec.roles))
        if o.actions is not None
    ]
    ratios = []
    for _ in range(repeats):
        plain_env.reset(seed=0)
        start = time.process_time()
        for action in actions:
            plain_env.step(action)
        plain = time.process_time() - start
        env = run.make()
        start = time.process_time()
        if not verify(run.replay, env).holds:
            raise RuntimeError(f"{folder}: does not verify")
        ratios.append(plain / (time.process_time() - start))
    return statistics.median(ratios)


def seeking(folder, steps, num_envs):
    """Time a visit to the last step of some envs, compiling aside."""
    run, seconds = meso.open_run(folder), []
    for env in (0, num_envs // 2, num_envs - 1):
        visit = run.visit(env=env, step=steps - 1)
        start = time.process_time()
        next(iter(visit))
        seconds.append(time.process_time() - start)
    return max(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", default="townlet/L7")
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mesocosm-telemetry-") as name:
        root = Path(name)
        courses = [Course(given.preset, given.num_envs, way, given.steps) for way in NAMES]
        rounds(courses, 1, root / "warm")
        found = rounds(courses, given.repeats, root / "timed")
        off = statistics.median(found["off"])
        agents = courses[0].env.spec.num_agents * given.num_envs * given.steps
        folder = root / "timed" / "everything 0"
        size = (folder / "replay.meso").stat().st_size
        tables = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
        result = {
            "preset": given.preset,
            "num_envs": given.num_envs,
            "steps": given.steps,
            "step_milliseconds_off": off / given.steps * 1e3,
            "cost": {
                way: statistics.median(b / a for a, b in zip(found["off"], found[way], strict=True))
                for way in NAMES
            },
            "replay_bytes_per_agent_step": size / agents,
            "table_bytes_per_agent_step": tables / agents,
            "verification_of_plain_speed": verification(folder, given.steps, given.repeats),
            "seek_cpu_seconds": seeking(folder, given.steps, given.num_envs),
        }
    print(json.dumps(result, indent=2))
    if given.out is not None:
        given.out.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
