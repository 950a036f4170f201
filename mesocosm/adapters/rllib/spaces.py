"""What RLlib is told of roles and workers, the same for single envs and for batches."""

from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from mesocosm.adapters.spaces import observation_space
from mesocosm.core.spec import Role

OBSERVATIONS, ACTION_MASK = "observations", "action_mask"
WORKER_ENVS = 1 << 20  # envs of a seed that belong to one worker
_made_here = count()


def role_of(agent: str, *_: Any, **__: Any) -> str:
    """Give the role of an agent: what RLlib asks of a `policy_mapping_fn`."""
    return agent.rpartition("_")[0]


def shown_space(role: Role) -> Any:
    """Give the space of what an agent is shown: an observation, and a mask where there is one."""
    made = {OBSERVATIONS: observation_space(role)}
    if role.action.mask_size:
        made[ACTION_MASK] = spaces.Box(0, 1, (role.action.mask_size,), np.int8)
    return spaces.Dict(made)


def worker_folder(record: Any, worker: int) -> Path:
    """Name the folder of one worker's recording; a worker that is started anew gets a new one."""
    names = (f"worker-{worker}" + (f"-{k}" if k else "") for k in count())
    return next(path for path in (Path(record) / name for name in names) if not path.exists())


def read_context(context: Any) -> tuple[Any, Any, Any]:
    """Read the arguments of an env from what RLlib hands to each that it makes."""
    options = dict(context)
    worker, number = context.worker_index or 0, next(_made_here)
    options.setdefault("first_env", WORKER_ENVS * worker + number)
    if options.get("record") is not None:
        options["record"] = worker_folder(options["record"], worker)
    return options.pop("source"), options.pop("overrides", None), options
