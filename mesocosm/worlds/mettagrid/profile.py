"""Which rules a game is played by: four sets, so that no game compiles what it cannot use."""

from mesocosm.core.world import Axis, RoleRules, Rules
from mesocosm.worlds.mettagrid.classic import observe
from mesocosm.worlds.mettagrid.compile.opcodes import OPCODE
from mesocosm.worlds.mettagrid.compile.script import is_scripted, script_of
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.observe import view, visible
from mesocosm.worlds.mettagrid.rules import classic, episode, plain, scripted, stations
from mesocosm.worlds.mettagrid.vm import handler_plain

AXES = {
    "thing": Axis(sees=visible.sees_thing, owns=visible.owns_thing),
    "cell": Axis(sees=visible.sees_cell),
}
COG = RoleRules(observe=view.observe, terms=episode.terms, mask=visible.mask, inform=visible.inform)
PLAIN = Rules(
    reset=plain.reset_plain,
    transition=plain.transition_plain,
    ending=plain.ending,
    rebuild=plain.rebuild,
    sees=visible.sees,
    axes=AXES,
    roles={"cog": COG},
)
SCRIPTED = Rules(
    reset=scripted.reset_scripted,
    transition=scripted.transition_scripted,
    ending=plain.ending,
    rebuild=plain.rebuild,
    sees=visible.sees,
    axes=AXES,
    roles={"cog": COG},
)
STATIONS = Rules(
    reset=stations.reset_stations,
    transition=stations.transition_stations,
    ending=plain.ending,
    rebuild=stations.rebuild_stations,
    sees=visible.sees,
    axes=AXES,
    roles={
        "cog": RoleRules(
            observe=view.observe,
            terms=episode.terms,
            mask=stations.mask_stations,
            inform=visible.inform,
        )
    },
)
CLASSIC = Rules(
    reset=classic.reset_classic,
    transition=classic.transition_classic,
    ending=classic.ending_classic,
    rebuild=classic.rebuild_classic,
    sees=visible.sees,
    axes=AXES,
    roles={
        "cog": RoleRules(
            observe=observe.observe_classic,
            terms=episode.terms,
            mask=classic.mask_classic,
            inform=classic.inform_classic,
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
    known = set(script.bytecode[:, OPCODE].tolist()) <= handler_plain.PLAIN_OPCODES
    return known and not is_scripted(core, script) and not core.actions.handlers
