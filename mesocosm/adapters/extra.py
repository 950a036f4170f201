"""The error for an adapter whose library is not installed."""

from mesocosm.core.errors import MissingExtra
from mesocosm.core.extra import missing_extra


def missing_library(library: str, package: str, extra: str = "gym") -> MissingExtra:
    """Build the error for an adapter whose library is not installed."""
    return missing_extra(f"the {library} adapter needs {package}", extra)
