"""Turn MettaGrid's own config objects into what their JSON holds, without losing anything."""

import json
from collections.abc import Mapping
from typing import Any

FOLD_CLASSES = {"MinGameValue": "min", "MaxGameValue": "max"}


def dumped(config: Any) -> Any:
    """Return what a config holds, as JSON has it.

    Of MettaGrid's own objects, minima and maxima say what they are: its dumps do not.
    """
    if not hasattr(config, "model_dump_json"):
        return config
    made = json.loads(config.model_dump_json())
    _mark_folds(config, made)
    return made


def _mark_folds(value: Any, made: Any) -> None:
    if hasattr(value, "model_dump_json"):
        kind = FOLD_CLASSES.get(type(value).__name__)
        if kind is not None:
            made["type"] = kind
        value = {name: getattr(value, name) for name in type(value).model_fields if name in made}
    if isinstance(value, Mapping):
        for key, part in value.items():
            _mark_folds(part, made[key])
    elif isinstance(value, list | tuple):
        for part, entry in zip(value, made, strict=True):
            _mark_folds(part, entry)
