"""Rewards between agents: whose rewards one gets, and when they are paid."""

from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.config.layers import Interaction
from mesocosm.core.spec import Term
from mesocosm.layers.draft import Draft
from mesocosm.layers.hierarchy import (
    TALLY_COUNT,
    TALLY_SUM,
    HierarchyArrays,
    clear_tally,
    divide_tally,
)
from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

INDIVIDUAL, SHARED, GROUP, MATRIX, RIVALRY = range(5)
MIXINGS = {
    "individual": INDIVIDUAL, "shared": SHARED, "group": GROUP, "matrix": MATRIX,
    "rivalry": RIVALRY,
}  # fmt: skip
AT_ONCE, SPARSE, DELAYED = range(3)
TIMINGS = {"step": AT_ONCE, "sparse": SPARSE, "delayed": DELAYED}


class MixingArrays(NamedTuple):
    """How rewards are mixed and deferred."""

    how: int
    share: float  # how much of others' rewards replaces one's own, or how far rivals' count
    least: float  # bounds of what mixing adds to a reward
    most: float
    by_group: bool  # whether only agents of other groups are rivals
    timing: int
    period: int  # steps between payments, or until one
    matrix: Annotated[np.ndarray, "float64 [agent or 0, agent or 0]"]  # row i: what i gets of whose
    earned: Annotated[np.ndarray, "float64 [env, agent]"]  # in this step, from the world itself
    owed: Annotated[np.ndarray, "float64 [env, agent or 0, period]"]  # rewards not paid yet
    num_terms: Annotated[np.ndarray, "int64 [agent]"]  # of the world's own
    mixing_term: Annotated[np.ndarray, "int64 [agent]"]  # which of an agent's terms; -1: none
    timing_term: Annotated[np.ndarray, "int64 [agent]"]


def declare(settings: Interaction, draft: Draft) -> None:
    """Declare the terms by which rewards move between agents, and between steps."""
    bounds = [entry.role.reward_bounds for entry in draft.roles if entry.role.num_agents]
    low, high = min(b[0] for b in bounds), max(b[1] for b in bounds)
    _refuse_unused(settings, draft)
    if settings.mixing != "individual":
        low, high = _mix(settings, draft, low, high)
    period = 1 + round((settings.period - 1) * settings.intensity)
    if settings.timing != "step" and (period > 1 or settings.timing == "delayed"):
        _defer(settings, draft, period, (low, high))


def _refuse_unused(settings: Interaction, draft: Draft) -> None:
    """Refuse what nothing would read."""
    path, mixing = "interaction", settings.mixing
    for name in ("matrix", "rivalry"):
        if mixing != name:
            why = f"it needs 'mixing: {name}', and mixing is {mixing!r}"
            draft.require_defaults(settings, path, [name], why)
    if settings.timing == "step":
        why = "rewards are paid at every step unless timing is 'sparse' or 'delayed'"
        draft.require_defaults(settings, path, ["period"], why)
    if settings.timing == "sparse" and settings.period == 1:
        what = "'sparse' does nothing with a period of 1: rewards are paid at every step"
        raise draft.refuse("interaction.timing", what)
    if settings.timing != "step" and not draft.pays_before_the_end:
        what = "does nothing: rewards are paid only at an agent's end, when all is paid"
        raise draft.refuse("interaction.timing", f"{what}, got {settings.timing!r}")
    if mixing != "individual":
        draft.require_several("interaction.mixing")


