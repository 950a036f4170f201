"""Which parts of an action count with what was chosen before them."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from mesocosm.core.action import ActionSpec, Condition

Used = list[Tensor | None]  # by part, choices first: bool [..., 1], or None where it always counts


class PartUse(nn.Module):
    """Reads from choices which parts count, as `ActionSpec.used` does; nothing waits for a GPU."""

    tables: Tensor

    def __init__(self, action: ActionSpec) -> None:
        super().__init__()
        self._conditions = action.conditions
        self.is_declared = any(self._conditions)
        begins: dict[Condition, int] = {}
        tables: list[bool] = []  # of each condition, whether each option of its choice meets it
        for condition in (entry for entries in self._conditions for entry in entries):
            if condition not in begins:
                begins[condition] = len(tables)
                chosen = set(condition.options)
                size = len(action.choices[condition.part].options)
                tables += [option in chosen for option in range(size)]
        self._tests = [[(c.part, begins[c]) for c in entries] for entries in self._conditions]
        first = {entries: k for k, entries in reversed([*enumerate(self._conditions)])}
        self._same = [first[entries] for entries in self._conditions]  # as which earlier part
        self.register_buffer("tables", torch.tensor(tables, dtype=torch.bool), persistent=False)

    def decide(self, used: Used, picks: Sequence[Tensor]) -> Tensor | None:
        """Say whether the next part counts, and add that to `used`.

        Args:
            picks: int64 [..., 1], of the choices so far.
        """
        k = len(used)
        if self._same[k] < k:
            used.append(used[self._same[k]])
            return used[k]
        made: Tensor | None = None
        for part, begin in self._tests[k]:
            met = self.tables[picks[part] + begin]
            decider = used[part]
            met = met if decider is None else met & decider
            made = met if made is None else made & met
        used.append(made)
        return made

    def read(self, choice: Tensor) -> Used:
        """Say for each part whether it counts in whole choices `[..., part]`."""
        used: Used = []
        picks = torch.split(choice.long(), 1, -1) if self.is_declared else ()
        for _ in self._conditions:
            self.decide(used, picks)
        return used
