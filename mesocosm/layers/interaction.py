"""Interaction: who comes first, what spills over to others, whose rewards one gets, and when."""

import numpy as np

from mesocosm.config.layers import Interaction
from mesocosm.core.spec import Term
from mesocosm.layers import dials as k
from mesocosm.layers.dials import Dials
from mesocosm.layers.draft import Draft
from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import row_key, uniform, uniform_at
from mesocosm.sim.rule import rule

ID, ROTATION, NEED, LOTTERY, SPLIT = range(5)
RULES = {"id": ID, "rotation": ROTATION, "need": NEED, "lottery": LOTTERY, "split": SPLIT}
INDIVIDUAL, SHARED, GROUP, MATRIX = range(4)
MIXINGS = {"individual": INDIVIDUAL, "shared": SHARED, "group": GROUP, "matrix": MATRIX}
AT_ONCE, SPARSE, DELAYED = range(3)
TIMINGS = {"step": AT_ONCE, "sparse": SPARSE, "delayed": DELAYED}
NOBODY, NEIGHBOURS, MATES, EVERYONE = 0.0, 1.0, 2.0, 3.0
RECEIVERS = {"neighbours": NEIGHBOURS, "group": MATES, "all": EVERYONE}


def apply(settings: Interaction, draft: Draft) -> None:
    """Turn contention, externalities, mixing and timing into tables and terms."""
    _contend(settings, draft)
    _spill(settings, draft)
    bounds = [entry.role.reward_bounds for entry in draft.roles if entry.role.num_agents]
    low, high = min(b[0] for b in bounds), max(b[1] for b in bounds)
    if settings.mixing != "individual":
        _mix(settings, draft, high - low)
    period = 1 + round((settings.period - 1) * settings.intensity)
    if settings.timing != "step" and (period > 1 or settings.timing == "delayed"):
        _defer(settings, draft, period, (low, high))


def _contend(settings: Interaction, draft: Draft) -> None:
    if settings.contention == "id":
        return
    conflicts = draft.inner.conflicts
    if not conflicts:
        what = f"{draft.inner.world} declares no conflict that could be decided otherwise"
        raise draft.refuse("interaction.contention", what)
    if settings.contention == "split" and not any(entry.divisible for entry in conflicts):
        what = f"no conflict of {draft.inner.world} can be split: {conflicts[0].resource}"
        raise draft.refuse("interaction.contention", what)
    draft.switch[k.CONTENTION] = RULES[settings.contention]
    draft.scale[k.CONTEND] = settings.intensity
    if settings.contention == "need":
        if not settings.need:
            what = "contention by need must say of what: name a column"
            raise draft.refuse("interaction.need", what)
        found = draft.column(settings.need, "interaction.need", per_agent=True)
        draft.switch[k.NEED] = found[0]
    names = ", ".join(entry.name for entry in conflicts)
    how = f"{settings.contention}, in {settings.intensity:.0%} of the steps"
    draft.note("interaction", f"conflicts: {names}", how)


def _spill(settings: Interaction, draft: Draft) -> None:
    for glob, externality in settings.externalities.items():
        if externality.to == "group" and "group" not in draft.tables:
            what = f"{glob}: spills to the group, but layers.hierarchy forms none"
            raise draft.refuse("interaction.externalities", what)
        chosen = draft.column(glob, "interaction.externalities", per_agent=True)
        table = draft.per_column("spill", 2)
        table[chosen, 0] = externality.share * settings.intensity
        table[chosen, 1] = RECEIVERS[externality.to]
        if externality.to == "neighbours":
            draft.sizes["seen"] = draft.agents
        how = f"{externality.share * settings.intensity:+.0%} of a change goes to {externality.to}"
        draft.note("interaction", f"state: {glob}", how)


def _mix(settings: Interaction, draft: Draft, span: float) -> None:
    if settings.mixing == "group" and "group" not in draft.tables:
        what = "rewards cannot be mixed in groups: layers.hierarchy forms none"
        raise draft.refuse("interaction.mixing", what)
    if settings.mixing == "matrix":
        matrix = np.array(settings.matrix, float) if settings.matrix else np.zeros((0, 0))
        count = draft.agents
        square = all(len(row) == count for row in settings.matrix)
        if len(settings.matrix) != count or not square:
            raise draft.refuse("interaction.matrix", f"must have {count} rows of {count} numbers")
        if (matrix < 0).any() or (matrix.sum(axis=1) <= 0).any():
            what = "must have no negative number, and something in every row"
            raise draft.refuse("interaction.matrix", what)
        share = matrix / matrix.sum(axis=1, keepdims=True)
        x = settings.intensity
        draft.tables["matrix"] = (1.0 - x) * np.eye(count) + x * share
    draft.switch[k.MIXING] = MIXINGS[settings.mixing]
    draft.scale[k.MIX] = settings.intensity
    meaning = "what one gets of others' rewards, less what they get of one's own"
    draft.add_term(k.MIXING_TERM, Term("mixing", -span, span, meaning))
    how = f"{settings.mixing}, weight {settings.intensity:g}"
    draft.note("interaction", "rewards", how)