def _mix(settings: Interaction, draft: Draft, low: float, high: float) -> tuple[float, float]:
    """Declare how rewards are mixed; give the bounds of a mixed reward."""
    x, grouped = settings.intensity, "group" in draft.tables
    if settings.mixing == "group" and not grouped:
        what = "rewards cannot be mixed in groups: layers.hierarchy forms none"
        raise draft.refuse("interaction.mixing", what)
    worst, best = low, high  # of what stands in for an agent's own reward
    if settings.mixing == "matrix":
        draft.tables["matrix"] = _weights(settings, draft)
        if (draft.tables["matrix"] < 0.0).any():
            worst, best = min(low, -high), max(high, -low)
    least, most = x * (worst - high), x * (best - low)
    worst, best = low + x * (worst - low), high + x * (best - high)
    how = f"{settings.mixing}, weight {x:g}"
    if settings.mixing == "rivalry":
        if grouped and len(set(draft.tables["group"].tolist())) == 1:
            what = "'rivalry' does nothing: layers.hierarchy puts all agents into one group"
            raise draft.refuse("interaction.mixing", what)
        x *= settings.rivalry
        least, most = min(0.0, -x * high), max(0.0, -x * low)
        worst, best = low + least, high + most
        how = f"less {x:g} times the mean of {'other groups' if grouped else 'all others'}"
    draft.numbers["mixing"] = MIXINGS[settings.mixing]
    draft.tables["mixing bounds"] = np.array([least, most])
    meaning = "what one gets of others' rewards, less what they get of one's own"
    draft.add_term(Term("mixing", least, most, meaning))
    draft.note("interaction", "rewards", how)
    return worst, best


def _weights(settings: Interaction, draft: Draft) -> np.ndarray:  # float64 [agent, agent]
    """Check the matrix of who gets what of whom."""
    count, rows = draft.agents, settings.matrix
    if len(rows) != count or any(len(row) != count for row in rows):
        raise draft.refuse("interaction.matrix", f"must have {count} rows of {count} numbers")
    matrix = np.array(rows, float)
    if (matrix == 0.0).all(axis=1).any():
        what = f"must have something in every row, got nothing in row {_first_empty(matrix)}"
        raise draft.refuse("interaction.matrix", what)
    own = np.diag(np.diag(matrix))
    if (matrix == own).all() and (matrix >= 0.0).all():
        raise draft.refuse("interaction.matrix", "does nothing: everyone gets their own reward")
    return matrix


def _first_empty(matrix: np.ndarray) -> int:
    return int((matrix == 0.0).all(axis=1).argmax())


def _defer(settings: Interaction, draft: Draft, period: int, bounds: tuple[float, float]) -> None:
    draft.numbers["timing"], draft.numbers["period"] = TIMINGS[settings.timing], period
    slots = period if settings.timing == "delayed" else 1
    draft.numbers["owed"] = slots
    most = max(abs(bounds[0]), abs(bounds[1])) * (period + 2)
    meaning = "what is paid now for earlier steps, less what is earned now and paid later"
    draft.add_term(Term("timing", -most, most, meaning, "delayed"))
    path = "interaction.mixing.owed"
    shape = (draft.agents, slots)
    times = period if settings.timing == "sparse" else 1
    kept = {"low": min(bounds[0], 0.0) * times, "high": max(bounds[1], 0.0) * times}
    draft.remember("owed", "rewards not paid yet", shape, path, visibility="hidden", **kept)
    word = "every" if settings.timing == "sparse" else "after"
    draft.note("interaction", "rewards", f"paid {word} {period} steps, and at an agent's end")


def allocate(draft: Draft, num_envs: int) -> MixingArrays:
    """Allocate what rewards move by."""
    n, agents, numbers = num_envs, draft.agents, draft.numbers
    settings, how = draft.layers.interaction, numbers.get("mixing", INDIVIDUAL)
    bounds = draft.tables.get("mixing bounds", np.zeros(2))
    counts = [(role.num_agents, len(role.terms)) for role in draft.inner.all_roles]
    return MixingArrays(
        how=how,
        share=settings.intensity * (settings.rivalry if how == RIVALRY else 1.0),
        least=float(bounds[0]),
        most=float(bounds[1]),
        by_group="group" in draft.tables,
        timing=numbers.get("timing", AT_ONCE),
        period=numbers.get("period", 0),
        matrix=draft.tables.get("matrix", np.zeros((0, 0))),
        earned=np.zeros((n, agents)),
        owed=np.zeros((n, agents, numbers.get("owed", 0))),
        num_terms=np.concatenate([np.full(count, terms, np.int64) for count, terms in counts]),
        mixing_term=draft.term_places("mixing"),
        timing_term=draft.term_places("timing"),
    )


