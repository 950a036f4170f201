"""How the line of lights works."""

from mesocosm.sim.event import emit
from mesocosm.sim.rng import below, uniform
from mesocosm.sim.rule import rule

EMPTY, LENGTH = 255, 16


@rule
def reset(s, f, p, e):
    for a in range(s.pos.shape[1]):
        s.pos[e, a] = below(LENGTH, f.word[e], 0, 0, a)
        s.oil[e, a] = 5.0
    for k in range(s.light.shape[1]):
        s.light[e, k] = below(LENGTH, f.word[e], 0, 1, k)
        s.glow[e, k] = 100.0 * uniform(f.word[e], 0, 2, k)


@rule
def transition(s, f, p, e):
    for k in range(s.light.shape[1]):
        s.glow[e, k] = max(s.glow[e, k] - f.tunable[e, 0], 0.0)
    for i in range(s.pos.shape[1]):
        a = f.order[e, i]
        if f.active[e, a]:
            act(s, f, e, a)


@rule
def act(s, f, e, a):
    move = f.choice[e, a, 0]
    if move == 1:
        s.pos[e, a] = max(s.pos[e, a] - 1, 0)
    elif move == 2:
        s.pos[e, a] = min(s.pos[e, a] + 1, LENGTH - 1)
    elif move == 3 and s.oil[e, a] >= 1.0:
        feed(s, f, e, a)


@rule
def feed(s, f, e, a):
    for k in range(s.light.shape[1]):
        if s.light[e, k] == s.pos[e, a]:
            s.oil[e, a] -= 1.0
            s.glow[e, k] = min(s.glow[e, k] + 30.0 * f.effect[e, a, 0], 100.0)
            emit(f, e, 0, a, (a + 1) % 2, 1.0)
            return


@rule
def ending(s, f, p, e):
    if f.t[e] >= p.max_steps:
        f.episode_ending[e] = 1


@rule
def terms(s, f, p, e, a):
    best = 0.0
    for k in range(s.light.shape[1]):
        if s.light[e, k] == s.pos[e, a] and s.glow[e, k] > best:
            best = s.glow[e, k]
    f.terms[e, a, 0] = best / 100.0


@rule
def observe(s, p, e, a, out):
    if p.tokens:
        observe_tokens(s, p, e, a, out)
        return
    for k in range(s.light.shape[1]):
        seen = sees_light(s, p, e, a, k)
        out[4 * k] = 1.0 if seen else 0.0
        out[4 * k + 1] = s.light[e, k] - s.pos[e, a] if seen else 0.0
        out[4 * k + 2] = s.glow[e, k] if seen else 0.0
        out[4 * k + 3] = k % 4 if seen else 0.0
    out[4 * s.light.shape[1]] = s.oil[e, a]


@rule
def observe_tokens(s, p, e, a, out):
    at = put(out, 0, 254, 3, int(s.oil[e, a]))
    for k in range(s.light.shape[1]):
        if sees_light(s, p, e, a, k):
            at = put(out, at, s.light[e, k], 1, int(s.glow[e, k]))
            at = put(out, at, s.light[e, k], 2, k % 4)
    for n in range(at, out.shape[0]):
        out[n] = EMPTY


@rule
def inform(s, p, e, a, out):
    out[0] = s.oil[e, a]


@rule
def put(out, at, place, kind, value):
    out[at] = place
    out[at + 1] = kind
    out[at + 2] = value
    return at + 3


@rule
def sees(s, p, e, a, j):
    away = s.pos[e, j] - s.pos[e, a]
    return away >= -p.sight and away <= p.sight


@rule
def sees_light(s, p, e, a, k):
    away = s.light[e, k] - s.pos[e, a]
    return away >= -p.sight and away <= p.sight
