"""Ranges of values: between what an expression, a statistic or a reward can be.

Upstream, what may be NaN or beyond 32 bits has the range of all numbers.
"""

import math

from mesocosm.worlds.mettagrid.arithmetic.rounding import MOST_STAT
from mesocosm.worlds.mettagrid.compile.stat_codes import AGENT_STATS, FLOWS
from mesocosm.worlds.mettagrid.compile.stats import stats_written
from mesocosm.worlds.mettagrid.game.core import Core
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.game.value import Reward, Value

NO_LIMIT = 1.0e18
ALL_NUMBERS = (-math.inf, math.inf)
LEAST_LOG, MOST_LOG = -104.0, 89.0  # of numbers in 32 bits
MARGIN = 2.0**-20  # for what rounding adds


def stat_range(core: Core, name: str, scope: str) -> tuple[float, float]:
    """Between what a statistic can be: counts are never negative, unless a handler writes them."""
    if (name, scope) in stats_written(core):
        most = most_stat(core)
        return -most, most
    if scope == "agent" and name.startswith("cell.max"):
        return 0.0, 512.0
    first = [kind.stats.get(name, 0.0) for kind in core.kinds] if scope == "agent" else [0.0]
    low, high = min([0.0, *first]), max([0.0, *first])
    resource, _, flow = name.rpartition(".")
    if scope == "agent" and resource in core.resources and flow in FLOWS:
        return low, max(high, float(MAX_AMOUNT)) if flow == "amount" else MOST_STAT
    if scope == "agent" and name in AGENT_STATS:
        return low, high + 2.0**24  # where 24 bits that grow by one stop growing
    return low, MOST_STAT if scope == "game" else high


def most_stat(core: Core) -> float:
    """Return the greatest that a statistic can be."""
    return math.inf if core.conformance == "upstream" and stats_written(core) else MOST_STAT


def value_range(core: Core, value: Value) -> tuple[float, float]:
    """Between what an expression can be."""
    found = _expression_range(core, value)
    if core.conformance == "upstream" and not all(abs(end) < NO_LIMIT for end in found):
        return ALL_NUMBERS
    return found


def _expression_range(core: Core, value: Value) -> tuple[float, float]:
    if value.query is not None or value.kind == "inventory":
        held = float(MAX_AMOUNT) if value.query is None else MOST_STAT
        return 0.0, held if value.resource else 2.0**15  # things
    if value.kind == "const":
        return value.number, value.number
    if value.kind == "stat":
        return stat_range(core, value.stat, value.scope)
    ranges = [value_range(core, part) for part in value.of]
    if value.kind == "ratio":
        return _ratio(*ranges)
    if value.kind != "sum":
        pick = min if value.kind == "min" else max
        return pick(low for low, _ in ranges), pick(high for _, high in ranges)
    return _sum_range(core, value, ranges)


def _sum_range(core: Core, value: Value, ranges: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the range of a weighted sum, of logarithms or not."""
    if value.log and core.conformance == "upstream" and min(low for low, _ in ranges) <= -1.0:
        return ALL_NUMBERS
    if value.log:
        ranges = [(LEAST_LOG if low < 0 else 0.0, MOST_LOG) for low, _ in ranges]
    weights = value.weights or (1.0,) * len(ranges)
    ends = [sorted((w * low, w * high)) for w, (low, high) in zip(weights, ranges, strict=True)]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def _ratio(above: tuple[float, float], below: tuple[float, float]) -> tuple[float, float]:
    """Return the range of a quotient; what is not positive does not divide."""
    if below[1] <= 0.0:
        return above
    least = below[0] if below[0] > 0.0 else 2.0**-24
    far = max(abs(above[0]), abs(above[1])) * max(1.0, 1.0 / least)
    return (-far if above[0] < 0.0 else 0.0), (far if above[1] > 0.0 else 0.0)


def worth_range(core: Core, reward: Reward) -> tuple[float, float]:
    """Between what the value of a reward can be."""
    low, high = -value_bound(core, reward), value_bound(core, reward)
    if reward.value is not None:
        ends = value_range(core, reward.value)
        low = max(low, ends[0] - abs(ends[0]) * MARGIN)
        high = min(high, ends[1] + abs(ends[1]) * MARGIN)
    return low, high


def term_range(core: Core, reward: Reward) -> tuple[float, float]:
    """Between what a reward can pay in a step: its value, or a change of that, first from 0."""
    low, high = worth_range(core, reward)
    if reward.per_tick:
        return low, high
    far = max(high, 0.0) - min(low, 0.0)
    return -far, far


def value_bound(core: Core, reward: Reward) -> float:
    """Return the greatest size of what is paid or told."""
    if reward.value is not None:
        low, high = value_range(core, reward.value)
        most = max(abs(low), abs(high)) * (1.0 + MARGIN)
        return most if math.isinf(most) else min(most, NO_LIMIT)
    top = abs(reward.constant) + sum(abs(w) * MAX_AMOUNT for w in reward.weights.values())
    ends = [abs(end) for end in (reward.low, reward.high) if end is not None]
    return max([top, *ends])
