"""Read MettaGrid's own config JSON, of both versions, for what this world can play."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesocosm.config.source import read_file
from mesocosm.config.validate import validate
from mesocosm.core.errors import ConfigError, short
from mesocosm.core.path import check_path, open_regular_file
from mesocosm.core.world import ImportedConfig
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.declare import VERSION
from mesocosm.worlds.mettagrid.upstream.classic import classic_game
from mesocosm.worlds.mettagrid.upstream.cogs import cogs_game
from mesocosm.worlds.mettagrid.upstream.defaults import with_defaults
from mesocosm.worlds.mettagrid.upstream.dump import dumped
from mesocosm.worlds.mettagrid.upstream.maps import BUILT
from mesocosm.worlds.mettagrid.upstream.migrate import Applied, migrate
from mesocosm.worlds.mettagrid.upstream.part import Part, is_classic
from mesocosm.worlds.mettagrid.upstream.replay import is_replay, read_replay

MAX_GRID_BYTES = 16 << 20


def import_core(config: Any, grid: Any = None) -> dict[str, Any]:
    """Turn a config of MettaGrid into the `core` section of ours."""
    return _core(_prepare(config, grid)[0])


def _prepare(config: Any, grid: Any) -> tuple[dict[str, Any], tuple[Applied, ...]]:
    """Bring a config to today's spelling, with the grid instead of its map builder if given."""
    config = dumped(config, with_map=grid is None)
    if not isinstance(config, Mapping) or not isinstance(config.get("game"), Mapping):
        raise ConfigError(f"game: is required in MettaGrid's config, got {short(config)}")
    if grid is not None:
        builder = {"type": BUILT, "cells": grid}
        config = {**config, "game": {**config["game"], "map_builder": builder}}
    made, applied = migrate(config)
    if not is_classic(made["game"]):
        made["game"] = with_defaults(made["game"])
    return made, applied


def _core(config: Mapping[str, Any]) -> dict[str, Any]:
    root = Part(config, "")
    root.skip("label", "desync_episodes", "game_engine")
    game = root.part("game")
    root.finish()
    made = classic_game(game) if is_classic(config["game"]) else cogs_game(game)
    game.finish()
    return made


def import_config(config: Any, grid: Any = None) -> dict[str, Any]:
    """Turn a config of MettaGrid into a whole config of ours, for `make` and `load_config`.

    Args:
        config: MettaGrid's own config object, or what its JSON holds; that of an older version is
            migrated. JSON means what MettaGrid reads from it, which is less: minima and maxima
            become sums there, and queries inside of values lose their filters.
        grid: The map as rows of names, for maps that only MettaGrid can build.
    """
    return _whole(import_core(config, grid))


def _whole(core: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": 1,
        "identity": {"world": "mettagrid", "version": VERSION},
        "core": core,
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
        migrations: What was brought to today's spelling.
    """

    game: Core
    config: dict[str, Any]
    migrations: tuple[Applied, ...] = ()


def read_config(source: Any, grid: Any = None, without: Sequence[str] = ()) -> Imported:
    """Read a config of MettaGrid.

    Args:
        source: MettaGrid's own config object, what its JSON holds, or the path of a file with that
            or of a replay.
        grid: The map that MettaGrid built from it (rows of names, or the path of a JSON file with
            them), for maps of kinds that only MettaGrid can build.
        without: Keys to leave out, as `game.agent.vibe_transfers`.
    """
    if is_replay(source):
        return import_replay(source, grid, without)
    where = str(source) if isinstance(source, str | Path) else "MettaGrid's config"
    data = read_file(Path(source)) if isinstance(source, str | Path) else source
    plain = dumped(data, with_map=grid is None)
    return _imported(leave_out(plain, without), _read_grid(grid), where)


def import_replay(
    source: str | Path | bytes, grid: Any = None, without: Sequence[str] = ()
) -> Imported:
    """Read the game of a replay, on the map of its first record unless there is another."""
    where = "the replay" if isinstance(source, bytes) else str(source)
    found = read_replay(source)
    cells = found.grid if grid is None else _read_grid(grid)
    return _imported(leave_out(found.config, without), cells, where)


def import_file(file: Path, grid: Path | None, without: Sequence[str]) -> ImportedConfig:
    """Read a config or replay of MettaGrid, and say how it was migrated."""
    made = read_config(file, grid, without)
    return ImportedConfig(made.config, tuple(f"migrated: {entry}" for entry in made.migrations))


def leave_out(data: Any, paths: Sequence[str]) -> Any:
    """Give a config without some keys, each of which it must have."""
    made = deepcopy(data) if paths else data
    for path in paths:
        *parents, last = path.split(".")
        at = made
        for key in parents:
            at = at.get(key) if isinstance(at, dict) else None
        if not isinstance(at, dict) or last not in at:
            raise ConfigError(f"without {short(path)}: the config has no such key")
        del at[last]
    return made


def _imported(data: Any, grid: Any, where: str) -> Imported:
    from mesocosm.worlds.mettagrid import WORLD

    today, applied = _prepare(data, grid)
    config = _whole(_core(today))
    return Imported(validate(config, WORLD, where).core, config, applied)


def _read_grid(grid: Any) -> Any:
    """Read a grid from a JSON file, if it is given as a path."""
    if not isinstance(grid, str | Path):
        return grid
    path = check_path(grid, ConfigError)
    try:
        with open_regular_file(path) as file:
            return json.loads(file.read(MAX_GRID_BYTES))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: must hold rows of names as JSON: {short(str(error))}") from None
