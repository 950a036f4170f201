"""Every world's scene, on every preset: complete, inside its frame, readable, and cheap."""

import json
import time

import pytest

import mesocosm as meso
from mesocosm.core.follow import Follower
from mesocosm.core.palette import THEMES
from mesocosm.core.scene import Bars, Cells, Glyph
from mesocosm.worlds.registry import find, names, presets

DRAWN = [name for name in names() if find(name).scene is not None]  # not the tests' own
PRESETS = [f"{world}/{preset}" for world in DRAWN for preset in presets(world)]


def truth_of(env):
    wanted = [*(entry.name for entry in env.spec.truth), *env.spec.exposed]
    return {name: env.truth(name)[0] for name in wanted}


def picture(name, overrides=None, steps=3):
    env = meso.make(name, overrides or {}, target="python", seed=3)
    env.reset(seed=3)
    actions = {
        role: part.action.noop((1, part.num_agents)) for role, part in env.spec.roles.items()
    }
    for _ in range(steps):
        env.step(actions if len(actions) > 1 else next(iter(actions.values())))
    return env, env.world.scene(truth_of(env), env.config.core)


def colours_of(made):
    for p in made.primitives:
        yield from p.colours if isinstance(p, Bars | Cells) else (p.colour,)
        yield from filter(None, (getattr(p, "accent", ""), getattr(p, "halo", "")))
    yield made.background
    yield from (entry.colour for entry in made.legend)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_drawn_with_known_glyphs_and_colours(name):
    _, made = picture(name)
    json.dumps(made.plain())
    assert made.legend
    assert made.caption
    known = set(THEMES["light"])
    assert {colour for colour in colours_of(made) if not colour.startswith("#")} <= known
    glyphs = {p.name for p in made.primitives if isinstance(p, Glyph)}
    glyphs |= {entry.glyph for entry in made.legend if entry.glyph}
    assert glyphs <= set(made.drawings)


@pytest.mark.parametrize("name", PRESETS)
def test_every_agent_that_is_there_is_drawn_once_under_its_key(name):
    env, made = picture(name, steps=0)
    drawn = [p.key for p in made.primitives if isinstance(p, Glyph) and p.key]
    assert len(set(drawn)) == len(drawn)
    if env.spec.world != "island":  # where an agent is a whole side
        count = sum(role.num_agents for role in env.spec.roles.values())
        assert {f"agent {k}" for k in range(count)} <= set(drawn)


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("townlet/L7", {"core.num_agents": 64}),
        ("townlet/L7", {"core.num_agents": 64, "core.grid_size": 16}),
        ("mettagrid/arena100", {}),  # 60 x 60
        ("mettagrid/cogs_vs_clips", {}),
        ("island/standard", {}),
        ("commons/default", {"core.num_agents": 64}),
    ],
)
def test_one_frame_costs_less_than_a_quarter_of_a_thirtieth_of_a_second(name, overrides):
    env, _ = picture(name, overrides)
    truth, core, follower = truth_of(env), env.config.core, Follower()
    costs = []
    for _ in range(8):
        start = time.process_time()
        json.dumps(follower.follow(env.world.scene(truth, core)).plain(), separators=(",", ":"))
        costs.append(time.process_time() - start)
    assert min(costs) < 0.008


def test_a_scene_leaves_the_truth_as_it_is():
    for name in DRAWN:
        env = meso.make(name, target="python", seed=3)
        env.reset(seed=3)
        truth = truth_of(env)
        before = {key: value.copy() for key, value in truth.items()}
        first = env.world.scene(truth, env.config.core).plain()
        assert env.world.scene(truth, env.config.core).plain() == first
        assert all((before[key] == truth[key]).all() for key in truth)
