"""Teams of agents: their names in MettaGrid, and the groups they are told as."""

from typing import Any

TEAM_NAMES = {0: "red", 1: "blue", 2: "green", 3: "yellow", 4: "purple", 5: "orange"}


def team_name(team: int) -> str:
    """Return the name of a team (classic)."""
    return TEAM_NAMES.get(team, f"team_{team}")


def teams_of(core: Any) -> list[int]:
    """List the teams in the order in which agents have them."""
    return list(dict.fromkeys(kind.team for kind in core.kinds))


def group_of(core: Any, kind: Any) -> int:
    """Return the group that a kind of agent is told as."""
    if kind.group >= 0:
        return int(kind.group)
    return int(kind.team) if core.is_classic else teams_of(core).index(kind.team)
