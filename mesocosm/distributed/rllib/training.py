"""Open trainings by RLlib, record them in run folders, and go on with those that stopped."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from mesocosm.build import make
from mesocosm.core.errors import ConfigError, RunError, short
from mesocosm.distributed.cluster import Cluster, open_cluster
from mesocosm.distributed.deaths import OnRayEnd, watching_ray
from mesocosm.distributed.rllib.config import MOST_WORKERS, check_settings, share_out
from mesocosm.distributed.rllib.trainer import RllibTrainer
from mesocosm.learning.checkpoint import ABOUT, MAX_JSON, NAME, SCHEMA
from mesocosm.learning.open_training import Plan
from mesocosm.learning.settings import LearningSettings, parse
from mesocosm.learning.trainer import Trainer
from mesocosm.learning.training_run import Stage, TrainingRun, check_training, has_checkpoint
from mesocosm.resolve import resolve
from mesocosm.telemetry.files import read_json, write_bytes, write_json
from mesocosm.telemetry.run_folder import CHECKPOINTS, RunFolder

ENGINE = "rllib"
TARGETS = ("cpu", "python")
HASH_SEED = "PYTHONHASHSEED"
HASH_SEED_VALUE = "0"  # of workers; without a fixed one RLlib does not repeat a run


class RllibRun(TrainingRun):
    """Writes down a training by RLlib as it goes.

    A checkpoint holds networks, optimizers and counts, as safetensors and JSON. Episodes that were
    under way are not part of it: whoever resumes begins new ones.
    """

    _trainer: Any

    @property
    def agent_steps(self) -> int:
        """Agent-steps that were played; more than planned if a worker had to be waited for."""
        return int(self._trainer.agent_steps)

    @property
    def num_steps(self) -> int:
        return int(self._trainer.num_steps)

    def _save_checkpoint(self, noted: dict[str, Any]) -> None:
        trainer, folder = self._trainer, self._checkpoints
        folder.mkdir(exist_ok=True)
        data = save(_tensors(trainer))
        name = f"update-{trainer.number:06d}.safetensors"
        write_bytes(folder / name, data)
        noted |= {"agent_steps": trainer.agent_steps, "steps": trainer.num_steps}
        entry = {"schema": SCHEMA, "file": name, "sha256": hashlib.sha256(data).hexdigest()}
        write_json(folder / ABOUT, entry | {"update": trainer.number, "about": noted})
        for path in folder.glob("update-*.safetensors"):
            if path.name != name and path.is_file():
                path.unlink(missing_ok=True)
        self._note_workers()

    def _note_workers(self) -> None:
        self._folder.about["workers_lost"] = list(self._trainer.lost)

    def _take_up(self) -> None:
        if not has_checkpoint(self._folder.path):
            return  # killed before its first checkpoint: it begins again
        noted = load_checkpoint(self._checkpoints, self._trainer)
        self.curve, self.best = list(noted["curve"]), dict(noted["best"])
        self._marked = int(noted["marked"])

    def close(self, status: str, error: str = "") -> None:
        """End the run's files; say which workers were lost."""
        self._note_workers()
        super().close(status, error)


@contextmanager
def open_new(  # noqa: PLR0913 (all that decides a training)
    path: Path,
    plan: Plan,
    settings: LearningSettings,
    *,
    workers: int,
    address: str | None = None,
    command: str = "",
    changed: Iterable[str] = (),
    on_ray_end: OnRayEnd | None = None,
) -> Iterator[tuple[RllibRun, RllibTrainer]]:
    """Make a run folder, and what trains into it on Ray, which is started here or joined.

    Args:
        changed: The settings that were asked for by name.
        on_ray_end: Is called, in another thread, if Ray itself ends; this one may never return.
    """
    check_settings(settings, changed)
    if plan.earlier:
        raise ConfigError("--curriculum: the engine 'rllib' trains on one preset")
    own_seed = os.environ.get(HASH_SEED)  # Ray puts that of workers over it
    where = (address, on_ray_end)
    with _trainer(plan, settings, workers, where) as (trainer, cluster):
        engine = {"name": ENGINE, "workers": workers, "ray": version("ray")}
        engine |= {"cluster": "local" if cluster.is_local else cluster.address}
        engine |= {HASH_SEED: {"workers": HASH_SEED_VALUE, "driver": own_seed}}
        about = {"command": command, "threads": plan.threads, "curriculum": [], "from": {}}
        stages = [Stage(trainer.env)]
        yield (
            RllibRun(path, cast(Trainer, trainer), stages, about=about | {"engine": engine}),
            trainer,
        )


