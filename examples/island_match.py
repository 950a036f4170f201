"""Two programs fight over the island, each in a process of its own; the replay is verified."""

import tempfile
from pathlib import Path

from mesocosm.evaluation.match import Limits, play_match
from mesocosm.evaluation.match_replay import verify_replay
from mesocosm.worlds.island.agent import CompetitionAgent


class Patroller(CompetitionAgent):
    """Sends its fighters round the island, one order a step."""

    def select_action(self, observation):
        grid = self.core.grid
        for entity in self.get_alive_entities():
            if entity.can_engage and 1 in entity.orders and entity.manoeuver == "idle":
                middle = grid // 2 * grid + grid // 2
                return {"action_type": 1, "entity_id": entity.id, "move_center_grid": middle}
        return None


def main():
    replay = Path(tempfile.mkdtemp()) / "match.jsonl"
    result = play_match(
        "island/skirmish",
        {"legacy": "mesocosm.worlds.island.agent:SimpleAgent", "dynasty": f"{__file__}:Patroller"},
        seed=7,
        limits=Limits(move_seconds=5.0),
        replay=replay,
    )
    print(f"{result.reason} after {result.steps} steps; winners: {result.winners or 'nobody'}")
    print(f"returns {result.mean_return} per agent, slowest moves {result.slowest}")
    print(f"{verify_replay(replay)} steps verified")


if __name__ == "__main__":
    main()
