"""What programs work on: the arrays of one env, and the tables that they refer to.

A rule that is not inlined is handed every array by itself: with these few instead of all of the
state and the parameters, programs compile several times faster.
"""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


class Work(NamedTuple):
    """One env's things, and what programs know."""

    agents: int
    things: int
    resources: int
    height: int
    width: int
    pitch: int
    shuffles: bool
    veils: bool
    clock: int
    own_at: int  # where in `data` the programs of kinds of agents begin
    num_tags: int
    areas_at: int
    num_areas: int
    row: np.ndarray  # int16 [thing]
    col: np.ndarray  # int16 [thing]
    cell: np.ndarray  # int16 [cell]
    occupied: np.ndarray  # int64 [word, row]
    opaque: np.ndarray  # int8 [cell]
    amount: np.ndarray  # int32 [thing, resource]
    held: np.ndarray  # int16 [thing, resource]
    buckets: np.ndarray  # int16 [thing]
    stat: np.ndarray  # float64 [agent, statistic]
    game_stat: np.ndarray  # float64 [statistic]
    glimpse: np.ndarray  # float64 [agent, k]
    vibe: np.ndarray  # int16 [thing]
    tag: np.ndarray  # int64 [thing, word]
    since: np.ndarray  # int32 [thing, kept tag]
    veiled: np.ndarray  # bool [thing]
    post: np.ndarray  # int32 [thing, 2]
    inside: np.ndarray  # bool [agent, thing and area]
    stale: np.ndarray  # bool [thing]
    twister: np.ndarray  # int64 [625]
    reg: np.ndarray  # int64 [register]
    pile: np.ndarray  # int32 [list, 8 + 2 * thing]
    program: np.ndarray  # int32 [row, 6]
    data: np.ndarray  # int64 [number]
    born: np.ndarray  # int64 [kind, number]: what a new thing of a kind is like
    kind: np.ndarray  # int32 [kind, 12]
    bag: Any  # Bag
    values: Any  # Values


class View(NamedTuple):
    """The part of it that plain conditions ask about."""

    clock: int
    row: np.ndarray  # int16 [thing]
    col: np.ndarray  # int16 [thing]
    amount: np.ndarray  # int32 [thing, resource]
    stat: np.ndarray  # float64 [agent, statistic]
    game_stat: np.ndarray  # float64 [statistic]
    glimpse: np.ndarray  # float64 [agent, k]
    vibe: np.ndarray  # int16 [thing]
    tag: np.ndarray  # int64 [thing, word]
    reg: np.ndarray  # int64 [register]
    pile: np.ndarray  # int32 [list, 8 + 2 * thing]
    program: np.ndarray  # int32 [row, 6]
    data: np.ndarray  # int64 [number]
    values: Any  # Values


Seen = View | Work


@rule
def view_of(s: State, p: Params, e: int) -> View:
    """Gather what conditions ask about."""
    return View(
        s.clock[e], s.row[e], s.col[e], s.amount[e], s.stat[e], s.game_stat[e], s.glimpse[e],
        s.vibe[e], s.tag[e], s.reg[e], s.pile[e], p.tables.program, p.code.data, p.values,
    )  # fmt: skip


@rule
def work_of(s: State, p: Params, e: int) -> Work:
    """Gather what programs work on."""
    return Work(
        p.agents, p.things, p.resources, p.height, p.width, p.pitch, p.shuffles, p.veils,
        s.clock[e], p.code.own_at, p.code.num_tags, p.code.plot.areas_at, p.code.plot.num_areas,
        s.row[e], s.col[e], s.cell[e], s.occupied[e], s.opaque[e], s.amount[e], s.held[e],
        s.buckets[e], s.stat[e], s.game_stat[e], s.glimpse[e], s.vibe[e], s.tag[e], s.since[e],
        s.veiled[e], s.post[e], s.inside[e], s.stale[e], s.twister[e], s.reg[e], s.pile[e],
        p.tables.program, p.code.data, p.code.born, p.tables.kind, p.bag, p.values,
    )  # fmt: skip
