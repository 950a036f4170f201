import numpy as np
import pytest

import mesocosm as meso
from mesocosm.worlds.registry import folder, presets
from mesocosm.worlds.townlet.config import COMPARISONS
from mesocosm.worlds.townlet.declare import INTERACT, RETIRED, WAIT

README = (folder("townlet") / "README.md").read_text(encoding="utf-8")
HEADS = ("meters", "cascades", "affordances", "cues")


def changes(effects):
    return ", ".join(f"{name} {value:+g}" for name, value in effects.items()) or "nothing"


def condition(when):
    if when.at is not None:
        return f"stands on {when.at}"
    if when.action is not None:
        return f"{when.action} {when.times} times"
    how, value = when.threshold
    return f"{when.meter} {COMPARISONS[how]} {value}"


def rows(core, kind):
    """Write a table of the config as it must stand in the README."""
    if kind == "meters":
        lines = [
            (m.name, f"{m.initial:g}", f"{m.decay:g}", "kills" if m.lethal else "")
            for m in core.meters
        ]
    elif kind == "cascades":
        lines = [(c.source, c.target, f"{c.strength:g}", f"{c.threshold:g}") for c in core.cascades]
    elif kind == "cues":
        lines = [
            (c.name, " and ".join(map(condition, c.when)), str(c.priority), str(c.distance))
            for c in core.cues
        ]
    else:
        lines = [
            (
                a.name, f"{a.opens}-{a.closes}", str(a.capacity or "any"),
                f"{a.cost:g}: {changes(a.effects)}", str(a.ticks),
                f"{a.tick_cost:g}: {changes(a.tick_effects)}", changes(a.bonus),
            )
            for a in core.affordances
        ]  # fmt: skip
    return ["| " + " | ".join(line) + " |" for line in lines]


@pytest.mark.parametrize("kind", HEADS)
def test_the_readme_has_every_row_of_the_data_in_order(kind):
    assert "\n".join(rows(meso.load_config("townlet/L7").core, kind)) in README


@pytest.mark.parametrize("preset", [name for name in presets("townlet") if name in README])
def test_the_readme_gives_the_size_of_each_levels_observation(preset):
    config = meso.load_config(f"townlet/{preset}")
    env = meso.make(config, target="python")
    core, size = config.core, env.spec.roles["resident"].observation.size
    (row,) = [line for line in README.splitlines() if line.startswith(f"| {preset} |")]
    facts = [cell.strip() for cell in row.strip("|").split("|")]
    town = f"{core.grid_size} × {core.grid_size}"
    assert facts[1:2] + facts[4:7] == [town, str(core.num_agents), str(core.lifespan), str(size)]


def test_the_readme_says_how_pay_differs_with_time_rules():
    kinds = {kind.name: kind for kind in meso.load_config("townlet/L7").core.affordances}
    for name in ("Job", "Labor"):
        kind = kinds[name]
        whole = kind.ticks * kind.tick_effects["money"] + kind.bonus["money"]
        assert f"{name} pays {kind.effects['money']:g} at once but {whole:g}" in README


@pytest.mark.parametrize("preset", ["L0", "L1"])
def test_two_visits_to_the_bed_carry_one_through_the_first_levels(preset):
    env = meso.make(f"townlet/{preset}", target="python", autoreset="off")
    env.reset(seed=0)
    env.set_state("position", env.truth("affordance_position")[:, :1])
    visits = 0
    for _ in range(env.config.core.lifespan):
        tired = bool(env.truth("meters")[0, 0, 0] < 0.5)
        visits += tired
        step = env.step(np.full((1, 1, 1), INTERACT if tired else WAIT, np.int32))
    assert visits == 2
    assert step.reason[0, 0] == RETIRED
