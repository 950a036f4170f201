"""The cue engine: what can be read off a person, by priority."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.declare import Params
from mesocosm.worlds.townlet.state import State

THRESHOLD, LOCATION, PATTERN = 0.0, 1.0, 2.0


@rule
def show_cues(s: State, p: Params, e: int, a: int) -> None:
    """Decide what someone shows: the most important cues that hold, and no more than allowed."""
    for cue in range(p.num_cues):
        s.cue[e, a, cue] = False
    if not s.alive[e, a]:
        return
    shown = 0
    for rank in range(p.num_cues):
        cue = p.cue_rank[rank]
        if shown < p.max_cues and p.cue_rule[cue, 1] == 0.0 and holds(s, p, e, a, cue):
            s.cue[e, a, cue] = True
            shown += 1


@rule
def holds(s: State, p: Params, e: int, a: int, cue: int) -> bool:
    """Whether all conditions of a cue hold."""
    for i in range(p.cue_when.shape[1]):
        kind = p.cue_when[cue, i, 0]
        if kind >= 0.0 and not condition(s, p, e, a, cue, i):
            return False
    return True


@rule
def condition(s: State, p: Params, e: int, a: int, cue: int, i: int) -> bool:
    """Whether one condition of a cue holds."""
    kind = p.cue_when[cue, i, 0]
    subject = int(p.cue_when[cue, i, 1])
    value = p.cue_when[cue, i, 2]
    if kind == THRESHOLD:
        level = s.meters[e, a, subject]
        return level < value if p.cue_when[cue, i, 3] < 0.0 else level > value
    if kind == LOCATION:
        return s.place_at[e, s.position[e, a, 1] * p.grid + s.position[e, a, 0]] == subject
    for back in range(int(value)):
        if s.recent[e, a, back] != subject:
            return False
    return True
