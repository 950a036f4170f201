"""Read MettaGrid's own config JSON, of both versions, for what this world can play."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesocosm.config.source import read_file
from mesocosm.config.validate import validate
from mesocosm.core.errors import ConfigError, short
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.declare import VERSION
from mesocosm.worlds.mettagrid.upstream.classic import classic_game
from mesocosm.worlds.mettagrid.upstream.cogs import cogs_game
from mesocosm.worlds.mettagrid.upstream.maps import BUILT
from mesocosm.worlds.mettagrid.upstream.part import Part


def is_classic(game: Mapping[str, Any]) -> bool:
    """Whether a config is of the classic version, which keeps `global_obs` outside `obs`."""
    return "global_obs" in game or "inventory_regen_interval" in game


def import_core(config: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a config of MettaGrid into the `core` section of ours."""
    if not isinstance(config, Mapping) or not isinstance(config.get("game"), Mapping):
        raise ConfigError(f"game: is required in MettaGrid's config, got {short(config)}")
    root = Part(config, "")
    root.skip("label", "desync_episodes", "game_engine")
    game = root.part("game")
    root.finish()
    made = classic_game(game) if is_classic(config["game"]) else cogs_game(game)
    game.finish()
    return made


def import_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a config of MettaGrid into a whole config of ours, for `make` and `load_config`."""
    return {
        "schema": 1,
        "identity": {"world": "mettagrid", "version": VERSION},
        "core": import_core(config),
        "layers": {},
        "agents": {},
        "instrumentation": {},
    }


@dataclass(frozen=True)
class Imported:
    """A config of MettaGrid as this world reads it.

    Args:
        game: The game, checked; `game.id_map()` names the numbers of its tokens.
        config: The whole config, for `make` and `load_config`.
    """

    game: Core
    config: dict[str, Any]


def read_config(source: Any, grid: Any = None) -> Imported:
    """Read a config of MettaGrid.

    Args:
        source: MettaGrid's own config object, what its JSON holds, or the path of a file with that.
        grid: The map that MettaGrid built from it (rows of names), for maps of kinds that only
            MettaGrid can build.
    """
    from mesocosm.worlds.mettagrid import WORLD

    where = str(source) if isinstance(source, str | Path) else "MettaGrid's config"
    data = read_file(Path(source)) if isinstance(source, str | Path) else source
    if hasattr(data, "model_dump_json"):
        data = json.loads(data.model_dump_json())
    if grid is not None and isinstance(data, Mapping) and isinstance(data.get("game"), Mapping):
        data = {**data, "game": data["game"] | {"map_builder": {"type": BUILT, "cells": grid}}}
    config = import_config(data)
    return Imported(validate(config, WORLD, where).core, config)
