"""Commons: people round a lake, and a stock that grows back if they let it."""

from mesocosm.core.world import RoleRules, Rules, World
from mesocosm.worlds.commons import observe, rules
from mesocosm.worlds.commons.config import Core
from mesocosm.worlds.commons.declare import spec
from mesocosm.worlds.commons.params import params
from mesocosm.worlds.commons.policies import POLICIES
from mesocosm.worlds.commons.render import text
from mesocosm.worlds.commons.scene import scene
from mesocosm.worlds.commons.state import State
from mesocosm.worlds.commons.view import view

WORLD = World(
    name="commons",
    version=1,
    summary="people harvest a shared, regrowing stock, trade, and sanction each other",
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
        sees=observe.sees,
        roles={
            "harvester": RoleRules(
                observe=observe.observe_harvester,
                terms=rules.harvester_terms,
                mask=observe.mask_harvester,
                inform=observe.inform_harvester,
            ),
            "warden": RoleRules(
                observe=observe.observe_warden,
                terms=rules.warden_terms,
                mask=observe.mask_warden,
            ),
        },
    ),
    policies=POLICIES,
    scene=scene,
    view=view,
    text=text,
)
