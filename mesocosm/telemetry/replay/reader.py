"""Read a replay chunk by chunk: operations in order, or the actions of one env's episode."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.errors import RunError, UnknownName
from mesocosm.core.spec import Role
from mesocosm.telemetry.replay.chunk_file import ArrayShape, ChunkFile, Place
from mesocosm.telemetry.replay.format import (
    BEGUN_ENV,
    BEGUN_EPISODE,
    BEGUN_SEED,
    BEGUN_STEP,
    DONE_TAG,
    HEAD_TAG,
    LAST_TAG,
    MAX_STEPS,
    STEP,
    STEP_TAG,
    Operation,
    Start,
    find_head_misfit,
    find_misfit,
    find_wrong_value,
    role_actions,
)


def is_empty(path: Path) -> bool:
    """Whether a replay was not even begun: its writer was killed before the first reset."""
    return not path.exists() or not ChunkFile(path).places


def _no_arrays(meta: Mapping[str, Any], shapes: Mapping[str, ArrayShape]) -> str:
    return f"it holds {len(shapes)} arrays" if shapes else ""


class Replay:
    """A replay file, read chunk by chunk; nothing in it is trusted before it is checked."""

    def __init__(self, path: Path, *, end: int | None = None, num_envs: int | None = None) -> None:
        """Open a replay.

        Args:
            end: The step after which nothing counts, if its run reaches no further.
            num_envs: How many envs it must be of, where that is known.
        """
        self.path = path
        self._file = ChunkFile(path)
        places = self._file.places
        if not places or places[0].tag != HEAD_TAG:
            raise RunError(f"{path}: holds no replay: its first chunk is missing")
        self._check_order(places)
        kept = [place for place in places if end is None or place.first + place.steps <= end]
        self.places = [place for place in kept if place.tag in (STEP_TAG, LAST_TAG)]
        self.complete = kept[-1].tag == DONE_TAG and len(kept) == len(places)
        self.num_steps = self.places[-1].first + self.places[-1].steps if self.places else 0
        self._meta, self._identity = self._file.read(
            places[0], lambda meta, shapes: find_head_misfit(meta, shapes, num_envs)
        )
        whole = [place for place in kept if place.tag in (HEAD_TAG, STEP_TAG)]
        self.last_whole = whole[-1]  # after which a resumed run writes on
        self._load = lru_cache(maxsize=2)(self._read)

    def _check_order(self, places: list[Place]) -> None:
        at = 0
        for place in places[1:]:
            if place.tag not in (STEP_TAG, LAST_TAG, DONE_TAG):
                raise self._file.damaged(place.number, f"its tag is {place.tag!r}")
            if place.tag == DONE_TAG and self._file.read(place, _no_arrays)[0].get("steps") != at:
                raise self._file.damaged(place.number, "it counts other steps than there are")
            if place.tag == DONE_TAG and place is not places[-1]:
                raise self._file.damaged(place.number, "more follows the end")
            if place.first != at or place.steps > MAX_STEPS:
                raise self._file.damaged(place.number, f"it covers no steps from {at}")
            at += place.steps

    def end_of(self, steps: int) -> int:
        """Give the byte where the whole chunks of so many steps end."""
        whole = (place for place in self._file.places if place.tag in (HEAD_TAG, STEP_TAG))
        return max(place.end for place in whole if place.first + place.steps <= steps)

    @property
    def whole(self) -> bool:
        """Whether the file holds nothing but whole chunks; if not, its writer was killed."""
        return self._file.whole

    @property
    def config(self) -> dict[str, Any]:
        """The config as plain data, still to be validated."""
        return dict(self._meta["config"])

    @property
    def behaviour(self) -> str:
        """The hash of what decides an episode."""
        return str(self._meta["behaviour"])

    @property
    def num_envs(self) -> int:
        return int(self._meta["num_envs"])

    @property
    def first_env(self) -> int:
        return int(self._meta["first_env"])

    @property
    def autoreset(self) -> str:
        return str(self._meta["autoreset"])

    @property
    def fields(self) -> list[str]:
        """What the digests are of."""
        return [str(name) for name in self._meta["fields"]]

    @property
    def seed(self) -> np.ndarray:  # int64 [env]
        """The seed of each env before the first operation."""
        return self._identity["seed"]

    @property
    def episode(self) -> np.ndarray:  # int64 [env]
        """The episode of each env before the first operation."""
        return self._identity["episode"]

    def _read(self, index: int) -> dict[str, np.ndarray]:
        place = self.places[index]
        _, arrays = self._file.read(
            place, lambda meta, shapes: find_misfit(shapes, place.steps, self._meta)
        )
        wrong = find_wrong_value(arrays, place.first, place.steps, self.num_envs)
        if wrong:
            raise self.damaged(place, wrong)
        return arrays

    def damaged(self, place: Place, what: str) -> RunError:
        """Say which chunk cannot be trusted, and why."""
        return self._file.damaged(place.number, what)

    def _actions(
        self, roles: dict[str, Role], arrays: dict[str, np.ndarray], place: Place
    ) -> list[Any]:
        """Give the actions of a chunk's steps, as `Engine.step` takes them."""
        try:
            per_role = {name: role_actions(role, arrays) for name, role in roles.items()}
        except (KeyError, ValueError) as error:
            raise self.damaged(place, f"its actions do not fit the roles: {error}") from None
        if len(per_role) == 1:
            return next(iter(per_role.values()))
        rows = zip(*per_role.values(), strict=True)
        return [dict(zip(per_role, row, strict=True)) for row in rows]

    def operations(self, roles: dict[str, Role], *, partial: bool = True) -> Iterator[Operation]:
        """Give everything that happened, in order.

        Args:
            partial: Whether to go on into the last, partly filled chunk, which a resumed run
                writes anew.
        """
        for index, place in enumerate(self.places):
            if partial or place.tag == STEP_TAG:
                yield from self._chunk_operations(roles, index)

    def _chunk_operations(self, roles: dict[str, Role], index: int) -> Iterator[Operation]:
        place, arrays = self.places[index], self._load(index)
        actions = self._actions(roles, arrays, place)
        step, resets = 0, 0
        for kind, digest in zip(arrays["kind"].tolist(), arrays["digest"], strict=True):
            at = place.first + step
            if kind == STEP:
                yield Operation(at, actions[step], None, None, digest)
                step += 1
                continue
            seed = int(arrays["reset_seed"][resets])
            bits = np.unpackbits(arrays["reset_envs"][resets], count=self.num_envs)
            yield Operation(at, None, None if seed < 0 else seed, bits.astype(bool), digest)
            resets += 1

    def partial_operations(self, roles: dict[str, Role]) -> list[Operation]:
        """Give what the last, partly filled chunk holds."""
        first = next((p.first for p in self.places if p.tag == LAST_TAG), None)
        if first is None:
            return []
        return list(self._chunk_operations(roles, len(self.places) - 1))

    def index_of(self, step: int) -> int:
        """Find the chunk that holds the action of a step (or the end, for the last moment)."""
        if not 0 <= step <= self.num_steps or not self.places:
            raise UnknownName(
                f"{self.path}: no step {step}: must be between 0 and {self.num_steps}"
            )
        return bisect_right([place.first for place in self.places], step) - 1

    def start_of(self, env: int, step: int) -> Start:
        """Find the beginning of the episode that an env (its index in the batch) plays."""
        arrays = self._load(self.index_of(step))
        rows = arrays["begun"]
        mine = rows[(rows[:, BEGUN_ENV] == env) & (rows[:, BEGUN_STEP] <= step)]
        if mine.size:
            return Start(*(int(mine[-1, k]) for k in (BEGUN_STEP, BEGUN_EPISODE, BEGUN_SEED)))
        return Start(*(int(arrays[f"lead_{key}"][env]) for key in ("start", "episode", "seed")))

    def episode_actions(self, roles: dict[str, Role], env: int, start: Start) -> Iterator[Any]:
        """Give the actions of one env's episode, each as a batch of one."""
        for index in range(self.index_of(start.step), len(self.places)):
            first, steps = self.places[index].first, self.places[index].steps
            arrays = self._load(index)
            rows = arrays["begun"]
            begun = rows[rows[:, BEGUN_ENV] == env, BEGUN_STEP]
            later = begun[begun > start.step]
            stop = int(later.min()) if later.size else first + steps
            span = slice(max(start.step - first, 0), max(stop - first, 0))
            mine = {
                name: array[span, env : env + 1]
                for name, array in arrays.items()
                if name.startswith(("choice.", "level."))
            }
            yield from self._actions(roles, mine, self.places[index])
            if later.size:
                return
