"""Match by names what a policy learnt to see with what a role is shown."""

from typing import Protocol

import numpy as np

from mesocosm.core.errors import BundleError
from mesocosm.core.observation import Feature, Layout
from mesocosm.learning.policies.fit_tokens import TokenFit
from mesocosm.learning.policies.note import list_names


class ObservationFit(Protocol):
    """Turns observations of a role into those that a policy knows."""

    notes: list[str]

    def translate(self, obs: np.ndarray) -> np.ndarray:
        """Turn `[row, *shape of the role]` into `[row, *shape of the policy]`."""


def fit_observation(known: Layout, here: Layout) -> ObservationFit:
    """Match what a policy knows with what is shown here; refuse if they have nothing in common."""
    if (known.tokens is None) != (here.tokens is None):
        kinds = ["tokens" if layout.tokens else "numbers" for layout in (known, here)]
        raise BundleError(f"the policy sees {kinds[0]}, the role is shown {kinds[1]}")
    if known.tokens is not None and here.tokens is not None:
        return TokenFit(known.tokens, here.tokens)
    return NumberFit(known, here)


class NumberFit:
    """Picks the numbers that a policy knows, by name, and fills in those that are not there."""

    def __init__(self, known: Layout, here: Layout) -> None:
        self.notes: list[str] = []
        self._shape, self._dtype = known.shape, known.dtype
        self._source = _match(known, here)
        self._filled = np.flatnonzero(self._source < 0)
        self._fill = known.absent[self._filled].astype(known.dtype)
        if known.size and len(self._filled) == known.size:
            few = list_names(feature.name for feature in known.features if feature.size)
            raise BundleError(f"no number that the policy sees ({few}) is shown to the role")
        self._same = here.size == known.size and bool((self._source == np.arange(known.size)).all())
        self._note(known, here)

    def translate(self, obs: np.ndarray) -> np.ndarray:
        """Turn `[row, *shape of the role]` into `[row, *shape of the policy]`."""
        flat = obs.reshape(len(obs), -1)
        if not self._same:
            flat = flat[:, self._source]  # a copy; what is missing comes from the last number
            flat[:, self._filled] = self._fill
        return flat.astype(self._dtype, copy=False).reshape(len(obs), *self._shape)

    def _note(self, known: Layout, here: Layout) -> None:
        used = np.zeros(here.size, bool)
        used[self._source[self._source >= 0]] = True
        for feature in known.features:
            count = int((self._source[known.span(feature.name)] < 0).sum())
            if count:
                what = f"{count} of {feature.size} numbers taken as {feature.absent:g}"
                self.notes.append(f"observation: {feature.name}: missing here, {what}")
            elif feature.size:
                self._note_range(feature, here.feature(feature.name))
        for feature in here.features:
            count = int((~used[here.span(feature.name)]).sum())
            if count:
                what = f"{count} of {feature.size} numbers that the policy does not know"
                self.notes.append(f"observation: {feature.name}: dropped, {what}")

    def _note_range(self, known: Feature, here: Feature) -> None:
        if (known.low, known.high) != (here.low, here.high):
            self.notes.append(
                f"observation: {known.name}: learnt in {known.low:g}..{known.high:g}, "
                f"here in {here.low:g}..{here.high:g}"
            )


def _match(known: Layout, here: Layout) -> np.ndarray:
    """Give for each number that a policy knows its place here, or -1."""
    places = {name: at for at, name in enumerate(here.names())}
    shown = {feature.name: feature for feature in here.features}
    source = np.full(known.size, -1, np.int64)
    names = known.names()
    for feature in known.features:
        if feature.name in shown and _is_alike(feature, shown[feature.name]):
            span = known.span(feature.name)
            source[span] = [places.get(name, -1) for name in names[span]]
    return source


def _is_alike(known: Feature, here: Feature) -> bool:
    """Whether equal names of their numbers mean the same.

    An axis that counts entities may be longer or shorter, and so may one with labels. Any other
    counts places, and the same number along a longer axis is another place.
    """
    if len(known.shape) != len(here.shape) or known.table != here.table:
        return False
    free = {0} if known.table else set()
    free |= {len(known.shape) - 1} if known.labels and here.labels else set()
    pairs = enumerate(zip(known.shape, here.shape, strict=True))
    return all(axis in free or mine == other for axis, (mine, other) in pairs)
