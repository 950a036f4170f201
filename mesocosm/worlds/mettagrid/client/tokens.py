"""Tokens for people: read them as objects on cells, and write them back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import MesocosmError
from mesocosm.worlds.mettagrid.client.speech import Message
from mesocosm.worlds.mettagrid.game.idmap import EMPTY_TOKEN, GLOBAL_LOCATION, LOCATION_ROW, IdMap

INVENTORY = "inv:"


class TokenView(NamedTuple):
    """One token by name; row and col are -1 for what is about no place."""

    row: int
    col: int
    feature: str
    value: int


@dataclass(frozen=True)
class Entity:
    """What a policy sees on one cell of its window.

    Args:
        label: What it is: its type, or `talking` for an agent that says something.
        attributes: Every feature of it by name, and what it says.
    """

    row: int
    col: int
    label: str
    tags: tuple[str, ...] = ()
    inventory: Mapping[str, int] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)


def decode(tokens: Any, ids: IdMap) -> list[TokenView]:
    """Name every token of one view, in order."""
    names = [feature.name for feature in ids.features()]
    found = []
    for place, feature, value in np.asarray(tokens).reshape(-1, 3).tolist():
        if place == EMPTY_TOKEN:
            continue
        if feature >= len(names):
            raise MesocosmError(f"no feature {feature} in this game: at most {len(names) - 1}")
        row, col = (-1, -1) if place == GLOBAL_LOCATION else divmod(place, LOCATION_ROW)
        found.append(TokenView(row, col, names[feature], value))
    return found


def encode(views: Sequence[TokenView], ids: IdMap, num_tokens: int) -> np.ndarray:
    """Write tokens back; the inverse of `decode`."""
    if len(views) > num_tokens:
        raise MesocosmError(f"{len(views)} tokens do not fit: at most {num_tokens}")
    made = np.full((num_tokens, 3), EMPTY_TOKEN, np.uint8)
    for k, view in enumerate(views):
        place = GLOBAL_LOCATION if view.row < 0 else view.row * LOCATION_ROW + view.col
        made[k] = place, ids.feature_id(view.feature), view.value
    return made


def entities(
    views: Sequence[TokenView], ids: IdMap, heard: Mapping[int, Message] | None = None
) -> list[Entity]:
    """Gather the tokens of each cell into one entity, nearest first.

    Args:
        heard: By agent id, what it says, as `speech.heard_by` gives it.
    """
    said = {(message.row, message.col): message for message in (heard or {}).values()}
    cells: dict[tuple[int, int], list[TokenView]] = {}
    for view in views:
        if view.row >= 0:
            cells.setdefault((view.row, view.col), []).append(view)
    return [_entity(at, found, ids, said.get(at)) for at, found in cells.items()]


def _entity(
    at: tuple[int, int], found: list[TokenView], ids: IdMap, said: Message | None
) -> Entity:
    names = ids.tag_names()
    tags = tuple(names[view.value] for view in found if view.feature == "tag")
    numbers = _numbers([view for view in found if view.feature != "tag"], ids)
    held = {k.removeprefix(INVENTORY): v for k, v in numbers.items() if k.startswith(INVENTORY)}
    rest: dict[str, Any] = {k: v for k, v in numbers.items() if not k.startswith(INVENTORY)}
    types = [tag.removeprefix("type:") for tag in tags if tag.startswith("type:")] or list(tags)
    label = types[0] if types else "nothing"
    if said is not None and "agent:group" in rest:
        label = "talking"
        rest |= {"talk_text": said.text, "talk_remaining_steps": said.remaining_steps}
    return Entity(*at, label, tags, held, rest)


def _numbers(views: Sequence[TokenView], ids: IdMap) -> dict[str, int]:
    """Put numbers together from their digits."""
    base = ids.core.obs.token_value_base
    made: dict[str, int] = {}
    for view in views:
        name, _, power = view.feature.rpartition(":p")
        if name and power.isdigit() and ids.has(name):
            made[name] = made.get(name, 0) + view.value * base ** int(power)
        else:
            made[view.feature] = made.get(view.feature, 0) + view.value
    return made
