"""Turn MettaGrid's own config objects into what their JSON holds, without losing anything."""

import json
from collections.abc import Mapping
from typing import Any

from mesocosm.worlds.mettagrid.upstream.build import build_from
from mesocosm.worlds.mettagrid.upstream.maps import BUILT, MAKERS
from mesocosm.worlds.mettagrid.upstream.part import QUERY_FILTERS, TYPED

FOLD_CLASSES = {"MinGameValue": "min", "MaxGameValue": "max"}


def dumped(config: Any, *, with_map: bool = True) -> Any:
    """Return what a config holds, as JSON has it.

    Of MettaGrid's own objects, minima and maxima say what they are, and queries that their filters
    have types: its dumps do not, and it leaves out filters without. Its builders of maps, of which
    it cannot write all, become the map that they build.
    """
    if not hasattr(config, "model_dump_json") or not hasattr(config, "game"):
        return config
    made = json.loads(config.model_dump_json(exclude={"game": {"map_builder"}}))
    _mark(config, made)
    if with_map:
        made["game"]["map_builder"] = _map_section(config.game)
    return made


def _map_section(game: Any) -> dict[str, Any]:
    builder = game.map_builder
    if type(builder).__name__.removesuffix("Config") not in MAKERS:
        return {"type": BUILT, "cells": build_from(builder, game.num_agents)}
    made: dict[str, Any] = builder.model_dump(mode="json")
    return made


def _mark(value: Any, made: Any) -> None:
    if hasattr(value, "model_dump_json"):
        fields = {name: getattr(value, name) for name in type(value).model_fields if name in made}
        _mark(fields, made)
        kind = FOLD_CLASSES.get(type(value).__name__)
        if kind is not None:
            made["type"] = kind
        if hasattr(value, "query_type"):
            _mark_query(fields, made)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            _mark(part, made[key])
    elif isinstance(value, list | tuple):
        for part, entry in zip(value, made, strict=True):
            _mark(part, entry)


def _mark_query(fields: Mapping[str, Any], made: dict[str, Any]) -> None:
    """Keep the filters of a query that have types, and note that they do."""
    made[TYPED] = True
    for key in QUERY_FILTERS:
        if key in made:
            both = zip(fields[key], made[key], strict=True)
            made[key] = [entry for part, entry in both if hasattr(part, "model_dump_json")]
