"""Validity: features that say which numbers are real, and which were withheld this step."""

from dataclasses import replace

import numpy as np

from mesocosm.core.observation import Feature, Layout, Read
from mesocosm.core.spec import LAYER
from mesocosm.layers.added import add_feature
from mesocosm.layers.blurs import LATE_NUMBER
from mesocosm.layers.draft import Draft, RoleDraft
from mesocosm.layers.information import CHANCE, NUM_IDS, TOKEN_DROP, TOKEN_LAG

VALID = "valid"


def declare(draft: Draft) -> None:
    """Add what says which numbers are real; when all layers have said what they withhold."""
    settings = draft.layers.information
    if not (settings.is_active and settings.validity):
        return
    added = 0
    for entry in draft.roles:
        if entry.role.num_agents:
            added += _flag_tokens(entry, draft) if entry.layout.tokens else _flag_row(entry)
            added += _flag_info(entry)
    if not added:
        what = "nothing is masked, dropped or late, and no caste has something hidden: must be off"
        raise draft.refuse("information.validity", what)
    draft.note("information", "valid.*", "1 where the number shown is real, 0 where it is withheld")


def withheld_numbers(entry: RoleDraft, prefix: str, unseen: str) -> set[int]:
    """List the numbers (of tokens: feature ids) that blurs or castes may withhold from a role."""
    found = set(np.flatnonzero(entry.tables.get(f"{prefix}.withheld", ())).tolist())
    tokens = entry.layout.tokens
    if tokens and prefix == "row":
        found = {tokens.kinds[k].id for k in found}
    return found | set(entry.tables.get(unseen, np.zeros(0, int)).ravel().tolist()) - {-1}


def _reads(*, late: bool, drawn: bool) -> tuple[Read, ...]:
    """Say what a flag depends on: since when one lives, and draws."""
    reads = [Read(LAYER + "since", "self")] if late else []
    return (*reads, Read(CHANCE)) if drawn else tuple(reads)


def _flags(entry: RoleDraft, layout: Layout, prefix: str, unseen: str) -> list[Feature]:
    """Make a feature of 0 and 1 for each one that may be withheld in part."""
    found = withheld_numbers(entry, prefix, unseen)
    tables = entry.tables
    runs = tables.get(f"{prefix}.drop_at", np.zeros((0, 3), int)).tolist()
    dropped = {n for start, stop, _ in runs for n in range(start, stop)}
    late = set(tables.get(f"{prefix}.late", np.zeros((0, 2), int))[:, LATE_NUMBER].tolist())
    made = []
    for feature in layout.features:
        span = layout.span(feature.name)
        numbers = set(range(span.start, span.stop))
        if not numbers & (found | dropped) or feature.visibility == "hidden":
            continue
        reads = _reads(late=bool(numbers & late), drawn=bool(numbers & dropped))
        meaning = f"where {feature.name} is real (1), not withheld (0)"
        shape, labels = feature.shape, feature.labels
        made.append(Feature(f"{VALID}.{feature.name}", meaning, shape, reads=reads, labels=labels))
    return made


def _flag_row(entry: RoleDraft) -> int:
    """Add flags behind a plain row."""
    made = _flags(entry, entry.layout, "row", "unseen")
    for feature in made:
        add_feature(entry, feature)
    return len(made)


def _of(name: str) -> str:
    """Name the feature that a flag is about."""
    return name.removeprefix(f"{VALID}.")


def _flag_info(entry: RoleDraft) -> int:
    """Add flags behind the info of a role."""
    info = entry.role.info
    made = _flags(entry, info, "info", "untold")
    if made:
        grown = replace(info, features=(*info.features, *made))
        flags = np.full(info.size, -1, np.int32)
        for feature in made:
            flags[info.span(_of(feature.name))] = np.arange(grown.size)[grown.span(feature.name)]
        entry.tables["info.flag"] = flags
        entry.role = replace(entry.role, info=grown)
        entry.is_changed = True
    return len(made)


def _flag_tokens(entry: RoleDraft, draft: Draft) -> int:
    """Add one token for each kind of which some may be withheld."""
    tokens = entry.layout.tokens
    found = sorted(withheld_numbers(entry, "row", "unseen"))
    if tokens is None or not found:
        return 0
    if len(found) >= tokens.num:
        what = f"{len(found)} flags leave no room among {tokens.num} tokens: must be off"
        raise draft.refuse("information.validity", what)
    names = {kind.id: kind.name for kind in tokens.kinds}
    table = entry.tables.get("token", np.zeros((NUM_IDS, 6)))[found]
    reads = _reads(late=bool(table[:, TOKEN_LAG].any()), drawn=bool(table[:, TOKEN_DROP].any()))
    meaning = "of which kinds nothing was withheld"
    labels = tuple(names[kind] for kind in found)
    add_feature(entry, Feature(VALID, meaning, (len(found),), reads=reads, labels=labels))
    flags = np.full(NUM_IDS, -1, np.int32)
    flags[found] = np.arange(len(found))
    entry.tables |= {"flag_kind": np.array(found, np.int32), "token_flag": flags}
    return len(found)


def place_flags(entry: RoleDraft) -> None:
    """Say where the flag of each number of a plain row stands; when all layers added theirs."""
    layout = entry.layout
    names = [feature.name for feature in entry.extras if feature.name.startswith(f"{VALID}.")]
    if layout.tokens or not names:
        return
    flags = np.full(layout.size, -1, np.int32)
    for name in names:
        span = layout.span(_of(name))
        flags[span] = entry.place_of(name) + np.arange(span.stop - span.start)
    entry.tables["row.flag"] = flags
