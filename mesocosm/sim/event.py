"""Events: what rules write down for people, and the counters of agents that events add to.

There are three counters: an actor's standing with all, its standing with the target, and its bill.
The engine keeps them because any rule may emit an event at any time; what they mean, when they
fade and what they lead to is for layers to say.
"""

from mesocosm.sim.frame import (
    ACTOR,
    BILL_WEIGHT,
    DROPPED,
    EPISODE,
    KIND,
    PAIR_WEIGHT,
    STANDING_WEIGHT,
    TARGET,
    TIME,
    VALUE,
    WAITING,
    Frame,
)
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

MAX_STANDING = 1e12  # as a snapshot allows it


@rule
def emit(f: Frame, e: int, kind: int, actor: int, target: int, value: float) -> None:
    """Write an event; when the buffer is full the newest is dropped and counted."""
    if f.event_weight.shape[0] > 0:
        count_event(f, e, kind, actor, target)
    k = f.num_events[e, WAITING]
    if k >= f.event.shape[1]:
        f.num_events[e, DROPPED] += 1
        return
    f.event[e, k, EPISODE] = f.episode[e]
    f.event[e, k, TIME] = f.t[e]
    f.event[e, k, KIND] = kind
    f.event[e, k, ACTOR] = actor
    f.event[e, k, TARGET] = target
    f.event[e, k, VALUE] = value
    f.num_events[e, WAITING] = k + 1


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
