"""Island: two sides, one island, and a fog over everything that no sensor holds."""

from mesocosm.core.world import RoleRules, Rules, World
from mesocosm.worlds.island import observe, rules
from mesocosm.worlds.island.agent.info import tell
from mesocosm.worlds.island.config import SIDES, Core
from mesocosm.worlds.island.declare import spec
from mesocosm.worlds.island.invariants import INVARIANTS
from mesocosm.worlds.island.params import params
from mesocosm.worlds.island.policies import POLICIES
from mesocosm.worlds.island.render import text
from mesocosm.worlds.island.scene import scene
from mesocosm.worlds.island.state import State
from mesocosm.worlds.island.view import view

WORLD = World(
    name="island",
    version=1,
    summary="two sides fight over an island with radars, missiles, tankers and settlers",
    core=Core,
    spec=spec,
    params=params,
    state=State,
    rules=Rules(
        reset=rules.reset,
        transition=rules.transition,
        ending=rules.ending,
        rebuild=rules.rebuild,
        roles={
            side: RoleRules(
                observe=observe.observe,
                terms=rules.terms,
                mask=observe.mask,
                inform=observe.inform,
            )
            for side in SIDES
        },
    ),
    default_preset="standard",
    policies=POLICIES,
    scene=scene,
    view=view,
    text=text,
    tell=tell,
    invariants=INVARIANTS,
)
