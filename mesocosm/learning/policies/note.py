"""How notes about a policy and a role list names."""

from collections.abc import Iterable

MOST_NAMES = 8


def list_names(names: Iterable[str]) -> str:
    """List a few names, and say how many more there are."""
    found = list(names)
    more = f" and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else ""
    return ", ".join(found[:MOST_NAMES]) + more
