"""Write a replay: what happens to an env, chunk by chunk, as it happens."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.config.identity import behaviour_hash, dump
from mesocosm.core.errors import RunError
from mesocosm.core.spec import Spec
from mesocosm.telemetry.manifest import Entry, PrefixHash
from mesocosm.telemetry.replay.chunk_file import MAX_RAW, ChunkWriter
from mesocosm.telemetry.replay.format import (
    BEGUN_WIDTH,
    DONE_TAG,
    HEAD_TAG,
    LAST_TAG,
    MAX_STEPS,
    NO_SEED,
    RESET,
    STEP,
    STEP_TAG,
    Operation,
    packed_bytes,
)
from mesocosm.telemetry.replay.reader import Replay
from mesocosm.telemetry.step_reader import StepReader

BUFFER_BYTES = 1 << 23
FEWEST_STEPS = 16
ACTION_BYTES, DIGEST_BYTES = 4, 8
NARROW_DTYPES = (np.uint8, np.int16, np.int32)


def chunk_steps(spec: Spec, num_envs: int, fields: int) -> int:
    """Choose how many steps make a chunk: some megabytes, whatever the batch."""
    parts = sum(
        role.num_agents * (len(role.action.choices) + len(role.action.levels))
        for role in spec.roles.values()
    )
    fitting = BUFFER_BYTES // (ACTION_BYTES * num_envs * parts + DIGEST_BYTES * fields)
    power_of_two = 2 ** (max(fitting, 1).bit_length() - 1)
    most = MAX_RAW // 2 // (ACTION_BYTES * num_envs * parts + DIGEST_BYTES * fields)
    return int(min(max(power_of_two, min(FEWEST_STEPS, max(most, 1))), MAX_STEPS))


class ReplayWriter:
    """Writes what happens to an env, chunk by chunk.

    A writer that goes on with a replay first compares: as long as the replay has whole chunks,
    what happens must be what they hold, and nothing is written.
    """

    def __init__(
        self,
        path: Path,
        reader: StepReader,
        stored: Replay | None = None,
        before_overwriting: Callable[[], None] = lambda: None,
    ) -> None:
        """Start a replay, or go on with one.

        Args:
            stored: The replay to go on with.
            before_overwriting: Called once, before the end of the stored one is overwritten.
        """
        self._path, self._reader = path, reader
        self._before_overwriting = before_overwriting
        self._hash = PrefixHash(path)
        self._replay = stored
        self._digester = reader.make_state_digester()
        self._limit = chunk_steps(reader.spec, reader.num_envs, len(self._digester.names))
        self._no_digest = np.zeros(len(self._digester.names), np.uint64)
        self._choice, self._level = {}, {}
        for name, role in reader.spec.roles.items():
            lead = (self._limit, reader.num_envs, role.num_agents)
            self._choice[name] = np.zeros((*lead, len(role.action.choices)), np.int32)
            self._level[name] = np.zeros((*lead, len(role.action.levels)), np.float32)
        self.num_steps = 0
        self._starts = np.zeros(reader.num_envs, np.int64)
        self._file: ChunkWriter | None = None
        self._stored: Iterator[Operation] | None = None
        if stored is None:
            self._file = ChunkWriter(path)
            self.clear()
        else:
            self._keep = stored.last_whole
            self._stored = stored.operations(dict(reader.spec.roles), partial=False)
            self._next = next(self._stored, None)
            self._go_on_if_all_compared()

    def _head(self) -> dict[str, Any]:
        reader = self._reader
        return {
            "config": dump(reader.config),
            "behaviour": behaviour_hash(reader.config),
            "num_envs": reader.num_envs,
            "first_env": reader.first_env,
            "autoreset": reader.autoreset,
            "fields": list(self._digester.names),
        }

    def _identity(self) -> dict[str, np.ndarray]:
        return {name: self._reader.copy(name) for name in ("episode", "seed")}

    def clear(self) -> None:
        """Begin a chunk: note which episode each env plays, and since when."""
        self._first = self.num_steps
        self._kinds: list[int] = []
        self._digests: list[np.ndarray] = []
        self._resets: list[tuple[int, np.ndarray]] = []
        self._begun: list[np.ndarray] = []
        self._lead = self._identity() | {"start": self._starts.copy()}

    def add_reset(self, chosen: np.ndarray, seed: int | None) -> None:
        """Note a reset that was carried out."""
        if self._stored is not None:
            self._compare(None, chosen, seed)
            return
        if self._file is not None and self._file.is_new:
            now = self._identity()  # a replay begins before its first reset
            self._file.append(HEAD_TAG, self._head(), now | {"episode": now["episode"] - 1})
        self._kinds.append(RESET)
        self._resets.append((NO_SEED if seed is None else seed, np.packbits(chosen)))
        self._begin(chosen)
        # what begins in some envs is covered by the next step's digest
        whole = bool(chosen.all())
        self._digests.append(self._digester.digest() if whole else self._no_digest)
        if len(self._resets) >= self._limit:
            self.flush(STEP_TAG)

    def add_step(self, renewed: np.ndarray | None) -> None:
        """Note a step that was played; `renewed` (bool [env]) says which episodes began in it."""
        self.num_steps += 1
        if self._stored is not None:
            self._compare(renewed, None, None)
            return
        k = self.num_steps - 1 - self._first
        for name, buffer in self._choice.items():
            buffer[k] = self._reader.choices(name)
            if self._level[name].shape[-1]:
                self._level[name][k] = self._reader.levels(name)
        self._kinds.append(STEP)
        if renewed is not None:
            self._begin(renewed)
        self._digests.append(self._digester.digest())
        if k + 1 == self._limit:
            self.flush(STEP_TAG)

    def _begin(self, chosen: np.ndarray) -> None:
        read, envs = self._reader.read, np.flatnonzero(chosen)
        self._starts[envs] = self.num_steps
        columns = (np.full(envs.size, self.num_steps), envs, read("episode")[envs])
        self._begun.append(np.stack([*columns, read("seed")[envs]], axis=1))

    def _compare(
        self, renewed: np.ndarray | None, chosen: np.ndarray | None, seed: int | None
    ) -> None:
        """Require what happened to be what the replay says happened here."""
        wanted = self._next
        if wanted is None:
            raise RunError(f"{self._path}: nothing is left to compare with")
        step = self.num_steps - (chosen is None)
        where = f"{self._path}: step {step} of the resumed run"
        if (wanted.envs is None) != (chosen is None):
            had, got = ("a step", "a reset") if wanted.envs is None else ("a reset", "a step")
            raise RunError(f"{where}: the run had {had} here, got {got}")
        if chosen is not None:
            same = wanted.envs is not None and np.array_equal(chosen, wanted.envs)
            if seed != wanted.seed or not same:
                raise RunError(f"{where}: the run had another reset here; resume with its seed")
            self._starts[chosen] = self.num_steps
        elif not self._played(wanted.actions):
            raise RunError(
                f"{where}: other actions than the run's; resume with the same policies, or let "
                f"catch_up() play the stored actions"
            )
        elif renewed is not None:
            self._starts[renewed] = self.num_steps
        if wanted.has_digest:
            self._require_equal(self._digester.digest(), wanted.digest, where)
        self._next = next(self._stored, None) if self._stored is not None else None
        self._go_on_if_all_compared()

    def _played(self, actions: Any) -> bool:
        roles = self._reader.spec.roles
        given = actions if len(roles) > 1 else dict(zip(roles, (actions,), strict=True))
        for name, role in roles.items():
            mine = role.action.join(self._reader.choices(name), self._reader.levels(name))
            pairs = zip(
                *(x if isinstance(x, tuple) else (x,) for x in (mine, given[name])), strict=True
            )
            if not all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs):
                return False
        return True

    def _require_equal(self, found: np.ndarray, wanted: np.ndarray, where: str) -> None:
        if not np.array_equal(found, wanted):
            names = [self._digester.names[k] for k in np.flatnonzero(found != wanted).tolist()]
            raise RunError(f"{where}: the state differs from the run's in {', '.join(names)}")

    def _go_on_if_all_compared(self) -> None:
        if self._next is None:
            self._stored = None
            self.clear()

    def _open(self) -> ChunkWriter:
        """Open the file; what lies after its whole chunks goes when their successor is there."""
        if self._file is None:
            self._before_overwriting()
            self._file = ChunkWriter(self._path, keep=self._keep.end)
            self._file.go_on(self._keep.number + 1)
        return self._file

    @property
    def compares(self) -> bool:
        """Whether it has written nothing: what is played is still what the replay holds."""
        return self._stored is not None

    @property
    def num_written(self) -> int:
        """How many steps are in the file."""
        return self.num_steps if self._stored is not None else self._first

    def entry(self) -> Entry:
        """Describe the file as far as it holds what was played."""
        if self._stored is not None and self._replay is not None:
            return self._hash.entry(self._replay.end_of(self.num_steps))
        return self._hash.entry(self._file.end if self._file is not None else self._keep.end)

    def end_part(self) -> None:
        """Write the chunk where a part of the tables ends: both then reach equally far."""
        if self._stored is None:
            self.flush(STEP_TAG)

    def flush(self, tag: str) -> None:
        """Write the chunk and begin the next."""
        steps = self.num_steps - self._first
        if self._kinds:
            arrays = self._operations() | self._actions(steps)
            self._open().append(tag, {}, arrays, first=self._first, steps=steps)
        self.clear()

    def _operations(self) -> dict[str, np.ndarray]:
        row_bytes = packed_bytes(self._reader.num_envs)
        lead = {f"lead_{name}": array for name, array in self._lead.items()}
        seeds = np.array([seed for seed, _ in self._resets], np.int64)
        packed = np.array([row for _, row in self._resets], np.uint8).reshape(-1, row_bytes)
        return lead | {
            "kind": np.array(self._kinds, np.uint8),
            "digest": np.stack(self._digests),
            "reset_seed": seeds,
            "reset_envs": packed,
            "begun": np.concatenate([np.zeros((0, BEGUN_WIDTH), np.int64), *self._begun]).astype(
                np.int64
            ),
        }

    def _actions(self, steps: int) -> dict[str, np.ndarray]:
        arrays: dict[str, np.ndarray] = {}
        for name, buffer in self._choice.items():
            for k in range(buffer.shape[-1]):
                arrays[f"choice.{name}.{k}"] = _narrow(buffer[:steps, ..., k])
        for name, levels in self._level.items():
            if levels.shape[-1]:
                arrays[f"level.{name}"] = levels[:steps]
        return arrays

    def close(self) -> None:
        """Write what is left, and the end; a writer that still compares leaves all as it was."""
        if self._stored is not None:
            return
        try:
            self.flush(LAST_TAG)
            self._open().append(DONE_TAG, {"steps": self.num_steps}, {}, first=self.num_steps)
        finally:
            self.drop()

    def drop(self) -> None:
        """Close the file as it is."""
        if self._file is not None:
            self._file.close()


def _narrow(values: np.ndarray) -> np.ndarray:
    """Store integers in as few bytes as they need."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for kind in NARROW_DTYPES:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind)
    return values
