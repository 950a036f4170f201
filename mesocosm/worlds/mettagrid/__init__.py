"""Mettagrid: agents, objects and resources on a grid, seen as tokens, in two profiles."""

from mesocosm.core.world import World
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.declare import VERSION, spec
from mesocosm.worlds.mettagrid.game.idmap import IdMap, ObservationFeatureSpec, Remap
from mesocosm.worlds.mettagrid.invariants import INVARIANTS
from mesocosm.worlds.mettagrid.missions import MISSION_VARIANTS
from mesocosm.worlds.mettagrid.params import params
from mesocosm.worlds.mettagrid.policies import POLICIES
from mesocosm.worlds.mettagrid.render import text
from mesocosm.worlds.mettagrid.rule_sets import PLAIN, rules_for
from mesocosm.worlds.mettagrid.scene import scene
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.upstream import import_file
from mesocosm.worlds.mettagrid.view import view

WORLD = World(
    name="mettagrid",
    version=VERSION,
    summary="cogs gather, use and carry resources on a grid that they see as tokens",
    core=Core,
    spec=spec,
    params=params,
    state=State,
    rules=PLAIN,
    variant=rules_for,
    mission_variants=MISSION_VARIANTS,
    default_preset="forage",
    policies=POLICIES,
    scene=scene,
    view=view,
    text=text,
    imports=import_file,
    invariants=INVARIANTS,
)

__all__ = ["WORLD", "IdMap", "ObservationFeatureSpec", "Remap"]
