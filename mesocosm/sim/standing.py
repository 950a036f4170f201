"""Counters that events add to: the actor's standing with all, with its target, and its bill.

The engine keeps them because any rule may emit an event at any time; what they mean, when they
fade and what they lead to is for layers to say.
"""

from mesocosm.sim.frame import BILL_WEIGHT, PAIR_WEIGHT, STANDING_WEIGHT, Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

MAX_STANDING = 1e12  # as a snapshot allows it


@rule
def count_event(f: Frame, e: int, kind: int, actor: int, target: int) -> None:
    """Add an event's weights to the counters of its actor.

    Where an event's actor or target is no agent, the table has no weight for it.
    """
    agents = f.active.shape[1]
    if actor < 0 or actor >= agents or kind < 0 or kind >= f.event_weight.shape[0]:
        return
    if f.standing.shape[1] > 0:
        total = f.standing[e, actor] + f.event_weight[kind, STANDING_WEIGHT]
        f.standing[e, actor] = clip(total, -MAX_STANDING, MAX_STANDING)
    if f.pair_standing.shape[1] > 0 and target >= 0 and target < agents:
        total = f.pair_standing[e, target, actor] + f.event_weight[kind, PAIR_WEIGHT]
        f.pair_standing[e, target, actor] = clip(total, -MAX_STANDING, MAX_STANDING)
    if f.bill.shape[1] > 0:
        f.bill[e, actor] += f.event_weight[kind, BILL_WEIGHT]
