"""Probe: walkers on a line, small enough to read at once, with flaws that can be switched on.

It is everything that commons is not: discrete actions only, bodies in space, groups, lives that
end and slots that are born again, two-dimensional features, turns that follow the state.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field as Setting

from mesocosm.config.section import Section
from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout, Read, offsets_class
from mesocosm.core.spec import Body, EventKind, Field, Reason, Role, Spec, Term, codes
from mesocosm.core.world import Axis, RoleRules, Rules, World
from probe import flaws

NUM_STONES = 3
FLAWS = ("none", *flaws.NAMES)


class Core(Section):
    """A line of cells."""

    num_agents: int = Setting(4, ge=2, le=16, description="walkers")
    length: int = Setting(12, ge=2, le=1000, description="cells")
    sight: int = Setting(2, ge=0, le=10, description="cells seen each way")
    max_steps: int = Setting(30, ge=1, le=1000, description="length of an episode")
    hazard: int = Setting(9, ge=1, le=1000, description="a walker dies at this age")
    respawn: bool = Setting(False, description="whether slots are born again")
    turns: Literal["simultaneous", "fixed", "state"] = Setting("simultaneous", description="order")
    invalid: Literal["noop", "clamp", "penalty"] = Setting("penalty", description="handling")
    advice: bool = Setting(False, description="whether masks are advice")
    body: Body = Setting("frozen", description="what becomes of the dead")
    flaw: Literal[FLAWS] = Setting("none", description="what is wrong with the rules")  # type: ignore[valid-type]


class State(NamedTuple):
    """The truth about the line."""

    pos: np.ndarray  # int16 [env, agent]
    age: np.ndarray  # int32 [env, agent]
    age_before: np.ndarray  # int32 [env, agent]
    mood: np.ndarray  # float64 [env, agent]
    secret: np.ndarray  # float64 [env, agent]
    treasure: np.ndarray  # float64 [env, group]
    stone: np.ndarray  # int16 [env, stone]
    weight: np.ndarray  # float64 [env, stone]
    shock_at: np.ndarray  # int32 [env]
    clock: np.ndarray  # int32 [env]
    where: np.ndarray  # int16 [env, agent]: derived copy of pos
    alive: np.ndarray  # bool [env, agent]


def features(core: Core) -> tuple[Feature, ...]:
    """Declare what a walker sees."""
    cells = 2 * core.sight + 1
    near = (Read("pos", "visible"), Read("alive", "visible"), Read("pos", "self"))
    stones = (Read("stone", "visible"), Read("pos", "self"))
    return (
        Feature("clock", "what time it is", reads=(Read("clock"),), visibility="public"),
        Feature("mood", "how I feel", reads=(Read("mood", "self"),)),
        Feature("ours", "what we own", reads=(Read("treasure", "group"),)),
        Feature("window", "who is near", (2, cells), reads=near, labels=("",) * 0),
        Feature("stones", "which stones are near", (NUM_STONES,), reads=stones),
        Feature("weight", "how heavy my stones are", reads=(Read("weight", "self"),), high=3.0),
        Feature("others", "the dial that flaws write to", (core.num_agents,)),
    )


At = offsets_class("At", features(Core()), __name__)


class Params(NamedTuple):
    """Read-only numbers for the rules."""

    length: int
    sight: int
    max_steps: int
    hazard: int
    respawn: bool
    leaves_estate: bool
    flaw: int
    at: Any


REASONS = (Reason("old_age", "neutral"), Reason("end", "success", truncates=True))
EVENTS = (EventKind("birth", "agent {actor} was born"),)
OLD_AGE, END = codes(REASONS, 1)
BIRTH = codes(EVENTS)[0]


def walker(core: Core) -> Role:
    """Declare who walks the line."""
    info = Feature("steps", "how long I have lived", high=2000, reads=(Read("age", "self"),))
    mine, moves = (Read("pos", "self"),), ("stay", "left", "right")
    move = Choice("move", moves, enforced=not core.advice, reads=mine)
    return Role(
        "walker",
        core.num_agents,
        Layout(features(core)),
        ActionSpec((move,)),
        terms=(
            Term("age", 0.0, 1.0),
            Term("farewell", -1.0, 0.0, timing="terminal"),
        ),
        info=Layout((info,), dtype="float64"),
        events=("birth",),
        body=core.body,
        vacancy=("alive",) if core.body == "removed" else (),
        estate=("secret",) if core.body == "transferred" else (),
        respawn=core.respawn,
    )


def spec(core: Core) -> Spec:
    """Declare everything about the line."""
    agents = core.num_agents
    each: dict[str, Any] = {"shape": (agents,), "scope": "agent"}
    return Spec(
        world="probe",
        version=1,
        all_roles=(walker(core),),
        fields=(
            Field("pos", "cell", dtype="int16", high=core.length - 1, visibility="public", **each),
            Field(
                "age", "steps lived", dtype="int32", high=2000, visibility="private",
                previous=True, **each,
            ),
            Field("mood", "private feeling", visibility="private", **each),
            Field("secret", "what nobody knows", visibility="hidden", **each),
            Field("treasure", "of a group", (2,), scope="group", visibility="private"),
            Field(
                "stone", "cell", (NUM_STONES,), "int16", "stone",
                high=core.length - 1, visibility="public",
            ),
            Field("weight", "of a stone", (NUM_STONES,), scope="stone", visibility="private"),
            Field("shock_at", "the future", dtype="int32", high=1000),
            Field("clock", "time", dtype="int32", high=1000, visibility="public"),
            Field("where", "copy", (agents,), "int16", high=core.length - 1, derived=True),
            Field("alive", "lives", dtype="bool", visibility="public", **each),
        ),
        reasons=REASONS,
        events=EVENTS,
        turns=core.turns,
        invalid=core.invalid,
        invalid_penalty=0.25,
    )  # fmt: skip


def params(core: Core, made: Spec) -> Params:
    """Turn the config into what rules read."""
    same = ("length", "sight", "max_steps", "hazard", "respawn")
    at = At(**made.all_roles[0].observation.offsets)
    values = {name: getattr(core, name) for name in same}
    values["leaves_estate"] = core.body == "transferred"
    return Params(flaw=FLAWS.index(core.flaw), at=at, **values)


from probe import rules  # noqa: E402 (the rules read the declarations above)


class March:
    """Goes right, always."""

    privileged = False

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._action = np.full((num_envs, spec.num_agents, 1), 2, np.int32)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        return self._action


WORLD = World(
    name="probe",
    version=1,
    summary="walkers on a line, for tests",
    core=Core,
    spec=spec,
    params=params,
    state=State,
    rules=Rules(
        reset=rules.reset,
        transition=rules.transition,
        ending=rules.ending,
        rebuild=rules.rebuild,
        turn=rules.turn,
        sees=rules.sees,
        group_of=rules.group_of,
        axes={"stone": Axis(sees=rules.sees_stone, owns=rules.owns_stone)},
        roles={
            "walker": RoleRules(
                observe=rules.observe, terms=rules.terms, mask=rules.mask, inform=rules.inform
            )
        },
    ),
    default_preset="line",
    policies={"march": March},
)
