"""Territory: each cell belongs to the team whose things claim it most strongly."""

import math

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.columns import (
    CLAIM_DECAY,
    CLAIM_KIND,
    CLAIM_STRENGTH,
    CLAIM_TERRITORY,
    TEAM_TAG,
    TEAM_TERRITORY,
)
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.tag import has_tag
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

SCALE = 1024
NEUTRAL_LAND, OWN_LAND, FOREIGN_LAND, NUM_LAND_LABELS = range(4)


@rule
def claim_land(s: State, p: Params, e: int) -> None:
    """Work out who owns every cell."""
    if p.tables.claim.shape[0] == 0:
        return
    for r in range(p.height):
        for c in range(p.width):
            s.owner[e, cell_of(p, r, c)] = find_owner(s, p, e, r, c)


@rule
def find_owner(s: State, p: Params, e: int, r: int, c: int) -> int:
    """Return the tag that owns a cell, plus one; 0 if none does or two are equally strong."""
    best = 0
    owner = 0
    for i in range(p.tables.team.shape[0]):
        if i > 0 and p.tables.team[i, TEAM_TERRITORY] != p.tables.team[i - 1, TEAM_TERRITORY]:
            if owner > 0:
                return owner
            best = 0
        score = influence(s, p, e, r, c, i)
        if score > best:
            best = score
            owner = p.tables.team[i, TEAM_TAG] + 1
        elif score == best and score > 0:
            owner = 0
    return owner


@rule
def influence(s: State, p: Params, e: int, r: int, c: int, team: int) -> int:
    """Return how strongly a team claims a cell."""
    total = 0
    which = p.tables.team[team, TEAM_TERRITORY]
    tag = p.tables.team[team, TEAM_TAG]
    for k in range(p.agents, p.things):
        if s.veiled[e, k]:
            continue
        if s.row[e, k] >= 0 and first_team(s, p, e, k, which) == tag:
            dr = s.row[e, k] - r
            dc = s.col[e, k] - c
            total += claim_at(p, p.tables.kind_of[k], which, dr * dr + dc * dc)
    return total


@rule
def first_team(s: State, p: Params, e: int, k: int, which: int) -> int:
    """Return the tag of the team that a thing claims land for, the first of several; or -1."""
    for i in range(p.tables.team.shape[0]):
        tag = p.tables.team[i, TEAM_TAG]
        if p.tables.team[i, TEAM_TERRITORY] == which and has_tag(s, e, k, tag):
            return tag
    return -1


@rule
def claim_at(p: Params, kind: int, which: int, far: int) -> int:
    """Return what one thing of a kind claims at a squared distance."""
    total = 0
    for i in range(p.tables.claim.shape[0]):
        if p.tables.claim[i, CLAIM_KIND] == kind and p.tables.claim[i, CLAIM_TERRITORY] == which:
            strength = p.tables.claim[i, CLAIM_STRENGTH]
            decay = max(p.tables.claim[i, CLAIM_DECAY], 1)
            reach = strength // decay
            if far <= reach * reach:
                score = SCALE * strength - decay * int(math.sqrt(far) * SCALE)
                total += max(score, 0)
    return total


@rule
def land_label(s: State, e: int, a: int, cell: int) -> int:
    """Return whose land a cell is, to an agent."""
    owner = s.owner[e, cell]
    if owner == 0:
        return NEUTRAL_LAND
    tag = owner - 1
    if has_tag(s, e, a, tag):
        return OWN_LAND
    return FOREIGN_LAND
