"""Interaction: who comes first, and what spills over to others; rewards are in `mixing`."""

from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.config.layers import Interaction
from mesocosm.layers import mixing, streams
from mesocosm.layers.draft import Draft
from mesocosm.layers.power import PowerArrays, sort_by_priority
from mesocosm.sim.frame import Frame
from mesocosm.sim.handles import HIGHEST, LOWEST, Handles
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import row_key, uniform, uniform_at
from mesocosm.sim.rule import rule

ID, ROTATION, NEED, LOTTERY, SPLIT, REPUTATION = range(6)
RULES = {
    "id": ID, "rotation": ROTATION, "need": NEED, "lottery": LOTTERY, "split": SPLIT,
    "reputation": REPUTATION,
}  # fmt: skip
CONTENTION_STREAM, LOTTERY_STREAM = streams.INTERACTION, streams.INTERACTION + 1
RANK_STREAM = streams.POWER
SPILL_SHARE, SPILL_TO = 0, 1  # columns of interaction.spill
NOBODY, NEIGHBOURS, MATES, EVERYONE = 0.0, 1.0, 2.0, 3.0
RECEIVERS = {"neighbours": NEIGHBOURS, "group": MATES, "all": EVERYONE}


class InteractionArrays(NamedTuple):
    """Who comes first, what spills over, and how rewards are mixed and deferred."""

    contention: int  # the rule by which contested things go to somebody
    contention_prob: float  # in which part of the steps it holds
    need: int  # the column of need
    spill: Annotated[np.ndarray, "float64 [column, 2]"]  # share, and to whom
    received: Annotated[np.ndarray, "float64 [env, agent]"]  # spilt to each, while a step is played
    mixing: mixing.MixingArrays


def declare(settings: Interaction, draft: Draft) -> None:
    """Turn contention, externalities, mixing and timing into tables and terms."""
    _contend(settings, draft)
    _spill(settings, draft)
    mixing.declare(settings, draft)


def _contend(settings: Interaction, draft: Draft) -> None:
    path, how = "interaction.contention", settings.contention
    if how != "need":
        why = f"it needs 'contention: need', and contention is {how!r}"
        draft.require_defaults(settings, "interaction", ["need"], why)
    if how == "id":
        return
    draft.require_several(path)
    conflicts = [
        entry
        for entry in draft.inner.conflicts
        if (entry.divisible if how == "split" else entry.ordered)
    ]
    if not conflicts:
        known = ", ".join(entry.name for entry in draft.inner.conflicts) or "none"
        word = "can be split" if how == "split" else "is decided by an order of agents"
        what = f"no conflict of {draft.inner.world} {word}, got {how!r}. Conflicts: {known}"
        raise draft.refuse(path, what)
    draft.numbers["contention"] = RULES[how]
    if how == "need":
        draft.numbers["need"] = _needed_column(settings, draft)
        draft.compares = True
    if how == "reputation" and not draft.layers.temporal.reputation.weights:
        raise draft.refuse(path, "nobody has a name to go by: layers.temporal keeps no reputation")
    names = ", ".join(entry.name for entry in conflicts)
    note = f"{how}, in {settings.intensity:.0%} of the steps"
    draft.note("interaction", f"conflicts: {names}", note)


def _needed_column(settings: Interaction, draft: Draft) -> int:
    """Find the one column that says who needs most."""
    if not settings.need:
        what = "contention by need must say of what: name a column"
        raise draft.refuse("interaction.need", what)
    found = draft.column(settings.need, "interaction.need", per_agent=True)
    if len(found) > 1:
        names = ", ".join(draft.columns[c].name for c in found)
        what = f"must name one column, got {settings.need!r}, which names {names}"
        raise draft.refuse("interaction.need", what)
    return found[0]


def _spill(settings: Interaction, draft: Draft) -> None:
    for glob, externality in settings.externalities.items():
        path = f"interaction.externalities.{glob}"
        draft.require_several(path)
        draft.require_nonzero({"share": externality.share}, path)
        if externality.to == "neighbours" and not draft.has_sight:
            what = f"no agent sees another in {draft.inner.world}: choose 'group' or 'all'"
            raise draft.refuse(f"{path}.to", what)
        if externality.to == "group" and "group" not in draft.tables:
            what = f"{glob}: spills to the group, but layers.hierarchy forms none"
            raise draft.refuse("interaction.externalities", what)
        chosen = draft.column(glob, "interaction.externalities", per_agent=True)
        table = draft.per_column("spill", 2)
        table[chosen, 0] = externality.share * settings.intensity
        table[chosen, 1] = RECEIVERS[externality.to]
        draft.compares = True
        draft.marks_seen |= externality.to == "neighbours"
        how = f"{externality.share * settings.intensity:+.0%} of a change goes to {externality.to}"
        draft.note("interaction", f"state: {glob}", how)


def allocate(draft: Draft, num_envs: int) -> InteractionArrays:
    """Allocate what agents' actions and rewards couple by."""
    return InteractionArrays(
        contention=draft.numbers.get("contention", ID),
        contention_prob=draft.layers.interaction.intensity,
        need=draft.numbers.get("need", 0),
        spill=draft.per_column("spill", 2),
        received=np.zeros((num_envs, draft.agents)),
        mixing=mixing.allocate(draft, num_envs),
    )


