"""Which agent sits on which cell of MettaGrid's maps."""

from typing import Any

from mesocosm.core.errors import ConfigError, hint
from mesocosm.worlds.mettagrid.game.check import is_agent
from mesocosm.worlds.mettagrid.game.team import TEAM_NAMES

Agents = list[dict[str, Any]]


def seat(area: dict[str, Any], agents: Agents) -> tuple[Agents, list[str]]:
    """Order the agents as the map has them; give MettaGrid's names of their cells, too."""
    one, many = _cell_names([entry["team"] for entry in agents])
    groups = {team: group for group, team in enumerate(_teams(agents))}
    for entry in agents:  # MettaGrid takes the first agent's for all
        entry["inventory"]["default_limit"] = agents[0]["inventory"]["default_limit"]
    taken = dict.fromkeys(many, 0)
    seated, cells = [], []
    for char in "".join(area["rows"]) if agents else "":
        name = area["legend"].get(char, "")
        if not is_agent(name):
            continue
        if name in many:
            if taken[name] == len(many[name]):
                most = f"at most {len(many[name])}, the agents of that team"
                raise ConfigError(f"game.map_builder: too many cells are {name!r}: {most}")
            taken[name] += 1
            name = many[name][taken[name] - 1]
        if name not in one:
            raise ConfigError(f"game.map_builder: no agent sits on {name!r}.{hint(name, [*one])}")
        entry = agents[one[name]]
        seated.append(entry | {"group": groups[entry["team"]]})
        cells.append(name)
    return seated, cells


def _teams(agents: Agents) -> list[int]:
    return list(dict.fromkeys(entry["team"] for entry in agents))


def _cell_names(teams: list[int]) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Name the cells of one agent, and those whose agents take turns.

    Later teams take names over from earlier ones, but a team of one leaves turns as they are.
    """
    one: dict[str, int] = {}
    many: dict[str, list[str]] = {}
    for group, team in enumerate(dict.fromkeys(teams)):
        members = [k for k, number in enumerate(teams) if number == team]
        name = f"agent.{TEAM_NAMES.get(team, f'group_{group}')}"
        cells = [f"{name}.{i}" for i in range(len(members))]
        one |= dict(zip(cells, members, strict=True)) | {name: members[0]}
        if len(members) > 1:
            many[name] = cells
        for other in _aliases(group, team):
            one[other] = members[0]
            if name in many:
                many[other] = many[name]
    return one, many


def _aliases(group: int, team: int) -> list[str]:
    """List the other names of a team's cells."""
    names = [f"team_{group}", f"team_{team}"]
    names += [TEAM_NAMES[number] for number in (group, team) if number in TEAM_NAMES]
    names += ["default", "agent"] if group == 0 else []
    return [f"agent.{name}" for name in names]
