"""The arrays that layers act with: what they are set to, and what they remember."""

from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.sim.handles import Handles, View

# entries of dials.switch
LATENCY, CONTENTION, NEED, MIXING, TIMING, PERIOD, LATE, SHOWN, SHOCK_KIND, CHANGE_KIND = range(10)
RANKED = 10
NUM_SWITCHES = RANKED + 1
# entries of dials.scale
REPUTE_DECAY, TRUST_DECAY, CONTEND, MIX, MAX_PENALTY, OPPORTUNITY, MEMORY, RANK_PROB = range(8)
NUM_SCALES = 8
# the terms that layers add, in this order: columns of dials.term
TERMS = ("mixing", "timing", "cost", "penalty", "risk", "opportunity")
MIXING_TERM, TIMING_TERM, COST_TERM, PENALTY_TERM, RISK_TERM, OPPORTUNITY_TERM = range(6)
# columns of own.price
COST, FAIL, CAUGHT, FINE, LOSS = range(5)
# entries of own.extra: where added features begin in the row, or -1
REPUTATION_AT, TRUST_AT, SHARED_AT, NUM_TOKENS, ANYWHERE, EMPTY, FIRST_ID, WHOLE = range(8)
NUM_EXTRAS = WHOLE + 1
# columns of own.token: one row per feature id
TOKEN_MASK, TOKEN_NOISE, TOKEN_DROP, TOKEN_LAG, TOKEN_LOW, TOKEN_HIGH = range(6)
# streams of random numbers: a thousand for each layer
INFORMATION, TEMPORAL, HIERARCHY, INTERACTION, POWER, INCENTIVES, UNCERTAINTY = range(
    1000, 8000, 1000
)


class Dials(NamedTuple):
    """What the layers of an env are set to and remember, for all its agents."""

    handles: Handles
    switch: Annotated[np.ndarray, "int64 [11]"]
    scale: Annotated[np.ndarray, "float64 [8]"]
    since: Annotated[np.ndarray, "int64 [env, agent]"]  # when the agent's life began
    queue_choice: Annotated[np.ndarray, "int32 [env, agent or 0, latency, part]"]
    queue_level: Annotated[np.ndarray, "float64 [env, agent or 0, latency, level]"]
    lag: Annotated[np.ndarray, "int64 [column]"]  # steps by which changes are late
    held: Annotated[np.ndarray, "float64 [column]"]  # which part of them
    coming: Annotated[np.ndarray, "float64 [env, agent or 0, .., column]"]  # changes on their way
    group: Annotated[np.ndarray, "int64 [agent]"]
    tally: Annotated[np.ndarray, "float64 [env, group, 2]"]  # sums while a step is played
    pool: Annotated[np.ndarray, "float64 [column]"]
    spill: Annotated[np.ndarray, "float64 [column, 2]"]  # share, and to whom
    extra: Annotated[np.ndarray, "float64 [env, agent]"]  # sums while a step is played
    matrix: Annotated[np.ndarray, "float64 [agent or 0, agent or 0]"]
    owed: Annotated[np.ndarray, "float64 [env, agent or 0, period]"]  # rewards not paid yet
    fines: Annotated[np.ndarray, "float64 [env, agent or 0, delay]"]  # penalties not due yet
    priority: Annotated[np.ndarray, "float64 [agent]"]
    multiplier: Annotated[np.ndarray, "float64 [agent, effect]"]
    num_terms: Annotated[np.ndarray, "int64 [agent]"]  # of the world's own
    term: Annotated[np.ndarray, "int64 [agent, 6]"]  # where the layers' terms are; -1: nowhere
    shock: Annotated[np.ndarray, "float64 [shock, 5]"]  # column, hazard, size, relative, one
    drift: Annotated[np.ndarray, "float64 [drift, 5]"]  # tunable, shape, amount, period, every
    adapt: Annotated[np.ndarray, "float64 [adaptation, 4]"]  # tunable, goal, rate, every
    limits: Annotated[np.ndarray, "float64 [tunable, 2]"]
    fortune: Annotated[np.ndarray, "float64 [env]"]  # mean reward, the past weighing less


class Own(NamedTuple):
    """What layers do to the actions and observations of one role."""

    world_view: View
    untold: Annotated[np.ndarray, "int32 [..]"]  # numbers of info that are masked
    masked: Annotated[np.ndarray, "int32 [..]"]
    # numbers from..to, and the table row they are of
    noise_at: Annotated[np.ndarray, "int32 [run, 4]"]
    noise: Annotated[np.ndarray, "float64 [run, 3]"]  # deviation, low, high
    drop_at: Annotated[np.ndarray, "int32 [drop, 2]"]  # numbers from..to
    drop: Annotated[np.ndarray, "float64 [drop]"]
    late: Annotated[np.ndarray, "int32 [late number, 2]"]  # number, steps
    past: Annotated[np.ndarray, "[env, member or 0, .., late number]"]  # what the world showed
    frames: Annotated[np.ndarray, "[env, member or 0, .., number or 0]"]  # what the agent was shown
    # numbers its caste never sees; -1: none
    blind: Annotated[np.ndarray, "int32 [member or 0, ..]"]
    token: Annotated[np.ndarray, "float64 [256, 6] or empty"]
    extra: Annotated[np.ndarray, "int64 [8]"]
    share: Annotated[np.ndarray, "int32 [shared number, 2]"]  # number, aggregate
    share_range: Annotated[np.ndarray, "float64 [shared number, 2]"]
    blend: Annotated[np.ndarray, "float64 [1]"]  # how much of the aggregate replaces one's own
    shared: Annotated[np.ndarray, "float64 [env, group, shared number]"]
    permit: Annotated[np.ndarray, "bool [member or 0, ..]"]
    price: Annotated[np.ndarray, "float64 [.., 5]"]
    level_price: Annotated[np.ndarray, "float64 [..]"]
