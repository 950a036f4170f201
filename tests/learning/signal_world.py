"""A tiny world for tests of learning: say what was shown, now or later."""

from typing import NamedTuple

import numpy as np
from pydantic import Field as Setting

from mesocosm.config.section import Section
from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout, Read
from mesocosm.core.spec import Field, Reason, Role, Spec, Term
from mesocosm.core.world import RoleRules, Rules, World
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule

OVER = 1


class Core(Section):
    delay: int = Setting(0, ge=0, description="steps between what is shown and when it counts")


class State(NamedTuple):
    shown: np.ndarray  # int32 [env]; which of two answers is right
    clock: np.ndarray  # int32 [env]


class Params(NamedTuple):
    delay: int


@rule
def reset(s, f, p, e):
    s.shown[e] = below(2, f.word[e], 0, 0, 0)
    s.clock[e] = 0


@rule
def transition(s, f, p, e):
    s.clock[e] += 1


@rule
def ending(s, f, p, e):
    if s.clock[e] > p.delay:
        f.episode_ending[e] = OVER


@rule
def observe(s, p, e, a, out):
    out[0] = 2.0 * s.shown[e] - 1.0 if s.clock[e] == 0 else 0.0
    out[1] = s.clock[e] / (p.delay + 1.0)


@rule
def terms(s, f, p, e, a):
    right = f.choice[e, a, 0] == 1 + s.shown[e]
    f.terms[e, a, 0] = 1.0 if right and s.clock[e] > p.delay else 0.0


def spec(core):
    sight = Layout(
        (
            Feature("sign", "what is shown", low=-1.0, reads=(Read("shown"), Read("clock"))),
            Feature("clock", "how late it is", reads=(Read("clock"),)),
        )
    )
    answer = ActionSpec((Choice("answer", ("none", "left", "right"), masked=False),))
    return Spec(
        world="signal",
        version=1,
        all_roles=(Role("player", 1, sight, answer, (Term("right", 0.0, 1.0),)),),
        fields=(
            Field("shown", "which answer is right", dtype="int32", visibility="public", high=1),
            Field("clock", "steps played", dtype="int32", visibility="public", high=1000),
        ),
        reasons=(Reason("over", "neutral", "the answer was given"),),
    )


def params(core, spec):
    return Params(core.delay)


WORLD = World(
    name="signal",
    version=1,
    summary="say what was shown, now or later",
    core=Core,
    spec=spec,
    params=params,
    state=State,
    rules=Rules(
        reset=reset,
        transition=transition,
        ending=ending,
        roles={"player": RoleRules(observe=observe, terms=terms)},
    ),
)


def config(**core):
    """Describe a signal world."""
    empty = {"layers": {}, "agents": {}, "instrumentation": {}}
    return {"schema": 1, "identity": {"world": "signal", "version": 1}, "core": core, **empty}
