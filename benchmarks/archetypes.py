"""Measure what each archetype does to two worlds, at growing dials.

`python -m benchmarks.archetypes` prints the table; `--docs` writes it into docs/layers.md.
"""

import argparse
import re
from pathlib import Path

import numpy as np

import mesocosm as meso
from mesocosm.layers.archetypes import archetype_names, load_archetypes
from mesocosm.layers.draft import all_columns

DOCS = Path(__file__).parent.parent / "docs" / "layers.md"
MARKED = re.compile(r"(<!-- archetypes: begin -->).*?(<!-- archetypes: end -->)", re.DOTALL)
DIALS = (0.0, 0.5, 1.0)
SCRIPTED = {"commons": "steady", "townlet": "greedy"}
ENVS = 64


def play(preset, archetype, *, steps, scripted=False, target="cpu", overrides=None):
    """Play with an archetype, at random or by a script; give the env and every step."""
    env = meso.make(preset, overrides, archetypes=archetype, num_envs=ENVS, seed=3, target=target)
    (role,) = env.spec.roles.values()
    rng, step = np.random.default_rng(0), env.reset()
    player = None
    if scripted:
        player = meso.policy(env.world.name, SCRIPTED[env.world.name])
        if player.privileged:
            player.truth = env.truth
        player.reset(role, ENVS, 0)
    for _ in range(steps):
        mask = np.asarray(step.mask)
        if player is None:
            actions = role.action.sample(rng, (ENVS, role.num_agents), mask)
        else:
            actions = player.act(np.asarray(step.obs), mask, step.info)
        step = env.step(actions)
        yield env, step


def blur(preset, name, dial, target):
    """How far what agents see is from what the world shows, as a part of the range."""
    far = []
    sides = (play(preset, f"{name}:{one}", steps=60, target=target) for one in (0.0, dial))
    for (env, plain), (_, blurred) in zip(*sides, strict=True):
        (role,) = env.spec.roles.values()
        layout = role.observation
        seen = np.asarray(blurred.obs, float)[..., : layout.size]
        span = np.maximum(layout.high - layout.low, 1e-9)
        far.append(float((abs(seen - np.asarray(plain.obs, float)) / span).mean()))
    return float(np.mean(far))


def spread_of_names(preset, name, dial, target):
    """How far the names that one is shown are apart: their deviation between agents."""
    found = []
    scripted = preset.startswith("townlet")  # at random nobody there gets far enough to be known
    for env, step in play(preset, f"{name}:{dial}", steps=100, scripted=scripted, target=target):
        (role,) = env.spec.roles.values()
        names = [feature.name for feature in role.observation.features]
        if "reputation" not in names:
            return 0.0
        shown = np.asarray(step.obs)[:, 0, role.observation.span("reputation")]
        found.append(float(shown.std(axis=1).mean()))
    return float(np.mean(found[20:]))


def dealings(preset, name, dial, target):
    """How often random players affect each other, per hundred steps of a living agent."""
    count = lived = 0
    for env, _ in play(preset, f"{name}:{dial}", steps=100, target=target):
        count += sum(event["kind"] in ("gift", "sanction") for event in env.events())
        lived += int(env.truth("alive").sum())
    return 100 * count / lived


def losers_name(preset, name, dial, target):
    """How far the name of a conflict's loser is below the mean (names count by the dial)."""
    settings = {"steps": 300, "scripted": True, "target": target}
    settings["overrides"] = {"layers.interaction.intensity": dial}
    known, below = None, []
    for env, step in play(preset, name, **settings):
        for event in env.events():
            if event["kind"] == "conflict" and known is not None:
                mean = known[event["env"]].mean()
                below.append(mean - known[event["env"], event["actor"]])
        (role,) = env.spec.roles.values()
        known = np.array(step.obs)[:, 0, role.observation.span("reputation")]
    return float(np.mean(below))


def caste_gap(preset, name, dial, target):
    """What agents of the upper caste earn, as a multiple of what the others do."""
    earned = np.zeros(2)
    for _, step in play(preset, f"{name}:{dial}", steps=400, scripted=True, target=target):
        reward = np.asarray(step.reward, float)
        earned += (reward[:, ::2].sum(), reward[:, 1::2].sum())
    return float(earned[0] / earned[1])


