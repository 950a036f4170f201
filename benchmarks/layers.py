"""Measure what layers cost, and what presets made of them do to their world.

`python -m benchmarks.layers` prints both tables; `--out FILE` keeps the figures, `--docs` writes
them into docs/layers.md.
"""

import argparse
import json
import re
import time
from pathlib import Path

import numpy as np

import mesocosm as meso
from mesocosm.testing.play import join_roles

DOCS = Path(__file__).parent.parent / "docs" / "layers.md"
INTENSITIES = (0.0, 0.5, 1.0)
BARS = {"information": "30 % when a tenth of the numbers is touched"}

# Each layer alone, at full intensity.
COMMONS = {
    "information": {"blurs": [{"features": "stock", "noise": 0.1}]},
    "temporal": {
        "latency": 2,
        "reputation": {"weights": {"gift": 1.0, "sanction": -1.0}, "shown": "own"},
    },
    "hierarchy": {"groups": "size", "size": 3, "pool": {"wealth": 0.3}},
    "interaction": {"contention": "lottery", "mixing": "shared", "timing": "delayed", "period": 4},
    "power": {
        "castes": {"high": {"priority": 1, "effects": {"harvest": 2.0}}, "low": {}},
        "assign": {"harvester": ["high", "low"]},
    },
    "incentives": {"costs": {"deal.*": 0.1}, "penalties": {"conflict": 0.5}, "opportunity": 0.1},
    "uncertainty": {
        "shocks": {"storm": {"column": "stock", "hazard": 0.1, "size": -0.3}},
        "drift": {"growth_scale": {"amount": 0.5, "period": 40}},
    },
}
TOWNLET = {
    "information": {"blurs": [{"features": "meters", "noise": 0.1}]},
    "temporal": {
        "latency": 2,
        "reputation": {"weights": {"conflict": -1.0, "death": -1.0}, "shown": "own"},
    },
    "hierarchy": {"groups": "size", "size": 4, "pool": {"meters.money": 0.5}},
    "interaction": {"contention": "lottery", "mixing": "shared", "timing": "delayed", "period": 4},
    "power": {
        "castes": {"noble": {"priority": 1, "effects": {"gain": 1.5}}, "serf": {}},
        "assign": {"resident": ["noble", "serf"]},
    },
    "incentives": {"costs": {"act.*": 0.1}, "penalties": {"conflict": 0.5}, "opportunity": 0.1},
    "uncertainty": {
        "shocks": {"flu": {"column": "meters.health", "hazard": 0.05, "size": -0.2}},
        "drift": {"difficulty": {"amount": 1.0, "period": 50}},
    },
}
COSTED = {"commons/default": COMMONS, "townlet/L7": TOWNLET}


class Timer:
    """One env and its actions, stepped again and again."""

    def __init__(self, preset, layers, num_envs):
        self.env = meso.make(preset, layers, num_envs=num_envs, seed=1)
        self.env.reset()
        rng = np.random.default_rng(0)
        roles = self.env.spec.roles.items()
        drawn = [
            {name: role.action.sample(rng, (num_envs, role.num_agents)) for name, role in roles}
            for _ in range(8)
        ]
        self.actions = [join_roles(self.env, entry) for entry in drawn]

    def run(self, steps):
        start = time.process_time()
        for k in range(steps):
            self.env.step(self.actions[k % 8])
        return (time.process_time() - start) / steps


def costs(preset, settings, *, num_envs=1024, rounds=7, steps=40):
    """Time every layer alone beside the plain world, in alternation."""
    timers = {"plain": Timer(preset, {}, num_envs)}
    for name, layer in settings.items():
        timers[name] = Timer(preset, {f"layers.{name}": {"intensity": 1.0, **layer}}, num_envs)
    times = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name].append(timer.run(steps))
    plain = float(np.median(times["plain"]))
    agents = num_envs * timers["plain"].env.spec.num_agents
    return {
        name: {
            "ns": float(np.median(values)) / agents * 1e9,
            "ratio": float(np.median(values)) / plain,
        }
        for name, values in times.items()
    }


def noise_per_number(preset, *, num_envs=1024, rounds=9, steps=40):
    """Time noise on every number beside noise on one, per number."""
    numbers = meso.config_spec(meso.load_config(preset)).all_roles[0].observation.names()
    blurs = ([{"features": "*", "noise": 0.1}], [{"features": numbers[0], "noise": 0.1}])
    layers = [{"layers.information": {"intensity": 1.0, "blurs": blur}} for blur in blurs]
    many, one = (Timer(preset, layer, num_envs) for layer in layers)
    differences = [many.run(steps) - one.run(steps) for _ in range(rounds)]
    agents = num_envs * many.env.spec.num_agents
    return float(np.median(differences)) / agents / (len(numbers) - 1) * 1e9


def played(preset, intensity, *, steps, num_envs=64):
    """Play a preset at some intensity of its layers; give the env and each step on the way."""
    config = meso.load_config(preset)
    active = [
        name for name in type(config.layers).model_fields if getattr(config.layers, name).is_active
    ]
    dial = {f"layers.{name}.intensity": intensity for name in active}
    env = meso.make(preset, dial, num_envs=num_envs, seed=3)
    player = meso.policy(config.identity.world, "steady" if "commons" in preset else "greedy")
    role = next(iter(env.spec.roles.values()))
    if getattr(player, "privileged", False):
        player.truth = env.truth
    player.reset(role, num_envs, 0)
    step, beginnings = env.reset(), meso.Beginnings(env)
    for _ in range(steps):
        began = beginnings.follow(step)
        actions = player.act(np.asarray(step.obs), np.asarray(step.mask), step.info, began)
        step = env.step(actions)
        yield env, step


