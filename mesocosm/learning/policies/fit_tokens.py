"""Match tokens by names: feature ids, the places they are about, and values that are names."""

import numpy as np

from mesocosm.core.errors import BundleError
from mesocosm.core.observation import Token, Tokens
from mesocosm.learning.policies.note import list_names

NUM_BYTES = 256


class TokenFit:
    """Writes tokens in the ids that a policy knows; those that it does not know become unused."""

    def __init__(self, known: Tokens, here: Tokens) -> None:
        self.notes: list[str] = []
        self._unused = known.empty
        self._id = np.zeros(NUM_BYTES, np.uint8)
        self._value = np.tile(np.arange(NUM_BYTES, dtype=np.uint8), (NUM_BYTES, 1))
        self._keep = np.zeros((NUM_BYTES, NUM_BYTES), bool)  # [feature id here, value]
        self._place, self._keep_place = self._match_places(known, here)
        self._match_kinds(known, here)
        every = np.arange(NUM_BYTES)
        shown = [kind.id for kind in here.kinds]
        self._same = (
            known.empty == here.empty
            and bool((self._place == every)[self._keep_place].all() and self._keep_place.all())
            and all(self._id[k] == k and self._keep[k].all() for k in shown)
            and all((self._value[k] == every).all() for k in shown)
        )

    def translate(self, obs: np.ndarray) -> np.ndarray:
        """Turn `[row, token, 3]` of the role into that of the policy."""
        if self._same:
            return obs
        place, number, value = obs[..., 0], obs[..., 1], obs[..., 2]
        kept = self._keep_place[place] & self._keep[number, value]
        made = np.stack((self._place[place], self._id[number], self._value[number, value]), -1)
        if kept.all():
            return made
        made[~kept] = self._unused
        order = np.argsort(made[..., 0] == self._unused, axis=-1, kind="stable")
        return np.take_along_axis(made, order[..., None], axis=-2)  # used ones first

    def _match_places(self, known: Tokens, here: Tokens) -> tuple[np.ndarray, np.ndarray]:
        """Give for each place here that of the policy, and whether it knows it."""
        place, keep = np.arange(NUM_BYTES, dtype=np.uint8), np.ones(NUM_BYTES, bool)
        if known.places != here.places and known.places and here.places:
            keep[:] = False
            at = {name: k for k, name in enumerate(known.places)}
            for k, name in enumerate(here.places):
                if name in at:
                    place[k], keep[k] = at[name], True
            lost = [name for name in here.places if name not in at]
            if lost:
                self.notes.append(f"observation: places: dropped {list_names(lost)}")
        place[here.anywhere], keep[here.anywhere] = known.anywhere, True
        place[here.empty], keep[here.empty] = known.empty, True
        return place, keep

    def _match_kinds(self, known: Tokens, here: Tokens) -> None:
        learnt = {kind.name: kind for kind in known.kinds}
        shown = {kind.name for kind in here.kinds}
        for kind in here.kinds:
            if kind.name in learnt:
                self._match_kind(learnt[kind.name], kind)
        dropped = [kind.name for kind in here.kinds if kind.name not in learnt]
        missing = [kind.name for kind in known.kinds if kind.name not in shown]
        if len(dropped) == len(here.kinds):
            raise BundleError(
                f"no feature that the policy sees ({list_names(learnt)}) is shown to the role"
            )
        if dropped:
            self.notes.append(f"observation: tokens: dropped {list_names(dropped)}")
        if missing:
            self.notes.append(f"observation: tokens: missing here {list_names(missing)}")

    def _match_kind(self, known: Token, here: Token) -> None:
        self._id[here.id] = known.id
        self._keep[here.id] = True
        if (known.digits, known.base) != (here.digits, here.base):
            self.notes.append(
                f"observation: {known.name}: learnt as {known.digits} digits to base {known.base}, "
                f"here {here.digits} to base {here.base}"
            )
        if not known.labels or not here.labels or known.labels == here.labels:
            return
        at = {label: k for k, label in enumerate(known.labels)}
        self._keep[here.id] = False
        for k, label in enumerate(here.labels[:NUM_BYTES]):
            if label in at:
                self._value[here.id, k], self._keep[here.id, k] = at[label], True
        lost = [label for label in here.labels if label not in at]
        if lost:
            self.notes.append(f"observation: {known.name}: dropped the values {list_names(lost)}")
