"""Which rules a game is played by: four sets, so that no game compiles what it cannot use."""

from collections.abc import Callable

from mesocosm.core.world import Axis, QuantityRules, RoleRules, Rules
from mesocosm.worlds.mettagrid.classic.observe import observe_classic
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import OPCODE
from mesocosm.worlds.mettagrid.compile.bytecode.script import is_scripted, script_of
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.scan import vanishes
from mesocosm.worlds.mettagrid.observe import view, visible
from mesocosm.worlds.mettagrid.rules import classic, episode, plain, quantity, scripted, stations
from mesocosm.worlds.mettagrid.vm import handler_plain

AXES = {
    "thing": Axis(sees=visible.sees_thing, owns=visible.owns_thing),
    "cell": Axis(sees=visible.sees_cell),
}
INVENTORY = QuantityRules(quantity.read_inventory, quantity.write_inventory)
INVENTORY_CLASSIC = QuantityRules(quantity.read_inventory, classic.write_inventory_classic)


def _rules(
    reset: Callable[..., None],
    transition: Callable[..., None],
    *,
    ending: Callable[..., None] = plain.ending,
    rebuild: Callable[..., None] = plain.rebuild,
    observe: Callable[..., None] = view.observe,
    mask: Callable[..., None] = visible.mask,
    inform: Callable[..., None] = visible.inform,
    inventory: QuantityRules = INVENTORY,
) -> Rules:
    """Put a set together; by default as in plain games."""
    cog = RoleRules(observe=observe, terms=episode.terms, mask=mask, inform=inform)
    return Rules(
        reset=reset,
        transition=transition,
        ending=ending,
        rebuild=rebuild,
        sees=visible.sees,
        axes=AXES,
        roles={"cog": cog},
        quantities={"inventory": inventory},
    )


PLAIN = _rules(plain.reset_plain, plain.transition_plain)
SCRIPTED = _rules(scripted.reset_scripted, scripted.transition_scripted)
STATIONS = _rules(
    stations.reset_stations,
    stations.transition_stations,
    rebuild=stations.rebuild_stations,
    mask=stations.mask_stations,
)
CLASSIC = _rules(
    classic.reset_classic,
    classic.transition_classic,
    ending=classic.ending_classic,
    rebuild=classic.rebuild_classic,
    observe=observe_classic,
    mask=classic.mask_classic,
    inform=classic.inform_classic,
    inventory=INVENTORY_CLASSIC,
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
    if core.actions.handlers or vanishes(core):
        return False
    return known and not is_scripted(core, script)
