"""The names that MettaGrid's manuals use, for what this world has: their examples run on these."""

from collections.abc import Mapping
from typing import Any, Literal

from mesocosm.config.validate import validate
from mesocosm.core.errors import ConfigError, short
from mesocosm.worlds.mettagrid import WORLD, IdMap, ObservationFeatureSpec
from mesocosm.worlds.mettagrid.client.speech import MacroDirective
from mesocosm.worlds.mettagrid.config import Core as GameConfig
from mesocosm.worlds.mettagrid.game import vibes
from mesocosm.worlds.mettagrid.game.core import Window as ObsConfig
from mesocosm.worlds.mettagrid.upstream import read_config


class MettaGridConfig:
    """A game: `game` names its numbers, `config` is for `make`.

    Args:
        game: MettaGrid's own keys, or a `GameConfig`, which has ours.
        conformance: `spec` plays MettaGrid's keys as the manuals say, `upstream` as MettaGrid does.
        more: What MettaGrid's config has beside the game.
    """

    def __init__(
        self,
        game: GameConfig | Mapping[str, Any] | None = None,
        *,
        conformance: Literal["spec", "upstream"] = "spec",
        **more: Any,
    ) -> None:
        if isinstance(game, Mapping):
            core = read_config({"game": game, **more}).config["core"]
            core |= {"conformance": conformance}
        elif game is None or isinstance(game, GameConfig):
            core = (game or GameConfig()).model_dump(mode="json")
        else:
            raise ConfigError(f"game: must be a mapping or a GameConfig, got {short(game)}")
        identity = {"world": WORLD.name, "version": WORLD.version}
        empty: dict[str, Any] = {"layers": {}, "agents": {}, "instrumentation": {}}
        self.config = {"schema": 1, "identity": identity, "core": core, **empty}
        self.game: GameConfig = validate(self.config, WORLD, "MettaGridConfig").core


__all__ = [
    "GameConfig",
    "IdMap",
    "MacroDirective",
    "MettaGridConfig",
    "ObsConfig",
    "ObservationFeatureSpec",
    "vibes",
]