@contextmanager
def open_again(
    path: Path, target: str, *, address: str | None = None, on_ray_end: OnRayEnd | None = None
) -> Iterator[tuple[RllibRun, RllibTrainer]]:
    """Go on with a training."""
    folder = RunFolder(path)
    about = folder.read()
    folder.check_free()
    agreed, workers = check_training(about, path), about["engine"].get("workers")
    if type(workers) is not int or not 1 <= workers <= MOST_WORKERS:
        raise RunError(f"{path}: damaged: engine.workers is {short(workers)}")
    plan = Plan(
        resolve(folder.config),
        (),
        steps=agreed["agent_steps"],
        seed=agreed["seed"],
        target=target,
        threads=agreed["threads"],
    )
    settings = parse(about["learning"])
    check_settings(settings, ())
    number = (
        read_json(path / CHECKPOINTS / ABOUT, MAX_JSON)["update"] if has_checkpoint(path) else 0
    )
    where = (address, on_ray_end)
    with _trainer(plan, settings, workers, where, number) as (trainer, _):
        trainer.lost += about.get("workers_lost", [])
        stages = [Stage(trainer.env)]
        yield RllibRun(path, cast(Trainer, trainer), stages, resume=True), trainer


@contextmanager
def _trainer(
    plan: Plan,
    settings: LearningSettings,
    workers: int,
    where: tuple[str | None, OnRayEnd | None],
    number: int = 0,
) -> Iterator[tuple[RllibTrainer, Cluster]]:
    """Start or join Ray, and its workers; end them however this ends."""
    if plan.target not in TARGETS:
        allowed = " or ".join(TARGETS)
        raise ConfigError(f"--target: of the engine 'rllib' must be {allowed}, got {plan.target}")
    shares = share_out(settings, workers)
    settings = settings.model_copy(update={"num_envs": shares.all_envs})
    env = make(plan.resolved, num_envs=shares.all_envs, target=plan.target)
    env.reset(seed=plan.seed)
    torch.set_num_threads(plan.threads)
    variables, (address, on_ray_end) = {HASH_SEED: HASH_SEED_VALUE}, where
    with (
        open_cluster(address, num_cpus=workers, variables=variables) as cluster,
        watching_ray(on_ray_end),
    ):
        trainer = RllibTrainer(
            plan.resolved,
            settings,
            shares,
            env=env,
            steps=plan.steps,
            seed=plan.seed,
            number=number,
        )
        try:
            yield trainer, cluster
        finally:
            trainer.close()


def _number(path: Path) -> int:
    """Say how many updates a run's checkpoint holds."""
    if not has_checkpoint(path):
        return 0
    found = read_json(path / CHECKPOINTS / ABOUT, MAX_JSON).get("update")
    if type(found) is not int or found < 0:
        raise RunError(f"{path / CHECKPOINTS / ABOUT}: damaged: update is {short(found)}")
    return found


def _tensors(trainer: Any) -> dict[str, torch.Tensor]:
    """Name every tensor that training goes on from."""
    made: dict[str, torch.Tensor] = {}
    for role in trainer.learners:
        module = trainer.learner._module_of(role)
        found = {f"module/{key}": value for key, value in module.state_dict().items()}
        optimizer = trainer.learner.get_optimizer(role)
        for index, moments in optimizer.state_dict()["state"].items():
            found |= {f"optimizer/{index}/{key}": value for key, value in moments.items()}
        made |= {f"{role}/{key}": value.detach().contiguous() for key, value in found.items()}
    # two names for one tensor are written as two
    return {key: value.clone() for key, value in made.items()}


def load_checkpoint(folder: Path, trainer: Any) -> dict[str, Any]:
    """Bring a new trainer to where a checkpoint was written; give what was noted with it."""
    entry = read_json(folder / ABOUT, MAX_JSON)
    name = entry.get("file")
    if entry.get("schema") != SCHEMA or not isinstance(name, str) or not NAME.fullmatch(name):
        raise RunError(f"{folder / ABOUT}: damaged: it names no checkpoint")
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise RunError(f"{folder / name}: cannot be read: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != entry.get("sha256"):
        raise RunError(f"{folder / name}: damaged: its content is not what was written")
    try:
        _restore(trainer, load(data))
        noted: dict[str, Any] = entry["about"]
        trainer.number = int(entry["update"])
        trainer.agent_steps, trainer.num_steps = int(noted["agent_steps"]), int(noted["steps"])
    except (SafetensorError, LookupError, TypeError, ValueError, RuntimeError) as error:
        raise RunError(f"{folder}: the checkpoint does not fit this training: {error}") from None
    trainer.spread()
    return noted


def _restore(trainer: Any, tensors: dict[str, torch.Tensor]) -> None:
    for role in trainer.learners:
        lead = f"{role}/module/"
        mine = {k.removeprefix(lead): v for k, v in tensors.items() if k.startswith(lead)}
        trainer.learner._module_of(role).load_state_dict(mine)
        optimizer = trainer.learner.get_optimizer(role)
        parameters = [entry for group in optimizer.param_groups for entry in group["params"]]
        lead = f"{role}/optimizer/"
        for key, value in tensors.items():
            if key.startswith(lead):
                index, part = key.removeprefix(lead).split("/")
                optimizer.state[parameters[int(index)]][part] = value
