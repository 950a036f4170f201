"""The seven layers: orthogonal dimensions of complexity that modulate any world.

One module per layer: what its settings declare of a spec (`declare`), its arrays (`allocate`), and
its rules. A new setting touches its layer, its schema in `mesocosm.config.layers` and its test.
`standing` (reputation and trust) is a part of the temporal layer, `store` of the hierarchy layer,
`mixing` of the interaction layer; `blurs`, `perception`, `validity` and `withheld` of the
information layer; `use` says which parts of actions they make count; `hooks` puts all rules in the
order of a step.

Imports point one way: `hooks → arrays | layout → the layers → added → draft`.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from mesocosm.config.layers import Layers, LayerSettings
from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Spec
from mesocosm.layers import (
    hierarchy,
    incentives,
    information,
    interaction,
    power,
    store,
    temporal,
    uncertainty,
    use,
    validity,
    withheld,
)
from mesocosm.layers.arrays import allocate
from mesocosm.layers.draft import Draft, begin
from mesocosm.layers.hooks import HOOKS
from mesocosm.layers.layout import finish_role
from mesocosm.sim.layering import Layering

ORDER: tuple[tuple[str, Callable[[Any, Draft], None]], ...] = (
    ("information", information.declare),
    ("temporal", temporal.declare),
    ("hierarchy", hierarchy.declare),
    ("interaction", interaction.declare),
    ("power", power.declare),
    ("incentives", incentives.declare),
    ("uncertainty", uncertainty.declare),
)


def layer(
    spec: Spec, layers: Layers, where: str, *, has_sight: bool = True
) -> tuple[Spec, Layering | None]:
    """Give the spec that agents know with the layers on, and what the engine needs for them.

    Args:
        has_sight: Whether the world has a rule of which agent sees which.
    """
    for name, _ in ORDER:
        _refuse_empty(name, getattr(layers, name), where)
    if not layers.are_active:
        return spec, None
    draft = begin(spec, layers, where)
    draft.has_sight = has_sight
    for name, declare in ORDER:
        settings = getattr(layers, name)
        if settings.is_active:
            declare(settings, draft)
    use.declare(draft)
    temporal.declare_lives(draft)
    validity.declare(draft)
    withheld.declare(draft)
    store.declare_held(draft)
    made = replace(
        spec,
        all_roles=tuple(finish_role(entry, draft) for entry in draft.roles),
        events=tuple(draft.events),
        layer_fields=tuple(draft.fields),
        notes=tuple(draft.notes),
        max_events=spec.max_events + draft.event_room,
    )
    groups = tuple(draft.tables["group"].tolist()) if "group" in draft.tables else ()
    return made, Layering(spec, HOOKS, partial(allocate, draft), groups)


def _refuse_empty(name: str, settings: LayerSettings, where: str) -> None:
    """Refuse a layer that is turned up with nothing set."""
    if settings.intensity > 0.0 and not settings.is_active:
        known = ", ".join(key for key in type(settings).model_fields if key != "intensity")
        what = f"does nothing, got {settings.intensity:g}: nothing of the layer is set ({known})"
        raise ConfigError(f"{where}: layers.{name}.intensity: {what}")
