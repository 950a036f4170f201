"""How a war looks, as it is and in the fog of a side."""

import numpy as np

from mesocosm.core.follow import Camera
from mesocosm.core.scene import Glyph, Ring, Text
from mesocosm.worlds.island.render import text
from mesocosm.worlds.island.scene import COLOURS, focus, glyph_size, piles, scene, spread, units

from .war import kinds, put, wait, war


def truth(env):
    return {entry.name: env.truth(entry.name)[0] for entry in env.spec.truth}


def glyphs(picture, start):
    return [p for p in picture.primitives if isinstance(p, Glyph) and p.key.startswith(start)]


def names_of(picture, start="unit"):
    return [name for p in glyphs(picture, start) for name in p.label.split("; ")]


def test_every_living_unit_is_drawn_on_the_part_of_the_map_that_is_shown():
    env = war("standard")
    picture = scene(truth(env), env.config.core)
    told = [name.split(":")[0] for name in names_of(picture)]
    assert len(told) == len(set(told)) == 68
    box = picture.box
    for shape in glyphs(picture, "unit"):
        assert box.x <= shape.x <= box.x + box.width
        assert box.y <= shape.y <= box.y + box.height
    assert "Legacy 100%" in picture.caption


def test_the_frame_leaves_out_empty_sea_and_does_not_jump():
    env = war("standard")
    core = env.config.core
    first = scene(truth(env), core).box
    assert first.width * first.height < 0.45 * core.map_km**2
    camera = Camera()
    for _ in range(20):
        wait(env)
        assert camera.follow(scene(truth(env), core).box) == first
    far = focus(core, [(core.map_km / 2, 10.0)])
    assert far.y == 0.0  # it grows to where a unit is


def test_units_that_lie_on_each_other_are_gathered_or_moved_apart():
    env = war("standard")
    core = env.config.core
    seen = units(truth(env), core)
    near = glyph_size(core)
    found = piles(seen, near)
    assert sum(len(pile) for pile in found) == len(seen)
    assert all(len({(unit.side, unit.code) for unit in pile}) == 1 for pile in found)
    counts = [len(pile) for pile in found if len(pile) > 1]
    said = [p.label for p in scene(truth(env), core).primitives if isinstance(p, Text)]
    assert counts
    assert any(str(count) in said for count in counts)
    moved = spread(np.zeros((6, 2)), near)
    apart = np.sqrt(((moved[:, None] - moved[None]) ** 2).sum(-1)) + np.eye(6) * 1e9
    assert apart.min() > 0.6 * near
    far = np.array([[0.0, 0.0], [9.0 * near, 0.0]])
    assert np.abs(spread(far, near) - far).max() < 0.01 * near


def test_radars_are_drawn_as_rings_of_their_reach():
    env = war("standard")
    rings = [p for p in scene(truth(env), env.config.core).primitives if isinstance(p, Ring)]
    assert {p.colour for p in rings} == set(COLOURS)
    reach = {2.0 * unit.radar_km for unit in env.config.core.units}
    assert {p.size for p in rings} <= reach


def test_in_the_fog_the_enemy_is_what_the_side_tracks():
    env = war("standard")
    wait(env)
    hidden = scene(truth(env), env.config.core, side=0)
    assert len(names_of(hidden)) == 34
    assert not [name for name in names_of(hidden) if "Dynasty" in name]
    tracks = int((env.truth("tier")[0, 0] > 0).sum())
    assert len(glyphs(hidden, "contact")) == tracks < 34
    before = scene(truth(env), env.config.core, side=0).plain()
    unseen = int(np.flatnonzero(env.truth("tier")[0, 0, :34] == 0)[0])
    put(env, pos={(1, unseen): (0.0, 0.0)})
    assert scene(truth(env), env.config.core, side=0).plain() == before


def test_the_text_says_what_each_side_has_does_and_knows():
    env = war()
    put(env, hp={(0, kinds(env)["SAM"][0]): 0}, casualties={(0,): 1})
    wait(env)
    said = text(truth(env), env.config.core)
    assert "Legacy: 9 units, 1 lost" in said
    assert "has    MRF 3, STK 1, TNK 1, JAM 1, SET 2, CVN 1" in said
    assert said.count("knows") == 2
    assert len(units(truth(env), env.config.core)) == 19
