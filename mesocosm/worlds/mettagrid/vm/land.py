"""Land: what happens to agents on land that a team owns."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    LAND_ENTER,
    LAND_EXIT,
    LAND_PRESENCE,
    LAND_PROXY,
    LAND_SIZE,
    LAND_TERRITORY,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.proxy import set_only_tag, set_proxy_place
from mesocosm.worlds.mettagrid.grid.stale import mark_stale
from mesocosm.worlds.mettagrid.grid.territory import owner_in, renew_claims
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.handler import execute


@rule
def apply_lands(s: State, p: Params, e: int, a: int) -> None:
    """Run what happens to an agent where it is: on leaving land, entering it, and being there."""
    for i in range(p.code.schedule.num_lands):
        at = p.code.schedule.lands_at + LAND_SIZE * i
        renew_claims(s, p, e)
        here = cell_of(p, s.row[e, a], s.col[e, a])
        now = owner_in(s, p, e, here, p.code.data[at + LAND_TERRITORY])
        before = wide(s.on_land[e, a, i])
        s.on_land[e, a, i] = now
        if before > 0 and before != now:
            run_on_land(s, p, e, a, wide(at), LAND_EXIT, before - 1)
        if now > 0 and before != now:
            run_on_land(s, p, e, a, wide(at), LAND_ENTER, now - 1)
        if now > 0:
            run_on_land(s, p, e, a, wide(at), LAND_PRESENCE, now - 1)


@rule
def run_on_land(s: State, p: Params, e: int, a: int, at: int, what: int, tag: int) -> None:
    """Run handlers of land: its proxy acts, with the owner's tag alone, from where the agent is."""
    start = wide(p.code.data[at + what])
    if start < 0 and not p.keeps_proxies:
        return
    k = wide(p.code.data[at + LAND_PROXY])
    set_only_tag(s, e, k, tag)
    set_proxy_place(s, p, e, k, s.row[e, a], s.col[e, a])
    if start >= 0:
        execute(s, p, e, k, wide(a), start, 1.0)
    if p.keeps_proxies:
        mark_stale(s, e, k)
    else:  # or else its block of tokens would have to be kept current
        set_only_tag(s, e, k, -1)