@rule
def mix_rewards(f: Frame, mixing: MixingArrays, hierarchy: HierarchyArrays, e: int) -> None:
    """Give agents of each other's rewards, as the config says."""
    how = mixing.how
    if how == INDIVIDUAL:
        return
    mean = average_reward(f, mixing, e)
    if how == GROUP:
        average_groups(f, mixing, hierarchy, e)
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            mine = mixing.earned[e, a]
            if how == RIVALRY:
                change = -mixing.share * average_rivals(f, mixing, hierarchy, e, a)
            else:
                other = mean
                if how == MATRIX:
                    other = weigh_rewards(f, mixing, e, a)
                elif how == GROUP:
                    other = hierarchy.tally[e, hierarchy.group[a], TALLY_SUM]
                change = mine + mixing.share * (other - mine) - mine
            f.terms[e, a, mixing.mixing_term[a]] = clip(change, mixing.least, mixing.most)


@rule
def average_rivals(
    f: Frame, mixing: MixingArrays, hierarchy: HierarchyArrays, e: int, a: int
) -> float:
    """Average what an agent's rivals earned that take part; without rivals it is nothing."""
    total = 0.0
    count = 0.0
    for j in range(f.active.shape[1]):
        apart = not mixing.by_group or hierarchy.group[j] != hierarchy.group[a]
        if f.active[e, j] and j != a and apart:
            total += mixing.earned[e, j]
            count += 1.0
    return total / count if count > 0.0 else 0.0


@rule
def average_reward(f: Frame, mixing: MixingArrays, e: int) -> float:
    """Write down what each agent earned, and average it over all that take part."""
    total = 0.0
    count = 0.0
    for a in range(f.active.shape[1]):
        mixing.earned[e, a] = 0.0
        if f.active[e, a]:
            mine = sum_own_terms(f, mixing, e, a)
            mixing.earned[e, a] = mine
            total += mine
            count += 1.0
    return total / count if count > 0.0 else 0.0


@rule
def average_groups(f: Frame, mixing: MixingArrays, hierarchy: HierarchyArrays, e: int) -> None:
    """Average what was earned over those of each group that take part."""
    clear_tally(hierarchy, e)
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            hierarchy.tally[e, hierarchy.group[a], TALLY_SUM] += mixing.earned[e, a]
            hierarchy.tally[e, hierarchy.group[a], TALLY_COUNT] += 1.0
    divide_tally(hierarchy, e)


@rule
def sum_own_terms(f: Frame, mixing: MixingArrays, e: int, a: int) -> float:
    """Sum what the world itself gives an agent for this step."""
    total = 0.0
    for n in range(mixing.num_terms[a]):
        total += f.terms[e, a, n]
    return total


@rule
def weigh_rewards(f: Frame, mixing: MixingArrays, e: int, a: int) -> float:
    """Weigh the rewards of all that take part by a row of the matrix, over its absolute sum."""
    total = 0.0
    weights = 0.0
    for j in range(f.active.shape[1]):
        if f.active[e, j]:
            total += mixing.matrix[a, j] * mixing.earned[e, j]
            weights += abs(mixing.matrix[a, j])
    return total / weights if weights > 0.0 else mixing.earned[e, a]


@rule
def defer_rewards(f: Frame, mixing: MixingArrays, e: int) -> None:
    """Pay rewards later; whoever ends is paid all that is owed."""
    how = mixing.timing
    if how == AT_ONCE:
        return
    phase = f.t[e] % mixing.period
    slot = phase if how == DELAYED else 0
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            if mixing.how != INDIVIDUAL:
                mine = mixing.earned[e, a] + f.terms[e, a, mixing.mixing_term[a]]
            else:
                mine = sum_own_terms(f, mixing, e, a)
            paid = mixing.owed[e, a, slot]
            mixing.owed[e, a, slot] = mine
            if how == SPARSE:
                mixing.owed[e, a, 0] = paid + mine
                paid = 0.0
            ends = f.ending[e, a] != 0 or f.episode_ending[e] != 0
            if ends or (how == SPARSE and phase == 0):
                for n in range(mixing.owed.shape[2]):
                    paid += mixing.owed[e, a, n]
                    mixing.owed[e, a, n] = 0.0
            f.terms[e, a, mixing.timing_term[a]] = paid - mine


@rule
def forget_owed(mixing: MixingArrays, e: int, a: int) -> None:
    """Owe an agent nothing."""
    for n in range(mixing.owed.shape[2]):
        mixing.owed[e, a, n] = 0.0
