"""A tiny world for tests: mayflies live, die and are born again beside a stone and a clerk."""

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field as Setting

from mesocosm.config.section import Section
from mesocosm.core.action import ActionSpec, Choice, Level
from mesocosm.core.observation import Feature, Layout, Read
from mesocosm.core.spec import Field, Reason, Role, Spec, Term
from mesocosm.core.world import RoleRules, Rules, World
from mesocosm.sim.rule import rule

LIFE, GAP = 3, 2
DIED, TIMEOUT = 1, 2


class Core(Section):
    mayflies: int = Setting(2, ge=1)
    others: int = Setting(1, ge=0)
    max_steps: int = Setting(11, ge=1)
    same_age: bool = Setting(False)
    unborn: int = Setting(0, ge=0)
    stone_end: int = Setting(0, ge=0)
    turns: Literal["simultaneous", "state"] = Setting("simultaneous")


class State(NamedTuple):
    age: np.ndarray  # int32 [env, agent]; what a mayfly has lived, or below 0 has to wait


class Params(NamedTuple):
    mayflies: int
    max_steps: int
    same_age: bool
    unborn: int
    stone_end: int


@rule
def reset(s, f, p, e):
    for a in range(s.age.shape[1]):
        s.age[e, a] = 0 if p.same_age else a % LIFE
        if a < p.unborn:
            s.age[e, a] = -GAP
            f.active[e, a] = False


@rule
def transition(s, f, p, e):
    for a in range(p.mayflies):
        if not f.active[e, a] and s.age[e, a] >= LIFE:
            s.age[e, a] = -GAP
        s.age[e, a] += 1
        if not f.active[e, a] and s.age[e, a] == 0:
            f.birth[e, a] = True


@rule
def ending(s, f, p, e):
    for a in range(p.mayflies):
        if f.active[e, a] and s.age[e, a] >= LIFE:
            f.ending[e, a] = DIED
    if f.t[e] == p.stone_end:
        f.ending[e, p.mayflies] = DIED
    if f.t[e] >= p.max_steps:
        f.episode_ending[e] = TIMEOUT


@rule
def turn(s, f, p, e):
    """Where turns follow the state, mayflies act together and nobody else ever does."""
    if f.control[1] == 2:
        for a in range(p.mayflies):
            f.acting[e, a] = True


@rule
def observe(s, p, e, a, out):
    out[0] = (s.age[e, a] + GAP) / 10.0
    out[1] = 1.0


@rule
def choice_terms(s, f, p, e, a):
    f.terms[e, a, 0] = 1.0 + f.choice[e, a, 0]


@rule
def level_terms(s, f, p, e, a):
    f.terms[e, a, 0] = f.level[e, a, 0]


def spec(core):
    count = core.mayflies + 2 * core.others
    sight = Layout(
        (
            Feature("age", "how old I am", reads=(Read("age", "self"),)),
            Feature("here", "that I am here", visibility="public"),
        )
    )
    pay = (Term("pay", 0.0, 3.0),)
    fly = ActionSpec((Choice("move", ("rest", "fly", "sing")),))
    sink = ActionSpec((), (Level("depth", -1.0, 1.0), Level("warmth")))
    file = ActionSpec(
        (Choice("desk", ("left", "right")), Choice("ink", ("blue", "red", "green"), masked=False))
    )
    return Spec(
        world="mayfly",
        version=1,
        all_roles=(
            Role("mayfly", core.mayflies, sight, fly, pay, respawn=True),
            Role("stone", core.others, sight, sink, pay),
            Role("clerk", core.others, sight, file, pay),
        ),
        fields=(
            Field("age", "age", (count,), "int32", "agent", "private", low=-GAP, high=LIFE),
        ),
        reasons=(
            Reason("died", "neutral", "its time was up"),
            Reason("timeout", "timeout", "the last step was played", truncates=True),
        ),
        turns=core.turns,
        invalid="clamp",
    )  # fmt: skip


def params(core, spec):
    return Params(*(getattr(core, name) for name in Params._fields))


WORLD = World(
    name="mayfly",
    version=1,
    summary="lives end and begin again",
    core=Core,
    spec=spec,
    params=params,
    state=State,
    rules=Rules(
        reset=reset,
        transition=transition,
        ending=ending,
        turn=turn,
        roles={
            "mayfly": RoleRules(observe=observe, terms=choice_terms),
            "stone": RoleRules(observe=observe, terms=level_terms),
            "clerk": RoleRules(observe=observe, terms=choice_terms),
        },
    ),
)


def config(**core):
    """Describe a mayfly world."""
    empty = {"layers": {}, "agents": {}, "instrumentation": {}}
    return {"schema": 1, "identity": {"world": "mayfly", "version": 1}, "core": core, **empty}
