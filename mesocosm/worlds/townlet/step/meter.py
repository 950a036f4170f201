"""Meters: how they fall with time, drag each other down, and end a life."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.config import NUM_METERS
from mesocosm.worlds.townlet.declare import DEATH, DIFFICULTY, ENERGY, FITNESS, HEALTH, RETIREMENT
from mesocosm.worlds.townlet.params import SOURCE, STRENGTH, TARGET, THRESHOLD, Params
from mesocosm.worlds.townlet.state import MAX_AGE, MAX_FORTUNE, State
from mesocosm.worlds.townlet.step.life import is_spent


@rule
def spend(s: State, e: int, a: int, meter: int, amount: float) -> None:
    """Lower a meter, never below zero."""
    s.meters[e, a, meter] = clip(s.meters[e, a, meter] - amount, 0.0, 1.0)


@rule
def decay_meters(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Lower the meters with time, apply cascades, and end lives that are spent or complete."""
    difficulty = f.tunable[e, DIFFICULTY]
    low = False
    for meter in range(NUM_METERS):
        spend(s, e, a, meter, p.decay[meter] * difficulty)
        low = low or s.meters[e, a, meter] < p.alarm[meter]
    unfit = 1.0 - s.meters[e, a, FITNESS]
    spend(s, e, a, HEALTH, p.fitness_base * (p.fitness_low + p.fitness_span * unfit))
    if low or s.meters[e, a, HEALTH] < p.alarm[HEALTH]:
        apply_cascades(s, p, e, a)
    s.age[e, a] = min(s.age[e, a] + 1, MAX_AGE)
    fortune = s.fortune[e, a] + s.meters[e, a, ENERGY] * s.meters[e, a, HEALTH]
    s.fortune[e, a] = min(fortune, MAX_FORTUNE)
    if is_spent(s, p, e, a):
        s.alive[e, a] = False
        emit(f, e, DEATH, a, -1, s.age[e, a] * 1.0)
    elif s.age[e, a] >= p.lifespan:
        s.alive[e, a] = False
        emit(f, e, RETIREMENT, a, -1, s.age[e, a] * 1.0)


@rule
def apply_cascades(s: State, p: Params, e: int, a: int) -> None:
    """Let each low meter lower its target, in the order of the cascades."""
    for i in range(p.cascade.shape[0]):
        source = s.meters[e, a, p.link[i, SOURCE]]
        threshold = p.cascade[i, THRESHOLD]
        if source < threshold:
            lack = (threshold - source) / threshold
            spend(s, e, a, p.link[i, TARGET], p.cascade[i, STRENGTH] * lack)
