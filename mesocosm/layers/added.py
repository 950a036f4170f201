"""Numbers that layers add to what a role sees: features behind its row, or tokens of new ids."""

from typing import NamedTuple

import numpy as np

from mesocosm.core.observation import Feature
from mesocosm.layers.draft import RoleDraft
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

TOKEN_WIDTH = 3  # place, feature id, value
MAX_BYTE = 255.0


class AddedRole(NamedTuple):
    """How numbers are added to the rows of a role."""

    num_tokens: int  # -1: rows are plain numbers
    anywhere: int  # the place of a token that has none
    empty: int  # the place of a token that is not there
    first_id: int  # the feature id of the first number that layers add


def allocate_role(entry: RoleDraft) -> AddedRole:
    """Say how numbers are added to the rows of a role."""
    tokens = entry.layout.tokens
    if tokens is None:
        return AddedRole(-1, -1, -1, -1)
    return AddedRole(tokens.num, tokens.anywhere, tokens.empty, entry.first_added_id)


def add_feature(entry: RoleDraft, feature: Feature) -> None:
    """Add a feature after the world's own; where it begins is known when all are added."""
    if entry.role.num_agents:
        entry.added_at[feature.name] = sum(other.size for other in entry.extras)
        entry.extras.append(feature)
        entry.is_changed = True


@rule
def write_added(
    added: AddedRole, out: np.ndarray, at: int, value: float, low: float, high: float
) -> None:
    """Write a number that a layer adds: into the row, or as a token behind the others."""
    if added.num_tokens < 0:
        out[at] = value
        return
    n = 0
    size = added.num_tokens * TOKEN_WIDTH
    while n < size and out[n] != added.empty:
        n += TOKEN_WIDTH
    if n < size:
        share = (value - low) / (high - low) if high > low else 0.0
        out[n] = added.anywhere
        out[n + 1] = added.first_id + at
        out[n + 2] = int(clip(share, 0.0, 1.0) * MAX_BYTE + 0.5)
