"""The arrays that layers act with: each layer's own under its name, and what the engine reads."""

from typing import NamedTuple

import numpy as np

from mesocosm.layers import (
    added,
    hierarchy,
    incentives,
    information,
    interaction,
    power,
    standing,
    temporal,
    uncertainty,
)
from mesocosm.layers.draft import Draft, RoleDraft
from mesocosm.sim.frame import BILL_WEIGHT, NUM_WEIGHTS, PAIR_WEIGHT, STANDING_WEIGHT
from mesocosm.sim.handles import COLUMN_COUNT, Handles, View
from mesocosm.sim.layering import Added


class LayerArrays(NamedTuple):
    """What the layers of an env are set to and remember, for all its agents."""

    handles: Handles
    temporal: temporal.TemporalArrays
    standing: standing.StandingArrays
    hierarchy: hierarchy.HierarchyArrays
    interaction: interaction.InteractionArrays
    power: power.PowerArrays
    incentives: incentives.IncentivesArrays
    uncertainty: uncertainty.UncertaintyArrays


class RoleLayerArrays(NamedTuple):
    """What layers do to the actions and observations of one role."""

    world_view: View
    added: added.AddedRole
    information: information.InformationRole
    temporal: temporal.TemporalRole
    standing: standing.StandingRole
    hierarchy: hierarchy.HierarchyRole
    power: power.PowerRole
    incentives: incentives.IncentivesRole


def allocate(draft: Draft, num_envs: int) -> Added:
    """Allocate what the layers need for a batch."""
    n = num_envs
    layers = LayerArrays(
        handles=_handles(draft, n),
        temporal=temporal.allocate(draft, n),
        standing=standing.allocate(draft),
        hierarchy=hierarchy.allocate(draft, n),
        interaction=interaction.allocate(draft, n),
        power=power.allocate(draft),
        incentives=incentives.allocate(draft, n),
        uncertainty=uncertainty.allocate(draft, n),
    )
    role_layers = tuple(_allocate_role(entry, draft, n) for entry in draft.roles)
    return Added(layers, role_layers, _frame(draft, n), draft.places)


def _allocate_role(entry: RoleDraft, draft: Draft, n: int) -> RoleLayerArrays:
    return RoleLayerArrays(
        world_view=_view(entry, n),
        added=added.allocate_role(entry),
        information=information.allocate_role(entry, draft, n),
        temporal=temporal.allocate_role(entry, draft, n),
        standing=standing.allocate_role(entry),
        hierarchy=hierarchy.allocate_role(entry, draft, n),
        power=power.allocate_role(entry),
        incentives=incentives.allocate_role(entry),
    )


def _handles(draft: Draft, n: int) -> Handles:
    columns = len(draft.columns)
    widest = max((column.row[COLUMN_COUNT] for column in draft.columns), default=0)
    seen = draft.agents if draft.marks_seen else 0
    return Handles(
        compares=draft.compares,
        keeps_views=any(entry.keeps_views for entry in draft.roles),
        column=np.array([column.row for column in draft.columns], np.int64).reshape(-1, 4),
        bounds=np.array([(c.low, c.high) for c in draft.columns], float).reshape(-1, 2),
        before=np.zeros((n, columns, widest)),
        value=np.zeros((n, columns, widest)),
        seen=np.zeros((n, seen, seen), np.bool_),
    )


def _view(entry: RoleDraft, n: int) -> View:
    layout = entry.layout
    kind = np.dtype(layout.dtype)
    hidden = [layout.span(f.name) for f in layout.features if f.visibility == "hidden"]
    numbers = [number for span in hidden for number in range(span.start, span.stop)]
    kept = n if entry.keeps_views else 0
    return View(
        is_changed=entry.is_changed,
        rows=np.zeros((kept, entry.role.num_agents, layout.size), kind),
        absent=layout.absent.astype(kind),
        hidden=np.array(numbers, np.int32),
    )


def _frame(draft: Draft, n: int) -> dict[str, np.ndarray]:
    """Allocate the frame's handles that layers use."""
    weights = draft.event_weights
    table = np.zeros((len(draft.events) if weights else 0, NUM_WEIGHTS))
    for column, weight in weights.items():
        table[: len(weight), column] = weight
    actors = {column: draft.agents if column in weights else 0 for column in range(NUM_WEIGHTS)}
    handles = {
        "event_weight": table,
        "standing": np.zeros((n, actors[STANDING_WEIGHT])),
        "pair_standing": np.zeros((n, actors[PAIR_WEIGHT], actors[PAIR_WEIGHT])),
        "bill": np.zeros((n, actors[BILL_WEIGHT])),
    }
    if "reputation bar" in draft.tables or "trust bar" in draft.tables:
        shape = (n, draft.agents, draft.agents, len(draft.inner.links))
        handles["barred"] = np.zeros(shape, np.bool_)
    return handles | draft.frame