@rule
def order_agents(
    f: Frame, handles: Handles, interaction: InteractionArrays, power: PowerArrays, e: int
) -> None:
    """Say who comes first in this step, and whether contested things are split."""
    how = interaction.contention
    f.ranked[e] = False
    if how != ID:
        holds = interaction.contention_prob >= 1.0
        if not holds:
            chance = uniform(f.word[e], f.t[e], CONTENTION_STREAM, 0)
            holds = chance < interaction.contention_prob
        f.split[e] = holds and how == SPLIT
        f.ranked[e] = holds and how in (NEED, REPUTATION)
        order_by_rule(f, handles, interaction, e, how if holds else ID)
    if power.is_ranked:
        certain = power.rank_prob >= 1.0
        ranks = certain or uniform(f.word[e], f.t[e], RANK_STREAM, 0) < power.rank_prob
        f.ranked[e] = f.ranked[e] or ranks
        if how == ID and certain and f.t[e] > 0:
            return  # the order of the first step still holds
        if how == ID:
            order_by_rule(f, handles, interaction, e, ID)
        if ranks:
            sort_by_priority(f, power, e)


@rule
def order_by_rule(
    f: Frame, handles: Handles, interaction: InteractionArrays, e: int, how: int
) -> None:
    """Put the agents in the order of a contention rule."""
    count = f.order.shape[1]
    first = f.t[e] % count if how == ROTATION else 0
    for i in range(count):
        a = first + i
        f.order[e, i] = a if a < count else a - count
    if how == LOTTERY:
        key = row_key(f.word[e], f.t[e], LOTTERY_STREAM, 0)
        for i in range(count - 1, 0, -1):
            j = int(uniform_at(key, i) * (i + 1))
            other = f.order[e, i]
            f.order[e, i] = f.order[e, j]
            f.order[e, j] = other
    elif how == NEED:
        sort_by_need(f, handles, interaction.need, e)
    elif how == REPUTATION and f.standing.shape[1] > 0:
        sort_by_reputation(f, e)


@rule
def sort_by_need(f: Frame, handles: Handles, c: int, e: int) -> None:
    """Order agents by a column, the least first; equals by number."""
    for i in range(1, f.order.shape[1]):
        a = f.order[e, i]
        j = i
        while j > 0 and handles.before[e, c, f.order[e, j - 1]] > handles.before[e, c, a]:
            f.order[e, j] = f.order[e, j - 1]
            j -= 1
        f.order[e, j] = a


@rule
def sort_by_reputation(f: Frame, e: int) -> None:
    """Order agents by what is thought of them, the best first; equals by number."""
    for i in range(1, f.order.shape[1]):
        a = f.order[e, i]
        j = i
        while j > 0 and f.standing[e, f.order[e, j - 1]] < f.standing[e, a]:
            f.order[e, j] = f.order[e, j - 1]
            j -= 1
        f.order[e, j] = a


@rule
def spill_changes(
    f: Frame, handles: Handles, interaction: InteractionArrays, group: np.ndarray, e: int
) -> None:
    """Let a part of what one agent gains or loses fall on others."""
    for c in range(interaction.spill.shape[0]):
        if interaction.spill[c, SPILL_TO] != NOBODY and interaction.spill[c, SPILL_SHARE] != 0.0:
            for a in range(f.active.shape[1]):
                interaction.received[e, a] = 0.0
            for a in range(f.active.shape[1]):
                if f.active[e, a]:
                    spill_from(f, handles, interaction, group, e, c, a)
            for a in range(f.active.shape[1]):
                if f.active[e, a]:
                    value = handles.value[e, c, a] + interaction.received[e, a]
                    low = handles.bounds[c, LOWEST]
                    handles.value[e, c, a] = clip(value, low, handles.bounds[c, HIGHEST])


@rule
def spill_from(
    f: Frame,
    handles: Handles,
    interaction: InteractionArrays,
    group: np.ndarray,
    e: int,
    c: int,
    a: int,
) -> None:
    """Divide a part of one agent's change among those that it reaches."""
    change = handles.value[e, c, a] - handles.before[e, c, a]
    if change == 0.0:
        return
    to = interaction.spill[c, SPILL_TO]
    count = 0
    for j in range(f.active.shape[1]):
        if reaches(f, handles, group, e, a, j, to):
            count += 1
    if count == 0:
        return
    part = change * interaction.spill[c, SPILL_SHARE] / count
    for j in range(f.active.shape[1]):
        if reaches(f, handles, group, e, a, j, to):
            interaction.received[e, j] += part


@rule
def reaches(
    f: Frame, handles: Handles, group: np.ndarray, e: int, a: int, j: int, to: float
) -> bool:
    """Whether what one agent does falls on another."""
    if j == a or not f.active[e, j]:
        return False
    if to == NEIGHBOURS:
        return handles.seen[e, a, j]
    return to == EVERYONE or group[a] == group[j]
