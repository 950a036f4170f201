"""Read MettaGrid's replays: compressed JSON with its config, and where everything was at first."""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import ConfigError, short
from mesocosm.core.path import check_path, open_regular_file
from mesocosm.worlds.mettagrid.upstream.build import CellNames

SUFFIXES = (".json.z", ".json.gz")
VERSIONS = (2, 3, 4)  # version 1 has no config
MAX_PACKED = 64 << 20
MAX_TEXT = 192 << 20
MAX_CELLS = 1 << 20
ZLIB_OR_GZIP = 32 + zlib.MAX_WBITS


class Replay(NamedTuple):
    """What a replay says about the game that was played."""

    config: dict[str, Any]
    grid: CellNames


def is_replay(path: Any) -> bool:
    """Whether a file is a replay, by its name."""
    return isinstance(path, str | Path) and str(path).endswith(SUFFIXES)


def read_replay(source: str | Path | bytes) -> Replay:
    """Read the config of a replay, and the grid as its first record has it.

    MettaGrid writes that record after the first step: agents may have moved by one cell.
    """
    where = "the replay" if isinstance(source, bytes) else str(source)
    data = _parse(unpack(source if isinstance(source, bytes) else _read(source), where), where)
    version, config = data.get("version"), data.get("mg_config")
    if not isinstance(config, Mapping) or not isinstance(config.get("game"), Mapping):
        raise ConfigError(
            f"{where}: holds no config (mg_config), so its game is not known; "
            f"replays of version {VERSIONS[0]} on may have one, this is version {short(version)}"
        )
    if version not in VERSIONS:
        known = ", ".join(map(str, VERSIONS))
        raise ConfigError(f"{where}: version: must be one of {known}, got {short(version)}")
    return Replay(dict(config), _Layout(data, config["game"], where).grid())


def _read(source: str | Path) -> bytes:
    path = check_path(source, ConfigError)
    try:
        with open_regular_file(path) as file:
            return file.read(MAX_PACKED + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def unpack(packed: bytes, where: str) -> bytes:
    """Decompress, within bounds."""
    if len(packed) > MAX_PACKED:
        raise ConfigError(f"{where}: must be at most {MAX_PACKED:,} bytes, got more")
    stream = zlib.decompressobj(ZLIB_OR_GZIP)
    try:
        text = stream.decompress(packed, MAX_TEXT + 1)
    except zlib.error as error:
        raise ConfigError(f"{where}: is not compressed by zlib or gzip: {error}") from None
    if len(text) > MAX_TEXT:
        raise ConfigError(f"{where}: must hold at most {MAX_TEXT:,} bytes, got more")
    if not stream.eof:
        raise ConfigError(f"{where}: ends too early: its {len(packed):,} bytes are not all of it")
    return text


def _parse(text: bytes, where: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except RecursionError:
        raise ConfigError(f"{where}: not valid JSON: nested too deeply") from None
    except ValueError as error:
        raise ConfigError(f"{where}: not valid JSON: {short(str(error))}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: must hold a replay's mapping, got {short(data)}")
    return data


class _Layout:
    """Draws the grid of a replay: which entry of the config each of its objects is."""

    def __init__(self, data: Mapping[str, Any], game: Mapping[str, Any], where: str) -> None:
        self.where, self.data, self.game = where, data, game
        tags = data.get("tags")
        self.tags = {k: name for name, k in tags.items()} if isinstance(tags, Mapping) else {}
        entries = game.get("objects")
        self.entries = dict(entries) if isinstance(entries, Mapping) else {}

    def fail(self, path: str, what: str) -> ConfigError:
        return ConfigError(f"{self.where}: {path}: {what}")

    def grid(self) -> CellNames:
        size, things = self.data.get("map_size"), self.data.get("objects")
        if not isinstance(size, list) or len(size) != 2 or not all(_is_count(k) for k in size):
            raise self.fail("map_size", f"must be width and height, got {short(size)}")
        if size[0] * size[1] > MAX_CELLS:
            raise self.fail("map_size", f"must be at most {MAX_CELLS:,} cells, got {size}")
        if not isinstance(things, list):
            raise self.fail("objects", f"must be a list, got {short(things)}")
        grid = [["empty"] * size[0] for _ in range(size[1])]
        for k, thing in enumerate(things):
            path = f"objects.{k}"
            if not isinstance(thing, Mapping):
                raise self.fail(path, f"must be a mapping, got {short(thing)}")
            if _first(thing, "alive", True) is False:
                continue  # it appeared later
            col, row = self.place(thing, path, size)
            if grid[row][col] != "empty":
                raise self.fail(f"{path}.location", f"is taken by {grid[row][col]!r}")
            grid[row][col] = self.name(thing, path)
        return grid

    def place(self, thing: Mapping[str, Any], path: str, size: list[int]) -> tuple[int, int]:
        spot = _first(thing, "location", None)
        if not isinstance(spot, list) or len(spot) < 2 or not all(_is_index(k) for k in spot[:2]):
            raise self.fail(f"{path}.location", f"must be column and row, got {short(spot)}")
        if spot[0] >= size[0] or spot[1] >= size[1]:
            raise self.fail(f"{path}.location", f"lies outside the map of {size}, got {spot}")
        return spot[0], spot[1]

    def name(self, thing: Mapping[str, Any], path: str) -> str:
        """Return what a map calls this object."""
        kind = _first(thing, "type_name", None)
        if "agent_id" in thing:
            return self.team(thing, path)
        if not isinstance(kind, str):
            raise self.fail(f"{path}.type_name", f"must be text, got {short(kind)}")
        keys = self.keys(kind, self.own_tags(thing))
        if len(keys) != 1:
            found = " or ".join(keys) if keys else "nothing"
            raise self.fail(f"{path}.type_name", f"{kind!r} is {found} in game.objects")
        return str(self.entries[keys[0]].get("map_name") or keys[0])

    def keys(self, kind: str, tags: set[str]) -> list[str]:
        """List the entries that an object may be: by key, by name on the map, by name and tags."""
        if kind in self.entries:
            return [kind]
        called = [key for key, entry in self.entries.items() if entry.get("map_name") == kind]
        if called:
            return called
        named = [key for key, entry in self.entries.items() if entry.get("name") == kind]
        fitting = [key for key in named if tags.issuperset(self.entries[key].get("tags") or ())]
        return fitting if tags else named

    def own_tags(self, thing: Mapping[str, Any]) -> set[str]:
        found = _first(thing, "tag_ids", [])
        return {self.tags[k] for k in found if k in self.tags} if isinstance(found, list) else set()

    def team(self, thing: Mapping[str, Any], path: str) -> str:
        agents = self.game.get("agents")
        if not isinstance(agents, list) or not agents:
            return "agent.agent"
        k = _first(thing, "agent_id", None)
        if not _is_index(k) or k >= len(agents) or not isinstance(agents[k], Mapping):
            raise self.fail(f"{path}.agent_id", f"must be one of game.agents, got {short(k)}")
        return f"agent.team_{agents[k].get('team_id', 0)}"


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_count(value: Any) -> bool:
    return _is_index(value) and value > 0


def _first(thing: Mapping[str, Any], key: str, default: Any) -> Any:
    """Return a value as the first record has it: it is constant, or changes of step and value."""
    found = thing.get(key, default)
    if isinstance(found, list) and found and all(_is_change(entry) for entry in found):
        is_series = found[0][0] == 0
        return found[0][1] if is_series else found
    return found


def _is_change(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 2
