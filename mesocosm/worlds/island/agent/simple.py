"""SimpleAgent: an agent to begin with, and to play against."""

import math
from collections.abc import Mapping

import numpy as np

from mesocosm.worlds.island.agent.competition import CompetitionAgent
from mesocosm.worlds.island.declare import ASSERTIVE, CAPTURE_ORDER, ENGAGE_ORDER, FREE


class SimpleAgent(CompetitionAgent):
    """Sends settlers to the island, then engages the nearest known group with whoever can."""

    def select_action(self, observation: np.ndarray) -> Mapping[str, int] | np.ndarray | None:
        """Return the first order that makes sense."""
        for entity in self.get_capture_capable_entities():
            if CAPTURE_ORDER in entity.orders and entity.manoeuver != "capture":
                return {"action_type": CAPTURE_ORDER, "entity_id": entity.id}
        matrix = self.info["valid_masks"]["entity_target_matrix"]
        for entity in self.get_alive_entities():
            groups = [self.get_target_group_by_id(g) for g in matrix[entity.id]]
            if entity.manoeuver not in ("idle", "patrol") or not groups:
                continue
            nearest = min(
                (group for group in groups if group is not None),
                key=lambda group: math.dist(group.pos, entity.pos[:2]),
            )
            weapons = self.mask_for("engage", entity.id, nearest.id)["weapon_selection"]
            return {
                "action_type": ENGAGE_ORDER,
                "entity_id": entity.id,
                "target_group_id": nearest.id,
                "weapon_selection": int(np.flatnonzero(weapons)[-1]),
                "weapon_usage": FREE,
                "weapon_engagement": ASSERTIVE,
            }
        return None
