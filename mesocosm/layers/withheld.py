"""What layers withhold from each agent of a role, and the masks that would have told it."""

import numpy as np

from mesocosm.core.masking import mask_notes, withhold
from mesocosm.core.observation import Layout, Withheld
from mesocosm.layers.draft import Draft, RoleDraft


def declare(draft: Draft) -> None:
    """Say what each agent is not truly shown, and open its mask where that would show."""
    for entry in draft.roles:
        members = range(entry.role.num_agents)
        withheld = tuple(_withheld_from(entry, i) for i in members)
        entry.role = withhold(entry.role, withheld, draft.inner, entry.tables.get("permit"))
        draft.notes += mask_notes(entry.role, draft.inner)


def _withheld_from(entry: RoleDraft, i: int) -> Withheld:
    tables, tokens = entry.tables, entry.layout.tokens
    unseen, untold = (_listed(tables.get(name), i) for name in ("unseen", "untold"))
    masked, muted = (_marked(tables.get(f"{prefix}.mask")) for prefix in ("row", "info"))
    blurred, told = (_marked(tables.get(f"{prefix}.impaired")) for prefix in ("row", "info"))
    info = _features_of(entry.role.info, told | untold)
    if tokens:
        masked = {tokens.kinds[k].id for k in masked}
        seen = {entry.layout.features[0].name} if blurred or unseen else set()
    else:
        seen = _features_of(entry.layout, blurred | unseen)
    return Withheld(frozenset(masked | unseen), frozenset(muted | untold), frozenset(seen | info))


def _marked(marks: np.ndarray | None) -> set[int]:
    return set() if marks is None else set(np.flatnonzero(marks).tolist())


def _listed(table: np.ndarray | None, i: int) -> set[int]:
    return set() if table is None else set(table[i].tolist()) - {-1}


def _features_of(layout: Layout, numbers: set[int]) -> set[str]:
    """Name the features that some of the numbers belong to."""
    spans = {feature.name: layout.span(feature.name) for feature in layout.features}
    return {name for name, span in spans.items() if numbers & set(range(span.start, span.stop))}
