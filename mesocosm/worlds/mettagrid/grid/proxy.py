"""Proxies of land: what acts on those who are on a team's land, from where they are."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def is_proxy(p: Params, k: int) -> bool:
    """Whether a thing is the proxy of a territory; these are the last things."""
    return p.things - p.code.schedule.num_lands <= k < p.things


@rule
def proxy_place(s: State, p: Params, e: int, k: int) -> int:
    """Return where a proxy acted last, as a number of a cell on the map."""
    return s.proxy_at[e, k - p.things + p.code.schedule.num_lands]


@rule
def set_proxy_place(s: State, p: Params, e: int, k: int, r: int, c: int) -> None:
    """Set where a proxy acts."""
    s.proxy_at[e, k - p.things + p.code.schedule.num_lands] = r * p.width + c


@rule
def set_only_tag(s: State, e: int, k: int, tag: int) -> None:
    """Leave a proxy one tag, or with -1 none; lists of tags do not follow."""
    for word in range(s.tag.shape[2]):
        s.tag[e, k, word] = 0
    if tag >= 0:
        s.tag[e, k, tag // WORD_BITS] = 1 << (tag % WORD_BITS)


@rule
def proxy_on_cell(s: State, p: Params, e: int, cell: int) -> int:
    """Return the proxy that a cell shows."""
    return s.proxy_on[e, cell] - 1 + p.things - p.code.schedule.num_lands