def _defer(settings: Interaction, draft: Draft, period: int, bounds: tuple[float, float]) -> None:
    draft.switch[k.TIMING], draft.switch[k.PERIOD] = TIMINGS[settings.timing], period
    draft.sizes["period"] = period if settings.timing == "delayed" else 1
    most = max(abs(bounds[0]), abs(bounds[1])) * (period + 2)
    meaning = "what is paid now for earlier steps, less what is earned now and paid later"
    draft.add_term(k.TIMING_TERM, Term("timing", -most, most, meaning, "delayed"))
    shape = (draft.agents, draft.sizes["period"])
    draft.remember("owed", "rewards not paid yet", shape, visibility="hidden")
    word = "every" if settings.timing == "sparse" else "after"
    draft.note("interaction", "rewards", f"paid {word} {period} steps, and at an agent's end")


@rule
def rank(f: Frame, dials: Dials, e: int) -> None:
    """Say who comes first in this step, and whether contested things are split."""
    how = dials.switch[k.CONTENTION]
    if how != ID:
        holds = dials.scale[k.CONTEND] >= 1.0
        if not holds:
            holds = uniform(f.word[e], f.t[e], k.INTERACTION, 0) < dials.scale[k.CONTEND]
        f.split[e] = holds and how == SPLIT
        line_up(f, dials, e, how if holds else ID)
    if dials.switch[k.RANKED] == 1:
        certain = dials.scale[k.RANK_PROB] >= 1.0
        if how == ID and certain and f.t[e] > 0:
            return  # the order of the first step still holds
        if how == ID:
            line_up(f, dials, e, ID)
        if certain or uniform(f.word[e], f.t[e], k.POWER, 0) < dials.scale[k.RANK_PROB]:
            sort_by_priority(f, dials, e)


@rule
def line_up(f: Frame, dials: Dials, e: int, how: int) -> None:
    """Put the agents in the order of a contention rule."""
    count = f.order.shape[1]
    first = f.t[e] % count if how == ROTATION else 0
    for i in range(count):
        a = first + i
        f.order[e, i] = a if a < count else a - count
    if how == LOTTERY:
        key = row_key(f.word[e], f.t[e], k.INTERACTION + 1, 0)
        for i in range(count - 1, 0, -1):
            j = int(uniform_at(key, i) * (i + 1))
            other = f.order[e, i]
            f.order[e, i] = f.order[e, j]
            f.order[e, j] = other
    elif how == NEED:
        sort_by_need(f, dials, e)


@rule
def sort_by_need(f: Frame, dials: Dials, e: int) -> None:
    """Order agents by a column, the least first; equals by number."""
    c = dials.switch[k.NEED]
    for i in range(1, f.order.shape[1]):
        a = f.order[e, i]
        j = i
        while (
            j > 0 and dials.handles.before[e, c, f.order[e, j - 1]] > dials.handles.before[e, c, a]
        ):
            f.order[e, j] = f.order[e, j - 1]
            j -= 1
        f.order[e, j] = a


@rule
def sort_by_priority(f: Frame, dials: Dials, e: int) -> None:
    """Let higher castes go first; among equals the order stays."""
    for i in range(1, f.order.shape[1]):
        a = f.order[e, i]
        j = i
        while j > 0 and dials.priority[f.order[e, j - 1]] < dials.priority[a]:
            f.order[e, j] = f.order[e, j - 1]
            j -= 1
        f.order[e, j] = a


@rule
def spill(f: Frame, dials: Dials, e: int) -> None:
    """Let a part of what one agent gains or loses fall on others."""
    for c in range(dials.spill.shape[0]):
        if dials.spill[c, 1] != NOBODY and dials.spill[c, 0] != 0.0:
            for a in range(f.active.shape[1]):
                dials.extra[e, a] = 0.0
            for a in range(f.active.shape[1]):
                if f.active[e, a]:
                    spill_from(f, dials, e, c, a)
            for a in range(f.active.shape[1]):
                if f.active[e, a]:
                    value = dials.handles.value[e, c, a] + dials.extra[e, a]
                    dials.handles.value[e, c, a] = clip(
                        value, dials.handles.bounds[c, 0], dials.handles.bounds[c, 1]
                    )


