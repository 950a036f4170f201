"""Which rules a game is played by: four sets, so that no game compiles what it cannot use."""

from mesocosm.core.world import Axis, RoleRules, Rules
from mesocosm.worlds.mettagrid import (
    classic_observe,
    handler_plain,
    observe,
    rules,
    rules_classic,
    rules_plain,
    rules_scripted,
    rules_stations,
    visible,
)
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.program import OP
from mesocosm.worlds.mettagrid.script import is_scripted, script_of

AXES = {
    "thing": Axis(sees=visible.sees_thing, owns=visible.owns_thing),
    "cell": Axis(sees=visible.sees_cell),
}
COG = RoleRules(
    observe=observe.observe, terms=rules.terms, mask=visible.mask, inform=visible.inform
)
PLAIN = Rules(
    reset=rules_plain.reset_plain,
    transition=rules_plain.transition_plain,
    ending=rules_plain.ending,
    rebuild=rules_plain.rebuild,
    sees=visible.sees,
    axes=AXES,
    roles={"cog": COG},
)
SCRIPTED = Rules(
    reset=rules_scripted.reset_scripted,
    transition=rules_scripted.transition_scripted,
    ending=rules_plain.ending,
    rebuild=rules_plain.rebuild,
    sees=visible.sees,
    axes=AXES,
    roles={"cog": COG},
)
STATIONS = Rules(
    reset=rules_stations.reset_stations,
    transition=rules_stations.transition_stations,
    ending=rules_plain.ending,
    rebuild=rules_stations.rebuild_stations,
    sees=visible.sees,
    axes=AXES,
    roles={
        "cog": RoleRules(
            observe=observe.observe,
            terms=rules.terms,
            mask=rules_stations.mask_stations,
            inform=visible.inform,
        )
    },
)
CLASSIC = Rules(
    reset=rules_classic.reset_classic,
    transition=rules_classic.transition_classic,
    ending=rules_classic.ending_classic,
    rebuild=rules_classic.rebuild_classic,
    sees=visible.sees,
    axes=AXES,
    roles={
        "cog": RoleRules(
            observe=classic_observe.observe_classic,
            terms=rules.terms,
            mask=rules_classic.mask_classic,
            inform=rules_classic.inform_classic,
        )
    },
)


def rules_for(core: Core) -> Rules:
    """Choose the smallest set of rules that can play a game."""
    if core.is_classic:
        return CLASSIC
    if any(thing.kind in ("chest", "assembler") for thing in core.objects.values()):
        return STATIONS
    return PLAIN if _is_plain(core) else SCRIPTED


def _is_plain(core: Core) -> bool:
    """Whether all handlers are about the actor and the target at hand."""
    script = script_of(core)
    known = set(script.program[:, OP].tolist()) <= handler_plain.ROWS
    return known and not is_scripted(core, script) and not core.actions.handlers
