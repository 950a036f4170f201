"""Cues: what others can read off a person, by priority."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.params import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    CUE_VISIBILITY,
    NO_CONDITION,
    ON_METER,
    ON_PLACE,
    PRIVATE,
    PUBLIC,
    WHEN_DETAIL,
    WHEN_KIND,
    WHEN_SUBJECT,
    Params,
)
from mesocosm.worlds.townlet.state import State
from mesocosm.worlds.townlet.step.life import cell_of


@rule
def show_cues(s: State, p: Params, e: int, a: int) -> None:
    """Set the cues that an agent shows to everybody, and those shown to its family."""
    for cue in range(p.num_cues):
        s.cue[e, a, cue] = False
    for cue in range(s.family_cue.shape[2]):
        s.family_cue[e, a, cue] = False
    if not s.alive[e, a]:
        return
    shown = 0
    for rank in range(p.num_cues):
        cue = p.cue_rank[rank]
        if (
            shown < p.max_cues
            and p.cue_rule[cue, CUE_VISIBILITY] == PUBLIC
            and cue_holds(s, p, e, a, cue)
        ):
            s.cue[e, a, cue] = True
            shown += 1
    if s.family_cue.shape[2] > 0 and s.family[e, a] >= 0:
        show_family_cues(s, p, e, a)


@rule
def show_family_cues(s: State, p: Params, e: int, a: int) -> None:
    """Set the cues that the family reads: public ones and its own, by priority."""
    shown = 0
    for rank in range(p.num_cues):
        cue = p.cue_rank[rank]
        if (
            shown < p.max_cues
            and p.cue_rule[cue, CUE_VISIBILITY] != PRIVATE
            and cue_holds(s, p, e, a, cue)
        ):
            s.family_cue[e, a, cue] = True
            shown += 1


@rule
def cue_holds(s: State, p: Params, e: int, a: int, cue: int) -> bool:
    """Whether all conditions of a cue hold."""
    for i in range(p.cue_when.shape[1]):
        if p.cue_when[cue, i, WHEN_KIND] == NO_CONDITION:
            return True
        if not condition_holds(s, p, e, a, cue, i):
            return False
    return True


@rule
def condition_holds(s: State, p: Params, e: int, a: int, cue: int, i: int) -> bool:
    """Whether one condition of a cue holds."""
    kind = p.cue_when[cue, i, WHEN_KIND]
    subject = p.cue_when[cue, i, WHEN_SUBJECT]
    if kind == ON_METER:
        level = s.meters[e, a, subject]
        value = p.cue_value[cue, i]
        return compare(level, value, p.cue_when[cue, i, WHEN_DETAIL])
    if kind == ON_PLACE:
        return s.place_at[e, cell_of(s, p, e, a)] == subject
    for back in range(p.cue_when[cue, i, WHEN_DETAIL]):
        if s.recent[e, a, back] != subject:
            return False
    return True


@rule
def compare(level: float, value: float, how: int) -> bool:
    """Whether a level compares with a value as a condition says."""
    if how == BELOW:
        return level < value
    if how == AT_MOST:
        return level <= value
    if how == ABOVE:
        return level > value
    if how == AT_LEAST:
        return level >= value
    return level == value
