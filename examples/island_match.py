"""Two programs fight over the island, each in a process of its own; the replay is verified."""

import tempfile
from pathlib import Path

from mesocosm.build import open_run
from mesocosm.evaluation.match import Limits, play_match
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
    run = Path(tempfile.mkdtemp()) / "match"
    result = play_match(
        "island/skirmish",
        {"legacy": "mesocosm.worlds.island.agent:SimpleAgent", "dynasty": f"{__file__}:Patroller"},
        seed=7,
        limits=Limits(move_seconds=5.0),
        out=run,
    )
    print(f"{result.reason} after {result.steps} steps; winners: {result.winners or 'nobody'}")
    print(f"returns {result.mean_return} per life, slowest moves {result.slowest}")
    proof = open_run(run).verify()
    print(f"{proof.num_equal} of {proof.num_steps} steps verified")


if __name__ == "__main__":
    main()
