"""Configs of MettaGrid itself, read into ours: `read_config` for people, the rest for `WORLD`.

Imports `game`, and `WORLD` to check what was read; only `WORLD` imports it.
"""

from mesocosm.worlds.mettagrid.upstream.read import (
    Imported,
    import_config,
    import_core,
    read_config,
)

__all__ = ["Imported", "import_config", "import_core", "read_config"]
