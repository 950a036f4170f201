"""The error for an adapter whose library is not installed."""

from mesocosm.core.errors import MissingExtra


def missing_library(library: str, package: str) -> MissingExtra:
    """Build the error for an adapter whose library is not installed."""
    return MissingExtra(f"the {library} adapter needs {package}: pip install 'mesocosm[gym]'")
