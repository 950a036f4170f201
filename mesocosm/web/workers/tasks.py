"""What workers can be told to do, by name; a task travels as JSON, so that nothing is unpickled."""

import base64
import json
from dataclasses import fields
from importlib import import_module
from typing import Any, NamedTuple

PACKAGE = "mesocosm.web.workers"


class TaskCode(NamedTuple):
    """Where a task is written: a module of this package, its function, and the class of its plan.

    The module is imported by the worker that does the task.
    """

    module: str
    function: str
    plan: str


TASKS = {
    "play": TaskCode("play", "play", "PlayPlan"),
    "train": TaskCode("train", "train", "TrainPlan"),
    "evaluate": TaskCode("evaluate", "evaluate", "EvaluatePlan"),
    "verify": TaskCode("verify", "verify", "VerifyPlan"),
    "film": TaskCode("film", "make_film", "FilmPlan"),
    "inspect": TaskCode("inspect", "inspect", "InspectPlan"),
    "thumbnails": TaskCode("thumbnail", "make_thumbnails", "ThumbnailsPlan"),
    "preset film": TaskCode("thumbnail", "make_preset_film", "ShowPlan"),
}


def encode_task(name: str, plan: Any, memory: int) -> bytes:
    """Give a task as JSON.

    Args:
        plan: A dataclass of plain values, and of bytes.
        memory: Bytes that the worker may take; 0 is no limit.
    """
    values = {field.name: getattr(plan, field.name) for field in fields(plan)}
    texts = {key: base64.b64encode(x).decode() for key, x in values.items() if type(x) is bytes}
    plain = {key: value for key, value in values.items() if key not in texts}
    return json.dumps({"task": name, "plan": plain, "bytes": texts, "memory": memory}).encode()


def decode_task(data: bytes) -> tuple[Any, Any, int]:
    """Give the function of a task, its plan, and the bytes that it may take."""
    found = json.loads(data)
    code = TASKS[found["task"]]
    module = import_module(f"{PACKAGE}.{code.module}")
    texts = {key: base64.b64decode(text) for key, text in found["bytes"].items()}
    plan = getattr(module, code.plan)(**found["plan"], **texts)
    return getattr(module, code.function), plan, int(found["memory"])
