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
    trainer.ranks.command("gather")
    arrays, meta = gather(trainer)
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
        trainer.number = int(entry["update"])
        trainer.ranks.command("spread", trainer.number)
        spread(trainer, arrays, entry["snapshot"])
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


def gather(trainer: Trainer) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Name every array that training goes on from, those of all ranks joined; on all of them."""
    batch, meta = _batch(trainer)
    made = {name: trainer.ranks.join(array) for name, array in batch.items()}
    found = {
        f"learner/{name}/{key}": value
        for name, learner in trainer.learners.items()
        for key, value in _learnt(learner).items()
    }
    if trainer.league is not None:
        found |= {f"{LEAGUE}{key}": value for key, value in trainer.league.tensors().items()}
    made |= {key: _to_numpy(value) for key, value in found.items()}
    return made, meta | {"num_envs": trainer.ranks.num_envs}


def _batch(trainer: Trainer) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Name the arrays of which every rank has a part, and give the `_meta` of its snapshot."""
    snapshot = trainer.env.save()
    meta = snapshot.pop("_meta")
    made = {f"env/{name}": np.ascontiguousarray(array) for name, array in snapshot.items()}
    for name, learner in trainer.learners.items():
        played = {f"experience/{key}": getattr(learner.experience, key)[-1] for key in CARRIED}
        played |= {"state/actor": learner.state.actor, "state/critic": learner.state.critic}
        played |= {"generation": learner.generation}
        found = {f"learner/{name}/{key}": value for key, value in played.items()}
        counter = trainer.counters[name]
        found |= {f"lives/{name}/earned": counter.earned, f"lives/{name}/lived": counter.lived}
        made |= {key: _to_numpy(value) for key, value in found.items()}
    return made, meta


def _to_numpy(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().contiguous().numpy()


def _learnt(learner: Learner) -> dict[str, torch.Tensor]:
    """List by name what is the same on every rank, as it is."""
    made = {
        f"{name}/{key}": value
        for name, module in learner.modules.items()
        for key, value in module.state_dict().items()
    }
    for index, moments in learner.optimizer.state_dict()["state"].items():
        made |= {f"optimizer/{index}/{key}": value for key, value in moments.items()}
    return made | {"moments": learner.moments}


def spread(trainer: Trainer, arrays: dict[str, np.ndarray] | None = None, meta: Any = None) -> None:
    """Put every array back where it came from, on all ranks; the first has them.

    Args:
        meta: Of the snapshot, as `gather` gave it.
    """
    ranks = trainer.ranks
    like, own = _batch(trainer)
    parts = {
        name: ranks.split(None if arrays is None else arrays[name], array)
        for name, array in like.items()
    }
    if arrays is not None and meta["num_envs"] == ranks.num_envs:
        own = meta | {"num_envs": own["num_envs"]}
    env = {key.removeprefix("env/"): array for key, array in parts.items() if key[:4] == "env/"}
    trainer.env.load({"_meta": own, **env})
    for name, learner in trainer.learners.items():
        lead = f"learner/{name}/"
        found = {
            key.removeprefix(lead): torch.from_numpy(array.copy()).to(trainer.device)
            for key, array in ((arrays or {}) | parts).items()
            if key.startswith(lead)
        }
        _restore(learner, found)
        counter = trainer.counters[name]
        counter.earned = torch.from_numpy(parts[f"lives/{name}/earned"].copy()).to(trainer.device)
        counter.lived = torch.from_numpy(parts[f"lives/{name}/lived"].copy()).to(trainer.device)
    if trainer.league is not None and arrays is not None:
        trainer.league.restore(
            {
                key.removeprefix(LEAGUE): torch.from_numpy(array.copy()).to(trainer.device)
                for key, array in arrays.items()
                if key.startswith(LEAGUE)
            }
        )
    share_learnt(trainer)


def share_learnt(trainer: Trainer) -> None:
    """Let every rank go on with what the first has learnt, or was given to begin with."""
    if trainer.ranks.size == 1:
        return
    for learner in trainer.learners.values():
        if trainer.number:
            _begin_moments(learner)
        for _, tensor in sorted(_learnt(learner).items()):
            trainer.ranks.share(tensor)


def _begin_moments(learner: Learner) -> None:
    """Make what Adam keeps of every parameter, where it has not begun."""
    for group in learner.optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.numel() and not learner.optimizer.state[parameter]:
                made = {name: torch.zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}
                learner.optimizer.state[parameter] = {"step": torch.zeros(())} | made


def _restore(learner: Learner, found: dict[str, torch.Tensor]) -> None:
    """Put back what was found; other ranks than the first find only what they played."""
    for name, module in learner.modules.items():
        lead = f"{name}/"
        mine = {k.removeprefix(lead): v for k, v in found.items() if k.startswith(lead)}
        if mine:
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
    if "moments" in found:
        learner.moments.copy_(found["moments"])
