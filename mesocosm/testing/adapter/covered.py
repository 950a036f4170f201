"""What a comparison really saw, and what it had to see."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from mesocosm.core.adapter_driver import AdapterDriver
from mesocosm.core.spec import Spec
from mesocosm.testing.adapter.reference import Expected

NO_AGENTS = "no_agents"  # the reason of every world, which needs no proof of its own
SEEN = {
    "steps": "steps of the batch",
    "boundaries": "episodes that ended and were followed by the next",
    "lone_boundaries": "of these, where other envs of the batch played on",
    "terminations": "agents that ended inside the world",
    "truncations": "agents that were cut off from outside",
    "deaths": "agents that ended while their episode went on",
    "absences": "moments in which an agent took no part",
    "births": "slots that were born again",
    "forbidden": "mask rows that forbade something",
    "turns": "agents that could not act while others could",
    "rewards": "rewards other than zero",
    "alone": "steps in which nobody could act",
}


class Covered:
    """Counts what happened to the agents that an adapter gives."""

    def __init__(self, spec: Spec) -> None:
        self._cuts = [reason.name for reason in spec.reasons if reason.truncates]
        self.counts: Counter[str] = Counter(dict.fromkeys(SEEN, 0))
        self.reasons: Counter[str] = Counter()

    def add(
        self,
        seats: Mapping[str, np.ndarray],
        made: Mapping[str, Expected],
        over: np.ndarray,
        episode_over: np.ndarray,
    ) -> None:
        """Count what one step brought.

        Args:
            over: bool [env], where the next episode begins, for the adapter.
            episode_over: bool [env], where the world's own episode ended.
        """
        count = self.counts
        count["steps"] += 1
        count["boundaries"] += int(over.sum())
        count["lone_boundaries"] += int(over.sum()) if not over.all() else 0
        acting = sum(entry.acting.any(axis=1).astype(int) for entry in made.values())
        for name, entry in made.items():
            mine, last = np.broadcast_to(seats[name], entry.ended.shape), entry.last or entry
            named = (entry.reason != "") & mine
            cut = np.isin(entry.reason.astype(str), self._cuts)
            count["terminations"] += int((named & ~cut).sum())
            count["truncations"] += int((named & cut).sum())
            count["deaths"] += int((entry.ended & mine & ~episode_over[:, None]).sum())
            count["absences"] += int((~entry.is_there & mine).sum())
            born = last.is_there & ~entry.was_there & mine
            count["births"] += int(born.sum())
            count["forbidden"] += int((~entry.mask.all(axis=-1) & entry.is_there & mine).sum())
            waits = ~entry.acting & entry.is_there & mine
            count["turns"] += int((waits & (np.asarray(acting) > 0)[:, None]).sum())
            count["rewards"] += int(((entry.reward != 0) & mine).sum())
            self.reasons.update(entry.reason[named].tolist())


def required(spec: Spec, driver: AdapterDriver, seats: Mapping[str, np.ndarray]) -> set[str]:
    """Name what the agents of a world can give by its declarations, and so must be seen."""
    roles = [role for name, role in spec.roles.items() if seats[name].any()]
    needs = {"steps", "boundaries", "rewards"}
    reasons = [reason for reason in spec.reasons if reason.name != NO_AGENTS]
    needs |= {"truncations"} if any(reason.truncates for reason in reasons) else set()
    needs |= {"terminations"} if any(not reason.truncates for reason in reasons) else set()
    needs |= {"forbidden"} if any(role.action.mask_size for role in roles) else set()
    needs |= {"turns"} if spec.turns != "simultaneous" else set()
    if driver.ends_with == "episode" and any(role.respawn for role in roles):
        needs |= {"births", "absences"}
    return needs
