"""The job of playing batches of bouts; what comes of it does not depend on where it is done."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.build import make
from mesocosm.core.spec import Role
from mesocosm.evaluation.arena.bout import Bout, play_batch
from mesocosm.evaluation.arena.entrant import Entrant, load_for_role
from mesocosm.evaluation.arena.episodes import Batch, Episodes
from mesocosm.evaluation.arena.lineup import Lineup
from mesocosm.evaluation.arena.seated import Forfeits, SeatedPolicy, seat_policies
from mesocosm.evaluation.jobs.files import move_text, path_in
from mesocosm.evaluation.jobs.job import Tell
from mesocosm.evaluation.jobs.plain_preset import PlainPreset
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.programs.program_policy import ProgramPolicy
from mesocosm.resolve import Resolved
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.recorder import record


class Shard(NamedTuple):
    """A batch of a bout."""

    bout: int
    preset: int
    lineup: Lineup
    batch: int


@dataclass(frozen=True)
class PlayJob:
    """Plays batches of bouts, each with policies that are made anew.

    Args:
        presets, entrants: Those that the shards name, by number.
        files: The sha256 of the entrants' files, by path.
        hidden: Folders that programs must not see.
        recordings: By (bout, batch), the folder that it is recorded into.
        renamed: By path where a file lies, how it was called; words about it say that.
    """

    shards: tuple[Shard, ...]
    presets: Mapping[int, PlainPreset]
    entrants: Mapping[int, Entrant]
    episodes: Episodes
    target: str
    limits: Limits
    files: Mapping[str, str]
    hidden: tuple[Path, ...] = ()
    recordings: Mapping[tuple[int, int], Path] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)

    cores = 1

    @property
    def name(self) -> str:
        """Name it for people."""
        first, last = self.shards[0], self.shards[-1]
        return f"bout {first.bout} batch {first.batch} to bout {last.bout} batch {last.batch}"

    @property
    def outputs(self) -> Sequence[Path]:
        """The recordings."""
        return tuple(self.recordings.values())

    @property
    def local_needs(self) -> Sequence[str]:
        """Programs that are no file that could be sent."""
        return tuple(x.text for x in self.entrants.values() if x.is_program and not path_in(x.text))

    def move(self, places: Mapping[str, str]) -> "PlayJob":
        """Give the same job, whose files and recordings lie elsewhere."""
        recordings = {k: Path(places[str(at)]) for k, at in self.recordings.items()}
        return replace(
            self,
            entrants={k: move_entrant(x, places) for k, x in self.entrants.items()},
            recordings=recordings,
            renamed={new: old for old, new in places.items() if new != old},
        )

    def run(self, tell: Tell) -> list[tuple[Shard, Bout]]:
        """Play; after a forfeit the rest of its bout is left out."""
        made: list[tuple[Shard, Bout]] = []
        for k, shard in enumerate(self.shards):
            if not any(bout.forfeits for other, bout in made if other.bout == shard.bout):
                share = k / len(self.shards)
                bout = self._play(shard, lambda share=share: tell(share))  # type: ignore[misc]
                made.append((shard, self._rename(bout)))
        return made

    def _rename(self, bout: Bout) -> Bout:
        """Call files by the names that they were given."""
        told = dict(bout.forfeits)
        for new, old in self.renamed.items():
            told = {k: why.replace(new, old) for k, why in told.items()}
        return bout._replace(forfeits=told)

    def _play(self, shard: Shard, on_step: Callable[[], None]) -> Bout:
        resolved, batch = self.presets[shard.preset].resolve(), self.episodes.batch(shard.batch)
        env, forfeits = make_env(resolved, batch, self.target), Forfeits()
        opened: list[Any] = []

        def load(k: int, role: Role) -> SeatedPolicy:
            opened.append(self._load(self.entrants[k], role, resolved))
            return SeatedPolicy(opened[-1], k, forfeits, checked=False)

        policies = seat_policies(resolved.spec, shard.lineup, load)
        try:
            with _one_core(), self._recording(env, shard):
                return play_batch(
                    env, policies, forfeits, batch, number=shard.bout, preset=shard.preset,
                    lineup=shard.lineup, on_step=on_step,
                )  # fmt: skip
        finally:
            for policy in opened:
                if hasattr(policy, "close"):
                    policy.close()

    def _load(self, entrant: Entrant, role: Role, resolved: Resolved) -> Any:
        """Make an entrant's policy for a role."""
        if entrant.is_program:
            config, limits = resolved.config, self.limits
            return ProgramPolicy(entrant.program, config, limits, hidden=self.hidden)
        return load_for_role(entrant, role, resolved.spec.world).policy

    def _recording(self, env: Engine, shard: Shard) -> AbstractContextManager[Any]:
        if not self.recordings:
            return nullcontext()
        place = self.recordings[shard.bout, shard.batch]
        for left in (place, *place.parent.glob(f".{place.name}.*")):  # of a bout that was cut off
            shutil.rmtree(left, ignore_errors=True)
        about = {"evaluation": {"bout": shard.bout, "batch": shard.batch}}
        return record(env, place, about=about)


def make_env(resolved: Resolved, batch: Batch, target: str) -> Engine:
    """Make the envs of a batch."""
    return make(
        resolved,
        num_envs=batch.num_envs,
        first_env=batch.first_env,
        target=target,
        seed=batch.env_seed,
        autoreset="off",
    )


def move_entrant(entrant: Entrant, places: Mapping[str, str]) -> Entrant:
    """Give an entrant whose files lie elsewhere."""
    texts = {role: move_text(text, places) for role, text in entrant.texts.items()}
    return entrant._replace(text=move_text(entrant.text, places), texts=texts)


@contextmanager
def _one_core() -> Iterator[None]:
    """Let networks compute on one core: how sums are split must not depend on the machine."""
    torch: Any = sys.modules.get("torch")
    before = 0 if torch is None else torch.get_num_threads()
    if torch is not None:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if torch is not None:
            torch.set_num_threads(before)