@rule
def spill_from(f: Frame, dials: Dials, e: int, c: int, a: int) -> None:
    """Divide a part of one agent's change among those that it reaches."""
    change = dials.handles.value[e, c, a] - dials.handles.before[e, c, a]
    if change == 0.0:
        return
    to = dials.spill[c, 1]
    count = 0
    for j in range(f.active.shape[1]):
        if reaches(f, dials, e, a, j, to):
            count += 1
    if count == 0:
        return
    part = change * dials.spill[c, 0] / count
    for j in range(f.active.shape[1]):
        if reaches(f, dials, e, a, j, to):
            dials.extra[e, j] += part


@rule
def reaches(f: Frame, dials: Dials, e: int, a: int, j: int, to: float) -> bool:
    """Whether what one agent does falls on another."""
    if j == a or not f.active[e, j]:
        return False
    if to == NEIGHBOURS:
        return dials.handles.seen[e, a, j]
    return to == EVERYONE or dials.group[a] == dials.group[j]


@rule
def mix_rewards(f: Frame, dials: Dials, e: int) -> None:
    """Give agents of each other's rewards, as the config says."""
    how = dials.switch[k.MIXING]
    if how == INDIVIDUAL:
        return
    mean = average_reward(f, dials, e)
    if how == GROUP:
        average_groups(f, dials, e)
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            mine = dials.extra[e, a]
            if how == MATRIX:
                mixed = weighted_reward(f, dials, e, a)
            else:
                other = dials.tally[e, dials.group[a], 0] if how == GROUP else mean
                mixed = mine + dials.scale[k.MIX] * (other - mine)
            f.terms[e, a, dials.term[a, k.MIXING_TERM]] = mixed - mine


@rule
def average_reward(f: Frame, dials: Dials, e: int) -> float:
    """Write down what each agent earned, and average it over all that take part."""
    total = 0.0
    count = 0.0
    for a in range(f.active.shape[1]):
        dials.extra[e, a] = 0.0
        if f.active[e, a]:
            mine = earned(f, dials, e, a)
            dials.extra[e, a] = mine
            total += mine
            count += 1.0
    return total / count if count > 0.0 else 0.0


@rule
def average_groups(f: Frame, dials: Dials, e: int) -> None:
    """Average what was earned over those of each group that take part."""
    for g in range(dials.tally.shape[1]):
        dials.tally[e, g, 0] = 0.0
        dials.tally[e, g, 1] = 0.0
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            dials.tally[e, dials.group[a], 0] += dials.extra[e, a]
            dials.tally[e, dials.group[a], 1] += 1.0
    for g in range(dials.tally.shape[1]):
        if dials.tally[e, g, 1] > 0.0:
            dials.tally[e, g, 0] = dials.tally[e, g, 0] / dials.tally[e, g, 1]


@rule
def earned(f: Frame, dials: Dials, e: int, a: int) -> float:
    """Sum what the world itself gives an agent for this step."""
    total = 0.0
    for n in range(dials.num_terms[a]):
        total += f.terms[e, a, n]
    return total


@rule
def weighted_reward(f: Frame, dials: Dials, e: int, a: int) -> float:
    """Weigh the rewards of all agents that take part by a row of the matrix."""
    total = 0.0
    weights = 0.0
    for j in range(f.active.shape[1]):
        if f.active[e, j]:
            total += dials.matrix[a, j] * dials.extra[e, j]
            weights += dials.matrix[a, j]
    return total / weights if weights > 0.0 else dials.extra[e, a]


@rule
def defer(f: Frame, dials: Dials, e: int) -> None:
    """Pay rewards later; whoever ends is paid all that is owed."""
    how = dials.switch[k.TIMING]
    if how == AT_ONCE:
        return
    phase = f.t[e] % dials.switch[k.PERIOD]
    slot = phase if how == DELAYED else 0
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            if dials.switch[k.MIXING] != INDIVIDUAL:
                mine = dials.extra[e, a] + f.terms[e, a, dials.term[a, k.MIXING_TERM]]
            else:
                mine = earned(f, dials, e, a)
            paid = dials.owed[e, a, slot]
            dials.owed[e, a, slot] = mine
            if how == SPARSE:
                dials.owed[e, a, 0] = paid + mine
                paid = 0.0
            ends = f.ending[e, a] != 0 or f.episode_ending[e] != 0
            if ends or (how == SPARSE and phase == 0):
                for n in range(dials.owed.shape[2]):
                    paid += dials.owed[e, a, n]
                    dials.owed[e, a, n] = 0.0
            f.terms[e, a, dials.term[a, k.TIMING_TERM]] = paid - mine
