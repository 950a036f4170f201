"""An arena: entrants play bouts on the same episodes, of one preset or of several."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesocosm.config.identity import dump
from mesocosm.core.spec import Spec
from mesocosm.evaluation.arena import tables
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.arena.bout_folder import BoutFolder
from mesocosm.evaluation.arena.bout_parts import BoutInParts, divide
from mesocosm.evaluation.arena.entrant import Entrant
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.arena.lineup import Lineup, describe
from mesocosm.evaluation.arena.play_job import PlayJob, Shard, make_env
from mesocosm.evaluation.jobs.files import checksum, path_in
from mesocosm.evaluation.jobs.job import LOCAL, Executor, Job
from mesocosm.evaluation.jobs.plain_preset import to_plain
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.resolve import Resolved
from mesocosm.sim.engine import Engine

Progress = Callable[[str, int], None]  # what is played, and how many bouts are done


@dataclass(frozen=True)
class Conditions:
    """What is the same for every entrant.

    Args:
        presets: What is played, the first names the run.
        move_seconds: How long a program may take for one answer about a whole batch.
    """

    presets: tuple[Resolved, ...]
    episodes: Episodes
    target: str = "cpu"
    move_seconds: float = 1.0
    start_seconds: float = 60.0
    recorded: bool = False

    def preset_name(self, preset: int) -> str:
        """Name a preset for people."""
        identity = self.presets[preset].config.identity
        return f"{identity.world}/{identity.preset}"


class Arena:
    """Plays bouts, or takes those that its folder has; every bout meets the same episodes.

    Args:
        open_folder: Opens where bouts are kept; None: nowhere.
        executor: Who plays.
        on_step: Is called as time goes by; what it raises ends what is played.
        on_bout: Is told what is played next, and how many bouts were.
    """

    def __init__(
        self,
        conditions: Conditions,
        entrants: Sequence[Entrant],
        *,
        open_folder: "OpenFolder | None" = None,
        executor: Executor = LOCAL,
        on_step: Callable[[], None] | None = None,
        on_bout: Progress | None = None,
    ) -> None:
        self.conditions, self.entrants = conditions, list(entrants)
        self.names = [entrant.name for entrant in entrants]
        self._executor, self._on_step, self._on_bout = executor, on_step, on_bout
        self.bouts: list[Bout] = []
        self.folder = None if open_folder is None else open_folder(self._first_env())
        self._checksums: dict[str, str] = {}  # by path

    def add(self, entrant: Entrant) -> None:
        """Let somebody in after the others."""
        self.entrants.append(entrant)
        self.names.append(entrant.name)

    def spec(self, preset: int = 0) -> Spec:
        """Give what a preset declares."""
        return self.conditions.presets[preset].spec

    def _first_env(self) -> Engine:
        """Make an env that stands for the evaluation in its run folder."""
        conditions, episodes = self.conditions, self.conditions.episodes
        return make_env(conditions.presets[0], episodes.batch(0), conditions.target)

    def tell(self, what: str) -> None:
        """Say what goes on between two bouts."""
        if self._on_bout is not None:
            self._on_bout(what, len(self.bouts))

    def check(self) -> None:
        """Say that time goes by; raises if the arena is to end."""
        if self._on_step is not None:
            self._on_step()

    def carry_out(self, jobs: Sequence[Job], what: Callable[[int, float], str]) -> list[Any]:
        """Let other jobs be done; give what came of them, in their order.

        Args:
            what: Says what goes on, by number of the job and the share of it that is done.
        """

        def watch(k: int | None, share: float) -> None:
            if k is not None:
                self.tell(what(k, share))
            self.check()

        found = dict(self._executor.run(jobs, watch))
        return [found[k] for k in range(len(jobs))]

    def play(self, lineup: Lineup, preset: int = 0) -> Bout:
        """Play the next bout, unless the folder has it."""
        return self.play_all([(lineup, preset)])[0]

    def play_all(self, wanted: Sequence[tuple[Lineup, int]]) -> list[Bout]:
        """Play the next bouts, as (lineup, preset), but for those that the folder has."""
        first = len(self.bouts)
        bouts = [
            BoutInParts(Shard(first + k, preset, lineup, 0), self.conditions.episodes, self.folder)
            for k, (lineup, preset) in enumerate(wanted)
        ]
        shards = [shard for bout in bouts for shard in bout.missing()]
        jobs = [self._job(own) for own in divide(shards, self._executor.num_shards)]

        def watch(k: int | None, share: float) -> None:
            if k is not None and share == 0.0 and self._on_bout is not None:
                done = sum(bout.whole is not None for bout in bouts)
                self._on_bout(self._describe(jobs[k].shards[0]), first + done)
            self.check()

        try:
            for _, played in self._executor.run(jobs, watch):
                own: dict[int, dict[int, Bout]] = {}
                for shard, part in played:
                    own.setdefault(shard.bout, {})[shard.batch] = part
                for number, parts in own.items():
                    bouts[number - first].add(parts)
        finally:
            self.bouts += [bout.whole for bout in bouts if bout.whole is not None]
        return self.bouts[first:]

    def _describe(self, shard: Shard) -> str:
        return describe(self.spec(shard.preset), shard.lineup, self.names)

    def _job(self, shards: Sequence[Shard]) -> PlayJob:
        """Put together what is needed to play some shards."""
        conditions = self.conditions
        numbers = sorted({k for shard in shards for k in shard.lineup})
        entrants = {k: self.entrants[k] for k in numbers}
        limits = Limits(
            start_seconds=conditions.start_seconds, move_seconds=conditions.move_seconds
        )
        presets = {shard.preset for shard in shards}
        return PlayJob(
            tuple(shards),
            {k: to_plain(conditions.presets[k]) for k in sorted(presets)},
            entrants,
            conditions.episodes,
            conditions.target,
            limits,
            self.files_of(entrants.values()),
            () if self.folder is None else (self.folder.path.absolute(),),
            self._recordings(shards),
        )

    def files_of(self, entrants: Iterable[Entrant]) -> dict[str, str]:
        """Give the sha256 of the entrants' files."""
        texts = [text for entrant in entrants for text in entrant.texts.values()]
        paths = [path for path in map(path_in, texts) if path]
        for path in paths:
            if path not in self._checksums:
                self._checksums[path] = checksum(path)
        return {path: self._checksums[path] for path in paths}

    def _recordings(self, shards: Sequence[Shard]) -> dict[tuple[int, int], Path]:
        if self.folder is None or not self.conditions.recorded:
            return {}
        alone = self.conditions.episodes.num_batches == 1
        return {
            (x.bout, x.batch): self.folder.recording(x.bout, None if alone else x.batch)
            for x in shards
        }

    def close(self, status: str = "finished", error: str = "") -> None:
        """Write the tables of what was played, and let go of the folder."""
        if self.folder is None:
            return
        self.folder.write_tables(self.tables())
        self.folder.close(status, error)

    def tables(self) -> dict[str, tuple[tables.Kinds, list[tables.Row]]]:
        """Give the rows of all bouts, by table."""
        made: dict[str, tuple[tables.Kinds, list[tables.Row]]] = {
            "bout": (tables.BOUT, []),
            "episode": (tables.EPISODE, []),
            "episode_agents": (tables.EPISODE_AGENTS, []),
            "event_count": (tables.EVENT_COUNT, []),
        }
        for bout in self.bouts:
            given = (bout, self.spec(bout.preset), self.conditions.preset_name(bout.preset))
            made["bout"][1].append(tables.bout_row(*given, self.names))
            made["episode"][1].extend(tables.episode_rows(*given, self.names))
            made["episode_agents"][1].extend(tables.life_rows(*given, self.names))
            made["event_count"][1].extend(tables.event_rows(*given, self.names))
        return made


OpenFolder = Callable[[Engine], BoutFolder]


def open_new(path: Path, conditions: Conditions, about: dict[str, Any]) -> OpenFolder:
    """Say that a new folder is to be made."""
    return lambda env: BoutFolder(path, env, _configs(conditions), about)


def open_again(path: Path, conditions: Conditions) -> OpenFolder:
    """Say that a folder is to be gone on with."""
    return lambda env: BoutFolder(path, env, _configs(conditions), None)


def _configs(conditions: Conditions) -> dict[str, list[dict[str, Any]]]:
    """Give the configs that are played, and what they were made of."""
    presets = conditions.presets
    made_of = [resolved.provenance.data() for resolved in presets]
    return {"presets": [dump(resolved.config) for resolved in presets], "provenance": made_of}
