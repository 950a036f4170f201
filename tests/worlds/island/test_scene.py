"""How a war looks, as it is and in the fog of a side."""

import numpy as np

from mesocosm.core.scene import Circle, Rect
from mesocosm.worlds.island.render import text
from mesocosm.worlds.island.scene import COLOURS, scene, units

from .war import kinds, put, wait, war


def truth(env):
    return {entry.name: env.truth(entry.name)[0] for entry in env.spec.truth}


def shapes(picture, colour):
    return [p for p in picture.primitives if isinstance(p, Circle | Rect) and p.colour == colour]


def test_every_living_unit_is_drawn_on_the_map():
    env = war("standard")
    picture = scene(truth(env), env.config.core)
    assert len(shapes(picture, COLOURS[0])) == len(shapes(picture, COLOURS[1])) == 34
    for shape in shapes(picture, COLOURS[0]):
        assert 0.0 <= shape.x <= picture.width
        assert 0.0 <= shape.y <= picture.height
    assert "Legacy 100%" in picture.caption


def test_in_the_fog_the_enemy_is_what_the_side_tracks():
    env = war("standard")
    wait(env)
    hidden = scene(truth(env), env.config.core, side=0)
    assert len(shapes(hidden, COLOURS[0])) == 34
    held = int(env.truth("held")[0, 0][env.truth("tier")[0, 0] > 0].sum())
    assert len(shapes(hidden, COLOURS[1])) == held < 34
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