def mean_length(preset, intensity, steps=1200):
    """How long an agent lives on average, in steps."""
    lived = ended = 0
    for env, step in played(preset, intensity, steps=steps):
        active = env.save()["frame.active"]
        lived += int(active.sum()) + int(np.asarray(step.ended).sum())
        ended += int(np.asarray(step.ended).sum())
    return lived / max(ended, 1)


def caste_gap(preset, intensity):
    """How much longer the first caste lives than the second, as a ratio."""
    lived = np.zeros(2)
    ended = np.zeros(2)
    for env, step in played(preset, intensity, steps=1200):
        active, over = env.save()["frame.active"], np.asarray(step.ended)
        for caste in range(2):
            lived[caste] += active[:, caste::2].sum() + over[:, caste::2].sum()
            ended[caste] += over[:, caste::2].sum()
    return float(np.divide(*(lived / np.maximum(ended, 1))))


def blur_of(preset, intensity):
    """How far what agents see is from what the world shows, as a part of the range."""
    total = count = 0.0
    for env, step in played(preset, intensity, steps=100):
        if env.layering is None:
            return 0.0
        shown = env.driver.roles[len(env.spec.all_roles) + 1].rows
        layout = env.inner.all_roles[0].observation
        seen = np.asarray(step.obs)[..., : layout.size]
        total += float((abs(seen - shown) / (layout.high - layout.low)).mean())
        count += 1
    return total / count


def inequality(preset, intensity):
    """How unequal wealth is: its deviation between harvesters, over its mean."""
    found = [
        float(
            (
                env.truth("wealth").std(axis=1) / np.maximum(env.truth("wealth").mean(axis=1), 1e-9)
            ).mean()
        )
        for env, _ in played(preset, intensity, steps=150)
    ]
    return float(np.mean(found[50:]))


def fill(preset, intensity):
    """How full the lake is on average."""
    return float(
        np.mean(
            [float(env.truth("stock").mean()) for env, _ in played(preset, intensity, steps=190)]
        )
    )


def sanctions(preset, intensity):
    """How many sanctions random players carry out, per agent and hundred steps."""
    config = {"layers.temporal.intensity": intensity, "layers.incentives.intensity": intensity}
    env = meso.make(preset, config, num_envs=64, seed=3)
    rng, step, found = np.random.default_rng(0), env.reset(), 0
    role = env.spec.roles["harvester"]
    for _ in range(100):
        step = env.step(role.action.sample(rng, (64, 6), np.asarray(step.mask)))
        found += sum(event["kind"] == "sanction" for event in env.events())
    return found / 64 / 6


PRESETS = {
    "commons/trust": sanctions,
    "commons/shocks": fill,
    "commons/commune": inequality,
    "townlet/tragedy": mean_length,
    "townlet/castes": caste_gap,
    "townlet/gossip": blur_of,
    "townlet/plague": mean_length,
}


def measure(*, quick=False):
    """Measure everything; `quick` does little of it."""
    rounds = 3 if quick else 7
    return {
        "costs": {p: costs(p, settings, rounds=rounds) for p, settings in COSTED.items()},
        "noise_ns_per_number": {p: noise_per_number(p, rounds=rounds) for p in COSTED},
        "presets": {
            preset: [metric(preset, intensity) for intensity in INTENSITIES]
            for preset, metric in PRESETS.items()
        },
    }


def tables(found):
    """Write the figures as Markdown."""
    lines = ["| layer alone, full intensity | " + " | ".join(found["costs"]) + " |"]
    lines.append("|---|" + "---|" * len(found["costs"]))
    for name in next(iter(found["costs"].values())):
        cells = [
            f"{c[name]['ns']:.0f} ns ({c[name]['ratio']:.2f}×)" for c in found["costs"].values()
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    noise = ", ".join(f"{p} {v:.2f} ns" for p, v in found["noise_ns_per_number"].items())
    lines += ["", f"Noise costs per number that it rewrites: {noise}.", ""]
    lines += ["| preset | metric | 0 | 0.5 | 1 |", "|---|---|---|---|---|"]
    for preset, values in found["presets"].items():
        meaning = (PRESETS[preset].__doc__ or "").strip().rstrip(".")
        cells = " | ".join(f"{value:.3g}" for value in values)
        lines.append(f"| {preset} | {meaning[:1].lower()}{meaning[1:]} | {cells} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--docs", action="store_true")
    arguments = parser.parse_args()
    found = measure(quick=arguments.quick)
    print(tables(found))
    if arguments.out:
        arguments.out.write_text(json.dumps(found, indent=1) + "\n")
    if arguments.docs:
        marked = re.compile(r"(<!-- measured: begin -->).*?(<!-- measured: end -->)", re.DOTALL)
        text = marked.sub(lambda m: f"{m[1]}\n\n{tables(found)}\n\n{m[2]}", DOCS.read_text())
        DOCS.write_text(text)


if __name__ == "__main__":
    main()
