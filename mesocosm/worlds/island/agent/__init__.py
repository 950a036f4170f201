"""One side's view, made of what it received: structured info, masks, and agents that use both.

Imports point down: simple → competition → info → masks. None of them is a rule.
"""

from mesocosm.worlds.island.agent.competition import (
    CompetitionAgent,
    Domain,
    Entity,
    Faction,
    TargetGroup,
)
from mesocosm.worlds.island.agent.simple import SimpleAgent

__all__ = ["CompetitionAgent", "Domain", "Entity", "Faction", "SimpleAgent", "TargetGroup"]
