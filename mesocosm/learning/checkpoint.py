"""Checkpoints: everything that training goes on from, as safetensors and JSON."""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load, save

from mesocosm.core.errors import RunError
from mesocosm.learning.experience import CARRIED
from mesocosm.learning.ppo import Learner
from mesocosm.learning.trainer import Trainer
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.files import read_json, write_bytes, write_json

FOLDER, ABOUT = "checkpoints", "last.json"
SCHEMA = 1
MAX_JSON = 1 << 26
LEAGUE = "league/"
CONTENT = "content_sha256"  # of everything else in the file
NAME = re.compile(r"update-\d{6,12}\.safetensors")


def save_checkpoint(folder: Path, trainer: Trainer, about: dict[str, Any]) -> None:
    """Write a checkpoint; a reader finds this one or the one before, whole."""
    folder.mkdir(exist_ok=True)
    arrays, meta = _gather(trainer)
    data = save(arrays)
    name = f"update-{trainer.number:06d}.safetensors"
    write_bytes(folder / name, data)
    digest = hashlib.sha256(data).hexdigest()
    entry = {"schema": SCHEMA, "file": name, "sha256": digest}
    entry |= {"update": trainer.number, "stage": trainer.stage}
    entry |= {"snapshot": meta, "about": about}
    write_json(folder / ABOUT, entry | {CONTENT: _digest(entry)})
    for path in folder.glob("update-*.safetensors"):
        if path.name != name and path.is_file():
            path.unlink(missing_ok=True)


def load_checkpoint(folder: Path, trainer: Trainer, envs: Sequence[Engine] = ()) -> dict[str, Any]:
    """Bring a new trainer to where a checkpoint was written; give what was noted with it.

    Args:
        envs: Of each stage of a curriculum.
    """
    entry = read_json(folder / ABOUT, MAX_JSON)
    arrays = _read_arrays(folder, entry)
    noted = entry.pop(CONTENT, None)  # older checkpoints have none
    if noted is not None and noted != _digest(entry):
        raise RunError(f"{folder / ABOUT}: damaged: its content is not what was written")
    try:
        if entry["stage"]:
            trainer.move_to(envs[entry["stage"]], entry["stage"])
        _spread(trainer, arrays, entry["snapshot"])
        trainer.number = int(entry["update"])
        about: dict[str, Any] = entry["about"]
    except (LookupError, TypeError, ValueError, RuntimeError) as error:
        raise RunError(f"{folder}: the checkpoint does not fit this training: {error}") from None
    return about


def _digest(entry: dict[str, Any]) -> str:
    """Give the sha256 of what is noted beside the arrays, however it is written."""
    plain = json.loads(json.dumps(entry))  # as it is when it was read
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _read_arrays(folder: Path, entry: dict[str, Any]) -> dict[str, np.ndarray]:
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
        arrays: dict[str, np.ndarray] = load(data)
    except SafetensorError as error:
        raise RunError(f"{folder / name}: damaged: {error}") from None
    return arrays


def _gather(trainer: Trainer) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Name every array that training goes on from."""
    snapshot = trainer.env.save()
    meta = snapshot.pop("_meta")
    made = {f"env/{name}": np.ascontiguousarray(array) for name, array in snapshot.items()}
    for name, learner in trainer.learners.items():
        found = {f"learner/{name}/{key}": value for key, value in _tensors(learner).items()}
        counter = trainer.counters[name]
        found |= {f"lives/{name}/earned": counter.earned, f"lives/{name}/lived": counter.lived}
        made |= {key: value.detach().cpu().contiguous().numpy() for key, value in found.items()}
    if trainer.league is not None:
        kept = {f"{LEAGUE}{key}": value for key, value in trainer.league.tensors().items()}
        made |= {key: value.detach().cpu().contiguous().numpy() for key, value in kept.items()}
    return made, meta


def _tensors(learner: Learner) -> dict[str, torch.Tensor]:
    """List a learner's tensors by name, as they are."""
    made = {
        f"{name}/{key}": value
        for name, module in learner.modules.items()
        for key, value in module.state_dict().items()
    }
    for index, moments in learner.optimizer.state_dict()["state"].items():
        made |= {f"optimizer/{index}/{key}": value for key, value in moments.items()}
    made |= {f"experience/{name}": getattr(learner.experience, name)[-1] for name in CARRIED}
    made |= {"state/actor": learner.state.actor, "state/critic": learner.state.critic}
    return made | {"generation": learner.generation, "moments": learner.moments}


def _spread(trainer: Trainer, arrays: dict[str, np.ndarray], meta: Any) -> None:
    """Put every array back where it came from."""
    env = {key.removeprefix("env/"): array for key, array in arrays.items() if key[:4] == "env/"}
    trainer.env.load({"_meta": meta, **env})
    for name, learner in trainer.learners.items():
        lead = f"learner/{name}/"
        found = {
            key.removeprefix(lead): torch.from_numpy(array.copy()).to(trainer.device)
            for key, array in arrays.items()
            if key.startswith(lead)
        }
        _restore(learner, found)
        counter = trainer.counters[name]
        counter.earned = torch.from_numpy(arrays[f"lives/{name}/earned"].copy()).to(trainer.device)
        counter.lived = torch.from_numpy(arrays[f"lives/{name}/lived"].copy()).to(trainer.device)
    if trainer.league is not None:
        trainer.league.restore(
            {
                key.removeprefix(LEAGUE): torch.from_numpy(array.copy()).to(trainer.device)
                for key, array in arrays.items()
                if key.startswith(LEAGUE)
            }
        )


def _restore(learner: Learner, found: dict[str, torch.Tensor]) -> None:
    for name, module in learner.modules.items():
        lead = f"{name}/"
        mine = {k.removeprefix(lead): v for k, v in found.items() if k.startswith(lead)}
        module.load_state_dict(mine)
    parameters = [entry for group in learner.optimizer.param_groups for entry in group["params"]]
    for key, value in found.items():
        if key.startswith("optimizer/"):
            _, index, part = key.split("/")
            learner.optimizer.state[parameters[int(index)]][part] = value
    for name in CARRIED:
        getattr(learner.experience, name)[-1] = found[f"experience/{name}"]
    learner.state.actor.copy_(found["state/actor"])
    learner.state.critic.copy_(found["state/critic"])
    learner.generation.copy_(found["generation"])
    learner.moments.copy_(found["moments"])
