"""Configs and replays of MettaGrid itself, read into ours.

Imports `game`, and `WORLD` to check what was read; only `WORLD` imports it.
"""

from mesocosm.worlds.mettagrid.upstream.read import (
    Imported,
    import_config,
    import_core,
    import_file,
    import_replay,
    read_config,
)

__all__ = [
    "Imported",
    "import_config",
    "import_core",
    "import_file",
    "import_replay",
    "read_config",
]