def inequality(preset, name, dial, target):
    """How unequal agents are: the deviation of what they have over its mean."""
    found = []
    for env, _ in play(preset, f"{name}:{dial}", steps=150, scripted=True, target=target):
        for values in _columns(env):
            mean = np.maximum(values.mean(axis=1), 1e-9)
            found.append(float((values.std(axis=1) / mean).mean()))
    return float(np.mean(found))


def mean_column(preset, name, dial, target):
    """How much agents have on average, as a part of what they can."""
    found = []
    for env, _ in play(preset, f"{name}:{dial}", steps=150, scripted=True, target=target):
        bounds = [column for column in all_columns(env.inner) if column.per_agent]
        for values, column in zip(_columns(env), bounds, strict=True):
            found.append(float(values.mean() - column.low) / (column.high - column.low))
    return float(np.mean(found))


def _columns(env):
    """Give what agents have of everything that layers can act on: float64 [env, agent] each."""
    names = [entry.name for entry in env.inner.fields if entry.malleable and entry.scope == "agent"]
    for name in names:
        values = env.truth(name).reshape(ENVS, env.spec.num_agents, -1)
        yield from np.moveaxis(values, 2, 0)


def mean_reward(preset, name, dial, target):
    """What an agent earns in a step, on average over all of them."""
    found = [
        float(np.asarray(step.reward, float).mean())
        for _, step in play(preset, f"{name}:{dial}", steps=150, scripted=True, target=target)
    ]
    return float(np.mean(found))


def early_reward(preset, name, dial, target):
    """What an agent is paid in the first ten steps."""
    steps = play(preset, f"{name}:{dial}", steps=10, scripted=True, target=target)
    return sum(float(np.asarray(step.reward, float).mean()) for _, step in steps)


METRICS = (
    ("fog", "commons", blur),
    ("fog", "townlet/L7", blur),
    ("gossip", "commons", spread_of_names),
    ("gossip", "townlet/L7", spread_of_names),
    ("outcasts", "commons", dealings),
    ("outcasts", "townlet/L7", losers_name),
    ("castes", "commons", caste_gap),
    ("castes", "townlet/L7", caste_gap),
    ("commune", "commons", inequality),
    ("commune", "townlet/L7", inequality),
    ("rivalry", "commons", mean_reward),
    ("rivalry", "townlet/L7", mean_reward),
    ("shocks", "commons", mean_column),
    ("shocks", "townlet/L7", mean_column),
    ("patience", "commons", early_reward),
    ("patience", "townlet/L7", early_reward),
)


def measure(target="cpu"):
    """Measure every archetype on its worlds at every dial."""
    return [
        {
            "archetype": name,
            "world": preset,
            "metric": f"{metric.__doc__[:1].lower()}{metric.__doc__[1:-1]}",
            "values": [metric(preset, name, dial, target) for dial in DIALS],
        }
        for name, preset, metric in METRICS
    ]


def summaries():
    """List the archetypes as Markdown."""
    lines = ["| archetype | what it does | layers |", "|---|---|---|"]
    for name in archetype_names():
        (one,) = load_archetypes(name)
        lines.append(f"| {name} | {one.summary} | {', '.join(one.layers)} |")
    return "\n".join(lines)


def table(found):
    """Write the figures as Markdown."""
    lines = ["| archetype | world | metric | 0 | 0.5 | 1 |", "|---|---|---|---|---|---|"]
    for row in found:
        cells = " | ".join(f"{round(value, 6) + 0.0:.3g}" for value in row["values"])
        lines.append(f"| {row['archetype']} | {row['world']} | {row['metric']} | {cells} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--docs", action="store_true")
    arguments = parser.parse_args()
    made = f"{summaries()}\n\n{table(measure(arguments.target))}"
    print(made)
    if arguments.docs:
        text = MARKED.sub(lambda m: f"{m[1]}\n\n{made}\n\n{m[2]}", DOCS.read_text())
        DOCS.write_text(text)


if __name__ == "__main__":
    main()
