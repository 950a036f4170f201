"""The cue engine: what can be read off a person, by priority."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.declare import Params
from mesocosm.worlds.townlet.state import State

THRESHOLD, LOCATION, PATTERN = 0, 1, 2
PUBLIC, FAMILY, PRIVATE = 0, 1, 2


@rule
def show_cues(s: State, p: Params, e: int, a: int) -> None:
    """Decide what someone shows: to everybody, and to the family where that differs."""
    for cue in range(p.num_cues):
        s.cue[e, a, cue] = False
    for cue in range(s.family_cue.shape[2]):
        s.family_cue[e, a, cue] = False
    if not s.alive[e, a]:
        return
    shown = 0
    for rank in range(p.num_cues):
        cue = p.cue_rank[rank]
        if shown < p.max_cues and p.cue_rule[cue, 0] == PUBLIC and holds(s, p, e, a, cue):
            s.cue[e, a, cue] = True
            shown += 1
    if s.family_cue.shape[2] > 0 and s.family[e, a] >= 0:
        show_family(s, p, e, a)


@rule
def show_family(s: State, p: Params, e: int, a: int) -> None:
    """Decide what the family reads: its own cues count beside the public ones."""
    shown = 0
    for rank in range(p.num_cues):
        cue = p.cue_rank[rank]
        if shown < p.max_cues and p.cue_rule[cue, 0] != PRIVATE and holds(s, p, e, a, cue):
            s.family_cue[e, a, cue] = True
            shown += 1


@rule
def holds(s: State, p: Params, e: int, a: int, cue: int) -> bool:
    """Whether all conditions of a cue hold."""
    for i in range(p.cue_when.shape[1]):
        if p.cue_when[cue, i, 0] < 0:
            return True
        if not condition(s, p, e, a, cue, i):
            return False
    return True


@rule
def condition(s: State, p: Params, e: int, a: int, cue: int, i: int) -> bool:
    """Whether one condition of a cue holds."""
    kind = p.cue_when[cue, i, 0]
    subject = p.cue_when[cue, i, 1]
    if kind == THRESHOLD:
        level = s.meters[e, a, subject]
        value = p.cue_value[cue, i]
        return level < value if p.cue_when[cue, i, 2] < 0 else level > value
    if kind == LOCATION:
        return s.place_at[e, s.position[e, a, 1] * p.grid + s.position[e, a, 0]] == subject
    for back in range(p.cue_when[cue, i, 2]):
        if s.recent[e, a, back] != subject:
            return False
    return True
