"""What events do to the standing of the agents that caused them."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

MOST = 1e12  # of what layers remember, as a snapshot allows it


@rule
def judge(f: Frame, e: int, kind: int, actor: int, target: int) -> None:
    """Let what happened change what others think of the actor, and what it costs.

    Where an event's actor or target is no agent, the table has no weight for it.
    """
    agents = f.active.shape[1]
    if actor < 0 or actor >= agents or kind < 0 or kind >= f.regard.shape[0]:
        return
    if f.repute.shape[1] > 0:
        f.repute[e, actor] = clip(f.repute[e, actor] + f.regard[kind, 0], -MOST, MOST)
    if f.trust.shape[1] > 0 and target >= 0 and target < agents:
        trust = f.trust[e, target, actor] + f.regard[kind, 1]
        f.trust[e, target, actor] = clip(trust, -MOST, MOST)
    if f.fined.shape[1] > 0:
        f.fined[e, actor] += f.regard[kind, 2]
