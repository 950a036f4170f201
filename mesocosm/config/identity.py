"""Names for configs: the whole object as text, and canonical hashes of it."""

import hashlib
import json
import re
from typing import Any

import yaml

from mesocosm.config.schema import Config
from mesocosm.config.source import SCALAR_PATTERNS

BEHAVIOUR_SECTIONS = ("core", "layers", "agents")


def dump(config: Config[Any]) -> dict[str, Any]:
    """Give the whole resolved config as plain data: no default is left out.

    An optional value that is not there is left out: TOML has no word for nothing.
    """
    return config.model_dump(mode="json", by_alias=True, exclude_none=True)


class _Dumper(yaml.SafeDumper):
    """Write values out in full, and quote every text that could be read as a number."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_FLOAT = re.compile(f"^(?:{SCALAR_PATTERNS['float']})$")
_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, None)


def to_yaml(config: Config[Any]) -> str:
    """Write a config as YAML that loads back to the same hash."""
    return yaml.dump(dump(config), Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def _ordered_data(config: Config[Any]) -> dict[str, Any]:
    """Give the config as data; where the order of keys matters, as text that keeps it."""
    data = dump(config)
    if config.core.key_order_matters:
        data["core"] = json.dumps(data["core"], allow_nan=False)
    return data


def _hash(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def config_hash(config: Config[Any]) -> str:
    """Name a config by everything in it."""
    return _hash(_ordered_data(config))


def behaviour_hash(config: Config[Any]) -> str:
    """Name what decides an episode: all but the seed, the preset's name and the logging."""
    data = _ordered_data(config)
    world = {key: data["identity"][key] for key in ("world", "version")}
    return _hash({"world": world} | {key: data[key] for key in BEHAVIOUR_SECTIONS})
