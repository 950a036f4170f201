"""Reputation and trust: decayed sums of what agents did, and what others are shown of them."""

from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.config.glob import matching
from mesocosm.config.layers import Regard, Reputation, Temporal
from mesocosm.core.errors import hint
from mesocosm.core.observation import Feature, Read, Whose
from mesocosm.core.spec import LAYER, MAX_EFFECT
from mesocosm.layers.added import AddedRole, add_feature, write_added
from mesocosm.layers.draft import Draft, RoleDraft, sight_reads
from mesocosm.sim.frame import PAIR_WEIGHT, STANDING_WEIGHT, Frame
from mesocosm.sim.handles import Handles
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

LOWEST_STANDING = -1.0
SHOWN_OWN, SHOWN_SEEN, SHOWN_ALL = 0, 1, 2
SHOWN = {"own": SHOWN_OWN, "seen": SHOWN_SEEN, "all": SHOWN_ALL}
WHOSE: dict[str, Whose] = {"own": "self", "seen": "visible", "all": "all"}
MEANING = {
    "own": "what others think of me",
    "seen": "what is thought of whom I see",
    "all": "what is thought of everyone",
}


class StandingArrays(NamedTuple):
    """How reputation and trust fade, whose reputation is shown, and what hangs on them."""

    reputation_decay: float
    trust_decay: float
    shown: int
    slope: Annotated[np.ndarray, "float64 [effect] or empty"]  # what a full reputation adds to it
    # the least reputation, and trust of the other, by which one may affect another; -1: any
    reputation_bar: Annotated[np.ndarray, "float64 [link] or empty"]
    trust_bar: Annotated[np.ndarray, "float64 [link] or empty"]


class StandingRole(NamedTuple):
    """Where a role's rows have reputation and trust; -1: nowhere."""

    reputation_at: int
    trust_at: int


def declare(settings: Temporal, draft: Draft) -> None:
    """Declare what is remembered of what agents did, and what is shown of it and hangs on it."""
    for name in ("reputation", "trust"):
        regard: Regard = getattr(settings, name)
        path = f"temporal.{name}"
        draft.require_nonzero(regard.weights, f"{path}.weights")
        if not regard.weights:
            unused = [key for key in type(regard).model_fields if key != "weights"]
            why = f"no event has a weight for it (layers.{path}.weights)"
            draft.require_defaults(regard, path, unused, why)
        if regard.links:
            bar = _raise_bar(regard, settings.intensity, draft, f"{path}.links")
            draft.tables[f"{name} bar"] = bar
    if settings.reputation.weights:
        _declare_reputation(settings, draft)
    if settings.trust.weights:
        draft.require_several("temporal.trust")
        _declare_trust(settings, draft)
    if settings.reputation.effects:
        _declare_slopes(settings.reputation, draft)


def _raise_bar(regard: Regard, intensity: float, draft: Draft, path: str) -> np.ndarray:
    """Say how much is needed for each link; at a lower intensity less is, down to nothing."""
    names = [link.name for link in draft.restrict_links(path)]
    bars = draft.values_of(names, regard.links, LOWEST_STANDING, path)
    for glob, least in regard.links.items():
        draft.note("temporal", f"link {glob}", f"needs {least:+g} of -1..1")
    return LOWEST_STANDING + (np.array(bars) - LOWEST_STANDING) * intensity


def _declare_slopes(reputation: Reputation, draft: Draft) -> None:
    """Say how far a reputation raises or lowers each effect."""
    path, names = "temporal.reputation.effects", [entry.name for entry in draft.inner.effects]
    if not names:
        raise draft.refuse(path, f"{draft.inner.world} declares no effect here")
    draft.tables["slope"] = np.array(draft.values_of(names, reputation.effects, 0.0, path))
    for glob, slope in reputation.effects.items():
        draft.note("temporal", f"effect {glob}", f"{slope:+g} times the reputation")


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
    none = np.zeros(0)
    return StandingArrays(
        reputation_decay=settings.reputation.decay,
        trust_decay=settings.trust.decay,
        shown=SHOWN[settings.reputation.shown],
        slope=draft.tables.get("slope", none),
        reputation_bar=draft.tables.get("reputation bar", none),
        trust_bar=draft.tables.get("trust bar", none),
    )


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
def weigh_effects(f: Frame, standing: StandingArrays, multiplier: np.ndarray, e: int) -> None:
    """Make agents' effects as powerful as their castes and their reputations are."""
    for n in range(standing.slope.shape[0]):
        for a in range(f.effect.shape[1]):
            scale = clip(1.0 + standing.slope[n] * squash(f.standing[e, a]), 0.0, MAX_EFFECT)
            f.effect[e, a, n] = clip(multiplier[a, n] * scale, 0.0, MAX_EFFECT)


@rule
def bar_links(f: Frame, standing: StandingArrays, e: int) -> None:
    """Write down whom reputation or distrust keeps from affecting whom in this step."""
    named = standing.reputation_bar.shape[0] > 0
    trusted = standing.trust_bar.shape[0] > 0
    for a in range(f.barred.shape[1]):
        for j in range(f.barred.shape[2]):
            for n in range(f.barred.shape[3]):
                bars = named and squash(f.standing[e, a]) < standing.reputation_bar[n]
                if trusted and not bars:
                    bars = squash(f.pair_standing[e, j, a]) < standing.trust_bar[n]
                f.barred[e, a, j, n] = bars and j != a


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
