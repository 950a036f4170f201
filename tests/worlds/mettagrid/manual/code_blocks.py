"""The code of the manuals, line by line without its comments, and how to run it on this world."""

from typing import Any

# The manual of the classic profile has this example and the next; that of cogs has this one too.
ID_MAP = """\
from mettagrid.config.mettagrid_config import MettaGridConfig
config = MettaGridConfig(...)
id_map = config.game.id_map()
features = id_map.features()
"""
FEATURE_SPEC = """\
class ObservationFeatureSpec:
    id: int
    name: str
    normalization: float
"""
THEIR_MODULE, OUR_MODULE = "mettagrid.config.mettagrid_config", "mesocosm.worlds.mettagrid.manual"
ELLIPSIS = "(...)"


def run_block(code: str, **given: Any) -> dict[str, Any]:
    """Run a block with our module for theirs and keywords for its ellipsis; give its names."""
    keywords = ", ".join(f"{name}={name}" for name in given)
    text = code.replace(THEIR_MODULE, OUR_MODULE).replace(ELLIPSIS, f"({keywords})")
    names: dict[str, Any] = dict(given)
    exec(compile(text, "a manual", "exec"), names)  # noqa: S102 (the text above)
    return names
