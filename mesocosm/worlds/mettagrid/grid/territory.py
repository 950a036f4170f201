"""Territory: each cell belongs to the team whose things claim it most strongly."""

import math

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import REG_NUM_RENEWED
from mesocosm.worlds.mettagrid.compile.columns import (
    CLAIM_DECAY,
    CLAIM_KIND,
    CLAIM_STRENGTH,
    CLAIM_TERRITORY,
    TEAM_TAG,
    TEAM_TERRITORY,
)
from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.kinds import CLAIMS
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import cell_of, clear_bit, set_bit
from mesocosm.worlds.mettagrid.grid.tag import has_tag
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

SCALE = 1024
NEUTRAL_LAND, OWN_LAND, FOREIGN_LAND, NUM_LAND_LABELS = range(4)
NUM_SIDES, FIRST_ACROSS = 4, 2  # north, south, then east, west


@rule
def clear_land(s: State, e: int) -> None:
    """Forget all claims, before each thing makes its own anew."""
    for i in range(s.claimed.shape[1]):
        for which in range(s.claimed.shape[2]):
            s.claimed[e, i, which] = 0
    for i in range(s.influence.shape[2]):
        for team in range(s.influence.shape[1]):
            s.influence[e, team, i] = 0
    for i in range(s.border.shape[1]):
        s.border[e, i] = 0


@rule
def renew_claim(s: State, p: Params, e: int, k: int) -> None:
    """Move a thing's claims to where it is and to the team it is of, if that changed."""
    for which in range(s.claimed.shape[2]):
        before = s.claimed[e, k, which]
        now = claim_of(s, p, e, k, which)
        if now != before:
            s.claimed[e, k, which] = now
            for i in range(p.tables.claim.shape[0]):
                if (
                    p.tables.claim[i, CLAIM_KIND] == p.tables.kind_of[k]
                    and p.tables.claim[i, CLAIM_TERRITORY] == which
                ):
                    spread_claim(s, p, e, i, wide(before), -1)
                    spread_claim(s, p, e, i, wide(now), 1)
                    settle_owners(s, p, e, i, wide(before))
                    settle_owners(s, p, e, i, wide(now))


@rule
def claim_of(s: State, p: Params, e: int, k: int, which: int) -> int:
    """Return where a thing claims land and for which team, as one number; 0 if it does not."""
    place = -1
    if s.row[e, k] >= 0 and s.col[e, k] >= 0:
        place = s.row[e, k] * p.width + s.col[e, k]
    elif p.keeps_land:
        place = s.left_at[e, k] - 1
    if s.veiled[e, k] or place < 0:
        return 0
    team = first_team(s, p, e, k, which)
    if team < 0:
        return 0
    return 1 + place * p.tables.team.shape[0] + team


@rule
def spread_claim(s: State, p: Params, e: int, i: int, claim: int, sign: int) -> None:
    """Add a claim to the influence of its team on all cells in reach, or take it back."""
    if claim == 0:
        return
    team = (claim - 1) % p.tables.team.shape[0]
    place = (claim - 1) // p.tables.team.shape[0]
    row = place // p.width
    col = place % p.width
    strength = p.tables.claim[i, CLAIM_STRENGTH]
    decay = max(p.tables.claim[i, CLAIM_DECAY], 1)
    reach = strength // decay
    for r in range(max(row - reach, 0), min(row + reach + 1, p.height)):
        for c in range(max(col - reach, 0), min(col + reach + 1, p.width)):
            far = (r - row) * (r - row) + (c - col) * (c - col)
            if far <= reach * reach:
                score = SCALE * strength - decay * int(math.sqrt(far) * SCALE)
                s.influence[e, team, cell_of(p, r, c)] += sign * max(score, 0)


@rule
def settle_owners(s: State, p: Params, e: int, i: int, claim: int) -> None:
    """Settle who owns the cells that a claim reaches."""
    if claim == 0:
        return
    place = (claim - 1) // p.tables.team.shape[0]
    row = place // p.width
    col = place % p.width
    reach = p.tables.claim[i, CLAIM_STRENGTH] // max(p.tables.claim[i, CLAIM_DECAY], 1)
    for r in range(max(row - reach, 0), min(row + reach + 1, p.height)):
        for c in range(max(col - reach, 0), min(col + reach + 1, p.width)):
            if (r - row) * (r - row) + (c - col) * (c - col) <= reach * reach:
                settle_owner(s, p, e, cell_of(p, r, c))


