"""Use: parts of an action that layers make count, whatever else the agent chose."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mesocosm.layers.draft import Draft, RoleDraft


def declare(draft: Draft) -> None:
    """Withdraw `used_with` of parts that layers look at; when all layers have said what they do.

    A price, a risk or a caste's ban holds for an option with whatever else it is chosen, and so
    does the event of an option that is not valid any more when its time comes.
    """
    for entry in draft.roles:
        counted = {*_counted_choices(entry, has_latency="latency" in draft.numbers)}
        counted |= {*_counted_levels(entry)}
        action = entry.role.action
        if any(part.used_with for part in action.parts if part.name in counted):
            made = replace(
                action,
                choices=tuple(
                    replace(part, used_with={}) if part.name in counted else part
                    for part in action.choices
                ),
                levels=tuple(
                    replace(part, used_with={}) if part.name in counted else part
                    for part in action.levels
                ),
            )
            entry.role = replace(entry.role, action=made)


def _counted_choices(entry: RoleDraft, *, has_latency: bool) -> Iterator[str]:
    price = entry.tables.get("price", np.zeros((0, 1)))
    permit = entry.tables.get("permit", np.ones((1, 0), bool))
    first = 0
    for part in entry.role.action.choices:
        options = slice(first, first + len(part.options))
        is_refused = part.masked and part.enforced  # where its mask says no, as the world does
        is_banned = not permit[:, options].all() and not is_refused
        if price[options].any() or is_banned or (has_latency and is_refused):
            yield part.name
        first += len(part.options)


def _counted_levels(entry: RoleDraft) -> Iterator[str]:
    prices = entry.tables.get("level_price", ())
    for level, price in zip(entry.role.action.levels, prices, strict=False):
        if price != 0.0:
            yield level.name
