"""The arrays that layers act with: what they are set to, and what they remember."""

from typing import NamedTuple

import numpy as np

from mesocosm.sim import layering

APART, CHANGED, COMPARED = layering.APART, layering.CHANGED, layering.COMPARED

# entries of dials.switch
LATENCY, CONTENTION, NEED, MIXING, TIMING, PERIOD, LATE, SHOWN, SHOCK_KIND, CHANGE_KIND = range(10)
RANKED = 10
NUM_SWITCHES = COMPARED + 1
# entries of dials.scale
REPUTE_DECAY, TRUST_DECAY, CONTEND, MIX, MAX_PENALTY, OPPORTUNITY, MEMORY, RANK_PROB = range(8)
NUM_SCALES = 8
# columns of dials.column
FIELD, FIRST, STRIDE, COUNT = range(4)
# the terms that layers add, in this order: columns of dials.term
TERMS = ("mixing", "timing", "cost", "penalty", "risk", "opportunity")
MIXING_TERM, TIMING_TERM, COST_TERM, PENALTY_TERM, RISK_TERM, OPPORTUNITY_TERM = range(6)
# columns of own.price
COST, FAIL, CAUGHT, FINE, LOSS = range(5)
# entries of own.extra: where added features begin in the row, or -1
REPUTATION_AT, TRUST_AT, SHARED_AT, NUM_TOKENS, ANYWHERE, EMPTY, FIRST_ID, WHOLE = range(8)
NUM_EXTRAS = CHANGED + 1
# columns of own.token: one row per feature id
TOKEN_MASK, TOKEN_NOISE, TOKEN_DROP, TOKEN_LAG, TOKEN_LOW, TOKEN_HIGH = range(6)
# streams of random numbers: a thousand for each layer
INFORMATION, TEMPORAL, HIERARCHY, INTERACTION, POWER, INCENTIVES, UNCERTAINTY = range(
    1000, 8000, 1000
)


class Dials(NamedTuple):
    """What the layers of an env are set to and remember, for all its agents."""

    switch: np.ndarray  # int64 [13]
    scale: np.ndarray  # float64 [8]
    since: np.ndarray  # int64 [env, agent]: when the agent's life began
    seen: np.ndarray  # bool [env, agent, agent]: whom an agent sees now; or empty
    column: np.ndarray  # int64 [column, 4]: the numbers of the state that layers act on
    bounds: np.ndarray  # float64 [column, 2]
    before: np.ndarray  # float64 [env, column, agent]: before the transition
    value: np.ndarray  # float64 [env, column, agent]: after it
    queue_choice: np.ndarray  # int32 [env, agent, latency, part]
    queue_level: np.ndarray  # float64 [env, agent, latency, part]
    lag: np.ndarray  # int64 [column]: steps by which changes are late
    held: np.ndarray  # float64 [column]: which part of them
    coming: np.ndarray  # float64 [env, agent, lag, column]: changes on their way
    group: np.ndarray  # int64 [agent]
    tally: np.ndarray  # float64 [env, group, 2]: sums while a step is played
    pool: np.ndarray  # float64 [column]
    spill: np.ndarray  # float64 [column, 2]: share, and to whom
    extra: np.ndarray  # float64 [env, agent]: sums while a step is played
    matrix: np.ndarray  # float64 [agent, agent]
    owed: np.ndarray  # float64 [env, agent, period]: rewards not paid yet
    fines: np.ndarray  # float64 [env, agent, delay]: penalties not due yet
    priority: np.ndarray  # float64 [agent]
    multiplier: np.ndarray  # float64 [agent, effect]
    num_terms: np.ndarray  # int64 [agent]: of the world's own
    term: np.ndarray  # int64 [agent, 6]: where the layers' terms are; -1: nowhere
    shock: np.ndarray  # float64 [shock, 5]: column, hazard, size, relative, one
    drift: np.ndarray  # float64 [drift, 5]: tunable, shape, amount, period, every
    adapt: np.ndarray  # float64 [adaptation, 4]: tunable, goal, rate, every
    limits: np.ndarray  # float64 [tunable, 2]
    fortune: np.ndarray  # float64 [env]: mean reward, the past weighing less


class Own(NamedTuple):
    """What layers do to the actions and observations of one role."""

    rows: np.ndarray  # [env, agent of the role, number]: as the world shows it; or empty
    absent: np.ndarray  # [number]
    hidden: np.ndarray  # int32 [..]: numbers that the config's scopes take away
    untold: np.ndarray  # int32 [..]: numbers of info that are masked
    masked: np.ndarray  # int32 [..]
    noise_at: np.ndarray  # int32 [run, 4]: numbers from..to, and the table row they are of
    noise: np.ndarray  # float64 [run, 3]: deviation, low, high
    drop_at: np.ndarray  # int32 [run, 2]: numbers from..to
    drop: np.ndarray  # float64 [run]
    late: np.ndarray  # int32 [late number, 2]: number, steps
    past: np.ndarray  # [env, agent, steps, late number]: what the world showed
    frames: np.ndarray  # [env, agent, history - 1, number]: what the agent was shown
    blind: np.ndarray  # int32 [agent of the role, ..]: numbers its caste never sees; -1: none
    token: np.ndarray  # float64 [256, 6] or empty
    extra: np.ndarray  # int64 [9]
    share: np.ndarray  # int32 [shared number, 2]: number, aggregate
    share_range: np.ndarray  # float64 [shared number, 2]
    blend: np.ndarray  # float64 [1]: how much of the aggregate replaces one's own
    shared: np.ndarray  # float64 [env, group, shared number]
    permit: np.ndarray  # bool [agent of the role, option of any part]
    price: np.ndarray  # float64 [option of any part, 5]
    level_price: np.ndarray  # float64 [level part]
