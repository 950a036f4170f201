"""Open trainings: new ones from a plan, and those that were interrupted from their run folders."""

import contextlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch

from mesocosm.build import make
from mesocosm.config.identity import dump
from mesocosm.core.errors import ConfigError, RunError
from mesocosm.learning.bundles.bundle import Bundle, read_bundle
from mesocosm.learning.checkpoint import share_learnt
from mesocosm.learning.memory_check import check_memory
from mesocosm.learning.ppo import is_alike
from mesocosm.learning.presets import settings_for
from mesocosm.learning.rank_worker import start_ranks
from mesocosm.learning.ranks import Ranks
from mesocosm.learning.settings import LearningSettings, override, parse
from mesocosm.learning.trainer import Trainer
from mesocosm.learning.training_run import Stage, TrainingRun, check_training, has_checkpoint
from mesocosm.learning.warm_start import warm_start
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.run_folder import RunFolder


class Plan(NamedTuple):
    """Everything a training needs to know, but for its settings.

    Args:
        earlier: Stages of the curriculum, with the scores at which to move on.
    """

    resolved: Resolved
    earlier: tuple[tuple[Resolved, float], ...]
    steps: int
    seed: int
    target: str
    threads: int


def choose_settings(
    resolved: Resolved, changes: Mapping[str, Any], bundles: Mapping[str, Bundle]
) -> LearningSettings:
    """Take what suits the spec, as changed; the network is that of a bundle that is begun from."""
    known = [bundle.card.network for bundle in bundles.values()]
    settings = override(settings_for(resolved.spec), changes)
    if known and not any(name.startswith("learning.network") for name in changes):
        return settings.model_copy(update={"network": known[0]})
    return settings


def open_new(
    path: Path,
    plan: Plan,
    settings: LearningSettings,
    *,
    command: str,
    bundles: Mapping[str, Bundle] | None = None,
) -> tuple[TrainingRun, Trainer, list[str]]:
    """Make a run folder, and what trains into it; say what could not be taken over."""
    begun_from = bundles or {}
    trainer, stages = open_trainer(plan, settings)
    with closing_on_error(trainer):
        return _begin(path, plan, trainer, stages, command=command, begun_from=begun_from)


def _begin(
    path: Path,
    plan: Plan,
    trainer: Trainer,
    stages: list[Stage],
    *,
    command: str,
    begun_from: Mapping[str, Bundle],
) -> tuple[TrainingRun, Trainer, list[str]]:
    notes = _warm_start(trainer, begun_from)
    about: dict[str, Any] = {"command": command, "threads": plan.threads}
    about["curriculum"] = [
        {"config": dump(resolved.config), "score": score} for resolved, score in plan.earlier
    ]
    about["from"] = {
        role: {"file": str(bundle.path), "sha256": bundle.sha256}
        for role, bundle in begun_from.items()
    }
    return TrainingRun(path, trainer, stages, about=about), trainer, notes


def open_again(path: Path, target: str) -> tuple[TrainingRun, Trainer]:
    """Go on with a training."""
    folder = RunFolder(path)
    about = folder.read()
    folder.check_free()
    agreed = check_training(about, path)
    earlier = tuple((resolve(x["config"]), float(x["score"])) for x in about["curriculum"])
    plan = Plan(
        resolve(folder.config),
        earlier,
        steps=agreed["agent_steps"],
        seed=agreed["seed"],
        target=target,
        threads=agreed["threads"],
    )
    trainer, stages = open_trainer(plan, parse(about["learning"]))
    with closing_on_error(trainer):
        if not has_checkpoint(path):
            _warm_start(trainer, _begun_from(about, path))
        return TrainingRun(path, trainer, stages, resume=True), trainer


@contextlib.contextmanager
def closing_on_error(trainer: Trainer) -> Iterator[None]:
    """Let the processes that train along end if something goes wrong."""
    try:
        yield
    except BaseException:
        trainer.close()
        raise


def _warm_start(trainer: Trainer, bundles: Mapping[str, Bundle]) -> list[str]:
    """Begin from bundles, on all ranks; say what could not be taken over."""
    notes = [
        f"{bundle.path}: {note}"
        for role, bundle in bundles.items()
        for note in warm_start(trainer.learners[role], bundle)
    ]
    if bundles:
        trainer.ranks.command("share_learnt")
        share_learnt(trainer)
    return notes


def _begun_from(about: Mapping[str, Any], path: Path) -> dict[str, Bundle]:
    """Read again the bundles that a training began from; refuse other files than those."""
    made = {}
    for role, entry in about["from"].items():
        made[role] = read_bundle(entry["file"])
        if made[role].sha256 != entry["sha256"]:
            raise RunError(
                f"{path}: began from {entry['file']}, which is another file now: sha256 was "
                f"{entry['sha256'][:12]}, is {made[role].sha256[:12]}"
            )
    return made


def _check_roles(plan: Plan) -> None:
    """Refuse a curriculum whose roles differ between stages, before anything is trained."""
    wanted = plan.resolved.spec.roles
    for resolved, _ in plan.earlier:
        found, identity = resolved.spec.roles, resolved.config.identity
        stage = f"curriculum: {identity.world}/{identity.preset}"
        if found.keys() != wanted.keys():
            raise ConfigError(
                f"{stage} has the roles {', '.join(found)}; it must have those of the preset: "
                f"{', '.join(wanted)}"
            )
        if resolved.spec.num_agents != plan.resolved.spec.num_agents:
            raise ConfigError(
                f"{stage} has {resolved.spec.num_agents} agents; it must have as many as the "
                f"preset: {plan.resolved.spec.num_agents}"
            )
        for name, role in found.items():
            if not is_alike(role, wanted[name]):
                raise ConfigError(f"{stage}: role {name!r} must see and do what it does at the end")


def open_trainer(plan: Plan, settings: LearningSettings) -> tuple[Trainer, list[Stage]]:
    """Make the envs of all stages, and what trains in the first of them; close it in the end."""
    _check_roles(plan)
    if plan.target != "cuda":
        check_memory(plan.resolved.spec, settings)
    if plan.target == "cuda":
        torch.set_float32_matmul_precision("high")
    size = num_ranks(plan, settings)
    num_envs = Ranks(settings.num_envs, 0, size).count(0)
    made = [
        Stage(make(resolved, num_envs=num_envs, target=plan.target), score)
        for resolved, score in (*plan.earlier, (plan.resolved, math.inf))
    ]
    ranks = Ranks(settings.num_envs)
    if size > 1:
        configs = [resolved for resolved, _ in (*plan.earlier, (plan.resolved, math.inf))]
        how = {"steps": plan.steps, "seed": plan.seed, "target": plan.target}
        ranks = start_ranks(configs, settings, how, size)
    try:
        env = made[0].env
        return Trainer(env, settings, steps=plan.steps, seed=plan.seed, ranks=ranks), made
    except BaseException:
        ranks.close()
        raise


def num_ranks(plan: Plan, settings: LearningSettings) -> int:
    """Say how many processes train: one on a GPU, and where past selves play along."""
    if plan.target == "cuda" or settings.league.share:
        return 1
    return min(plan.threads, settings.num_envs)
