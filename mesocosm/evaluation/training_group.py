"""Trainings of one config that differ in their seed, in one run folder: a job for each."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.build import make, open_run
from mesocosm.config.provenance import provenance_of
from mesocosm.core.errors import RunError
from mesocosm.evaluation.arena.tables import Kinds, Row, write_table
from mesocosm.evaluation.jobs.job import Executor, Watch
from mesocosm.evaluation.jobs.plain_preset import PlainPreset, to_plain
from mesocosm.evaluation.jobs.train_job import TrainJob
from mesocosm.evaluation.trained import find_bundles
from mesocosm.resolve import resolve
from mesocosm.telemetry.run_folder import CHECKPOINTS, RunFolder
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.telemetry.tables.parquet import has_pyarrow
from mesocosm.telemetry.tables.table import LEARNING

KIND = "trainings"
TRAINING: Kinds = {
    "seed": ("int64", "of the training"),
    "role": ("text", "that learnt"),
    "agent_steps": ("int64", "played"),
    "best_return": ("float64", "mean return when the best policy was kept"),
    "last_return": ("float64", "mean return when the last policy was kept"),
    "best_sha256": ("text", "of the best policy's file"),
    "last_sha256": ("text", "of the last policy's file"),
}


class GroupPlan(NamedTuple):
    """What is the same for all trainings of a group, and their seeds.

    Args:
        commands: By seed, what to type to train the same again.
    """

    preset: PlainPreset
    steps: int
    seeds: tuple[int, ...]
    target: str
    threads: int
    learning: Mapping[str, Any]
    earlier: tuple[tuple[PlainPreset, float], ...]
    starts: tuple[str, ...]
    files: Mapping[str, str]
    commands: Mapping[int, str]

    def data(self) -> dict[str, Any]:
        """Give it as plain data, but for what the run folder says itself."""
        return {
            "agent_steps": self.steps,
            "seeds": list(self.seeds),
            "threads": self.threads,
            "learning": dict(self.learning),
            "earlier": [[dict(preset.data), score] for preset, score in self.earlier],
            "starts": list(self.starts),
            "files": dict(self.files),
            "commands": {str(seed): text for seed, text in self.commands.items()},
        }


class TrainingGroup:
    """The run folder of a group; the trainings are run folders in its checkpoints.

    Args:
        resume: Whether the folder is there, and is gone on with.
    """

    def __init__(self, path: Path, plan: GroupPlan, *, resume: bool = False) -> None:
        self.path, self.plan, self._folder = path, plan, RunFolder(path)
        env = make(plan.preset.resolve(), target=plan.target)
        if resume:
            self._folder.reopen(StepReader(env), {})
        else:
            self._folder.create(StepReader(env), {"kind": KIND, "plan": plan.data()})
        self.jobs = [self._job(seed) for seed in plan.seeds]

    def _job(self, seed: int) -> TrainJob:
        plan = self.plan
        return TrainJob(
            self.path / CHECKPOINTS / f"seed-{seed}", plan.preset, plan.steps, seed, plan.target,
            plan.threads, plan.learning, plan.earlier, plan.starts, plan.files,
            plan.commands.get(seed, ""),
        )  # fmt: skip

    def train(self, executor: Executor, watch: Watch) -> list[Row]:
        """Train what is not done yet; give a row for every training and role."""
        wanted = [k for k, job in enumerate(self.jobs) if not job.is_done]

        def pass_on(k: int | None, share: float) -> None:
            watch(None if k is None else wanted[k], share)

        for k, _ in executor.run([self.jobs[k] for k in wanted], pass_on):
            watch(wanted[k], 1.0)
        return self._rows()

    def _rows(self) -> list[Row]:
        spec, made = self.plan.preset.resolve().spec, list[Row]()
        for seed, job in zip(self.plan.seeds, self.jobs, strict=True):
            last = find_bundles(RunFolder(job.path), spec, "last")
            for role, path in last.items():
                best = path.with_name(path.name.replace("last", "best", 1))
                described = _describe(best, "best") | _describe(path, "last")
                made.append({"seed": seed, "role": role} | described)
        return made

    def close(self, status: str, rows: Sequence[Row] = (), error: str = "") -> None:
        """Write the tables of a finished group, and let go of the folder."""
        files = self._write_tables(rows) if status == "finished" else {}
        self._folder.finish(0, files, 0)
        self._folder.close(status, 0, error)

    def _write_tables(self, rows: Sequence[Row]) -> dict[str, Any]:
        if not has_pyarrow():
            return {}
        self._folder.tables.mkdir(exist_ok=True)
        curves = list(self._curves())
        files = write_table(self._folder.tables, "training", TRAINING, rows)
        return files | write_table(self._folder.tables, LEARNING, _curve_kinds(), curves)

    def _curves(self) -> Iterable[Row]:
        for seed, job in zip(self.plan.seeds, self.jobs, strict=True):
            for row in open_run(job.path).table(LEARNING).to_table().to_pylist():
                yield {"seed": seed, **row}


def _curve_kinds() -> Kinds:
    from mesocosm.learning.curve import COLUMNS

    own: Kinds = {"seed": ("int64", "of the training")}
    return own | {column.name: (column.kind, column.meaning) for column in COLUMNS}


def _describe(path: Path, which: str) -> Row:
    """Say what a policy's file is; of the best there is none where no life ended."""
    from mesocosm.learning.bundles.bundle import read_bundle

    if not path.is_file():
        return {f"{which}_return": None, f"{which}_sha256": ""}
    bundle = read_bundle(path)
    return {
        "agent_steps": bundle.card.agent_steps,
        f"{which}_return": bundle.card.metrics.get("mean_return"),
        f"{which}_sha256": bundle.sha256,
    }


def is_group(path: Path) -> bool:
    """Whether a run folder is that of a group."""
    return RunFolder(path).read().get("kind") == KIND


def read_group(path: Path, target: str) -> GroupPlan:
    """Read the plan of a group that goes on."""
    folder = RunFolder(path)
    about = folder.read()
    folder.check_free()
    folder.check_links()
    plan, made_of = about["plan"] if about.get("kind") == KIND else {}, about.get("provenance")
    try:
        found = to_plain(resolve(folder.config))
        made = provenance_of(made_of if isinstance(made_of, dict) else {})
        return GroupPlan(
            found._replace(provenance=made.data()),
            int(plan["agent_steps"]),
            tuple(int(seed) for seed in plan["seeds"]),
            target,
            int(plan["threads"]),
            dict(plan["learning"]),
            tuple((to_plain(resolve(data)), float(score)) for data, score in plan["earlier"]),
            tuple(str(text) for text in plan["starts"]),
            {str(file): str(digest) for file, digest in plan["files"].items()},
            {int(seed): str(text) for seed, text in plan["commands"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunError(f"{path}: damaged: its plan cannot be read: {error}") from None


def find_trainings(path: Path) -> list[Path]:
    """Name the run folders of a group's trainings, in the order of their seeds."""
    seeds = RunFolder(path).read().get("plan", {}).get("seeds", [])
    return [path / CHECKPOINTS / f"seed-{seed}" for seed in seeds]
