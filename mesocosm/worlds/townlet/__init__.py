"""Townlet: a life in a small town, in levels from one bed to a whole society."""

from mesocosm.core.world import RoleRules, Rules, World
from mesocosm.worlds.townlet import observe, rules
from mesocosm.worlds.townlet.config import Core
from mesocosm.worlds.townlet.declare import spec
from mesocosm.worlds.townlet.params import params
from mesocosm.worlds.townlet.policies import POLICIES
from mesocosm.worlds.townlet.render import text
from mesocosm.worlds.townlet.scene import scene
from mesocosm.worlds.townlet.state import State
from mesocosm.worlds.townlet.view import view

WORLD = World(
    name="townlet",
    version=3,
    summary="people keep eight meters up in a town of places, hours and neighbours",
    core=Core,
    spec=spec,
    params=params,
    state=State,
    rules=Rules(
        reset=rules.reset,
        transition=rules.transition,
        ending=rules.ending,
        rebuild=rules.rebuild,
        sees=observe.sees,
        group_of=observe.group_of,
        roles={
            "resident": RoleRules(
                observe=observe.observe,
                terms=rules.terms,
                mask=observe.mask,
                inform=observe.inform,
            )
        },
    ),
    default_preset="L3",
    policies=POLICIES,
    scene=scene,
    view=view,
    text=text,
)
