"""Reputation and trust: decayed sums of what agents did, and what others are shown of them."""

from typing import NamedTuple

import numpy as np

from mesocosm.config.glob import matching
from mesocosm.config.layers import Regard, Temporal
from mesocosm.core.errors import hint
from mesocosm.core.observation import Feature, Read, Whose
from mesocosm.core.spec import LAYER
from mesocosm.layers.added import AddedRole, add_feature, write_added
from mesocosm.layers.draft import Draft, RoleDraft, sight_reads
from mesocosm.sim.frame import PAIR_WEIGHT, STANDING_WEIGHT, Frame
from mesocosm.sim.handles import Handles
from mesocosm.sim.rule import rule

SHOWN_OWN, SHOWN_SEEN, SHOWN_ALL = 0, 1, 2
SHOWN = {"own": SHOWN_OWN, "seen": SHOWN_SEEN, "all": SHOWN_ALL}
WHOSE: dict[str, Whose] = {"own": "self", "seen": "visible", "all": "all"}
MEANING = {
    "own": "what others think of me",
    "seen": "what is thought of whom I see",
    "all": "what is thought of everyone",
}


class StandingArrays(NamedTuple):
    """How reputation and trust fade, and whose reputation is shown."""

    reputation_decay: float
    trust_decay: float
    shown: int


class StandingRole(NamedTuple):
    """Where a role's rows have reputation and trust; -1: nowhere."""

    reputation_at: int
    trust_at: int


def declare(settings: Temporal, draft: Draft) -> None:
    """Declare what is remembered of what agents did, and shown of it."""
    if settings.reputation.weights:
        _declare_reputation(settings, draft)
    if settings.trust.weights:
        _declare_trust(settings, draft)


def _declare_reputation(settings: Temporal, draft: Draft) -> None:
    regard = settings.reputation
    path = "temporal.reputation.weights"
    draft.event_weights[STANDING_WEIGHT] = weigh_events(regard, settings.intensity, draft, path)
    draft.marks_seen |= regard.shown == "seen"
    meaning = "what one did, as others see it"
    draft.remember_in_frame("repute", meaning, (draft.agents,), "standing", visibility="public")
    count = 1 if regard.shown == "own" else draft.agents
    for entry in draft.roles:
        reads = [Read(LAYER + "repute", WHOSE[regard.shown]), Read(LAYER + "repute", "self")]
        reads += sight_reads(entry.role, draft.inner) if regard.shown == "seen" else ()
        feature = Feature(
            "reputation",
            MEANING[regard.shown],
            (count,),
            low=-1.0,
            visibility="private",
            reads=tuple(reads),
        )
        add_feature(entry, feature)
    draft.note("temporal", "reputation", f"from events {', '.join(regard.weights)}")


def _declare_trust(settings: Temporal, draft: Draft) -> None:
    draft.event_weights[PAIR_WEIGHT] = weigh_events(
        settings.trust, settings.intensity, draft, "temporal.trust.weights", directed=True
    )
    shape = (draft.agents, draft.agents)
    draft.remember_in_frame("trust", "what one did to another", shape, "pair_standing")
    for entry in draft.roles:
        reads = (Read(LAYER + "trust", "self"),)
        meaning = "how far I trust each of the others"
        add_feature(entry, Feature("trust", meaning, (draft.agents,), low=-1.0, reads=reads))
    draft.note("temporal", "trust", f"from events {', '.join(settings.trust.weights)}")


def weigh_events(
    regard: Regard, intensity: float, draft: Draft, path: str, *, directed: bool = False
) -> np.ndarray:
    """Give every event its weight; a glob passes over events of which it means nothing.

    Args:
        directed: Whether it matters to whom an agent did it.
    """
    weights = np.zeros(len(draft.events))
    names = [event.name for event in draft.events]
    fits = [
        event.actor == "agent" and (event.target == "agent" or not directed)
        for event in draft.events
    ]
    for glob, weight in regard.weights.items():
        found = matching(glob, names, f"{draft.where}: layers.{path}")
        if not any(fits[kind] for kind in found):
            what = "is nothing that an agent does" + (" to an agent" if directed else "")
            known = [name for name, fit in zip(names, fits, strict=True) if fit]
            raise draft.refuse(path, f"{glob!r} {what}.{hint(glob, known)}")
        for kind in found:
            weights[kind] = weight * intensity * fits[kind]
    return weights


def allocate(draft: Draft) -> StandingArrays:
    """Write down how standing fades and who is shown it."""
    settings = draft.layers.temporal
    shown = SHOWN[settings.reputation.shown]
    return StandingArrays(settings.reputation.decay, settings.trust.decay, shown)


def allocate_role(entry: RoleDraft) -> StandingRole:
    """Write down where a role sees it."""
    return StandingRole(entry.place_of("reputation"), entry.place_of("trust"))


@rule
def decay_standing(f: Frame, standing: StandingArrays, e: int) -> None:
    """Let reputation and trust fade."""
    for a in range(f.standing.shape[1]):
        f.standing[e, a] = f.standing[e, a] * standing.reputation_decay
    for a in range(f.pair_standing.shape[1]):
        for j in range(f.pair_standing.shape[2]):
            f.pair_standing[e, a, j] = f.pair_standing[e, a, j] * standing.trust_decay


@rule
def forget_agent(f: Frame, e: int, a: int) -> None:
    """Let nobody think anything of an agent, nor it of anybody."""
    if f.standing.shape[1] > 0:
        f.standing[e, a] = 0.0
    for j in range(f.pair_standing.shape[1]):
        f.pair_standing[e, a, j] = 0.0
        f.pair_standing[e, j, a] = 0.0


@rule
def squash(x: float) -> float:
    """Bring any number into (-1, 1), in order."""
    return x / (1.0 + x) if x >= 0.0 else x / (1.0 - x)


@rule
def show_standing(
    f: Frame,
    handles: Handles,
    standing: StandingArrays,
    role: StandingRole,
    added: AddedRole,
    e: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Write the reputations and the trust that an agent may know."""
    if role.reputation_at >= 0:
        if standing.shown == SHOWN_OWN:
            own = squash(f.standing[e, a])
            write_added(added, out, role.reputation_at, own, -1.0, 1.0)
        else:
            for j in range(f.standing.shape[1]):
                known = standing.shown == SHOWN_ALL or handles.seen[e, a, j]
                value = squash(f.standing[e, j]) if known else 0.0
                write_added(added, out, role.reputation_at + j, value, -1.0, 1.0)
    if role.trust_at >= 0:
        for j in range(f.pair_standing.shape[2]):
            value = squash(f.pair_standing[e, a, j])
            write_added(added, out, role.trust_at + j, value, -1.0, 1.0)
