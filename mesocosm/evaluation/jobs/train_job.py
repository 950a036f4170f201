"""The job of training: it fills a run folder, or goes on with one that was interrupted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesocosm.evaluation.jobs.job import Tell
from mesocosm.evaluation.jobs.plain_preset import PlainPreset
from mesocosm.telemetry.run_folder import RunFolder

if TYPE_CHECKING:
    from mesocosm.learning.bundles.bundle import Bundle
    from mesocosm.learning.trainer import Trainer
    from mesocosm.learning.training_run import TrainingRun


@dataclass(frozen=True)
class TrainJob:
    """Trains what a preset, settings and a seed say.

    Args:
        path: The run folder; one that has finished is left as it is.
        earlier: Stages of a curriculum, with the scores at which to move on.
        learning: Changes of the settings of learning.
        starts: `[ROLE=]FILE` of bundles to begin from.
        files: The sha256 of these, by path.
        command: What to type to train the same again.
    """

    path: Path
    preset: PlainPreset
    steps: int
    seed: int
    target: str
    threads: int
    learning: Mapping[str, Any]
    earlier: tuple[tuple[PlainPreset, float], ...] = ()
    starts: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)

    local_needs = ()

    @property
    def name(self) -> str:
        """Name it for people."""
        return self.path.name

    @property
    def cores(self) -> int:
        """How many cores it learns with."""
        return self.threads

    @property
    def outputs(self) -> Sequence[Path]:
        """The run folder."""
        return (self.path,)

    @property
    def is_done(self) -> bool:
        """Whether the run folder holds a training that has finished."""
        return self.path.exists() and RunFolder(self.path).read()["status"] == "finished"

    def move(self, places: Mapping[str, str]) -> "TrainJob":
        """Give the same job, whose files and run folder lie elsewhere."""
        starts = []
        for text in self.starts:
            role, equals, file = text.rpartition("=")
            starts.append(role + equals + places.get(file, file))
        renamed = {new: old for old, new in places.items() if new != old}
        path = Path(places.get(str(self.path), self.path))
        return replace(self, path=path, starts=tuple(starts), renamed=renamed)

    def run(self, tell: Tell) -> None:
        """Train to the end; what `tell` raises interrupts it, and it can go on."""
        if self.is_done:
            return
        run, trainer = self._open()
        with run:
            for update in trainer.run():
                run.note(update)
                tell(update.number / trainer.num_updates)

    def _open(self) -> tuple["TrainingRun", "Trainer"]:
        from mesocosm.learning.open_training import Plan, choose_settings, open_again, open_new

        if self.path.exists():
            return open_again(self.path, self.target)
        resolved = self.preset.resolve()
        earlier = tuple((preset.resolve(), score) for preset, score in self.earlier)
        plan = Plan(resolved, earlier, self.steps, self.seed, self.target, self.threads)
        bundles = self._read_starts(list(resolved.spec.roles))
        settings = choose_settings(resolved, self.learning, bundles)
        run, trainer, _ = open_new(self.path, plan, settings, command=self.command, bundles=bundles)
        return run, trainer

    def _read_starts(self, roles: list[str]) -> dict[str, "Bundle"]:
        """Read the bundles to begin from; the run remembers them by the names that were given."""
        from mesocosm.learning.warm_start import read_starts

        names = self.renamed
        return {
            role: replace(bundle, path=Path(names.get(str(bundle.path), bundle.path)))
            for role, bundle in read_starts(self.starts, roles).items()
        }
