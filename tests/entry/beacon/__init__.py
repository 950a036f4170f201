"""Beacon: keepers on a line see lights, as a list of tokens or as a table of entities."""

from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field as Setting

from mesocosm.config.section import Section
from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout, Read, Token, Tokens
from mesocosm.core.spec import (
    Conflict,
    Effect,
    EventKind,
    Field,
    Reason,
    Role,
    Spec,
    Term,
    Tunable,
)
from mesocosm.core.world import Axis, RoleRules, Rules, World

NUM_LIGHTS, NUM_TOKENS, LENGTH = 6, 14, 16
GLOW, HUE = Token(1, "glow", 0, 100), Token(2, "hue", 0, 3)


class Core(Section):
    """A line of lights."""

    shows: Literal["tokens", "table"] = Setting("tokens", description="how lights are shown")
    sight: int = Setting(5, ge=0, le=16, description="cells seen each way")
    max_steps: int = Setting(33, ge=1, le=1000, description="length of an episode")


class State(NamedTuple):
    """The truth about the line."""

    pos: np.ndarray  # int16 [env, agent]
    oil: np.ndarray  # float64 [env, agent]
    light: np.ndarray  # int16 [env, light]
    glow: np.ndarray  # float64 [env, light]


class Params(NamedTuple):
    """Read-only numbers for the rules."""

    sight: int
    tokens: bool
    max_steps: int


def layout(core: Core) -> Layout:
    """Declare what a keeper sees."""
    lights = (Read("light", "visible"), Read("glow", "visible"), Read("pos", "self"))
    lights += (Read("oil", "self"),)
    if core.shows == "table":
        labels, meaning = ("there", "away", "glow", "hue"), "the lights I see"
        shape, low = (NUM_LIGHTS, 4), -float(LENGTH)
        table = Feature(
            "lights", meaning, shape, low, 100.0, reads=lights, labels=labels, table=True
        )
        own = Feature("oil", "what I have", high=10.0, reads=(Read("oil", "self"),))
        return Layout((table, own))
    shape = (NUM_TOKENS, 3)
    feature = Feature("tokens", "what I see", shape, high=255, absent=255, reads=lights)
    tokens = Tokens(NUM_TOKENS, (GLOW, HUE, Token(3, "oil", 0, 10)))
    return Layout((feature,), "uint8", shape, tokens)


def spec(core: Core) -> Spec:
    """Declare everything about the line."""
    each: dict[str, Any] = {"shape": (2,), "scope": "agent"}
    light: dict[str, Any] = {"shape": (NUM_LIGHTS,), "scope": "light", "visibility": "public"}
    role = Role(
        "keeper",
        2,
        layout(core),
        ActionSpec((Choice("move", ("stay", "left", "right", "feed")),)),
        terms=(Term("shine", 0.0, 1.0, "how bright it is here"),),
        events=("fed",),
    )
    return Spec(
        world="beacon",
        version=1,
        all_roles=(role,),
        fields=(
            Field("pos", "cell", dtype="int16", high=LENGTH - 1, visibility="public", **each),
            Field("oil", "fuel", high=10.0, visibility="private", malleable=True, **each),
            Field("light", "cell", dtype="int16", high=LENGTH - 1, **light),
            Field("glow", "brightness", high=100.0, malleable=True, **light),
        ),
        reasons=(Reason("end", "neutral", truncates=True),),
        events=(EventKind("fed", "agent {actor} fed a light", target="agent"),),
        conflicts=(Conflict("light", "a light", "in f.order", ordered=True),),
        tunables=(Tunable("fading", 1.0, 0.0, 10.0),),
        effects=(Effect("feeding"),),
    )


def params(core: Core, made: Spec) -> Params:
    """Turn the config into what rules read."""
    return Params(core.sight, core.shows == "tokens", core.max_steps)


from beacon import rules  # noqa: E402 (the rules read the declarations above)

WORLD = World(
    name="beacon",
    version=1,
    summary="keepers and lights, for tests",
    core=Core,
    spec=spec,
    params=params,
    state=State,
    rules=Rules(
        reset=rules.reset,
        transition=rules.transition,
        ending=rules.ending,
        sees=rules.sees,
        axes={"light": Axis(rules.sees_light)},
        roles={"keeper": RoleRules(rules.observe, rules.terms)},
    ),
    default_preset="tokens",
)
