"""What the `train` command does with `--engine rllib`: it trains on Ray's workers."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesocosm.cli.shared.exit_status import BAD_INPUT
from mesocosm.cli.shared.output import say
from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.telemetry.run_folder import RunFolder

if TYPE_CHECKING:
    from mesocosm.distributed.rllib.trainer import RllibTrainer
    from mesocosm.distributed.rllib.training import RllibRun
    from mesocosm.learning.open_training import Plan

RLLIB = "rllib"
Opened = tuple["RllibRun", "RllibTrainer"]


def check_options(engine: str, given: Mapping[str, Any]) -> None:
    """Refuse options that the engine has not; None stands for one that was not given."""
    if engine != RLLIB and given["--workers"] is not None:
        raise ConfigError("--workers: is for --engine rllib")
    for option in ("--seeds", "--from", "--curriculum"):
        if engine == RLLIB and given[option] is not None:
            raise ConfigError(f"{option}: the engine 'rllib' has no such option")


def is_by_rllib(path: Path) -> bool:
    """Whether a run is a training by RLlib."""
    engine = RunFolder(path).read().get("engine")
    return isinstance(engine, dict) and engine.get("name") == RLLIB


@contextmanager
def open_rllib(
    path: Path,
    plan: "Plan",
    learning: dict[str, Any],
    *,
    workers: int,
    address: str | None,
    command: str,
) -> Iterator[Opened]:
    """Open a new training; Ray is there until it is closed."""
    from mesocosm.distributed.cluster import import_ray
    from mesocosm.learning.open_training import choose_settings

    RunFolder(path).check_new()
    settings = choose_settings(plan.resolved, learning, {})
    import_ray(local=address is None)
    from mesocosm.distributed.rllib.training import open_new

    how: dict[str, Any] = {"workers": workers, "address": address, "command": command}
    how["on_ray_end"] = _end
    _announce(workers, address)
    with open_new(path, plan, settings, **how, changed=list(learning)) as found:
        yield found


def _end(error: MesocosmError) -> None:
    """End at once, from whatever thread: Ray has the first, and would end it without a word."""
    say(f"mesocosm: {error}")
    os._exit(BAD_INPUT)


def _announce(workers: int, address: str | None) -> None:
    where = "a Ray of its own" if address is None else f"the Ray at {address}"
    say(f"mesocosm: starting {workers} workers on {where} ...")


@contextmanager
def resume_rllib(path: Path, target: str, address: str | None) -> Iterator[Opened]:
    """Go on with a training by RLlib."""
    from mesocosm.distributed.cluster import import_ray

    import_ray(local=address is None)
    from mesocosm.distributed.rllib.training import open_again

    with open_again(path, target, address=address, on_ray_end=_end) as found:
        yield found