@rule
def settle_owner(s: State, p: Params, e: int, cell: int) -> None:
    """Give a cell to the team that claims it most strongly, and draw its borders anew."""
    owner = find_owner(s, p, e, cell)
    if owner == s.owner[e, cell]:
        return
    s.owner[e, cell] = owner
    for side in range(NUM_SIDES):
        other = cell + side_offset(p, side)
        mark_border(s, p, e, cell, other, side)
        mark_border(s, p, e, other, cell, side ^ 1)


@rule
def side_offset(p: Params, side: int) -> int:
    """Return by how much the index of the next cell differs: north, south, east, west."""
    if side < FIRST_ACROSS:
        return p.pitch if side == 1 else -p.pitch
    return 1 if side == FIRST_ACROSS else -1


@rule
def mark_border(s: State, p: Params, e: int, cell: int, other: int, side: int) -> None:
    """Note whether the land on one side of a cell has another owner; off the map there is none."""
    if s.cell[e, cell] < 0 or s.cell[e, other] < 0:
        return
    before = s.border[e, cell]
    kept = before & ~(1 << side)
    now = kept | (1 << side) if s.owner[e, cell] != s.owner[e, other] else kept
    s.border[e, cell] = now
    if (now != 0) == (before != 0):
        return
    if now != 0:
        set_bit(s.bordering[e], cell // p.pitch - PAD, cell % p.pitch - PAD)
    else:
        clear_bit(s.bordering[e], cell // p.pitch - PAD, cell % p.pitch - PAD)


@rule
def find_owner(s: State, p: Params, e: int, cell: int) -> int:
    """Return the tag that owns a cell, plus one; 0 if none does or two are equally strong."""
    best = 0
    owner = 0
    for i in range(p.tables.team.shape[0]):
        if i > 0 and p.tables.team[i, TEAM_TERRITORY] != p.tables.team[i - 1, TEAM_TERRITORY]:
            if owner > 0:
                return owner
            best = 0
        score = s.influence[e, i, cell]
        if score > best:
            best = score
            owner = p.tables.team[i, TEAM_TAG] + 1
        elif score == best and score > 0:
            owner = 0
    return owner


@rule
def renew_claims(s: State, p: Params, e: int) -> None:
    """Renew the claims of all things that may have changed in this step since the last time."""
    number = s.stale_list[e, 0]
    for i in range(1 + s.reg[e, REG_NUM_RENEWED], 1 + number):
        k = wide(s.stale_list[e, i])
        if p.tables.kind[p.tables.kind_of[k], CLAIMS] != 0:
            renew_claim(s, p, e, k)
    s.reg[e, REG_NUM_RENEWED] = number


@rule
def is_alone(p: Params, which: int) -> bool:
    """Whether all teams claim land in one territory, so that its owners are those of cells."""
    last = p.tables.team.shape[0] - 1
    return (
        last >= 0
        and p.tables.team[0, TEAM_TERRITORY] == which
        and p.tables.team[last, TEAM_TERRITORY] == which
    )


@rule
def owner_in(s: State, p: Params, e: int, cell: int, which: int) -> int:
    """Return the tag that owns a cell in one territory, plus one; 0 if none does."""
    if is_alone(p, which):
        return wide(s.owner[e, cell])
    best = 0
    owner = 0
    for i in range(p.tables.team.shape[0]):
        if p.tables.team[i, TEAM_TERRITORY] == which:
            score = s.influence[e, i, cell]
            if score > best:
                best = score
                owner = p.tables.team[i, TEAM_TAG] + 1
            elif score == best and score > 0:
                owner = 0
    return owner


@rule
def first_team(s: State, p: Params, e: int, k: int, which: int) -> int:
    """Return the team that a thing claims land for, the first of several; or -1."""
    for i in range(p.tables.team.shape[0]):
        tag = p.tables.team[i, TEAM_TAG]
        if p.tables.team[i, TEAM_TERRITORY] == which and has_tag(s, e, k, tag):
            return i
    return -1


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
