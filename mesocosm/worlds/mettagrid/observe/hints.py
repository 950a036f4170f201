"""Tokens about the agent itself and the episode."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.twister import MASK_32
from mesocosm.worlds.mettagrid.compile.columns import TOLD_FEATURE, TOLD_VALUE
from mesocosm.worlds.mettagrid.game.idmap import GLOBAL_LOCATION
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.territory import land_label
from mesocosm.worlds.mettagrid.grid.value import value_of
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

MOST_WHOLE = 2.0**63  # MettaGrid tells numbers beyond this as 0


@rule
def append_token(out: np.ndarray, n: int, place: int, feature: int, value: int) -> int:
    """Append a token if it fits; return the count as if it did."""
    if 3 * n + 2 < out.shape[0]:
        out[3 * n] = place
        out[3 * n + 1] = feature
        out[3 * n + 2] = value & 255
    return n + 1


@rule
def completion(clock: int, max_steps: int) -> int:
    """Return how far the episode is, from 0 to 255."""
    if max_steps == 0:
        return 0
    if clock >= max_steps:
        return 255
    return 256 * clock // max_steps


@rule
def reward_token(s: State, e: int, a: int) -> int:
    """Return what the last step paid, in hundredths, within a byte."""
    total = 0.0
    for k in range(s.earned.shape[2]):
        total += s.earned[e, a, k]
    return int(min(max(100.0 * total + 0.5, 0.0), 255.0))


@rule
def put_common(s: State, p: Params, e: int, a: int, out: np.ndarray, place: int) -> int:
    """Write what both profiles tell about oneself and the episode."""
    n = 0
    if p.tells_completion:
        n = append_token(out, n, place, p.ids.completion, completion(s.clock[e], p.max_steps))
    if p.tells_action:
        n = append_token(out, n, place, p.ids.last_action, s.last_action[e, a])
    if p.ids.moved >= 0:
        n = append_token(out, n, place, p.ids.moved, 1 if s.moved[e, a] else 0)
    if p.tells_last:
        value = reward_token(s, e, a) if p.tells_reward else 0
        n = append_token(out, n, place, p.ids.last_reward, value)
    if p.tells_goal:
        n = put_goals(p, a, out, n, place)
    return n


@rule
def put_globals(s: State, p: Params, e: int, a: int, out: np.ndarray) -> int:
    """Write the tokens that have no place on the map (cogs)."""
    n = put_common(s, p, e, a, out, GLOBAL_LOCATION)
    if p.tells_position:
        n = put_position(s, p, e, a, out, n)
    if not p.tells_id:
        n = append_token(out, n, GLOBAL_LOCATION, p.ids.agent_id, a)
    if p.has_territory and s.row[e, a] >= 0 and s.col[e, a] >= 0:
        here = land_label(s, e, a, cell_of(p, s.row[e, a], s.col[e, a]))
        n = append_token(out, n, GLOBAL_LOCATION, p.ids.here, here)
    return put_values(s, p, e, a, out, n)


@rule
def put_goals(p: Params, a: int, out: np.ndarray, n: int, place: int) -> int:
    """Write which resources are rewarded, by their feature ids."""
    kind = p.tables.kind_of[a]
    for i in range(p.classic.goal[kind, 0]):
        n = append_token(out, n, place, p.ids.goal, goal_feature(p, kind, i))
    return n


@rule
def goal_feature(p: Params, kind: int, i: int) -> int:
    """Return the feature id of the i-th resource that a kind of agent is rewarded for."""
    return p.ids.inventory + p.classic.goal[kind, 1 + i] * p.digits


@rule
def put_position(s: State, p: Params, e: int, a: int, out: np.ndarray, n: int) -> int:
    """Write the way from the spawn, one token per axis."""
    dc = s.col[e, a] - s.spawn[e, a, 1]
    dr = s.row[e, a] - s.spawn[e, a, 0]
    if dc != 0:
        n = append_token(
            out, n, GLOBAL_LOCATION, p.ids.east if dc > 0 else p.ids.west, min(abs(dc), 255)
        )
    if dr != 0:
        n = append_token(
            out, n, GLOBAL_LOCATION, p.ids.south if dr > 0 else p.ids.north, min(abs(dr), 255)
        )
    return n


@rule
def told_number(p: Params, value: float) -> int:
    """Return a value as the whole number that is told: within two bytes, or wrapped upstream."""
    if p.wraps_told:
        return int(value) & MASK_32 if abs(value) < MOST_WHOLE else 0
    return int(min(max(value, 0.0), 1.0 * MAX_AMOUNT))


@rule
def put_values(s: State, p: Params, e: int, a: int, out: np.ndarray, n: int) -> int:
    """Write the configured numbers about oneself, digit by digit."""
    for i in range(p.tables.told.shape[0] - 1):
        value = value_of(s, p, e, a, p.tables.told[i, TOLD_VALUE])
        rest = told_number(p, value)
        feature = p.tables.told[i, TOLD_FEATURE]
        n = append_token(out, n, GLOBAL_LOCATION, feature, rest % p.base)
        rest //= p.base
        while rest > 0:
            feature += 1
            n = append_token(out, n, GLOBAL_LOCATION, feature & 255, rest % p.base)
            rest //= p.base
    return n
